from __future__ import annotations

import numpy as np
import pytest

from metajudge.agreement.bootstrap import cluster_weights
from metajudge.agreement.rest import rest_of_panel
from metajudge.agreement.standing import Standing, standings


def world(rights, n=240, per=4, seed=1):
    source = np.random.default_rng(seed)
    truth = source.integers(0, 3, n)
    hard = np.repeat(source.random(n // per) < 0.2, per) * 0.3
    rows = []
    for right in rights:
        wrong = (truth + source.integers(1, 3, n)) % 3
        rows.append(np.where(source.random(n) < right - hard, truth, wrong))
    return np.stack(rows), np.repeat(np.arange(n // per), per)


def stand(ratings, cluster, **options) -> tuple[Standing, ...]:
    weights = cluster_weights(int(np.max(cluster)) + 1, 1000, np.random.default_rng(2))
    return standings(rest_of_panel(ratings, cluster), weights, **options)


def test_the_gap_on_the_same_claims_by_direct_counting():
    ratings, cluster = world([0.9, 0.9, 0.8, 0.7])
    ratings[0, :40] = -1
    found = stand(ratings, cluster)
    for row in range(4):
        gaps = []
        for claim in np.flatnonzero(ratings[row] >= 0):
            others = [label for label in np.delete(ratings[:, claim], row) if label >= 0]
            pairs = [a == b for i, a in enumerate(others) for b in others[i + 1 :]]
            gaps.append(np.mean([ratings[row, claim] == each for each in others]) - np.mean(pairs))
        assert found[row].gap.value == pytest.approx(np.mean(gaps), abs=1e-12)
        assert (found[row].basis, found[row].gap.n) == ("same_claims", len(gaps))


def test_one_who_errs_more_is_below_and_the_others_are_in_line():
    ratings, cluster = world([0.95, 0.95, 0.95, 0.95, 0.65])
    found = stand(ratings, cluster)
    assert [one.outcome for one in found] == ["in_line"] * 4 + ["below"]
    assert found[4].p <= 0.05
    assert found[4].gap.high < 0
    assert all(one.p == 1.0 for one in found[:4])


def test_p_is_adjusted_over_the_annotators_and_one_sided():
    ratings, cluster = world([0.9, 0.9, 0.8])
    weights = cluster_weights(60, 1000, np.random.default_rng(2))
    raw = []
    base = rest_of_panel(ratings, cluster)
    for row in range(3):
        own = base.annotator == row
        each = np.bincount(base.cluster[own], base.agreement[own] - base.among[own], 60)
        n = np.bincount(base.cluster[own], minlength=60)
        raw.append((1 + ((weights @ each) / (weights @ n) >= 0).sum()) / 1001)
    order = np.argsort(raw)
    expected = np.maximum.accumulate(np.minimum(1, np.sort(raw) * [3, 2, 1]))
    found = standings(base, weights)
    np.testing.assert_allclose([found[row].p for row in order], expected, atol=1e-12)


def test_few_common_claims_say_how_many_more():
    ratings, cluster = world([0.9, 0.9, 0.6], n=20, per=1)
    found = stand(ratings, cluster)
    assert {one.outcome for one in found} == {"open"}
    assert found[0].reason == "20 common claims, 30 are needed"
    assert all(one.claims_needed >= 10 for one in found)
    assert all(one.p is None for one in found)
    ratings, cluster = world([0.9, 0.9, 0.6], n=40, per=8)
    assert stand(ratings, cluster)[0].reason == "common claims in 5 contexts, 10 are needed"
    ratings[0, 1:] = -1
    assert stand(ratings, cluster)[0].reason == "1 common claim, 30 are needed"


def test_what_is_neither_shown_nor_ruled_out_asks_for_more_claims():
    ratings, cluster = world([0.8, 0.8, 0.78], n=60, seed=3)
    found = stand(ratings, cluster, tolerance=0.05)
    assert {one.outcome for one in found} == {"open"}
    assert found[0].reason == "a gap of 0.05 is neither shown nor ruled out"
    wide = stand(ratings, cluster, tolerance=0.5)
    assert {one.outcome for one in wide} == {"in_line"}
    assert found[0].claims_needed > 60


def test_two_annotators_and_one_are_untested():
    ratings, cluster = world([0.9, 0.6])
    for one in stand(ratings, cluster):
        assert (one.outcome, one.p, one.gap.value) == ("untested", None, None)
        assert one.reason == "two annotators: a disagreement does not say who erred"
    assert stand(ratings[:1], cluster)[0].reason == "nobody else labelled these claims"


def test_one_who_shares_no_claim_is_untested_among_others_who_do():
    ratings, cluster = world([0.9, 0.9, 0.9, 0.9])
    ratings[:3, 200:] = -1
    ratings[3, :200] = -1
    found = stand(ratings, cluster)
    assert found[3].outcome == "untested"
    assert found[3].reason == "nobody else labelled a claim of this annotator"
    assert found[0].outcome == "in_line"


def test_two_labels_a_claim_are_compared_with_the_others_on_other_claims():
    ratings, cluster = world([0.95, 0.95, 0.95, 0.95, 0.4], n=1000)
    pairs = [(one, other) for one in range(5) for other in range(one + 1, 5)]
    kept = np.full(ratings.shape, -1)
    for claim in range(1000):
        for row in pairs[claim % 10]:
            kept[row, claim] = ratings[row, claim]
    found = stand(kept, cluster)
    assert {one.basis for one in found} == {"other_claims"}
    assert [one.outcome for one in found][-1] == "below"
    own = kept[4] >= 0
    mates = np.array([kept[:4, claim].max() for claim in np.flatnonzero(own)])
    rest = np.array([kept[kept[:, claim] >= 0, claim] for claim in np.flatnonzero(~own)])
    expected = (mates == kept[4, own]).mean() - (rest[:, 0] == rest[:, 1]).mean()
    assert found[4].gap.value == pytest.approx(expected, abs=1e-12)


def test_somebody_who_is_shown_disputed_claims_only_is_not_below():
    ratings, cluster = world([0.7, 0.7, 0.95], n=600)
    ratings[2, ratings[0] == ratings[1]] = -1
    found = stand(ratings, cluster)
    assert found[2].gap.value > 0
    assert found[2].outcome == "in_line"


def test_nobody_ever_differs():
    many = stand(np.zeros((3, 200), int), np.arange(200))
    assert {one.outcome for one in many} == {"in_line"}
    assert many[0].gap.low is None
    few = stand(np.zeros((3, 31), int), np.arange(31))
    assert {one.outcome for one in few} == {"open"}
    assert few[0].claims_needed >= 1


def test_one_of_very_many_can_be_below_with_no_more_resamples_than_for_few():
    ratings, cluster = world([0.95] * 60 + [0.3])
    found = stand(ratings, cluster)
    assert [row for row, one in enumerate(found) if one.outcome == "below"] == [60]
    assert found[60].p < 0.001
    alike = stand(world([0.95] * 60)[0], cluster)
    assert "below" not in {one.outcome for one in alike}
