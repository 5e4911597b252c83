from __future__ import annotations

import numpy as np
import pytest

from metajudge.agreement.adjust import benjamini_hochberg, holm
from metajudge.agreement.estimate import Estimate
from metajudge.agreement.paired import mcnemar, stuart_maxwell
from metajudge.selection import compare, compare_all, unseen_below
from tests.selection.test_ranking import EAGER, FAILING, GOLD, RIGHT, SLICES, TIMID
from tests.selection.worlds import world

YES, NO, IDK, FAILURE = range(4)


def test_the_change_table_says_was_and_is_by_gold_label_and_slice() -> None:
    measurer = world(GOLD, {"timid": TIMID, "right": RIGHT}, slices=SLICES)
    found = compare(measurer, 1, 0)
    assert found.changes.shape == (3, 4, 4)
    assert found.changes.sum() == 80
    assert found.changes[YES, IDK, YES] == 12
    assert found.by_slice["summary"][YES, IDK, YES] == 12
    assert found.by_slice["literal"][YES].tolist() == [[20, 0, 0, 0]] + [[0] * 4] * 3
    assert set(found.by_slice) == {"summary", "literal", "contradiction", "off_context"}
    assert (found.mcnemar.better, found.mcnemar.worse) == (12, 0)


def test_differences_are_candidate_minus_baseline_on_the_same_resamples() -> None:
    measurer = world(GOLD, {"timid": TIMID, "right": RIGHT}, slices=SLICES)
    found = compare(measurer, 1, 0)
    assert found.differences["summary_as_idk"].value == pytest.approx(-12 / 20)
    assert found.differences["over_credit"].value == 0
    assert found.differences["accuracy"].value == pytest.approx(12 / 80)
    for name, gap in found.differences.items():
        assert gap == measurer.differences(name, 0)[1]
    assert found.told_apart("summary_as_idk") and found.told_apart("kappa")
    assert not found.told_apart("over_credit")
    assert found.swap_p["summary_as_idk"] == pytest.approx(2 / 2**12)
    back = compare(measurer, 0, 1)
    assert (back.mcnemar.better, back.mcnemar.worse) == (0, 12)
    assert back.changes[YES, YES, IDK] == 12


def test_failures_are_a_verdict_of_their_own() -> None:
    measurer = world(GOLD, {"right": RIGHT, "failing": FAILING}, slices=SLICES)
    found = compare(measurer, 1, 0)
    assert found.changes[:, :, FAILURE].sum() == FAILING.count("failure")
    assert found.mcnemar.worse == FAILING.count("failure")
    assert found.stuart_maxwell == stuart_maxwell(found.changes.sum(0))
    assert found.stuart_maxwell.df == 3


def test_tests_read_the_first_draw_and_differences_all() -> None:
    gold = ["yes"] * 6 + ["no"] * 6
    first, second = list(gold), ["idk"] * 6 + ["no"] * 6
    drawn = [word for pair in zip(first, second, strict=True) for word in pair]
    plain = [word for word in gold for _ in range(2)]
    measurer = world(gold, {"a": plain, "b": drawn}, repeats=2, slices=["summary"] * 12)
    found = compare(measurer, 1, 0)
    assert found.changes.sum() == 12
    assert (found.mcnemar.better, found.mcnemar.worse) == (0, 0)
    assert found.differences["summary_as_idk"].value == pytest.approx(0.5)


def test_p_values_are_adjusted_over_all_candidates() -> None:
    pool = {"timid": TIMID, "right": RIGHT, "eager": EAGER, "failing": FAILING}
    measurer = world(GOLD, pool, slices=SLICES)
    found = compare_all(measurer, 0)
    assert [row.index for row in found] == [1, 2, 3]
    right = measurer.candidates.codes == measurer.columns.gold
    mid_p = [mcnemar(right[0], right[i]).mid_p for i in (1, 2, 3)]
    assert [row.mcnemar.mid_p for row in found] == mid_p
    assert [row.holm_p for row in found] == holm(mid_p).tolist()
    assert [row.fdr_q for row in found] == benjamini_hochberg(mid_p).tolist()
    assert compare(measurer, 1, 0).holm_p == mid_p[0]


def test_binary_gold_keeps_no_and_idk_apart_in_the_change_table() -> None:
    gold = ["supported"] * 4 + ["unsupported"] * 4
    was = ["yes"] * 4 + ["no"] * 4
    now = ["yes"] * 4 + ["idk"] * 4
    found = compare(world(gold, {"was": was, "now": now}), 1, 0)
    assert found.changes.shape == (2, 4, 4)
    assert found.changes[1, NO, IDK] == 4
    assert (found.mcnemar.better, found.mcnemar.worse) == (0, 0)


def test_an_undefined_difference_has_a_reason_and_no_p() -> None:
    measurer = world(["no", "idk"] * 5, {"a": ["no", "idk"] * 5, "b": ["no"] * 10})
    found = compare(measurer, 1, 0)
    gap = found.differences["summary_as_idk"]
    assert gap.value is None and gap.reason is not None
    assert found.swap_p["summary_as_idk"] is None
    assert not found.told_apart("summary_as_idk")


def test_the_unseen_difference_follows_the_width() -> None:
    gap = Estimate(0.1, -0.096, 0.296, 100, 100, "test")
    assert unseen_below(gap) == pytest.approx((1.959964 + 0.841621) * 0.1, abs=1e-4)
    assert unseen_below(gap, power=0.5) == pytest.approx(0.196, abs=1e-4)
    assert unseen_below(Estimate(0.1, None, None, 9, 9, "test")) is None


def test_a_baseline_alone_is_compared_with_nobody() -> None:
    assert compare_all(world(GOLD, {"a": RIGHT}, slices=SLICES), 0) == ()
    assert np.isfinite(compare(world(GOLD, {"a": RIGHT}), 0, 0).holm_p)
