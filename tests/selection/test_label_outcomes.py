from __future__ import annotations

import numpy as np
import pytest

from metajudge.selection.label_outcomes import (
    LABEL_ERROR,
    NO_LABEL,
    PARTS,
    Waiting,
    claim_kinds,
    learn_outcomes,
    part_of,
)
from tests.selection.worlds import CODES, world

GOLD = ["yes", "yes", "no", "idk"] * 10
SLICES = ["literal", "summary", "contradiction", None] * 10
RIGHT = GOLD
TIMID = ["yes", "idk", "no", "idk"] * 10


def waiting(
    *verdicts: str, slices: list[str | None] | None = None, given: list[int] | None = None
) -> Waiting:
    """Claims by the verdicts of the candidates, `yes idk` for two of them."""
    codes = np.array([[CODES[word] for word in row.split()] for row in verdicts]).T
    n = codes.shape[1]
    names = slices or [None] * n
    return Waiting(
        codes,
        np.asarray([name or "" for name in names], np.str_),
        np.asarray([name is not None for name in names]),
        np.asarray(given or [NO_LABEL] * n),
    )


@pytest.fixture
def measurer():
    return world(GOLD, {"right": RIGHT, "timid": TIMID}, slices=SLICES)


def label_shares(measurer, claims: Waiting) -> np.ndarray:
    outcomes = learn_outcomes(measurer, claims)
    found = outcomes.shares(np.ones((1, len(outcomes.counts))), claims)[0]
    assert found.sum(0) == pytest.approx(np.ones(found.shape[1]))
    return np.stack([found[outcomes.label_of == label].sum(0) for label in range(3)])


def test_kinds_are_claims_that_nothing_tells_apart() -> None:
    claims = waiting(
        "yes idk", "yes yes", "yes idk", "yes idk", slices=[None, None, None, "literal"]
    )
    kinds = claim_kinds(claims)
    assert kinds.of[0] == kinds.of[2]
    assert len({kinds.of[0], kinds.of[1], kinds.of[3]}) == 3
    assert sorted(kinds.sizes.tolist()) == [1, 1, 2]
    assert kinds.of[kinds.one].tolist() == [0, 1, 2]
    assert len(claim_kinds(claims._replace(given=np.array([0, 1, 0, 1]))).sizes) == 3


def test_a_slice_without_a_name_is_unknown_unless_it_is_settled(measurer) -> None:
    claims = waiting("yes idk", "yes idk")._replace(known=np.array([False, True]))
    assert len(claim_kinds(claims).sizes) == 2
    found = label_shares(measurer, claims)
    assert found[0, 0] > found[0, 1]


def test_the_candidates_are_believed_as_far_as_they_were_right(measurer) -> None:
    found = label_shares(measurer, waiting("yes yes", "yes idk", "no no", "idk idk"))
    assert found.argmax(0).tolist() == [0, 0, 1, 2]


def test_a_known_slice_has_its_own_labels_and_part(measurer) -> None:
    claims = waiting("no no", "no no", slices=["summary", None])
    outcomes = learn_outcomes(measurer, claims)
    found = outcomes.shares(np.ones((1, len(outcomes.counts))), claims)[0]
    assert found[outcomes.part_of != 1, 0].max() == 0
    labels = label_shares(measurer, claims)
    assert labels[0, 0] > labels[0, 1]


def test_a_slice_that_nobody_labelled_yet_can_have_every_label(measurer) -> None:
    alone = world(GOLD, {"right": RIGHT}, slices=[None] * 40)
    claims = waiting("yes", "no", slices=["aggregation", "contradiction"])
    outcomes = learn_outcomes(alone, claims)
    assert {*outcomes.part_of.tolist()} == {0, 1, PARTS.index("contradiction")}
    found = label_shares(alone, claims)
    assert found.min() > 0
    assert found.argmax(0).tolist() == [0, 1]


def test_a_label_that_nobody_gave_yet_is_possible() -> None:
    few = world(["yes", "idk"] * 10, {"right": ["yes", "idk"] * 10})
    found = label_shares(few, waiting("yes", "no"))
    assert found.min() > 0
    assert found[1, 0] < 0.1


def test_a_label_that_the_metric_does_not_have_is_impossible() -> None:
    few = world(["yes", "no"] * 10, {"right": ["yes", "no"] * 10})
    claims = waiting("yes", "idk")._replace(labels=2)
    assert {*learn_outcomes(few, claims.at(np.array([0]))).label_of.tolist()} == {0, 1}
    assert label_shares(few, claims)[2].tolist() == [0, 0]


def test_a_label_that_was_given_is_right_but_for_a_small_chance(measurer) -> None:
    claims = waiting("yes yes", "yes yes", slices=["literal"] * 2, given=[0, 1])
    found = label_shares(measurer, claims)
    assert found[0, 0] > 1 - LABEL_ERROR
    assert 0.5 < found[0, 1]


def test_slices_are_guessed_from_outcomes(measurer) -> None:
    claims = waiting("no no", "yes idk")
    outcomes = learn_outcomes(measurer, claims)
    found = outcomes.shares(np.ones((1, len(outcomes.counts))), claims)[0]
    guessed = outcomes.slice_shares(found.T)
    assert guessed.sum(1) == pytest.approx([1, 1], abs=0.05)
    assert [outcomes.slices[place] for place in guessed.argmax(1)] == ["contradiction", "summary"]


def test_parts_of_the_figures() -> None:
    assert part_of(["literal", "summary", "aggregation", "", "hedged"]).tolist() == [2, 1, 1, 0, 0]
