from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

from metajudge.agreement.bootstrap import cluster_shares, cluster_tables, cluster_weights
from metajudge.agreement.coefficients import COEFFICIENTS, ORDERED
from metajudge.agreement.estimate import (
    effective_n,
    estimate,
    estimate_differences,
    estimate_share,
)
from metajudge.agreement.intervals import wilson_interval
from metajudge.agreement.rates import over_credit, share, share_coefficient

KAPPA = COEFFICIENTS["cohen_kappa"]
OVER_CREDIT = share_coefficient("over_credit", "gold not yes")


def clustered(seed: int, groups: int = 40, size: int = 10):
    """Claims whose errors come in whole documents."""
    source = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(groups), size)
    gold = source.integers(0, 3, groups * size)
    bad = source.random(groups) < 0.3
    verdict = np.where(bad[cluster], (gold + 1) % 3, gold)
    return cluster, gold, verdict


def test_b100_one_row_of_two_hundred_is_a_tie(labels):
    gold, verdict = labels(1)
    other = verdict.copy()
    spot = int(np.flatnonzero(gold == verdict)[5])
    other[spot] = (gold[spot] + 1) % 3
    sums = cluster_tables(np.arange(200), gold, np.stack([verdict, other]))
    weights = cluster_weights(200, 1000, np.random.default_rng(1))
    for method in ("percentile", "bca"):
        same, change = estimate_differences(sums, KAPPA, weights, method=method)
        assert (same.value, same.low, same.high) == (0.0, 0.0, 0.0)
        assert change.value < 0
        assert not change.excludes_zero


def test_b100_pairing_tells_apart_what_overlapping_intervals_hide(labels):
    gold, verdict = labels(1)
    other = verdict.copy()
    spots = np.flatnonzero(gold == verdict)[:16]
    other[spots] = (gold[spots] + 1) % 3
    sums = cluster_tables(np.arange(200), gold, np.stack([verdict, other]))
    weights = cluster_weights(200, 1000, np.random.default_rng(1))
    better, worse = estimate(sums, KAPPA, weights)
    assert worse.high > better.low
    assert estimate_differences(sums, KAPPA, weights)[1].excludes_zero


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_b100_interval_is_wider_when_grouped_by_document(method):
    cluster, gold, verdict = clustered(2)
    rng = np.random.default_rng(1)
    grouped = estimate(
        cluster_tables(cluster, gold, verdict), KAPPA, cluster_weights(40, 1000, rng), method
    )[0]
    single = estimate(
        cluster_tables(np.arange(400), gold, verdict),
        KAPPA,
        cluster_weights(400, 1000, rng),
        method,
    )[0]
    assert grouped.high - grouped.low > 2 * (single.high - single.low)
    assert grouped.n_clusters == 40


def test_b100_fixed_seed_gives_equal_bytes():
    cluster, gold, verdict = clustered(3)

    def run() -> str:
        weights = cluster_weights(40, 500, np.random.default_rng(9))
        found = estimate(cluster_tables(cluster, gold, verdict), KAPPA, weights, "bca")
        return json.dumps([dataclasses.asdict(one) for one in found])

    assert run() == run()


@pytest.mark.parametrize("name", [*COEFFICIENTS, *(each.name for each in ORDERED)])
def test_undefined_is_null_with_a_reason(name):
    coefficient = {**COEFFICIENTS, **{each.name: each for each in ORDERED}}[name]
    sums = cluster_tables([0, 1], [0, 1], [0, 1], within=np.zeros(2, bool))
    found = estimate(sums, coefficient, cluster_weights(2, 20, np.random.default_rng(1)))[0]
    assert found.value is None
    assert found.low is None
    assert found.high is None
    assert found.reason == coefficient.undefined
    assert found.n == 0


def test_b97_small_samples_show_n_and_a_warning():
    gold, verdict = np.zeros(12, int), np.zeros(12, int)
    verdict[0] = 1
    sums = cluster_tables(np.arange(12), gold, verdict)
    weights = cluster_weights(12, 200, np.random.default_rng(1))
    found = estimate(sums, COEFFICIENTS["krippendorff_alpha"], weights)[0]
    assert found.value == pytest.approx(0.0, abs=1e-12)
    assert found.n == 12
    assert "12 clusters, under 30" in found.warning


@pytest.mark.parametrize("groups", [15, 25, 29, 30, 50])
def test_every_kind_of_interval_warns_under_thirty_clusters(groups):
    source = np.random.default_rng(groups)
    cluster, gold = np.repeat(np.arange(groups), 5), source.integers(0, 3, groups * 5)
    verdicts = np.where(source.random((2, len(gold))) < 0.7, gold, 0)
    tables, weights = cluster_tables(cluster, gold, verdicts), cluster_weights(groups, 100, source)
    shares = cluster_shares(cluster, over_credit(gold, verdicts))
    found = [
        *(estimate(tables, KAPPA, weights, how)[0] for how in ("percentile", "bca", "hull")),
        estimate_differences(tables, KAPPA, weights)[1],
        estimate_share(shares, OVER_CREDIT)[0],
    ]
    for one in found:
        assert (one.warning is not None) == (groups < 30)
        assert groups >= 30 or f"{groups} clusters, under 30" in one.warning


def test_interval_is_withheld_when_many_resamples_are_undefined():
    gold, verdict = np.array([0, 0, 0, 1]), np.array([0, 0, 0, 1])
    sums = cluster_tables(np.arange(4), gold, verdict)
    found = estimate(sums, KAPPA, cluster_weights(4, 200, np.random.default_rng(1)))[0]
    assert found.value == 1.0
    assert found.low is None
    assert found.reason.startswith("no interval")


def test_share_interval_never_collapses_at_zero():
    gold, verdict = np.ones(30, int), np.ones(30, int)
    sums = cluster_shares(np.arange(30), over_credit(gold, verdict))
    found = estimate_share(sums, OVER_CREDIT)[0]
    assert found.value == 0.0
    assert found.high == pytest.approx(float(wilson_interval(0, 30).high), abs=1e-12)
    paired = cluster_shares(np.arange(30) // 5, over_credit(gold, verdict))
    assert estimate_share(paired, OVER_CREDIT)[0].high > 2 * found.high


def test_effective_n_shrinks_to_clusters_when_claims_repeat():
    cluster = np.repeat(np.arange(50), 6)
    hit = (np.arange(50) % 2 == 0)[cluster]
    kind = np.ones(300, bool)
    size = effective_n(cluster_shares(cluster, share(hit, kind)))
    assert size[0] == pytest.approx(49.0, abs=1e-9)


def test_share_without_claims_is_null():
    sums = cluster_shares([0], over_credit([0], [0]))
    found = estimate_share(sums, OVER_CREDIT)[0]
    assert found.value is None
    assert found.reason == "no claim is gold not yes"
