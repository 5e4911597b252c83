from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from metajudge.agreement.kappa import cohen_kappa
from metajudge.agreement.table import (
    FAILURE,
    IDK,
    NO,
    YES,
    cluster_codes,
    confusion_table,
    margins,
    one_hot,
    square,
    to_binary,
)


def test_table_equals_scikit_learn_and_counts_failures_last(labels):
    gold, verdict = labels(1, failures=0.1)
    table = confusion_table(gold, verdict)
    read = verdict != FAILURE
    expected = confusion_matrix(gold[read], verdict[read], labels=[0, 1, 2])
    np.testing.assert_array_equal(table[:, :3], expected)
    np.testing.assert_array_equal(table[:, 3], np.bincount(gold[~read], minlength=3))
    assert table.sum() == len(gold)


def test_several_candidates_at_once_and_one_hot_adds_up(labels):
    gold, first = labels(1)
    second = labels(2, failures=0.2)[1]
    tables = confusion_table(gold, np.stack([first, second]))
    assert tables.shape == (2, 3, 4)
    np.testing.assert_array_equal(tables[1], confusion_table(gold, second))
    np.testing.assert_array_equal(one_hot(gold, second).sum(0), tables[1])
    np.testing.assert_array_equal(one_hot(gold, np.stack([first, second])).sum(1), tables)


def test_b98_label_space_is_fixed_when_one_side_lacks_a_label():
    gold = np.array([YES, YES, YES, NO, NO, IDK, IDK, IDK])
    verdict = np.array([YES, YES, NO, NO, NO, NO, YES, NO])
    table = confusion_table(gold, verdict)
    assert table.shape == (3, 4)
    assert table[:, IDK].sum() == 0
    by_hand = (4 / 8 - (3 * 3 + 2 * 5) / 64) / (1 - (3 * 3 + 2 * 5) / 64)
    assert cohen_kappa(table) == pytest.approx(by_hand, abs=1e-12)
    assert cohen_kappa(table) == pytest.approx(cohen_kappa_score(gold, verdict), abs=1e-12)
    swapped = confusion_table(verdict, gold)
    assert cohen_kappa(swapped) == pytest.approx(by_hand, abs=1e-12)


def test_b98_kappa_does_not_depend_on_whether_labels_are_listed():
    wide = confusion_table([0, 0, 1, 1], [0, 1, 1, 1], n_labels=3)
    narrow = confusion_table([0, 0, 1, 1], [0, 1, 1, 1], n_labels=2)
    assert cohen_kappa(wide) == pytest.approx(cohen_kappa(narrow), abs=1e-12)


def test_binary_projection_keeps_failures_apart():
    verdict = to_binary([YES, NO, IDK, FAILURE])
    table = confusion_table([0, 1, 1, 0], verdict, n_labels=2)
    assert table.tolist() == [[1, 0, 1], [0, 2, 0]]


@pytest.mark.parametrize(
    ("gold", "verdict", "n_labels", "message"),
    [
        ([0, 3], [0, 0], 3, "gold codes must be 0 … 2, got 3 at 1"),
        ([0, -1], [0, 0], 3, "got -1 at 1"),
        ([0, 0], [0, 7], 3, "got 7"),
        ([0, 0], [0, 2], 2, "use to_binary"),
        ([0, 0], [0], 3, r"got \(2,\) and \(1,\)"),
        ([0], [0], 4, "n_labels"),
    ],
)
def test_wrong_codes_are_refused_by_name(gold, verdict, n_labels, message):
    with pytest.raises(ValueError, match=message):
        confusion_table(gold, verdict, n_labels)


def test_margins_refuse_square_tables():
    with pytest.raises(ValueError, match="K, K \\+ 1"):
        margins([[1, 0], [0, 1]])


def test_empty_arrays_make_an_empty_table():
    assert confusion_table(np.array([], int), np.array([], int)).sum() == 0


def test_square_adds_a_zero_row():
    assert square(np.ones((2, 3, 4))).shape == (2, 4, 4)


def test_clusters_are_numbered_in_order_of_appearance():
    clusters = cluster_codes(["q", 1, "q", "a"])
    assert clusters.codes.tolist() == [0, 1, 0, 2]
    assert clusters.n_clusters == 3
