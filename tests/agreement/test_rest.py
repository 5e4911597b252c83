from __future__ import annotations

import numpy as np
import pytest

from metajudge.agreement.bootstrap import cluster_weights
from metajudge.agreement.rest import (
    NOBODY_ELSE,
    agreement_with_gold,
    agreement_with_majority,
    agreement_with_rest,
    label_bias,
    mean_gap,
    rest_of_panel,
)


@pytest.fixture
def panel():
    source = np.random.default_rng(5)
    ratings = source.integers(0, 3, (5, 60))
    ratings[source.random((5, 60)) < 0.4] = -1
    return ratings, np.arange(60) // 2


def others_of(ratings, row, claim):
    return [
        label for who, label in enumerate(ratings[:, claim].tolist()) if who != row and label >= 0
    ]


def shared_labels(ratings):
    return [
        (row, claim, others_of(ratings, row, claim))
        for row in range(len(ratings))
        for claim in range(ratings.shape[1])
        if ratings[row, claim] >= 0 and others_of(ratings, row, claim)
    ]


def test_each_label_beside_the_others_by_direct_counting(panel):
    ratings, cluster = panel
    found = rest_of_panel(ratings, cluster)
    expected = shared_labels(ratings)
    assert list(zip(found.annotator.tolist(), found.claim.tolist(), strict=True)) == [
        (row, claim) for row, claim, _ in expected
    ]
    for place, (row, claim, others) in enumerate(expected):
        own = ratings[row, claim]
        assert found.agreement[place] == pytest.approx(np.mean([own == each for each in others]))
        pairs = [a == b for i, a in enumerate(others) for b in others[i + 1 :]]
        if pairs:
            assert found.among[place] == pytest.approx(np.mean(pairs))
        else:
            assert np.isnan(found.among[place])
        votes = np.bincount(others, minlength=3)
        tied = (votes == votes.max()).sum() > 1
        right = found.majority[place]
        assert np.isnan(right) if tied else right == (votes.argmax() == own)


def test_means_over_claims_with_their_numbers(panel):
    ratings, cluster = panel
    found = rest_of_panel(ratings, cluster)
    with_rest, with_majority = agreement_with_rest(found), agreement_with_majority(found)
    for row in range(5):
        own = found.annotator == row
        assert with_rest[row].value == pytest.approx(found.agreement[own].mean())
        assert with_rest[row].n == own.sum()
        assert with_rest[row].n_clusters == len(np.unique(found.cluster[own]))
        settled = own & ~np.isnan(found.majority)
        assert with_majority[row].value == pytest.approx(found.majority[settled].mean())
        assert with_majority[row].n == settled.sum()
        assert with_rest[row].low < with_rest[row].value < with_rest[row].high


def test_agreement_with_the_gold_label_counts_claims_that_have_one():
    ratings = [[0, 1, 2, -1], [0, 0, -1, -1], [-1, -1, -1, -1]]
    found = agreement_with_gold(ratings, [0, 1, -1, 0], [0, 1, 2, 3])
    assert [(one.value, one.n) for one in found] == [(1.0, 2), (0.5, 2), (None, 0)]
    assert found[2].reason == "no claim of this annotator has a gold label"


def test_bias_is_the_share_less_the_others_share_on_the_same_claims(panel):
    ratings, cluster = panel
    weights = cluster_weights(30, 200, np.random.default_rng(1))
    found = label_bias(rest_of_panel(ratings, cluster), weights)
    for row in range(5):
        mine = [(claim, others) for who, claim, others in shared_labels(ratings) if who == row]
        for code in range(3):
            gaps = [
                float(ratings[row, claim] == code) - np.mean([each == code for each in others])
                for claim, others in mine
            ]
            assert found[row][code].value == pytest.approx(np.mean(gaps), abs=1e-12)
            assert found[row][code].low <= found[row][code].value <= found[row][code].high
        assert sum(one.value for one in found[row]) == pytest.approx(0.0, abs=1e-12)


def test_somebody_who_says_yes_too_often_is_seen():
    source = np.random.default_rng(6)
    truth = source.integers(0, 3, 300)
    ratings = np.stack([truth, truth, np.where(source.random(300) < 0.3, 0, truth)])
    cluster = np.arange(300) // 3
    weights = cluster_weights(100, 500, np.random.default_rng(1))
    found = label_bias(rest_of_panel(ratings, cluster), weights)
    assert found[2][0].low > 0.1
    assert found[0][0].high < 0


def test_nobody_else_is_a_reason_and_no_number():
    ratings = [[0, 1], [-1, -1]]
    found = rest_of_panel(ratings, [0, 1])
    weights = cluster_weights(2, 10, np.random.default_rng(1))
    for estimate in (*agreement_with_rest(found), *label_bias(found, weights)[0]):
        assert (estimate.value, estimate.reason) == (None, NOBODY_ELSE)
    assert agreement_with_rest(rest_of_panel(np.zeros((0, 3), int), [0, 0, 1])) == ()


def test_a_gap_of_means_is_undefined_where_one_is():
    assert np.isnan(mean_gap([1, 2, 0, 0]))
    assert mean_gap([[3, 4, 1, 4], [0, 2, 2, 2]]).tolist() == [0.5, -1.0]
