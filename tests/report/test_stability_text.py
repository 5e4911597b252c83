import pytest
from rich.cells import cell_len

from metajudge.report.places import Places
from metajudge.report.ranked import ranked_trials
from metajudge.report.results import Results
from metajudge.report.stability_parts import control_rows, flip_rows
from metajudge.report.stability_text import render_stability, worst_axis
from metajudge.report.terminal import render_terminal
from metajudge.report.words import Language
from tests.report.factory import make_sweep
from tests.texts import printed, words


def shown(results: Results, language: Language = "en", whole: bool = True) -> str:
    render = render_stability if whole else render_terminal
    return printed(render(results, language))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("hostile", [False, True])
def test_fits_80_columns_and_obeys_nobody(language: Language, hostile: bool) -> None:
    text = shown(make_sweep(60, hostile=hostile).results, language)
    assert max(cell_len(line) for line in text.splitlines()) <= 80
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_every_axis_level_control_and_cell_is_there() -> None:
    results = make_sweep().results
    stability, controls, factors = results.stability, results.controls, results.factors
    assert stability is not None
    assert controls is not None
    assert factors is not None
    text = shown(results)
    assert text.count("order of passages") == 3 * len(stability.trials) + 1
    assert text.count("evidence removed") == len(stability.trials)
    assert text.count("truths(12)") >= 4
    assert "(context form: truths(12) − raw) × (claims" in text
    assert "draw 2" in text


def test_a_reference_that_several_axes_share_is_told_once() -> None:
    results = make_sweep().results
    assert results.stability is not None
    assert shown(results).count("unperturbed (reference)") == len(results.stability.trials)


def test_parts_that_are_absent_say_why() -> None:
    text = words(shown(make_sweep(40, 2, whole=False).results))
    for part in ("perturbations", "none", "factors"):
        assert f"declares {part}" in text or f"declares no {part}" in text


def test_the_report_of_a_sweep_names_the_worst_axis_and_who_does_not_read() -> None:
    results = make_sweep().results
    places = Places(ranked_trials(results))
    text = words(shown(results, whole=False))
    assert "insensitive: yes to 97 % of claims before their evidence was removed" in text
    assert results.stability is not None
    for row in flip_rows(results.stability, places):
        worst = worst_axis(row)
        assert worst is not None
        assert worst.axis == "label_order"
    assert [row.reads for row in control_rows(results, places)] == [True, True, True, False]


def test_all_that_read_are_counted() -> None:
    results = make_sweep().results
    controls = results.controls
    assert controls is not None
    reading = controls.model_copy(
        update={
            "insensitive": dict.fromkeys(controls.insensitive),
            "causes": dict.fromkeys(controls.insensitive),
        }
    )
    text = words(shown(results.model_copy(update={"controls": reading}), whole=False))
    assert "4 of 4 trials are seen to read the evidence" in text


def test_controls_by_candidate_find_their_rows() -> None:
    results = make_sweep().results
    controls = results.controls
    assert controls is not None
    first = ranked_trials(results)[4]
    label = f"{first.trial} ({first.reading})"
    named = controls.model_copy(
        update={
            "rows": tuple(row.model_copy(update={"trial": label}) for row in controls.rows[:8]),
            "insensitive": {label: "blind"},
            "causes": {label: "not_tested"},
            "pooled_drop": {},
        }
    )
    places = Places(ranked_trials(results))
    (row,) = control_rows(results.model_copy(update={"controls": named}), places)
    assert (row.place.row, row.place.reading) == (first.row, first.reading)
    assert row.reads is None
