from __future__ import annotations

import numpy as np
import pytest

from metajudge.agreement.baselines import (
    best_constant_accuracy,
    constant_table,
    prevalence_matched_table,
)
from metajudge.agreement.coefficients import COEFFICIENTS
from metajudge.agreement.indices import (
    bias_index,
    brennan_prediger,
    greatest_kappa,
    prevalence_index,
)
from metajudge.agreement.kappa import cohen_kappa
from metajudge.agreement.table import confusion_table


def test_kappa_paradox_is_seen_in_the_indices():
    balanced, skewed = [[40, 9, 0], [6, 45, 0]], [[80, 10, 0], [5, 5, 0]]
    assert cohen_kappa(balanced) > 2 * cohen_kappa(skewed)
    assert brennan_prediger(balanced) == pytest.approx(float(brennan_prediger(skewed)))
    assert prevalence_index(balanced)[0] == pytest.approx(0.05)
    assert prevalence_index(skewed)[0] == pytest.approx(0.75)
    assert bias_index(skewed).sum() == pytest.approx(0.0)


def test_greatest_kappa_is_reached_by_the_best_table_of_the_margins():
    table = [[80, 10, 0], [5, 5, 0]]
    best = [[85, 5, 0], [0, 10, 0]]
    assert greatest_kappa(table) == pytest.approx(float(cohen_kappa(best)), abs=1e-12)


def test_baselines_have_the_coefficients_that_theory_gives(labels):
    table = confusion_table(*labels(2, failures=0.1))
    shares = table.sum(1) / table.sum()
    random_judge = prevalence_matched_table(table)
    accuracy = COEFFICIENTS["accuracy"]
    assert accuracy(random_judge) == pytest.approx((shares**2).sum(), abs=1e-12)
    assert cohen_kappa(random_judge) == pytest.approx(0.0, abs=1e-12)
    constants = [float(accuracy(constant_table(table, label))) for label in range(3)]
    assert max(constants) == pytest.approx(float(best_constant_accuracy(table)), abs=1e-12)
    assert constants == pytest.approx(shares.tolist(), abs=1e-12)


def test_empty_tables_are_undefined():
    empty = np.zeros((2, 3))
    for function in (prevalence_index, bias_index, brennan_prediger, greatest_kappa):
        assert np.isnan(function(empty)).all()
    assert np.isnan(best_constant_accuracy(empty))
