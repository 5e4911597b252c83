from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from metajudge.selection import candidate_front, pareto_front
from tests.selection.worlds import world

GOLD = ["yes"] * 4 + ["no"] * 4
SLICES = ["summary"] * 4 + ["contradiction"] * 4
GOOD = ["yes"] * 4 + ["no"] * 4
TIMID = ["idk"] * 2 + ["yes"] * 2 + ["no"] * 4
EAGER = ["yes"] * 4 + ["yes"] * 2 + ["no"] * 2


def test_by_hand() -> None:
    points = [[0.1, 0.2, 5], [0.2, 0.1, 5], [0.1, 0.2, 6], [0.3, 0.3, 1], [0.3, 0.3, 9]]
    assert pareto_front(points).tolist() == [True, True, False, True, False]


def test_undefined_is_never_on_the_front_and_beats_nobody() -> None:
    assert pareto_front([[0.0, np.nan], [0.5, 0.5]]).tolist() == [False, True]
    assert pareto_front([[np.nan, np.nan]]).tolist() == [False]
    assert pareto_front(np.empty((0, 3))).tolist() == []


points = st.lists(
    st.tuples(*[st.one_of(st.just(float("nan")), st.integers(0, 4).map(float))] * 3),
    min_size=1,
    max_size=12,
)


@settings(max_examples=80, deadline=None)
@given(points)
def test_as_defined_whatever_the_order_and_duplicates_stay_together(
    rows: list[tuple[float, float, float]],
) -> None:
    found = pareto_front(rows).tolist()
    for row, on_front in zip(rows, found, strict=True):
        beaten = any(
            all(a <= b for a, b in zip(other, row, strict=True))
            and any(a < b for a, b in zip(other, row, strict=True))
            for other in rows
        )
        assert on_front == (not any(map(np.isnan, row)) and not beaten)
    assert pareto_front(rows[::-1]).tolist() == found[::-1]
    assert pareto_front(rows + rows).tolist() == found + found
    if not all(any(map(np.isnan, row)) for row in rows):
        assert any(found)


def test_candidates_on_all_three_axes() -> None:
    measurer = world(GOLD, {"good": GOOD, "timid": TIMID, "eager": EAGER}, slices=SLICES)
    front = candidate_front(measurer.measure(), [100.0, 20.0, 200.0])
    assert front.on_front.tolist() == [True, True, False]
    assert front.values[1].tolist() == [0.5, 0.0, 20.0]
    assert front.notes == ()


def test_unknown_costs_leave_the_axis_out_and_say_so() -> None:
    measurer = world(GOLD, {"good": GOOD, "timid": TIMID}, slices=SLICES)
    front = candidate_front(measurer.measure(), [None, None])
    assert front.on_front.tolist() == [True, False]
    assert front.notes == (
        "tokens_per_claim is unknown for every candidate, so the front leaves it out.",
    )
    assert candidate_front(measurer.measure(), [None, 20.0]).on_front.tolist() == [False, True]


def test_no_candidate_and_no_figure() -> None:
    assert candidate_front([], []).on_front.tolist() == []
    bare = world(["idk"] * 4, {"a": ["idk"] * 4}).measure()
    found = candidate_front(bare, [None])
    assert found.on_front.tolist() == [True]
    assert len(found.notes) == 2
