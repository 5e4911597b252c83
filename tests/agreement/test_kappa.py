from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from metajudge.agreement.kappa import cohen_kappa
from metajudge.agreement.table import LABEL_POSITIONS, confusion_table
from metajudge.agreement.weights import disagreement_weights


@pytest.mark.parametrize("weighting", ["linear", "quadratic"])
@pytest.mark.parametrize("seed", range(4))
def test_weighted_kappa_equals_scikit_learn(labels, weighting, seed):
    gold, verdict = labels(seed)
    got = cohen_kappa(confusion_table(gold, verdict), weighting)
    assert got == pytest.approx(cohen_kappa_score(gold, verdict, weights=weighting), abs=1e-12)


def test_weighted_kappa_on_the_order_no_idk_yes(labels):
    gold, verdict = labels(5)
    got = cohen_kappa(confusion_table(gold, verdict), "linear", LABEL_POSITIONS)
    expected = cohen_kappa_score(gold, verdict, labels=[1, 2, 0], weights="linear")
    assert got == pytest.approx(expected, abs=1e-12)


def test_kappa_equals_statsmodels(labels):
    gold, verdict = labels(6)
    table = confusion_table(gold, verdict)
    expected = cohens_kappa(table[:, :3], return_results=False)
    assert cohen_kappa(table) == pytest.approx(expected, abs=1e-12)


def test_failures_weigh_as_the_furthest_label():
    table = np.array([[4, 0, 0, 1], [0, 4, 0, 0], [0, 0, 4, 0]])
    assert disagreement_weights(3, "quadratic")[0, 3] == 1.0
    assert cohen_kappa(table, "quadratic") < cohen_kappa(table[:, [0, 1, 2, 3]] * [1, 1, 1, 0])


def test_ordinal_weights_use_the_order_alone():
    plain = disagreement_weights(4, "ordinal")
    np.testing.assert_allclose(plain[0], [0, 1 / 6, 3 / 6, 1, 1])
    uneven = disagreement_weights(4, "ordinal", (0.0, 5.0, 6.0, 100.0))
    np.testing.assert_array_equal(plain, uneven)
    swapped = disagreement_weights(3, "ordinal", LABEL_POSITIONS)
    np.testing.assert_allclose(swapped[:, :3], [[0, 1, 1 / 3], [1, 0, 1 / 3], [1 / 3, 1 / 3, 0]])


def test_undefined_when_no_disagreement_is_possible():
    assert np.isnan(cohen_kappa([[5, 0, 0], [0, 0, 0]]))
    assert cohen_kappa([[5, 5, 0], [0, 0, 0]]) == 0.0


@pytest.mark.parametrize("positions", [(1.0, 2.0), (1.0, 1.0, 1.0), (0.0, 1.0, np.nan)])
def test_positions_are_checked(positions):
    with pytest.raises(ValueError, match="3 finite, unequal numbers"):
        disagreement_weights(3, "linear", positions)
