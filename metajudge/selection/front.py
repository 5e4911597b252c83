"""Pareto front: candidates that no other one beats on every axis at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, Masks, Numbers, as_floats
from metajudge.selection.measure import CandidateFigures

AXES = ("summary_as_idk", "over_credit", "tokens_per_claim")
"""All to be minimised."""


class Front(NamedTuple):
    """Candidates on the axes.

    Attributes:
        values: Shape (S, 3), in the order of `AXES`; nan where undefined.
        on_front: Shape (S,).
        notes: Axes left out, one sentence each.
    """

    values: Floats
    on_front: Masks
    notes: tuple[str, ...]


def pareto_front(values: Numbers) -> Masks:
    """Candidates for which no other is as good on all axes and better on one, shape (S,).

    Equal candidates are on the front together. A candidate with an undefined value is never on it
    and beats nobody.

    Args:
        values: Shape (S, A), all to be minimised; nan where undefined.

    Source: Kung, Luccio and Preparata (1975), J. ACM 22 (maxima of a set of vectors).

    >>> pareto_front([[0, 1], [1, 0], [1, 1], [0, 1], [0, np.nan]]).tolist()
    [True, True, False, True, False]
    """
    points = as_floats(values)
    known = np.asarray(np.isfinite(points).all(1), np.bool_)
    as_good = (points[:, None] <= points[None]).all(-1)
    better = (points[:, None] < points[None]).any(-1)
    beaten = (as_good & better & known[:, None]).any(0)
    return np.asarray(known & ~beaten, np.bool_)


def candidate_front(
    figures: Sequence[CandidateFigures], tokens_per_claim: Sequence[float | None]
) -> Front:
    """The front over summary-as-idk, over-credit and cost.

    An axis without a single value, such as the cost where no judge tells tokens, is left out and
    said so; it would empty the front.

    Args:
        figures: Of every candidate.
        tokens_per_claim: Mean tokens read and written for one verdict, in the same order; None
            where unknown.
    """
    rows = [
        (row.figures["summary_as_idk"].value, row.figures["over_credit"].value, tokens)
        for row, tokens in zip(figures, tokens_per_claim, strict=True)
    ]
    values = as_floats([[np.nan if v is None else v for v in row] for row in rows])
    values = values.reshape(len(rows), len(AXES))
    told = np.asarray(np.isfinite(values).any(0), np.bool_)
    notes = tuple(
        f"{axis} is unknown for every candidate, so the front leaves it out."
        for axis, known in zip(AXES, told, strict=True)
        if rows and not known
    )
    return Front(values, pareto_front(values[:, told]) & bool(told.any()), notes)
