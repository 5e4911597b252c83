from __future__ import annotations

import math

import numpy as np
import pytest

from metajudge.agreement.ceiling import alternative_annotator_test
from metajudge.selection.panel import Panel, panel
from metajudge.selection.stand_in import (
    SMALLEST_PROBABILITY,
    participants,
    soft_agreement,
    stand_in_tests,
)
from tests.selection.people import panel_of, resampling_of


def overlapping(groups: dict[str, int], n_annotators: int) -> Panel:
    """Claims by who labelled them: `{"abc": 40}` is 40 claims of a, b and c."""
    rows = [
        [0 if chr(97 + i) in who else -1 for i in range(n_annotators)]
        for who, n in groups.items()
        for _ in range(n)
    ]
    names = [chr(97 + i) for i in range(n_annotators)]
    return panel(rows, names, range(len(rows)), 3)


def test_participants_share_enough_claims_with_each_other() -> None:
    assert participants(overlapping({"abc": 40}, 3)) == (0, 1, 2)
    assert participants(overlapping({"abc": 40, "ad": 29}, 4)) == (0, 1, 2)
    # d has 30 shared claims, but 10 of them with e, who has too few: without e, d has 20.
    assert participants(overlapping({"abc": 40, "ad": 20, "de": 10}, 5)) == (0, 1, 2)
    assert participants(overlapping({"ab": 20, "bc": 20, "ca": 20}, 3)) == (0, 1, 2)
    assert participants(overlapping({"ab": 14, "bc": 14, "ca": 14}, 3)) == ()


def test_changing_annotators_are_refused_with_the_reason() -> None:
    people = overlapping({"ab": 14, "bc": 14, "ca": 14}, 3)
    (test,) = stand_in_tests(people, np.zeros((1, 42), np.int64))
    assert (test.passed, test.winning_rate) == (None, None)
    assert test.reason == "needs 3 annotators who share 30 claims each with the others, got 0"
    two = overlapping({"ab": 60}, 2)
    (test,) = stand_in_tests(two, np.zeros((1, 60), np.int64))
    assert test.reason == "needs 3 annotators who share 30 claims each with the others, got 2"


def test_a_side_annotator_changes_nothing() -> None:
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 3, 80)
    labels = np.where(rng.random((80, 3)) < 0.8, truth[:, None], rng.integers(0, 3, (80, 3)))
    side = np.where(np.arange(80) < 9, truth, -1)
    people = panel(np.column_stack([labels, side]), "abcd", range(80), 3)
    verdicts = np.stack([truth, rng.integers(0, 3, 80), np.full(80, 3)])
    good, chance, failing = stand_in_tests(people, verdicts)
    assert good == alternative_annotator_test(labels.T, truth)
    assert (good.passed, chance.passed, failing.passed) == (True, False, False)
    assert failing.winning_rate == 0.0
    strict = stand_in_tests(people, verdicts, epsilon=0.1)[0]
    assert (strict.epsilon, strict.p_values) > (0.1, good.p_values)


def test_soft_labels_by_hand() -> None:
    people = panel_of({"a": "yyy", "b": "nyy"})
    judge = [[0.5, 0.5, 0.0], [0.5, 0.25, 0.25], [math.nan] * 3]
    nothing = np.full((3, 3), np.nan)
    found, none = soft_agreement(people, np.asarray([judge, nothing]), resampling_of(people))
    assert none is None
    assert found is not None
    lifted = 0.5 / (1 + SMALLEST_PROBABILITY)
    assert found.cross_entropy.value == pytest.approx((-math.log(lifted) + math.log(2)) / 2)
    apart = (math.log(4 / 3) + 0.5 * math.log(2 / 3) + 0.5 * math.log(2)) / 2
    assert found.jensen_shannon.value == pytest.approx(apart / 2)
    assert found.cross_entropy.n == 2
    assert found.floored == 0
    assert found.least == pytest.approx(math.log(2) / 2)
    # Overall shares of the two scored claims: 3/4 yes, 1/4 no.
    overall = -(0.5 * math.log(3 / 4) + 0.5 * math.log(1 / 4) + math.log(3 / 4)) / 2
    assert found.constant == pytest.approx(overall)


def test_a_label_that_the_judge_excludes_is_counted_and_stays_finite() -> None:
    people = panel_of({"a": "yy", "b": "ny"})
    (found,) = soft_agreement(people, np.asarray([[[1.0, 0, 0]] * 2]), resampling_of(people))
    assert found is not None
    assert found.floored == 1
    assert found.cross_entropy.value is not None
    assert math.isfinite(found.cross_entropy.value)


def test_people_s_own_shares_are_the_least_and_have_no_divergence() -> None:
    rng = np.random.default_rng(6)
    people = panel(rng.integers(0, 3, (40, 5)), "abcde", range(40), 3)
    (found,) = soft_agreement(people, people.shares[None], resampling_of(people))
    assert found is not None
    assert found.jensen_shannon.value == pytest.approx(0, abs=1e-12)
    assert found.least is not None
    assert found.constant is not None
    assert found.cross_entropy.value == pytest.approx(found.least, abs=0.01)
    assert found.least < found.constant


def test_probabilities_on_other_claims_only_are_null_with_the_reason() -> None:
    people = panel_of({"a": "yy", "b": "y-"})
    judge = np.asarray([[[math.nan] * 3, [0.2, 0.3, 0.5]]])
    (found,) = soft_agreement(people, judge, resampling_of(people))
    assert found is not None
    assert (found.cross_entropy.value, found.least, found.constant) == (None, None, None)
    assert found.cross_entropy.reason == (
        "no claim with labels of two annotators has label probabilities"
    )
