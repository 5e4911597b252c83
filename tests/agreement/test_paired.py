from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import SquareTable
from statsmodels.stats.contingency_tables import mcnemar as oracle

from metajudge.agreement.paired import bhapkar, change_table, mcnemar, stuart_maxwell
from metajudge.agreement.table import FAILURE, confusion_table


def expand(table):
    cells = np.array([(row, col) for row in (0, 1) for col in (0, 1)])
    return np.repeat(cells, np.ravel(table), axis=0).T


def test_change_table_keeps_both_margins(labels):
    gold, was = labels(1, failures=0.1)
    now = labels(2, failures=0.1)[1]
    changes = change_table(gold, was, now)
    np.testing.assert_array_equal(changes.sum(2), confusion_table(gold, was))
    np.testing.assert_array_equal(changes.sum(1), confusion_table(gold, now))
    both = (gold == 2) & (was == 0) & (now == FAILURE)
    assert changes[2, 0, 3] == both.sum()


def test_mcnemar_worked_example(reference):
    case = reference("paired.json")["mcnemar"]
    before, after = expand(case["table"])
    found = mcnemar(before, after)
    assert round(found.exact, 4) == case["exact"]
    assert round(found.mid_p, 4) == case["mid_p"]


@pytest.mark.parametrize("table", [[[5, 9], [2, 8]], [[5, 4], [4, 8]], [[0, 0], [6, 0]]])
def test_mcnemar_exact_equals_statsmodels(table):
    before, after = expand(table)
    assert mcnemar(before, after).exact == pytest.approx(oracle(table).pvalue, abs=1e-12)


def test_mcnemar_mid_p_by_hand_and_without_change():
    tied = mcnemar([1, 0], [0, 1])
    assert (tied.exact, tied.mid_p) == (1.0, 0.5)
    assert mcnemar([1, 1], [1, 1]) == (0, 0, 1.0, 1.0)


def test_homogeneity_worked_example(reference):
    case = reference("paired.json")["homogeneity"]
    for name, function in (("stuart_maxwell", stuart_maxwell), ("bhapkar", bhapkar)):
        found = function(case["table"])
        assert round(found.statistic, 2) == case[name]
        assert found.df == case["df"]


@pytest.mark.parametrize("seed", range(3))
def test_homogeneity_equals_statsmodels(seed):
    table = np.random.default_rng(seed).integers(1, 30, (3, 3))
    for method, function in (("stuart_maxwell", stuart_maxwell), ("bhapkar", bhapkar)):
        expected = SquareTable(table, shift_zeros=False).homogeneity(method=method)
        found = function(table)
        assert found.statistic == pytest.approx(expected.statistic, rel=1e-10)
        assert found.p == pytest.approx(expected.pvalue, rel=1e-9)


def test_unused_labels_are_left_out():
    narrow = stuart_maxwell([[20, 5], [15, 60]])
    wide = stuart_maxwell([[20, 0, 5], [0, 0, 0], [15, 0, 60]])
    assert wide == pytest.approx(narrow, nan_ok=True) or wide.statistic == narrow.statistic
    assert wide.df == 1
    assert narrow.statistic == pytest.approx((5 - 15) ** 2 / 20)


def test_undefined_homogeneity_says_why():
    assert stuart_maxwell([[5, 0], [0, 0]]).reason == "only one label occurs"
    assert stuart_maxwell([[5, 0], [0, 5]]).p == 1.0
    stuck = stuart_maxwell([[5, 1, 0], [3, 5, 0], [0, 0, 9]])
    assert stuck.reason.startswith("a group of labels")
    assert np.isnan(stuck.p)
    assert bhapkar(np.zeros((2, 2))).reason == "only one label occurs"
    with pytest.raises(ValueError, match="square"):
        stuart_maxwell(np.zeros((2, 3)))
