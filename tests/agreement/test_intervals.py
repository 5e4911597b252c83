from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from metajudge.agreement.bootstrap import bootstrap_values, cluster_weights, jackknife_values
from metajudge.agreement.intervals import (
    acceleration,
    basic_interval,
    bca_interval,
    column_quantiles,
    critical_z,
    hull_interval,
    percentile_interval,
    wilson_interval,
)
from metajudge.agreement.rates import ratio


def test_wilson_equals_statsmodels_and_the_paper(reference):
    for case in reference("wilson.json")["cases"]:
        interval = wilson_interval(case["hits"], case["n"])
        assert round(float(interval.low), 4) == case["low"]
        assert round(float(interval.high), 4) == case["high"]
    hits, n = np.arange(11), np.full(11, 10)
    interval = wilson_interval(hits, n, 0.9)
    low, high = proportion_confint(hits, n, alpha=0.1, method="wilson")
    np.testing.assert_allclose(interval.low, low, atol=1e-12)
    np.testing.assert_allclose(interval.high, high, atol=1e-12)


def test_wilson_of_nothing_is_undefined():
    assert np.isnan(wilson_interval(0, 0)).all()


def test_quantiles_skip_undefined_resamples(rng):
    values = rng.normal(size=(101, 3))
    values[::3, 1] = np.nan
    values[:, 2] = np.nan
    shares = np.array([[0.025] * 3, [0.9] * 3])
    got = column_quantiles(values, shares)
    for column in (0, 1):
        np.testing.assert_allclose(got[:, column], np.nanquantile(values[:, column], [0.025, 0.9]))
    assert np.isnan(got[:, 2]).all()


def test_percentile_equals_numpy(rng):
    values = rng.normal(size=(500, 2))
    interval = percentile_interval(values, 0.9)
    np.testing.assert_allclose(interval.low, np.quantile(values, 0.05, axis=0))
    np.testing.assert_allclose(interval.high, np.quantile(values, 0.95, axis=0))


@pytest.mark.parametrize("seed", range(3))
def test_bca_equals_scipy_on_the_same_resamples(seed):
    sample = np.random.default_rng(seed).exponential(size=40)
    sums = np.stack([sample, np.ones(40)], -1)[:, None, :]
    oracle = stats.bootstrap(
        (sample,), np.mean, n_resamples=2000, method="BCa", rng=np.random.default_rng(seed)
    )
    interval = bca_interval(
        oracle.bootstrap_distribution[:, None], [sample.mean()], jackknife_values(sums, ratio)
    )
    assert interval.low[0] == pytest.approx(oracle.confidence_interval.low, abs=1e-9)
    assert interval.high[0] == pytest.approx(oracle.confidence_interval.high, abs=1e-9)


def test_own_resamples_agree_with_scipy_up_to_noise():
    source = np.random.default_rng(4)
    sample = source.normal(size=60)
    sums = np.stack([sample, np.ones(60)], -1)[:, None, :]
    values = bootstrap_values(sums, ratio, cluster_weights(60, 20000, source))
    expected = stats.bootstrap(
        (sample,), np.mean, n_resamples=20000, method="percentile", rng=np.random.default_rng(5)
    ).confidence_interval
    interval = percentile_interval(values)
    assert interval.low[0] == pytest.approx(expected.low, abs=0.02)
    assert interval.high[0] == pytest.approx(expected.high, abs=0.02)


def test_acceleration_by_hand_and_by_multiplicity():
    values = np.array([[1.0], [1.0], [4.0]])
    gap = 2.0 - values[:, 0]
    by_hand = (gap**3).sum() / (6 * ((gap**2).sum()) ** 1.5)
    assert acceleration(values)[0] == pytest.approx(by_hand, abs=1e-12)
    short = acceleration([[1.0], [4.0]], multiplicity=[2, 1])
    assert short[0] == pytest.approx(by_hand, abs=1e-12)
    assert acceleration([[2.0], [2.0]])[0] == 0.0


@pytest.mark.parametrize("seed", range(3))
def test_basic_equals_scipy_on_the_same_resamples(seed):
    sample = np.random.default_rng(seed).exponential(size=40)
    oracle = stats.bootstrap(
        (sample,), np.mean, n_resamples=2000, method="basic", rng=np.random.default_rng(seed)
    )
    interval = basic_interval(oracle.bootstrap_distribution[:, None], [sample.mean()])
    assert interval.low[0] == pytest.approx(oracle.confidence_interval.low, abs=1e-9)
    assert interval.high[0] == pytest.approx(oracle.confidence_interval.high, abs=1e-9)


def test_hull_spans_percentile_and_basic_and_holds_the_value():
    values = np.linspace(0.3, 0.5, 101)[:, None]
    interval = hull_interval(values, [0.25], 0.9)
    assert interval.low[0] == pytest.approx(0.25 - (0.49 - 0.25))
    assert interval.high[0] == pytest.approx(0.49)
    assert np.isnan(hull_interval(np.full((5, 1), np.nan), [np.nan])).all()


def test_bca_of_values_that_do_not_vary_is_a_point():
    interval = bca_interval(np.zeros((50, 1)), [0.0], np.zeros((5, 1)))
    assert (interval.low[0], interval.high[0]) == (0.0, 0.0)


def test_bca_of_an_undefined_value_is_undefined():
    interval = bca_interval(np.full((50, 1), np.nan), [np.nan], np.full((5, 1), np.nan))
    assert np.isnan(interval.low[0])


@pytest.mark.parametrize("level", [0, 1, 1.5])
def test_levels_are_checked(level):
    with pytest.raises(ValueError, match="between 0 and 1"):
        critical_z(level)


def test_bca_takes_values_that_differ_by_rounding_for_ties(rng):
    sample = rng.integers(0, 4, size=12) / 3
    draws = rng.multinomial(12, np.full(12, 1 / 12), size=999) / 12
    left_out = (sample.sum() - sample)[:, None] / 11
    values, seen = (draws * sample).sum(1)[:, None], np.array([sample.mean()])
    limits = [
        bca_interval(values + noise, seen, left_out)
        for noise in (0.0, 1e-15 * rng.choice([-1.0, 1.0], size=values.shape))
    ]
    np.testing.assert_allclose(limits[0], limits[1], atol=1e-12)
