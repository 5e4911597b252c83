from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa

from metajudge.agreement.annotators import ONE_LABEL, group_agreement, pair_agreements
from metajudge.agreement.bootstrap import cluster_weights
from metajudge.agreement.spread import NO_SPREAD


def people(seed=1, n=120, raters=4, gaps=0.2, right=0.8):
    source = np.random.default_rng(seed)
    truth = source.integers(0, 3, n)
    wrong = (truth + source.integers(1, 3, (raters, n))) % 3
    ratings = np.where(source.random((raters, n)) < right, truth, wrong)
    ratings[source.random((raters, n)) < gaps] = -1
    return ratings, np.arange(n) // 3


def draws(cluster, n=300):
    return cluster_weights(int(np.max(cluster)) + 1, n, np.random.default_rng(7))


def test_pairs_are_scikit_learns_on_common_claims():
    ratings, cluster = people()
    found = pair_agreements(ratings, cluster, draws(cluster))
    assert [(pair.one, pair.other) for pair in found] == [
        (one, other) for one in range(4) for other in range(one + 1, 4)
    ]
    for pair in found:
        both = (ratings[pair.one] >= 0) & (ratings[pair.other] >= 0)
        one, other = ratings[pair.one, both], ratings[pair.other, both]
        assert pair.kappa.value == pytest.approx(cohen_kappa_score(one, other), abs=1e-12)
        assert pair.agreement.value == pytest.approx((one == other).mean(), abs=1e-12)
        assert pair.agreement.n == pair.kappa.n == both.sum()
        assert pair.kappa.low < pair.kappa.value < pair.kappa.high
        assert pair.agreement.low < pair.agreement.value < pair.agreement.high


def test_pairs_are_the_same_in_blocks_of_any_size(monkeypatch):
    ratings, cluster = people(raters=6)
    weights = draws(cluster)
    whole = pair_agreements(ratings, cluster, weights)
    monkeypatch.setattr("metajudge.agreement.annotators.CHUNK_BYTES", 1)
    for pair, same in zip(pair_agreements(ratings, cluster, weights), whole, strict=True):
        assert (pair.one, pair.other, pair.kappa.n) == (same.one, same.other, same.kappa.n)
        for name in ("value", "low", "high"):
            got, expected = getattr(pair.kappa, name), getattr(same.kappa, name)
            assert got == pytest.approx(expected, abs=1e-9)


def test_pairs_without_a_common_claim_are_left_out():
    ratings = [[0, 1, -1, -1], [-1, -1, 0, 1], [0, -1, 0, -1]]
    found = pair_agreements(ratings, [0, 1, 2, 3], draws([0, 1, 2, 3]))
    assert [(pair.one, pair.other, pair.agreement.n) for pair in found] == [(0, 2, 1), (1, 2, 1)]


def test_a_pair_with_one_label_has_no_kappa_but_a_share():
    found = pair_agreements(np.zeros((2, 40), int), np.arange(40), draws(np.arange(40)))[0]
    assert (found.kappa.value, found.kappa.reason) == (None, ONE_LABEL)
    assert found.agreement.value == 1.0
    assert 0.85 < found.agreement.low < 1.0


def test_the_group_is_what_the_libraries_say():
    ratings, cluster = people()
    found = group_agreement(ratings, cluster, draws(cluster))
    expected = krippendorff.alpha(
        np.where(ratings < 0, np.nan, ratings), level_of_measurement="nominal"
    )
    assert found.alpha.value == pytest.approx(expected, abs=1e-12)
    pairs = [
        (one, other)
        for claim in ratings.T
        for spot, one in enumerate(claim)
        for other in claim[spot + 1 :]
        if one >= 0 and other >= 0
    ]
    equal = np.mean([one == other for one, other in pairs])
    assert found.pairs.value == pytest.approx(equal, abs=1e-12)
    assert found.pairs.n == ((ratings >= 0).sum(0) >= 2).sum()
    assert found.fleiss.value is None
    assert found.fleiss.reason == (
        "claims have 2 to 4 labels; Fleiss' kappa needs one number for all"
    )


def test_fleiss_where_every_claim_has_as_many_labels():
    ratings, cluster = people(gaps=0)
    counts = (ratings[..., None] == np.arange(3)).sum(0)
    ratings[:, :6] = -1
    ratings[0, :3] = 1
    found = group_agreement(ratings, cluster, draws(cluster))
    assert found.fleiss.value == pytest.approx(fleiss_kappa(counts[6:]), abs=1e-12)
    assert found.fleiss.n == 114
    assert found.fleiss.low < found.fleiss.value < found.fleiss.high


def test_a_group_of_claims_is_those_claims_alone():
    ratings, cluster = people()
    within = np.arange(120) % 2 == 0
    found = group_agreement(ratings, cluster, draws(cluster), within=within)
    alone = group_agreement(ratings[:, within], cluster[within], draws(cluster[within]))
    assert found.alpha.value == pytest.approx(alone.alpha.value, abs=1e-12)
    assert found.ac1.value == pytest.approx(alone.ac1.value, abs=1e-12)
    assert found.given == alone.given


def test_intervals_are_wider_where_contexts_agree_as_a_whole():
    source = np.random.default_rng(3)
    right = np.repeat(source.random(40) < 0.7, 5)
    truth = source.integers(0, 3, 200)
    ratings = np.stack([truth, np.where(right, truth, (truth + 1) % 3)])
    cluster = np.repeat(np.arange(40), 5)
    grouped = group_agreement(ratings, cluster, draws(cluster, 2000)).alpha
    single = group_agreement(ratings, np.arange(200), draws(np.arange(200), 2000)).alpha
    assert grouped.value == single.value
    assert grouped.high - grouped.low > 1.5 * (single.high - single.low)


def test_b96_gaps_are_no_label_and_one_annotator_is_null_with_a_reason():
    gaps = [[0, 1, -1, 2, 0], [0, -1, 1, 2, -1], [-1, 1, 1, -1, 0]]
    found = group_agreement(gaps, range(5), draws(range(5)))
    assert found.alpha.value == 1.0
    assert (found.alpha.low, found.alpha.reason) == (None, NO_SPREAD)
    assert found.given == (4, 4, 2)
    alone = group_agreement([[0, 1, 2]], range(3), draws(range(3)))
    assert {alone.alpha.value, alone.ac1.value, alone.pairs.value, alone.fleiss.value} == {None}
    assert alone.alpha.reason == "one annotator: agreement needs two"
    apart = group_agreement([[0, -1], [-1, 1]], [0, 1], draws([0, 1]))
    assert apart.alpha.reason == "no claim has two ratings"
    nobody = group_agreement(np.zeros((0, 2), int), [0, 1], draws([0, 1]))
    assert nobody.alpha.reason == "no annotator labelled a claim"


def test_b97_one_disagreement_moves_alpha_to_0_and_the_rare_label_is_named():
    ratings = np.zeros((2, 12), int)
    ratings[1, 4] = 1
    found = group_agreement(ratings, range(12), draws(range(12)))
    assert found.alpha.value == pytest.approx(0.0, abs=1e-12)
    assert found.alpha.n == 12
    assert found.given == (23, 1, 0)
    assert found.rare == (1,)
    assert found.ac1.value > 0.9


def test_one_context_gives_no_interval():
    ratings, _ = people(n=30)
    found = group_agreement(ratings, np.zeros(30, int), draws([0]))
    assert (found.alpha.low, found.alpha.reason) == (None, "no interval: one context")


def test_one_label_throughout_is_no_perfect_alpha():
    draws = cluster_weights(4, 50, np.random.default_rng(1))
    found = group_agreement([[0, 0, 0, 1], [0, 0, 0, -1]], [0, 1, 2, 3], draws, 2)
    assert (found.alpha.value, found.alpha.low, found.fleiss.value) == (None, None, None)
    assert "one label was given throughout" in found.alpha.reason
    assert found.ac1.value == 1
    assert group_agreement([[0, 1], [0, 1]], [0, 1], draws[:, :2], 2).alpha.value == 1
