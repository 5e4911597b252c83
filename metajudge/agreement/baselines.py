"""Judges that read nothing, as tables: what a coefficient has to beat."""

from __future__ import annotations

import numpy as np

from metajudge.agreement.arrays import Floats, Numbers, as_floats, divide
from metajudge.agreement.table import margins


def constant_table(table: Numbers, label: int) -> Floats:
    """The table of a judge that always answers `label` to the same gold.

    Args:
        table: Shape (…, K, K + 1); only its gold counts are used.
        label: Column of the constant answer, 0 … K - 1.

    >>> constant_table([[3, 1, 0], [2, 2, 1]], 0).tolist()
    [[4.0, 0.0, 0.0], [5.0, 0.0, 0.0]]
    """
    gold = margins(table).gold
    column = np.arange(gold.shape[-1] + 1) == label
    return as_floats(gold[..., None] * column)


def best_constant_accuracy(table: Numbers) -> Floats:
    """Accuracy of the best constant answer: the share of gold's most frequent label.

    >>> float(best_constant_accuracy([[3, 1, 0], [0, 5, 1]]))
    0.6
    """
    sums = margins(table)
    return divide(sums.gold.max(-1), sums.n)


def prevalence_matched_table(table: Numbers) -> Floats:
    """The expected table of a judge that draws labels at random with gold's own shares.

    Its accuracy is the sum of squared shares, its kappa and MCC are 0.

    >>> prevalence_matched_table([[3, 1, 0], [2, 2, 0]]).tolist()
    [[2.0, 2.0, 0.0], [2.0, 2.0, 0.0]]
    """
    sums = margins(table)
    drawn = sums.gold[..., :, None] * sums.gold[..., None, :]
    expected = divide(drawn, sums.n[..., None, None])
    return np.concatenate([expected, np.zeros_like(expected[..., :1])], axis=-1)
