"""Limits on resamples must be those that the sample itself gets, resampled."""

from __future__ import annotations

import numpy as np
import pytest

from metajudge.agreement.bootstrap import cluster_weights
from metajudge.agreement.estimate import estimate_share
from metajudge.agreement.kappa import cohen_kappa
from metajudge.agreement.rates import share_coefficient
from metajudge.selection import Measurer
from metajudge.selection.limits import (
    gap_moments,
    gap_upper,
    kappa_gradient,
    kappa_lower,
    share_moments,
    share_upper,
)
from tests.selection.worlds import world


def sweep(seed: int = 1, n: int = 120, answers: int = 40) -> Measurer:
    source = np.random.default_rng(seed)
    words = np.asarray(["yes", "no", "idk", "failure"])
    gold = source.integers(0, 3, n)
    said = {
        name: words[np.where(source.random(n) < share, gold, source.integers(0, 4, n))].tolist()
        for name, share in (("a", 0.95), ("b", 0.7), ("c", 0.4))
    }
    return world(words[gold].tolist(), said, answers=[f"a{i % answers}" for i in range(n)])


def whole(measurer: Measurer) -> np.ndarray:
    return np.ones((1, measurer.columns.answers.n_clusters))


def test_weights_of_one_give_the_samples_own_wilson_limit() -> None:
    measurer = sweep()
    moments = share_moments(measurer.share_sums("over_credit"))
    found = share_upper(whole(measurer), moments, 0.95)[0]
    assert found == pytest.approx([e.high for e in measurer.shares("over_credit")])


def test_a_resample_has_the_limit_of_its_own_clusters() -> None:
    measurer = sweep()
    sums = measurer.share_sums("over_credit")
    weights = cluster_weights(40, 5, np.random.default_rng(2))
    found = share_upper(weights, share_moments(sums), 0.95)
    for row, drawn in zip(found, weights, strict=True):
        clusters = np.repeat(np.arange(40), drawn.astype(int))
        copied = type(sums)(sums.sums[clusters], sums.n, sums.n_clusters)
        expected = estimate_share(copied, share_coefficient("over_credit", "x"), 0.95)
        assert row == pytest.approx([e.high for e in expected])


def test_the_paired_limit_is_near_the_bootstraps_and_0_for_the_reference() -> None:
    measurer = sweep(n=600, answers=200)
    moments = gap_moments(measurer.share_sums("over_credit"), 0)
    found = gap_upper(whole(measurer), moments, 0.95)[0]
    assert found[0] == 0
    bootstrap = [e.high for e in measurer.differences("over_credit", 0)]
    assert found[1:] == pytest.approx(bootstrap[1:], abs=0.015)


def test_the_gradient_is_kappas_derivative() -> None:
    source = np.random.default_rng(3)
    for labels in (2, 3):
        table = source.integers(1, 20, (labels, labels + 1)).astype(float)
        found = kappa_gradient(table)
        for cell in np.ndindex(table.shape):
            step = np.zeros_like(table)
            step[cell] = 1e-4
            slope = (cohen_kappa(table + step) - cohen_kappa(table - step)) / 2e-4
            assert found[cell] == pytest.approx(float(slope), abs=1e-8)


def test_kappas_normal_limit_is_near_bca() -> None:
    measurer = sweep(n=600, answers=200)
    kappa, low = kappa_lower(whole(measurer), measurer.table_sums(), 0.95)
    figures = [row.figures["kappa"] for row in measurer.measure()]
    assert kappa[0] == pytest.approx([e.value for e in figures])
    assert low[0] == pytest.approx([e.low for e in figures], abs=0.02)


def test_a_constant_judge_has_no_kappa_above_0() -> None:
    gold = ["yes", "no", "idk"] * 8
    measurer = world(gold, {"a": ["yes"] * 24, "b": ["failure"] * 24})
    weights = cluster_weights(24, 50, np.random.default_rng(4))
    kappa, low = kappa_lower(weights, measurer.table_sums(), 0.95)
    assert np.abs(kappa).max() < 1e-12
    assert np.abs(low).max() < 1e-12


def test_undefined_is_nan() -> None:
    measurer = world(["yes"] * 4, {"a": ["yes"] * 4})
    assert np.isnan(kappa_lower(whole(measurer), measurer.table_sums(), 0.95)[1]).all()
    empty = share_moments(measurer.share_sums("over_credit"))
    assert np.isnan(share_upper(whole(measurer), empty, 0.95)).all()
    assert np.isnan(gap_upper(whole(measurer), empty, 0.95)).all()
