from __future__ import annotations

import numpy as np
import pytest

from metajudge.agreement.bootstrap import multinomial_tables
from metajudge.agreement.correction import prediction_powered_mean, rogan_gladen


def resampled(table, counts, seed: int = 1):
    source = np.random.default_rng(seed)
    tables = multinomial_tables(table, 1000, source)
    verdicts = source.multinomial(np.sum(counts), np.array(counts) / np.sum(counts), size=1000)
    return tables, verdicts


def test_two_labels_equal_the_formula_of_rogan_and_gladen():
    table, counts = np.array([[90, 10, 0], [20, 80, 0]]), np.array([60, 40, 0])
    found = rogan_gladen(table, counts, *resampled(table, counts))
    by_hand = (0.6 + 0.8 - 1) / (0.9 + 0.8 - 1)
    assert found.value[0] == pytest.approx(by_hand, abs=1e-12)
    assert found.value.sum() == pytest.approx(1.0)
    assert found.low[0] < by_hand < found.high[0]
    assert found.raw.tolist() == [0.6, 0.4, 0.0]


def test_three_labels_with_failures_recover_the_true_shares():
    rates = np.array([[0.8, 0.05, 0.1, 0.05], [0.1, 0.7, 0.15, 0.05], [0.2, 0.1, 0.6, 0.1]])
    truth = np.array([0.5, 0.2, 0.3])
    table, counts = rates * 200, truth @ rates * 1000
    found = rogan_gladen(table, counts, *resampled(table.round(), counts.round()))
    np.testing.assert_allclose(found.value, truth, atol=1e-12)
    assert (found.low < truth).all()
    assert (truth < found.high).all()


def test_estimates_stay_shares():
    table, counts = np.array([[90, 10, 0], [20, 80, 0]]), np.array([99, 1, 0])
    found = rogan_gladen(table, counts, *resampled(table, counts))
    assert found.value.tolist() == [1.0, 0.0]


def test_a_judge_that_tells_nothing_apart_is_refused():
    table, counts = np.array([[50, 50, 0], [50, 50, 0]]), np.array([5, 5, 0])
    found = rogan_gladen(table, counts, *resampled(table, counts))
    assert found.value is None
    assert "near singular" in found.reason
    constant = np.array([[50, 0, 0], [50, 0, 0]])
    assert rogan_gladen(constant, counts, *resampled(table, counts)).value is None


def test_other_refusals_name_their_reason():
    table, counts = np.array([[50, 5, 0], [0, 0, 0]]), np.array([5, 5, 0])
    tables, verdicts = resampled(table, counts)
    assert rogan_gladen(table, counts, tables, verdicts).reason == "a label has no gold claim"
    empty = rogan_gladen(np.eye(2, 3) * 9, np.zeros(3), tables, verdicts)
    assert empty.reason == "there is no unlabelled verdict"
    rare = np.array([[50, 5, 0], [0, 1, 0]])
    found = rogan_gladen(rare, counts, *resampled(rare, counts))
    assert found.low is None
    assert "resamples" in found.reason


def test_prediction_powered_mean_by_its_formula(rng):
    truth = (rng.random(100) < 0.6).astype(float)
    near = np.where(rng.random(100) < 0.85, truth, 1 - truth)
    far = (rng.random(2000) < 0.55).astype(float)
    found = prediction_powered_mean(truth, near, far)
    shared = np.cov(truth, near)[0, 1] / 100
    spread = near.var(ddof=1) / 100 + far.var(ddof=1) / 2000
    power = shared / spread
    assert found.power == pytest.approx(power, abs=1e-12)
    value = power * far.mean() + (truth - power * near).mean()
    assert found.value == pytest.approx(value, abs=1e-12)
    error = power**2 * far.var(ddof=1) / 2000 + (truth - power * near).var(ddof=1) / 100
    assert (found.high - found.low) / 2 == pytest.approx(1.959963984540054 * error**0.5, abs=1e-12)


def test_a_useless_judge_is_ignored_and_a_good_one_helps(rng):
    truth = (rng.random(200) < 0.5).astype(float)
    far = (rng.random(5000) < 0.5).astype(float)
    blind = prediction_powered_mean(truth, np.zeros(200), np.zeros(5000))
    assert blind.power == 0.0
    assert blind.value == pytest.approx(truth.mean())
    sharp = prediction_powered_mean(truth, truth, far)
    assert sharp.high - sharp.low < 0.5 * (blind.high - blind.low)


def test_clusters_widen_the_interval(rng):
    groups = np.repeat(np.arange(40), 5)
    truth = (rng.random(40) < 0.5)[groups].astype(float)
    far = (rng.random(1000) < 0.5).astype(float)
    plain = prediction_powered_mean(truth, 1 - truth, far)
    grouped = prediction_powered_mean(truth, 1 - truth, far, cluster_labelled=groups)
    assert grouped.high - grouped.low > 1.8 * (plain.high - plain.low)


def test_one_cluster_is_refused():
    found = prediction_powered_mean([1, 0], [1, 0], [1, 0], cluster_labelled=[0, 0])
    assert found.reason == "needs two clusters in each sample, got 1"
