from __future__ import annotations

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from metajudge.agreement import calibration as room
from metajudge.agreement.bootstrap import cluster_sums, cluster_weights
from metajudge.agreement.coefficients import Coefficient
from metajudge.agreement.estimate import estimate


@pytest.fixture
def forecasts(rng):
    sure = rng.random(300)
    return sure, (rng.random(300) < sure**2).astype(int)


def test_reliability_equals_scikit_learn(forecasts):
    sure, right = forecasts
    table = room.reliability(sure, right, room.bin_edges(sure, 8))
    shares, means = calibration_curve(right, sure, n_bins=8)
    np.testing.assert_allclose(table.right, shares, atol=1e-12)
    np.testing.assert_allclose(table.confidence, means, atol=1e-12)
    assert table.counts.sum() == 300


def test_ece_by_hand_and_by_equal_mass(forecasts):
    sure, right = forecasts
    by_hand = 0.0
    for low in np.arange(0, 1, 0.1):
        inside = (sure >= low) & (sure < low + 0.1)
        by_hand += abs(sure[inside].sum() - right[inside].sum()) / 300
    got = room.expected_calibration_error(sure, right)
    assert got == pytest.approx(by_hand, abs=1e-3)
    edges = room.bin_edges(sure, 5, "mass")
    counts = room.reliability(sure, right, edges).counts
    assert counts.tolist() == [60, 60, 60, 60, 60]
    with pytest.raises(ValueError, match="n_bins"):
        room.bin_edges(sure, 0)


def test_empty_bins_are_undefined_not_zero():
    table = room.reliability([0.1], [1], [0, 0.5, 1])
    assert np.isnan(table.right[1])
    assert room.expected_calibration_error([1.0], [1]) == 0.0


def test_ece_has_an_interval_by_cluster(forecasts):
    sure, right = forecasts
    sums = room.bin_sums(sure, right, room.bin_edges(sure))
    grouped = cluster_sums(np.arange(300) // 5, sums[None], np.ones(300, bool))
    ece = Coefficient("ece", room.ece_of_sums, "no probabilities")
    found = estimate(grouped, ece, cluster_weights(60, 300, np.random.default_rng(1)))[0]
    assert found.value == pytest.approx(float(room.expected_calibration_error(sure, right)))
    assert found.low < found.high


def test_ece_of_a_calibrated_judge_is_what_chance_gives(rng):
    edges = room.bin_edges([0.5])
    sure = rng.uniform(0.3, 1.0, 150)
    seen = [
        float(room.expected_calibration_error(sure, rng.random(150) < sure)) for _ in range(400)
    ]
    chance = room.calibrated_ece(sure, edges)
    assert np.mean(seen) == pytest.approx(chance.mean, rel=0.06)
    assert np.std(seen) == pytest.approx(chance.spread, rel=0.15)
    longer = room.calibrated_ece(np.tile(sure, 4), edges)
    assert longer == pytest.approx((chance.mean / 2, chance.spread / 2))
    assert room.calibrated_ece([1.0, 1.0], edges) == (0.0, 0.0)
    assert np.isnan(room.calibrated_ece([], edges)).all()


def test_hull_interval_of_the_ece_stays_within_its_bounds_and_holds_it(rng):
    sure = rng.uniform(0.4, 1.0, 100)
    right = rng.random(100) < sure
    sums = room.bin_sums(sure, right, room.bin_edges(sure))
    grouped = cluster_sums(np.arange(100) // 2, sums[None], np.ones(100, bool))
    ece = Coefficient("ece", room.ece_of_sums, "no probabilities")
    found = estimate(grouped, ece, cluster_weights(50, 400, rng), "hull")[0]
    assert 0.0 <= found.low <= found.value <= found.high
    assert found.method == "cluster bootstrap, hull, 400 resamples"


def test_brier_of_two_labels_is_twice_the_one_sided_score(forecasts):
    sure, right = forecasts
    both = room.brier_score(np.stack([1 - sure, sure], 1), right).mean()
    assert both == pytest.approx(2 * brier_score_loss(right, sure), abs=1e-12)


def test_murphy_parts_add_up(forecasts):
    sure, right = forecasts
    rounded = np.round(sure, 1)
    edges = np.linspace(-0.05, 1.05, 12)
    parts = room.murphy_decomposition(rounded, right, edges)
    assert parts.brier == pytest.approx(brier_score_loss(right, rounded), abs=1e-12)
    assert parts.within == pytest.approx(0.0, abs=1e-12)
    total = parts.reliability - parts.resolution + parts.uncertainty
    assert total == pytest.approx(parts.brier, abs=1e-12)
    coarse = room.murphy_decomposition(sure, right, [0, 0.5, 1])
    assert coarse.within != pytest.approx(0.0, abs=1e-6)


def test_prior_correction_undoes_a_known_prior(rng):
    fair = rng.dirichlet([1, 1, 1], 50)
    prior = np.array([0.7, 0.2, 0.1])
    biased = fair * prior
    biased /= biased.sum(1, keepdims=True)
    measured = room.content_free_prior(np.tile(prior, (4, 1)))
    np.testing.assert_allclose(room.divide_out_prior(biased, measured), fair, atol=1e-12)


def test_priors_skip_rows_without_probabilities():
    rows = [[0.5, 0.5], [np.nan, np.nan], [0.7, 0.3]]
    np.testing.assert_allclose(room.batch_prior(rows), [0.6, 0.4])
    assert np.isnan(room.content_free_prior([[np.nan, np.nan]])).all()
    with pytest.raises(ValueError, match="positive prior"):
        room.divide_out_prior(rows, [1.0, 0.0])
    assert np.isnan(room.divide_out_prior(rows, [0.5, 0.5])[1]).all()
