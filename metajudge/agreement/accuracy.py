"""Accuracy, and coverage beside it."""

from __future__ import annotations

from metajudge.agreement.arrays import Floats, Numbers, divide
from metajudge.agreement.table import margins


def accuracy(table: Numbers) -> Floats:
    """Share of claims asked whose verdict is the gold label, 0 to 1.

    A failure counts as wrong. nan when no claim was asked.

    Args:
        table: Shape (…, K, K + 1).

    Returns:
        Shape (…).

    >>> float(accuracy([[8, 1, 0], [0, 0, 1]]))
    0.8
    """
    sums = margins(table)
    return divide(sums.agreed, sums.n)


def coverage(table: Numbers) -> Floats:
    """Share of claims asked that have a readable verdict, 0 to 1; nan when none was asked.

    >>> float(coverage([[8, 1, 0], [0, 0, 1]]))
    0.9
    """
    sums = margins(table)
    return divide(sums.n - sums.verdict[..., -1], sums.n)
