from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator

from metajudge.agreement import (
    cluster_shares,
    estimate_share,
    expected_calibration_error,
    over_credit,
    share_coefficient,
)
from metajudge.selection.calibrate import (
    FITS,
    TEMPERATURES,
    at_temperature,
    cross_fitted,
    fit_isotonic,
    fit_temperature,
    fit_yes_threshold,
    folds_by_context,
    verdicts_at,
)

OVER_CREDIT = share_coefficient("over_credit", "a gold-not-yes claim")


def judged(seed: int, n: int = 400, sharpness: float = 1.0, labels: int = 3):
    """Gold drawn from fair probabilities, and a judge that states them sharper (above 1)."""
    rng = np.random.default_rng(seed)
    fair = softmax(rng.normal(0, 1.5, (n, labels)), axis=1)
    gold = (rng.random(n)[:, None] > fair.cumsum(1)).sum(1).clip(max=labels - 1)
    return at_temperature(fair, 1 / sharpness), gold


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("stated", [0.4, 1.0, 2.5])
def test_temperature_equals_the_minimum_that_scipy_finds(seed, stated):
    given, gold = judged(seed, sharpness=stated)

    def loss(log_temperature: float) -> float:
        mapped = at_temperature(given, np.exp(log_temperature))
        return -np.log(mapped[np.arange(len(gold)), gold]).sum()

    oracle = np.exp(minimize_scalar(loss, bounds=(-3, 3), method="bounded",
                                    options={"xatol": 1e-10}).x)  # fmt: skip
    assert fit_temperature(given, gold) == pytest.approx(oracle, rel=1e-6)


def test_temperature_finds_back_what_was_done_to_fair_probabilities():
    for stated in (0.5, 2.0):
        given, gold = judged(1, 4000, stated)
        assert fit_temperature(given, gold) == pytest.approx(stated, rel=0.1)
    given, gold = judged(2, 4000)
    assert fit_temperature(given, gold) == pytest.approx(1.0, abs=0.08)


def test_temperature_stays_within_its_ends():
    low, high = TEMPERATURES
    never_wrong = [[0.7, 0.2, 0.1]] * 5
    assert fit_temperature(never_wrong, [0] * 5) == pytest.approx(low)
    assert fit_temperature(never_wrong, [2] * 5) == pytest.approx(high)
    with pytest.raises(ValueError, match="at least one claim"):
        fit_temperature(np.zeros((0, 3)), [])


def test_temperature_moves_no_label_and_survives_a_label_never_listed():
    given, gold = judged(3)
    given[:50, 1] = 0.0
    given /= given.sum(1, keepdims=True)
    mapped = at_temperature(given, 3.0)
    assert np.isfinite(mapped).all()
    np.testing.assert_allclose(mapped.sum(1), 1.0)
    np.testing.assert_array_equal(mapped.argmax(1), given.argmax(1))
    assert np.isfinite(fit_temperature(given, gold))


class _Stated(ClassifierMixin, BaseEstimator):
    """A classifier whose probabilities are its input."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.asarray(X)

    def predict(self, X):
        return self.classes_[np.argmax(X, axis=1)]


@pytest.mark.parametrize("seed", range(3))
def test_isotonic_equals_scikit_learn(seed):
    given, gold = judged(seed, 150, sharpness=2.0)
    frozen = FrozenEstimator(_Stated().fit(given, gold))
    oracle = CalibratedClassifierCV(frozen, method="isotonic", ensemble=False)
    oracle.fit(given, gold)
    fresh, _ = judged(seed + 10, 100, sharpness=2.0)
    expected = oracle.predict_proba(fresh)
    np.testing.assert_allclose(fit_isotonic(given, gold)(fresh), expected, atol=1e-12)


def test_isotonic_of_two_labels_is_one_curve_seen_from_both_sides():
    given, gold = judged(4, 100, sharpness=2.0, labels=2)
    mapped = fit_isotonic(given, gold)(given)
    np.testing.assert_allclose(mapped.sum(1), 1.0)
    order = np.argsort(given[:, 0])
    assert (np.diff(mapped[order, 0]) >= -1e-12).all()


def test_isotonic_where_no_label_keeps_anything_is_even():
    found = fit_isotonic([[0.4, 0.6, 0.0], [0.6, 0.4, 0.0]], [1, 0])
    np.testing.assert_allclose(found([[0.4, 0.4, 0.2]]), [[1 / 3] * 3])
    assert found([[0.9, 0.6, 0.0]])[0, 2] == 0.0


@pytest.mark.parametrize("name", list(FITS))
def test_no_context_is_both_fitted_on_and_held_out(name):
    given, gold = judged(5, 60)
    contexts = np.arange(60) // 6
    for fitted, held in folds_by_context(contexts):
        assert not set(contexts[fitted]) & set(contexts[held])
    mapped = cross_fitted(given, gold, contexts, FITS[name])
    assert mapped.shape == given.shape
    np.testing.assert_allclose(mapped.sum(1), 1.0)
    again = cross_fitted(given, gold, contexts, FITS[name])
    np.testing.assert_array_equal(mapped, again)
    first = folds_by_context(contexts)[0]
    by_hand = FITS[name](given[first[0]], gold[first[0]])(given[first[1]])
    np.testing.assert_array_equal(mapped[first[1]], by_hand)


def test_one_context_cannot_be_cross_fitted():
    given, gold = judged(6, 10)
    assert folds_by_context(np.zeros(10, int)) == []
    assert cross_fitted(given, gold, np.zeros(10, int), FITS["isotonic"]) is None


@pytest.mark.parametrize("name", list(FITS))
def test_b109_an_overconfident_judge_gets_nearer_on_claims_held_out(name):
    given, gold = judged(7, 1000, sharpness=2.8)
    said = given.argmax(1)
    right = said == gold
    rows = np.arange(1000)
    mapped = cross_fitted(given, gold, rows // 5, FITS[name])
    before = expected_calibration_error(given[rows, said], right)
    after = expected_calibration_error(mapped[rows, said], right)
    assert after < 0.4 * before


def test_b109_a_map_judged_on_its_own_claims_flatters():
    given, gold = judged(8, 120)
    gold = np.random.default_rng(8).integers(0, 3, 120)
    said, rows = given.argmax(1), np.arange(120)
    right = said == gold
    flattering = fit_isotonic(given, gold)(given)[rows, said]
    honest = cross_fitted(given, gold, rows // 4, fit_isotonic)[rows, said]
    gap = expected_calibration_error(honest, right) - expected_calibration_error(flattering, right)
    assert gap > 0.02


def upper(yes, not_yes, cluster, threshold):
    verdict = np.where(yes >= threshold, 0, 2)
    sums = cluster_shares(cluster, over_credit(np.where(not_yes, 1, 0), verdict))
    return estimate_share(sums, OVER_CREDIT)[0].high


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), bound=st.sampled_from([0.1, 0.3, 0.6]))
def test_threshold_is_the_least_that_keeps_the_bound(seed, bound):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 120))
    not_yes = rng.random(n) < 0.6
    yes = np.clip(rng.normal(np.where(not_yes, 0.4, 0.7), 0.2), 0, 1).round(2)
    cluster = np.arange(n) // 3
    found = fit_yes_threshold(yes, not_yes, cluster, bound)
    if not not_yes.any():
        assert found is None
        return
    passing = [value for value in np.unique(yes) if upper(yes, not_yes, cluster, value) <= bound]
    assert found == (passing[0] if passing else None)


def test_threshold_does_not_offer_a_judge_that_never_says_yes():
    yes, not_yes = np.linspace(0.1, 0.9, 40), np.ones(40, bool)
    assert fit_yes_threshold(yes, not_yes, np.arange(40), 0.05) is None
    assert fit_yes_threshold(yes, ~not_yes, np.arange(40), 0.5) is None


def test_verdicts_at_a_threshold():
    given = [[0.6, 0.3, 0.1], [0.4, 0.5, 0.1], [0.4, 0.1, 0.5], [0.2, 0.4, 0.4]]
    assert verdicts_at(given, 0.5).tolist() == [0, 1, 2, 2]
    assert verdicts_at(given, 0.4).tolist() == [0, 0, 0, 2]
    assert verdicts_at(given, None).tolist() == [1, 1, 2, 2]
