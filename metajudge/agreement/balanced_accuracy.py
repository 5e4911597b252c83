"""Balanced accuracy."""

from __future__ import annotations

from metajudge.agreement.arrays import Floats, Numbers
from metajudge.agreement.prf import label_scores, mean_of_defined


def balanced_accuracy(table: Numbers) -> Floats:
    """Mean recall over the labels that gold has, 0 to 1; nan for an empty table.

    A constant answer gets 1 / (number of gold labels), whatever their shares.

    Args:
        table: Shape (…, K, K + 1).

    Source: Brodersen et al. (2010), ICPR, for K = 2; its mean over K labels as scikit-learn has it.

    >>> float(balanced_accuracy([[90, 0, 0], [10, 0, 0]]))
    0.5
    """
    return mean_of_defined(label_scores(table).recall)
