from metajudge.report.places import Places
from metajudge.report.ranked import ranked_trials
from metajudge.report.selection_parts import in_row_order, rejected, selection_parts, win_shares
from metajudge.report.stability_parts import reach, scale
from tests.report.factory import make_sweep
from tests.report.factory_figures import UNDEFINED, gap, share


def test_every_rejected_row_and_no_other_is_listed() -> None:
    results = make_sweep().results
    rows = ranked_trials(results)
    off = rejected(rows, Places(rows))
    assert [found.ranked.row for found in off] == [row.row for row in rows if row.safe is False]
    assert all(set(found.broken) <= {"over_credit_upper", "coverage"} for found in off)


def test_win_shares_are_sorted_and_end_with_nobody() -> None:
    results = make_sweep().results
    shares = win_shares(results, Places(ranked_trials(results)))
    values = [entry.share for entry in shares[:-1]]
    assert values == sorted(values, reverse=True)
    assert shares[-1].place is None
    assert abs(sum(entry.share for entry in shares) - 1) < 1e-9


def test_a_share_of_a_stranger_keeps_its_name() -> None:
    results = make_sweep().results
    selection = results.selection
    assert selection is not None
    luck = selection.optimism.model_copy(update={"win_shares": {"gone (top)": 1.0}})
    held = results.model_copy(update={"selection": selection.model_copy(update={"optimism": luck})})
    first = win_shares(held, Places(ranked_trials(results)))[0]
    assert first.place is not None
    assert (first.place.row, first.place.head) == (None, "gone (top)")


def test_the_change_browser_is_given_the_baseline_in_the_same_reading() -> None:
    results = make_sweep().results
    rows = ranked_trials(results)
    places = Places(rows)
    parts = selection_parts(results, rows, places)
    by_row = {row.row: row for row in rows}
    for compared in parts["selection"]["comparisons"]:
        base = by_row[compared.baseline_row]
        assert base.trial == results.baseline
        assert base.reading == compared.figures.reading
    order = in_row_order(parts["selection"]["found"].comparisons, places)
    assert [places.of(c.trial, c.reading).row for c in order] == sorted(
        places.of(c.trial, c.reading).row or 0 for c in order
    )


def test_scales_hold_every_interval() -> None:
    assert scale([share(0.2, 50), UNDEFINED]) == share(0.2, 50).high
    assert scale([]) == 0.1
    assert reach([gap(-0.4, 0.2, 9), UNDEFINED]) == 0.6
    assert reach([]) == 0.1
