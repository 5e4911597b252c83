"""Values that other packages gave, stored with their versions; see `reference/make.py`."""

from __future__ import annotations

import numpy as np
import pytest

from metajudge.agreement import (
    brennan_prediger,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac,
    gwet_ac_of_counts,
    krippendorff_alpha,
    prediction_powered_mean,
    rating_counts,
)
from metajudge.agreement.alpha import alpha_of_coincidences
from metajudge.agreement.intervals import critical_z

EXACT = 1e-12


def test_raters_equal_irrcac(reference):
    for case in reference("chance_corrected.json")["raters"]:
        counts = rating_counts(case["ratings"], case["labels"])
        for weighting, expected in case["gwet"].items():
            got = gwet_ac_of_counts(counts, weighting)
            assert got == pytest.approx(expected, abs=EXACT), (case["name"], weighting)
        for scale, expected in case["krippendorff"].items():
            got = krippendorff_alpha(counts, scale)
            assert got == pytest.approx(expected, abs=EXACT), (case["name"], scale)
        if "fleiss" in case:
            assert fleiss_kappa(counts) == pytest.approx(case["fleiss"], abs=EXACT)


def test_tables_equal_irrcac(reference):
    for case in reference("chance_corrected.json")["tables"]:
        square = np.array(case["table"])
        table = np.hstack([square, np.zeros((len(square), 1), int)])
        for weighting, expected in case["gwet"].items():
            got = gwet_ac(table, weighting)
            assert got == pytest.approx(expected, abs=EXACT), (case["name"], weighting)
        for weighting, expected in case["cohen"].items():
            got = cohen_kappa(table, weighting)
            assert got == pytest.approx(expected, abs=EXACT), (case["name"], weighting)
        alpha = alpha_of_coincidences(square + square.T)
        assert alpha == pytest.approx(case["krippendorff"], abs=EXACT)
        assert brennan_prediger(table) == pytest.approx(case["brennan_prediger"], abs=EXACT)


def samples(case):
    """Gold, judge on the labelled and judge on the rest, from counts."""
    cells = np.repeat([(1, 1), (1, 0), (0, 1), (0, 0)], case["labelled"], axis=0)
    hits, n = case["unlabelled"]
    return cells[:, 0], cells[:, 1], np.repeat([1, 0], [hits, n - hits])


@pytest.mark.parametrize("weight", [1.0, 0.5])
def test_prediction_powered_mean_of_a_fixed_weight_equals_ppi_python(reference, weight):
    stored = reference("ppi.json")
    for case in stored["cases"]:
        truth, near, far = samples(case)
        found = prediction_powered_mean(truth, near, far, power=weight, level=stored["level"])
        name = f"{weight:g}"
        assert found.value == pytest.approx(case["value"][name], abs=EXACT)
        low, high = case["interval"][name]
        # ppi-python divides variances by n, this room by n - 1.
        n, rest = len(truth), len(far)
        labelled = (truth - weight * near).var() / n
        judged = weight**2 * far.var() / rest
        theirs = critical_z(stored["level"]) * (labelled + judged) ** 0.5
        assert (high - low) / 2 == pytest.approx(theirs, abs=EXACT)
        ours = critical_z(stored["level"]) * (
            labelled * n / (n - 1) + judged * rest / (rest - 1)
        ) ** 0.5  # fmt: skip
        assert (found.high - found.low) / 2 == pytest.approx(ours, abs=EXACT)


def test_tuned_mean_is_near_ppi_python(reference):
    """Not exact: the judge's variance is pooled there and taken from each sample here."""
    stored = reference("ppi.json")
    for case in stored["cases"]:
        truth, near, far = samples(case)
        found = prediction_powered_mean(truth, near, far, level=stored["level"])
        low, high = case["interval"]["tuned"]
        half = (high - low) / 2
        assert found.value == pytest.approx(case["value"]["tuned"], abs=0.02 * half)
        assert (found.high - found.low) / 2 == pytest.approx(half, rel=1.5 / len(truth))


def test_weight_zero_is_the_labelled_mean():
    found = prediction_powered_mean([1, 0, 1, 1], [0, 0, 1, 0], [1, 0] * 20, power=0.0)
    assert (found.value, found.labelled_only, found.power) == (0.75, 0.75, 0.0)
