from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.spatial.distance import jensenshannon
from sklearn.metrics import cohen_kappa_score

from metajudge.agreement.ceiling import (
    alternative_annotator_test,
    cross_entropy,
    jensen_shannon,
    judge_kappas,
    pairwise_kappa,
)


def panel(seed: int, judge_right: float, n: int = 200, people: int = 4):
    source = np.random.default_rng(seed)
    truth = source.integers(0, 3, n)

    def noisy(right: float):
        wrong = (truth + source.integers(1, 3, n)) % 3
        return np.where(source.random(n) < right, truth, wrong)

    return np.stack([noisy(0.85) for _ in range(people)]), noisy(judge_right)


def test_pairwise_kappa_on_shared_claims():
    ratings, verdict = panel(1, 0.8)
    ratings[0, :50] = -1
    kappas = pairwise_kappa(ratings)
    expected = cohen_kappa_score(ratings[0, 50:], ratings[2, 50:])
    assert kappas[0, 2] == pytest.approx(expected, abs=1e-12)
    assert kappas[2, 0] == kappas[0, 2]
    assert np.isnan(np.diag(kappas)).all()
    judge = judge_kappas(ratings, verdict)
    assert judge[0] == pytest.approx(cohen_kappa_score(ratings[0, 50:], verdict[50:]), abs=1e-12)


def test_alternative_annotator_by_direct_counting():
    ratings, verdict = panel(2, 0.8, n=60, people=3)
    found = alternative_annotator_test(ratings, verdict, epsilon=0.1)
    raw = []
    for left_out in range(3):
        others = [row for row in range(3) if row != left_out]
        gaps, wins = [], []
        for claim in range(60):
            person = np.mean([ratings[o, claim] == ratings[left_out, claim] for o in others])
            judge = np.mean([ratings[o, claim] == verdict[claim] for o in others])
            wins.append(judge >= person)
            gaps.append(float(person >= judge) - float(judge >= person))
        assert found.advantages[left_out] == pytest.approx(np.mean(wins))
        raw.append(stats.ttest_1samp(gaps, 0.1, alternative="less").pvalue)
    expected = stats.false_discovery_control(raw, method="by")
    np.testing.assert_allclose(found.p_values, expected, atol=1e-10)
    assert found.winning_rate == np.mean(expected <= 0.05)


def test_a_good_judge_passes_and_a_random_or_failing_one_does_not():
    ratings, good = panel(3, 0.9)
    assert alternative_annotator_test(ratings, good).passed
    random_judge = np.random.default_rng(0).integers(0, 3, 200)
    assert not alternative_annotator_test(ratings, random_judge).passed
    failing = alternative_annotator_test(ratings, np.full(200, 3))
    assert failing.winning_rate == 0.0


def test_the_test_is_refused_with_a_reason():
    ratings, verdict = panel(4, 0.8)
    two = alternative_annotator_test(ratings[:2], verdict)
    assert (two.passed, two.reason) == (None, "needs three annotators, got 2")
    ratings[1, 20:] = -1
    few = alternative_annotator_test(ratings, verdict)
    assert few.reason == "annotator 1 shares 20 claims with others, under 30"
    ratings[1, 1:] = -1
    one = alternative_annotator_test(ratings, verdict)
    assert one.reason == "annotator 1 shares 1 claim with others, under 30"


def test_unanimous_panels_do_not_break_the_t_test():
    ratings = np.zeros((3, 40), int)
    assert alternative_annotator_test(ratings, np.zeros(40, int)).winning_rate == 1.0
    assert alternative_annotator_test(ratings, np.ones(40, int)).winning_rate == 0.0


def test_soft_label_distances_equal_scipy(rng):
    people, judge = rng.dirichlet([1, 1, 1], 20), rng.dirichlet([1, 1, 1], 20)
    people[0] = [1, 0, 0]
    expected = jensenshannon(people, judge, axis=1) ** 2
    np.testing.assert_allclose(jensen_shannon(people, judge), expected, atol=1e-12)
    entropy = stats.entropy(people, axis=1) + stats.entropy(people, judge, axis=1)
    np.testing.assert_allclose(cross_entropy(people, judge), entropy, atol=1e-12)


def test_soft_labels_without_probabilities_are_undefined():
    nothing = [[np.nan, np.nan]]
    assert np.isnan(cross_entropy([[1, 0]], nothing)).all()
    assert np.isnan(jensen_shannon([[1, 0]], nothing)).all()
    assert np.isinf(cross_entropy([[1, 0]], [[0, 1]])).all()
