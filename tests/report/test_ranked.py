from metajudge.report.ranked import (
    common_tail,
    ranked_trials,
    row_ranges,
    shown_figures,
    undefined_figures,
    winner_row,
)
from tests.report.factory import make_sweep


def test_rows_are_unique_and_in_ranking_order() -> None:
    results = make_sweep(60).results
    rows = ranked_trials(results)
    assert [row.row for row in rows] == list(range(1, 25))
    assert [(r.trial, r.reading) for r in rows] == [(r.trial, r.reading) for r in results.ranking]


def test_a_trial_that_was_not_ranked_is_still_shown() -> None:
    results = make_sweep(40, 2).results
    rows = ranked_trials(results.model_copy(update={"ranking": results.ranking[:1]}))
    assert len(rows) == 4
    assert rows[-1].rank_text == "–"
    assert rows[-1].safe is None


def test_winner_is_found_by_trial_and_reading() -> None:
    results = make_sweep(162).results
    won = winner_row(results, ranked_trials(results))
    assert won is not None
    assert (won.trial, won.reading) == (results.decision.winner, results.decision.reading)


def test_the_target_comes_first() -> None:
    results = make_sweep(10, 1).results
    assert shown_figures(results)[0] == "summary_as_idk"
    other = results.model_copy(update={"target": "accuracy"})
    assert shown_figures(other) == ("accuracy", "summary_as_idk", "over_credit", "kappa")


def test_undefined_figures_are_grouped_by_reason() -> None:
    remarks = undefined_figures(ranked_trials(make_sweep(60).results), ("kappa",))
    assert len(remarks) == 1
    assert len(remarks[0].rows) == 2


def test_row_ranges_and_tails() -> None:
    assert row_ranges(()) == ""
    assert row_ranges((4,)) == "4"
    assert common_tail([]) == ""
    assert common_tail(["a b", "b"]) == ""
