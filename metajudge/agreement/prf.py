"""Precision, recall and F1 of each label, and their plain means."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, Numbers, as_floats, divide
from metajudge.agreement.table import margins


class LabelScores(NamedTuple):
    """Scores per label, each of shape (…, K), 0 to 1, nan where undefined."""

    precision: Floats
    recall: Floats
    f1: Floats


def label_scores(table: Numbers) -> LabelScores:
    """Precision, recall and F1 per label.

    Precision is nan for a label never given, recall for a label that gold lacks, F1 for a label
    that is neither. A failure lowers recall and leaves precision alone.

    Args:
        table: Shape (…, K, K + 1).

    Source: van Rijsbergen (1979), Information Retrieval, ch. 7.

    >>> [float(x[0]) for x in label_scores([[3, 1, 0], [1, 5, 0]])]
    [0.75, 0.75, 0.75]
    """
    counts, sums = as_floats(table), margins(table)
    hits = np.einsum("...kk->...k", counts[..., :-1])
    given = sums.verdict[..., :-1]
    return LabelScores(
        divide(hits, given), divide(hits, sums.gold), divide(2 * hits, given + sums.gold)
    )


def macro_f1(table: Numbers) -> Floats:
    """Mean F1 over the labels that occur in gold or verdicts, 0 to 1; nan for an empty table.

    >>> float(macro_f1([[3, 1, 0], [1, 5, 0]])) == (0.75 + 10 / 12) / 2
    True
    """
    return mean_of_defined(label_scores(table).f1)


def mean_of_defined(numbers: Floats) -> Floats:
    """Mean over the last axis of the entries that are not nan; nan when there is none."""
    known = ~np.isnan(numbers)
    return divide(np.where(known, numbers, 0.0).sum(-1), known.sum(-1))
