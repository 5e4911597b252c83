import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from metajudge.report.results import Results
from metajudge.report.terminal import print_terminal, render_terminal
from metajudge.report.words import Language
from tests.report.factory import make_sweep


def shown(
    results: Results, language: Language = "en", width: int = 80, colour: bool = False
) -> str:
    file = io.StringIO()
    console = Console(
        file=file,
        width=width,
        force_terminal=colour,
        color_system="truecolor" if colour else None,
        legacy_windows=False,
    )
    console.print(render_terminal(results, language, width))
    return file.getvalue()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("hostile", [False, True])
def test_fits_80_columns(language: Language, hostile: bool) -> None:
    text = shown(make_sweep(60, hostile=hostile).results, language)
    assert max(cell_len(line) for line in text.splitlines()) <= 80


def test_says_what_matters() -> None:
    results = make_sweep(120, 6).results
    text = shown(results)
    assert "Winner" in text
    assert "summary-as-idk" in text
    assert "Guardrails broken" in text
    assert "clustered by answer, 2,000 resamples" in " ".join(text.split())
    for policy in ("lenient", "strict", "partial(0.5)", "drop_idk"):
        assert policy in text
    assert "Slice hedged" in text
    assert "unparsable" in text


def test_ties_are_stated() -> None:
    results = make_sweep(162).results
    assert any(row.tied_with_first for row in results.ranking)
    assert "1≈" in shown(results)
    assert "cannot be told apart" in shown(results)


def test_no_safe_winner() -> None:
    text = shown(make_sweep(60, 3, safe=False).results)
    assert "No safe winner" in text


def test_b34_undefined_in_the_first_row_and_in_all_rows() -> None:
    made = make_sweep(40, 3).results
    undefined = made.ranking[0].target.model_copy(
        update={"value": None, "low": None, "high": None, "reason": "no gold-yes summary"}
    )
    trials = tuple(
        t.model_copy(update={"figures": dict.fromkeys(t.figures, undefined)}) for t in made.trials
    )
    text = shown(made.model_copy(update={"trials": trials}))
    assert "– summary-as-idk: no gold-yes summary (rows 1-6)" in " ".join(text.split())


def test_a_figure_that_is_missing_is_undefined() -> None:
    made = make_sweep(40, 2).results
    trials = tuple(t.model_copy(update={"figures": {}}) for t in made.trials)
    assert "not computed" in shown(made.model_copy(update={"trials": trials}))


def test_nothing_ranked_nothing_broken() -> None:
    text = shown(make_sweep(10, 0).results)
    assert "No safe winner" in text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_hostile_text_reaches_no_terminal(language: Language) -> None:
    text = shown(make_sweep(30, hostile=True).results, language)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\x9b" not in text
    assert "\u202e" not in text
    assert "[bold red]markup" in text


def test_colours_are_rich_s_own() -> None:
    text = shown(make_sweep(30, hostile=True).results, colour=True)
    assert "\x1b[31mred" not in text


def test_b118_a_terminal_without_the_characters_still_prints() -> None:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding="ascii")
    print_terminal(make_sweep(30, 2).results, Console(file=file, width=80), "zh")
    file.flush()
    assert b"001-templates" in raw.getvalue()
