from __future__ import annotations

import numpy as np
import pytest

from metajudge.selection import Bounds, rank
from metajudge.selection.columns import CandidateKey
from metajudge.selection.rule import Guardrails, Rule, name_order
from tests.selection.test_ranking import CONSTANT, EAGER, FAILING, GOLD, LOOSE, RIGHT, SLICES, TIMID
from tests.selection.worlds import world

POOL = {**CONSTANT, "right": RIGHT, "timid": TIMID, "eager": EAGER, "failing": FAILING}
TIGHT = Bounds(over_credit_upper=0.01, slice_loss=0.01)


@pytest.mark.parametrize("target", ["summary_as_idk", "over_credit", "kappa", "accuracy"])
@pytest.mark.parametrize("bounds", [LOOSE, TIGHT, Bounds(None, None, None, None, None)])
@pytest.mark.parametrize("baseline", [None, "timid"])
def test_on_the_sample_itself_the_first_is_that_of_rank(target, bounds, baseline) -> None:
    measurer = world(GOLD, POOL, slices=SLICES)
    row = None if baseline is None else measurer.candidates.first_of(baseline)
    ranked = rank(measurer, measurer.measure(), target=target, bounds=bounds, baseline=row)
    found = Rule(measurer, target=target, bounds=bounds, baseline=row).first(np.ones((1, 80)))
    assert (found.row[0], found.safe[0]) == (ranked[0].index, ranked[0].safe)


def test_without_a_safe_one_the_nearest_comes_first() -> None:
    measurer = world(GOLD, {"eager": EAGER, "failing": FAILING}, slices=SLICES)
    kept = Guardrails(measurer, Bounds(), None).on(np.ones((1, 80)))
    assert not kept.allowed.any()
    found = Rule(measurer, target="kappa", bounds=Bounds(), baseline=None).first(np.ones((1, 80)))
    assert found.row[0] == kept.off[0].argmin()
    assert not found.safe[0]


def test_what_is_off_beside_the_verdicts_counts() -> None:
    measurer = world(GOLD, {"right": RIGHT, "timid": TIMID}, slices=SLICES)
    ones = np.ones((1, 80))

    def first(off: list[float] | None):  # type: ignore[no-untyped-def]
        rule = Rule(measurer, target="kappa", bounds=LOOSE, baseline=None, off=off)
        return tuple(part[0] for part in rule.first(ones))

    assert first(None) == (0, True)
    assert first([0.1, 0.0]) == (1, True)
    assert first([np.inf, 0.2]) == (1, False)


def test_twice_the_weights_are_the_limits_of_twice_the_claims() -> None:
    one = world(GOLD, {"right": RIGHT, "eager": EAGER}, slices=SLICES)
    two = world(
        GOLD * 2, {"right": list(RIGHT) * 2, "eager": list(EAGER) * 2}, slices=list(SLICES) * 2
    )
    doubled = Guardrails(one, Bounds(), 0).on(np.full((1, 80), 2.0))
    whole = Guardrails(two, Bounds(), 0).on(np.ones((1, 160)))
    assert doubled.off == pytest.approx(whole.off)


def test_weights_need_not_be_whole() -> None:
    measurer = world(GOLD, POOL, slices=SLICES)
    guardrails = Guardrails(measurer, Bounds(), 0)
    drawn = np.random.default_rng(1).dirichlet(np.ones(80), 3) * 80
    together = guardrails.on(drawn)
    for place in range(3):
        alone = guardrails.on(drawn[[place]])
        assert alone.off[0] == pytest.approx(together.off[place], abs=1e-12)
        assert alone.kappa[0] == pytest.approx(together.kappa[place], abs=1e-12)


def test_equal_candidates_go_by_name_whatever_the_weights() -> None:
    measurer = world(GOLD, {"b": RIGHT, "a": RIGHT, "a/batch_corrected": RIGHT}, slices=SLICES)
    drawn = np.random.default_rng(2).dirichlet(np.ones(80), 40) * 80
    found = Rule(measurer, target="kappa", bounds=Bounds(), baseline=None).first(drawn)
    assert set(found.row.tolist()) == {1}
    keys = [
        CandidateKey("a", "batch_corrected"),
        CandidateKey("b", "top"),
        CandidateKey("a", "top"),
    ]
    assert name_order(keys).tolist() == [2, 0, 1]


def test_an_undefined_target_comes_last() -> None:
    measurer = world(["no", "idk"] * 20, {"a": ["no", "idk"] * 20})
    bounds = Bounds(None, None, None, None, None)
    found = Rule(measurer, target="summary_as_idk", bounds=bounds, baseline=None)
    assert found.first(np.ones((1, 40))).row.tolist() == [0]


def test_weights_that_leave_less_than_one_cluster_give_no_limit_of_a_difference() -> None:
    measurer = world(["no", "yes", "yes"], {"a": ["yes", "yes", "yes"], "b": ["no", "yes", "no"]})
    weights = np.array([[0.4, 1.3, 1.3]])
    kept = Guardrails(measurer, Bounds(over_credit_upper=None, kappa_above=None), 0).on(weights)
    assert kept.off[0].tolist() == [0.0, np.inf]
