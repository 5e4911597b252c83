from __future__ import annotations

import numpy as np
import pytest

from metajudge.selection import Bounds
from metajudge.selection.label_outcomes import NO_LABEL, Waiting, learn_outcomes
from metajudge.selection.outcome_claims import with_candidates, with_outcomes
from metajudge.selection.rule import Guardrails
from tests.selection.worlds import world

GOLD = ["yes", "yes", "no", "idk"] * 5
SLICES = ["literal", "summary", "contradiction", "hedged"] * 5
TIMID = ["yes", "idk", "no", "idk"] * 5


def waiting(codes: np.ndarray) -> Waiting:
    m = codes.shape[1]
    return Waiting(codes, np.full(m, "", np.str_), np.zeros(m, np.bool_), np.full(m, NO_LABEL))


def test_weights_of_kinds_are_claims_of_these_labels() -> None:
    """One sweep with weights gives the figures of the claims that the weights stand for."""
    answers = [f"a{i // 2}" for i in range(20)]
    measurer = world(GOLD, {"right": GOLD, "timid": TIMID}, slices=SLICES, answers=answers)
    kinds = waiting(np.array([[0, 1], [2, 1]]))
    outcomes = learn_outcomes(measurer, kinds)
    extended, fixed = with_outcomes(measurer, None, kinds, outcomes)
    assert fixed == 10
    weights = np.zeros((1, fixed + 2 * len(outcomes.label_of)))
    weights[:, :fixed] = 1
    summary_yes = np.flatnonzero((outcomes.label_of == 0) & (outcomes.part_of == 1))[0]
    contradiction = np.flatnonzero(outcomes.label_of == 1)[0]
    weights[0, fixed + summary_yes] = 3
    weights[0, fixed + len(outcomes.label_of) + contradiction] = 2
    more = world(
        [*GOLD, *["yes"] * 3, *["no"] * 2],
        {
            "right": [*GOLD, *["yes"] * 3, *["no"] * 2],
            "timid": [*TIMID, *["idk"] * 3, *["no"] * 2],
        },
        slices=[*SLICES, *["summary"] * 3, *["contradiction"] * 2],
        answers=[*answers, *(f"b{i}" for i in range(5))],
    )
    one = Guardrails(extended, Bounds(), 0).on(weights)
    other = Guardrails(more, Bounds(), 0).on(np.ones((1, 15)))
    assert one.off == pytest.approx(other.off)
    assert one.kappa == pytest.approx(other.kappa)


def test_labels_that_do_not_stand_are_left_out() -> None:
    measurer = world(GOLD, {"right": GOLD}, slices=SLICES)
    kinds = waiting(np.array([[0]]))
    stands = np.arange(20) < 4
    extended, fixed = with_outcomes(measurer, stands, kinds, learn_outcomes(measurer, kinds))
    assert fixed == 4
    assert extended.columns.gold[:4].tolist() == measurer.columns.gold[:4].tolist()
    none, fixed = with_outcomes(measurer, stands & False, kinds, learn_outcomes(measurer, kinds))
    assert fixed == 0
    assert none.columns.answers.n_clusters == len(none.columns.gold)


def test_some_candidates() -> None:
    measurer = world(GOLD, {"right": GOLD, "timid": TIMID}, slices=SLICES)
    few = with_candidates(measurer, np.array([1]))
    assert [key.trial for key in few.candidates.keys] == ["timid"]
    assert np.array_equal(few.candidates.codes[0], measurer.candidates.codes[1])
