import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from metajudge.report.html import html_page
from metajudge.report.places import Places
from metajudge.report.ranked import ranked_trials
from metajudge.report.results import BrokenGuardrail, Results
from metajudge.report.selection_text import optimism_line, render_selection, win_line
from metajudge.report.terminal import render_terminal
from metajudge.report.words import Language
from tests.report.factory import make_sweep
from tests.texts import printed, words


def shown(results: Results, language: Language = "en") -> str:
    return printed(render_selection(results, language))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("hostile", [False, True])
def test_fits_80_columns_and_obeys_nobody(language: Language, hostile: bool) -> None:
    text = shown(make_sweep(60, hostile=hostile).results, language)
    assert max(cell_len(line) for line in text.splitlines()) <= 80
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_each_rejected_candidate_has_its_guardrail_and_by_how_much() -> None:
    results = make_sweep(120, 6).results
    text = words(shown(results))
    for row in ranked_trials(results):
        for broken in row.broken:
            assert broken.by is not None
            assert f"+{broken.by:.3f}".replace("0.", ".") in text


def test_a_guardrail_without_a_number_tells_its_reason() -> None:
    results = make_sweep(120, 6).results
    blind = BrokenGuardrail(
        guardrail="insensitive", bound=0.0, got=None, by=None, reason="yes to everything"
    )
    ranking = tuple(
        row.model_copy(update={"broken": (blind,), "safe": False}) for row in results.ranking
    )
    held = results.model_copy(update={"ranking": ranking})
    assert "insensitive to evidence: yes to everything" in words(shown(held))
    file = io.StringIO()
    Console(file=file, width=80, legacy_windows=False).print(render_terminal(held))
    assert "✗ insensitive to evidence #1 #2" in words(file.getvalue())


def test_a_bound_that_must_be_exceeded_and_is_only_met_is_not_off_by_nothing() -> None:
    results = make_sweep(120, 6).results
    met = BrokenGuardrail(guardrail="kappa_above", bound=0.0, got=0.0, by=0.0)
    ranking = tuple(
        row.model_copy(update={"broken": (met,), "safe": False}) for row in results.ranking
    )
    held = results.model_copy(update={"ranking": ranking})
    for text in (words(shown(held)), html_page(held)):
        assert "must be above .00" in text
        assert "+.000" not in text
    assert "须高于 .00" in html_page(held)


def test_optimism_names_apparent_corrected_and_confirmed() -> None:
    results = make_sweep().results
    line = optimism_line(results, "en")
    assert line.startswith("summary-as-idk: apparent .12 · corrected .16 · confirmed on test .20")
    places = Places(ranked_trials(results))
    assert win_line(results, places, "en").startswith("#1 61 % · #2 22 %")
    assert win_line(results, places, "zh").endswith("无人当选 7 %")


def test_without_a_winner_the_reason_stands_there() -> None:
    results = make_sweep(60, 3, safe=False).results
    assert optimism_line(results, "en") == "no safe winner"
    selection = results.selection
    assert selection is not None
    assert selection.confirmation is None
    assert "There is no safe winner to confirm" in words(shown(results))
    won = make_sweep(60, 6).results
    assert won.selection is not None
    bare = won.selection.model_copy(update={"confirmation": None})
    text = words(shown(won.model_copy(update={"selection": bare})))
    assert "Not confirmed. metajudge select --confirm reads" in text


def test_comparisons_stand_in_the_order_of_the_ranking() -> None:
    results = make_sweep().results
    part = shown(results).split("Against the baseline")[1].split("Candidate minus")[0]
    rows = [int(line[1:].split()[0]) for line in part.splitlines() if line.startswith("#")]
    assert rows == sorted(rows)
    assert len(rows) == 23


def test_results_of_schema_1_0_say_that_there_is_no_selection() -> None:
    text = words(shown(make_sweep(40, 2, whole=False).results))
    assert "holds no selection" in text
    assert "Rejected candidates" in text


def test_a_confirmation_that_fails_is_named_with_what_broke() -> None:
    results = make_sweep(120, 6).results
    selection = results.selection
    assert selection is not None
    assert selection.confirmation is not None
    failed = selection.confirmation.model_copy(update={"holds": False, "broken": ("coverage",)})
    text = words(
        shown(
            results.model_copy(
                update={"selection": selection.model_copy(update={"confirmation": failed})}
            )
        )
    )
    assert "Confirmation: does not hold" in text
    assert "Guardrails broken on test: coverage" in text
