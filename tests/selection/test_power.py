from __future__ import annotations

import numpy as np
import pytest

from metajudge.selection import Measurer, detections, labels_needed
from metajudge.selection.power import FIGURES
from tests.selection.test_worlds import SIZES, TABLE, simulate
from tests.selection.worlds import world


def sweep(times: float = 0.5) -> Measurer:
    sizes = {name: int(n * times) for name, n in SIZES.items()}
    worse = {**TABLE, "off_context": (0.3, 0.1, 0.6)}
    return simulate([worse], sizes, np.random.default_rng(1)).measurer


def test_each_figure_counts_its_own_claims() -> None:
    measurer = sweep()
    found = detections(measurer, 0, np.random.default_rng(2), n_worlds=40)
    assert [row.figure for row in found] == list(FIGURES)
    n = {row.figure: row.n for row in found}
    assert n == {"kappa": 460, "summary_as_idk": 120, "over_credit": 240}
    for row in found:
        assert row.difference is not None and 0 < row.difference < 0.5
        assert row.found.point.power >= 0.8  # type: ignore[union-attr]
        sizes = [abs(point.difference) for point in row.curve]
        assert sizes == sorted(sizes) and len(sizes) == 5
        assert row.curve[-1].power >= row.curve[0].power


def test_seeded() -> None:
    measurer = sweep(0.25)
    first, again = (
        detections(measurer, 0, np.random.default_rng(3), n_worlds=20) for _ in range(2)
    )
    assert first == again


def test_more_claims_show_less() -> None:
    few, many = (
        detections(sweep(t), 0, np.random.default_rng(4), n_worlds=60, figures=["summary_as_idk"])
        for t in (0.25, 1.5)
    )
    assert many[0].difference < few[0].difference  # type: ignore[operator]


def test_labels_needed_by_slice() -> None:
    measurer = sweep()
    stated = {"summary_as_idk": 0.10, "kappa": 0.05}
    found = labels_needed(measurer, 0, np.random.default_rng(5), stated=stated, n_worlds=40)
    assert [(row.figure, row.slice) for row in found] == [
        ("summary_as_idk", "summary"),
        ("summary_as_idk", "aggregation"),
        ("summary_as_idk", "all"),
        ("kappa", "all"),
    ]
    assert [row.have for row in found] == [120, 0, 120, 460]
    assert found[1].need is None
    assert found[1].reason == (
        "only 0 clusters have a claim that is a gold-yes claim of slice summary or aggregation; "
        "worlds need 4"
    )
    assert all(row.need is not None and 10 < row.need < 2000 for row in (found[0], *found[2:]))


def test_a_smaller_difference_needs_more_labels() -> None:
    measurer = sweep()
    needs = [
        labels_needed(
            measurer, 0, np.random.default_rng(6), stated={"over_credit": size}, n_worlds=60
        )[0].need
        for size in (0.10, 0.03)
    ]
    assert needs[0] is not None and needs[1] is not None
    assert needs[1] > 2 * needs[0]


def test_a_difference_out_of_reach_says_so() -> None:
    measurer = sweep()
    (found,) = labels_needed(measurer, 0, np.random.default_rng(7), stated={"over_credit": 0.5})
    assert found.need is None
    assert found.reason == "no candidate can be better by so much: too few verdicts here are wrong"


def test_a_perfect_judge_leaves_nothing_to_detect() -> None:
    gold = ["yes", "no", "idk"] * 20
    measurer = world(gold, {"a": gold}, slices=["summary", None, None] * 20)
    for row in detections(measurer, 0, np.random.default_rng(8), n_worlds=30):
        assert row.difference is None
        assert row.found.reason is not None


def test_only_first_draws_count_and_binary_gold_keeps_idk() -> None:
    gold = ["supported"] * 30 + ["unsupported"] * 30
    said = (["idk", "yes", "yes"] * 10) + (["no", "idk", "yes"] * 10)
    drawn = [word for word in said for _ in range(3)]
    slices = ["summary"] * 30 + ["off_context"] * 30
    measurer = world(gold, {"a": drawn}, repeats=3, slices=slices)
    found = detections(measurer, 0, np.random.default_rng(9), n_worlds=40)
    assert {row.figure: row.n for row in found} == {
        "kappa": 60,
        "summary_as_idk": 30,
        "over_credit": 30,
    }
    point = next(row for row in found if row.figure == "summary_as_idk").found.point
    assert point is not None and point.difference < 0


@pytest.mark.parametrize("figure", FIGURES)
def test_a_set_without_such_claims_says_so(figure: str) -> None:
    gold = ["no"] * 3 if figure != "over_credit" else ["yes"] * 3
    measurer = world(gold, {"a": gold})
    (found,) = detections(measurer, 0, np.random.default_rng(1), figures=[figure])
    assert found.difference is None
    assert found.curve == ()
    assert found.found.reason is not None and found.found.reason.startswith("only ")
