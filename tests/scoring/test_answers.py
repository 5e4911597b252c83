"""Scores of many answers at once, and what explains them."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metajudge.scoring.answers import costly_claims, lost_points, passes, score_answers
from metajudge.scoring.policies import parse_policy

YES, NO, IDK, FAILED = 0, 1, 2, 3
POLICIES = ("lenient", "strict", "partial(0.3)", "drop_idk", "deepeval", "ragas", "expected")
CODES = st.lists(st.sampled_from([YES, NO, IDK, FAILED]), min_size=1, max_size=12)


def test_answers_keep_their_order_and_their_reasons() -> None:
    scores = score_answers(
        parse_policy("drop_idk"), [YES, NO, IDK, FAILED, YES], [3, 3, 1, 0, 4], 5
    )
    assert [scores.score(i) for i in range(5)] == [
        (None, "no verdicts"),
        (None, "no decided claims"),
        (None, "no claims"),
        (0.5, None),
        (1.0, None),
    ]
    assert scores.undefined_counts() == {
        "no claims": 1,
        "no verdicts": 1,
        "no decided claims": 1,
    }
    assert scores.n_claims.tolist() == [1, 1, 0, 2, 1]
    assert scores.policy == "drop_idk"


def test_coverage_stands_beside_the_score() -> None:
    scores = score_answers(parse_policy("strict"), [YES, FAILED, NO], [0, 0, 1], 3)
    np.testing.assert_allclose(scores.coverage, [0.5, 1.0, np.nan])


@given(CODES, st.sampled_from(POLICIES))
def test_vectorised_equals_one_by_one(codes: list[int], name: str) -> None:
    policy = parse_policy(name)
    rng = np.random.default_rng(len(codes))
    rows = rng.dirichlet([1, 1, 1], size=len(codes))
    answers = rng.integers(0, 3, size=len(codes))
    scores = score_answers(policy, codes, answers, 3, rows)
    for answer in range(3):
        chosen = answers == answer
        alone = policy.score_answer(np.array(codes)[chosen], rows[chosen])
        assert scores.score(answer).reason == alone.reason
        assert scores.score(answer).value == pytest.approx(alone.value)


def test_b29_the_explanation_lists_every_claim_that_cost_points() -> None:
    codes = [IDK] * 6
    strict = parse_policy("strict")
    assert strict.score_answer(codes).value == 0.0
    assert costly_claims(strict, codes).tolist() == list(range(6))
    assert costly_claims(parse_policy("deepeval(penalize)"), codes).tolist() == list(range(6))
    assert costly_claims(parse_policy("lenient"), codes).tolist() == []
    assert costly_claims(parse_policy("lenient"), [YES, FAILED, NO]).tolist() == [1, 2]


@given(CODES, st.sampled_from(POLICIES))
def test_b29_explanation_and_score_come_from_the_same_numbers(codes: list[int], name: str) -> None:
    policy = parse_policy(name)
    rows = np.random.default_rng(1).dirichlet([1, 1, 1], size=len(codes))
    score = policy.score_answer(codes, rows).value
    lost = lost_points(policy, codes, rows)
    if score is not None:
        assert score == pytest.approx(1.0 - float(np.nanmean(lost)))
    costly = costly_claims(policy, codes, rows)
    assert costly.tolist() == [i for i, points in enumerate(lost) if points > 0]


def test_thresholds() -> None:
    assert passes([0.8, 0.79, 1.0, 0.0, np.nan], 0.8).tolist() == [1, 0, 1, 0, -1]
    scores = score_answers(parse_policy("partial(0.1)"), [YES] * 7 + [IDK] * 3, [0] * 10, 1)
    assert passes(scores.values, 0.73).tolist() == [1]
    with pytest.raises(ValueError, match="threshold"):
        passes([0.5], 1.5)


@pytest.mark.parametrize(
    ("codes", "answers", "n"),
    [([0, 1], [0], 1), ([4], [0], 1), ([-1], [0], 1), ([0], [1], 1), ([0], [-1], 1)],
)
def test_arrays_out_of_range_are_refused(codes: list[int], answers: list[int], n: int) -> None:
    with pytest.raises(ValueError, match="score_answers"):
        score_answers(parse_policy("strict"), codes, answers, n)


def test_probabilities_of_the_wrong_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="shape"):
        score_answers(parse_policy("expected"), [0, 1], [0, 0], 1, [[1.0, 0.0, 0.0]])


def test_b34_undefined_first_and_undefined_throughout() -> None:
    scores = score_answers(parse_policy("strict"), [FAILED, YES], [0, 1], 2)
    assert (scores.score(0).value, scores.score(1).value) == (None, 1.0)
    scores = score_answers(parse_policy("strict"), [FAILED, FAILED], [0, 1], 2)
    assert [scores.score(i).value for i in range(2)] == [None, None]
    assert score_answers(parse_policy("strict"), [], [], 0).values.shape == (0,)


def test_fifty_thousand_verdicts_at_once_take_a_fraction_of_one_answer_at_a_time() -> None:
    codes = np.random.default_rng(3).integers(0, 4, size=50_000)
    answers = np.repeat(np.arange(10_000), 5)
    policy = parse_policy("strict")
    at_once = [time.process_time()]
    for _ in range(3):
        score_answers(policy, codes, answers, 10_000)
        at_once.append(time.process_time())
    for own in codes.reshape(10_000, 5):
        policy.score_answer(own)
    assert 20 * np.diff(at_once).min() < time.process_time() - at_once[-1]
