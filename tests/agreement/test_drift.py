from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from metajudge.agreement.adjust import holm
from metajudge.agreement.bootstrap import cluster_weights
from metajudge.agreement.drift import drifts
from metajudge.agreement.rest import rest_of_panel


def world(n=200, per=4, people=4, seed=1, worse_at=None):
    source = np.random.default_rng(seed)
    truth = source.integers(0, 3, n)
    right = np.full((people, n), 0.9)
    if worse_at is not None:
        right[0, worse_at:] = 0.5
    wrong = (truth + source.integers(1, 3, (people, n))) % 3
    ratings = np.where(source.random((people, n)) < right, truth, wrong)
    return ratings, np.repeat(np.arange(n // per), per), np.tile(np.arange(n) * 60.0, (people, 1))


def drift_of(ratings, cluster, times):
    weights = cluster_weights(int(cluster.max()) + 1, 500, np.random.default_rng(1))
    return drifts(rest_of_panel(ratings, cluster), times, weights)


def test_one_who_gets_worse_goes_down_and_beside_them_the_others_go_up():
    found = drift_of(*world(worse_at=100))
    assert found[0].change.high < 0
    assert found[0].p < 0.01
    assert all(one.change.value > 0 for one in found[1:])


def test_where_nobody_changes_few_sets_show_anyone_drifting():
    shown = [any(one.p <= 0.05 for one in drift_of(*world(seed=seed))) for seed in range(120)]
    assert sum(shown) <= 12


def test_change_and_trend_by_direct_counting():
    ratings, cluster, times = world(n=101, per=1, seed=2)
    times = np.random.default_rng(5).permuted(times, axis=1)
    found, base = drift_of(ratings, cluster, times), rest_of_panel(ratings, cluster)
    raw = []
    for row in range(4):
        own = base.annotator == row
        value = (base.agreement - base.among)[own][np.argsort(times[row])]
        expected = value[51:].mean() - value[:50].mean()
        assert found[row].change.value == pytest.approx(expected, abs=1e-12)
        assert found[row].change.n == 101
        raw.append(stats.pearsonr(np.arange(101), value).pvalue)
    np.testing.assert_allclose([one.p for one in found], holm(raw), atol=1e-9)


def test_harder_claims_later_on_are_nobodys_drift():
    source = np.random.default_rng(3)
    truth = source.integers(0, 3, 400)
    right = np.where(np.arange(400) < 200, 0.95, 0.6)
    wrong = (truth + source.integers(1, 3, (4, 400))) % 3
    ratings = np.where(source.random((4, 400)) < right, truth, wrong)
    cluster, times = np.arange(400) // 4, np.tile(np.arange(400.0), (4, 1))
    found = drift_of(ratings, cluster, times)
    assert all(one.basis == "same_claims" and one.p > 0.05 for one in found)
    pairs = ratings.copy()
    for claim in range(400):
        pairs[[claim % 4, (claim + 1) % 4], claim] = -1
    alone = drift_of(pairs, cluster, times)
    assert all(one.basis == "other_claims" and one.change.value < 0 for one in alone)


def test_times_that_are_missing_equal_or_few_are_reasons():
    ratings, cluster, times = world()
    times[0] = np.nan
    times[1] = 5.0
    times[2, 15:] = np.nan
    found = drift_of(ratings, cluster, times)
    assert [one.change.reason for one in found[:3]] == [
        "the labels have no times",
        "all labels have one and the same time",
        "15 common claims with a time, 20 are needed",
    ]
    assert {one.p for one in found[:3]} == {None}
    assert (found[3].change.n, found[3].p is None) == (200, False)
    times[2, 1:] = np.nan
    one = drift_of(ratings, cluster, times)[2]
    assert one.change.reason == "1 common claim with a time, 20 are needed"


def test_nobody_else_and_few_contexts():
    ratings, cluster, times = world()
    ratings[1:, :] = -1
    assert drift_of(ratings, cluster, times)[0].change.reason.startswith("nobody else")
    ratings, cluster, times = world(n=40, per=5)
    found = drift_of(ratings, cluster, times)
    assert found[0].change.value is not None
    assert found[0].p is None


def test_labels_without_a_time_are_left_out():
    ratings, cluster, times = world(n=120)
    times[:, 100:] = np.nan
    found = drift_of(ratings, cluster, times)
    short = drift_of(ratings[:, :100], cluster[:100], times[:, :100])
    assert found[0].change.value == pytest.approx(short[0].change.value, abs=1e-12)
    assert found[0].p == pytest.approx(short[0].p, abs=1e-12)
