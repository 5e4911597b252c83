"""Krippendorff's alpha for any number of raters with gaps, on a nominal, ordinal or interval scale.

Everything alpha needs is in the coincidence matrix, which is a sum over units; so a resample of
units (or clusters of units) is a weighted sum of per-unit matrices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from metajudge.agreement.arrays import TINY, Floats, Numbers, as_floats, divide
from metajudge.agreement.table import square

Scale = Literal["nominal", "ordinal", "interval"]


def coincidences(counts: Numbers) -> Floats:
    """Coincidence matrix of each unit.

    Args:
        counts: Shape (…, K), how many raters gave each label to the unit. Missing ratings are
            simply not counted; a unit with fewer than two ratings is not pairable and gives zeros.

    Returns:
        Shape (…, K, K).

    Source: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section C, step 2.

    >>> coincidences([2, 1]).tolist()
    [[1.0, 1.0], [1.0, 0.0]]
    """
    ratings = as_floats(counts)
    raters = ratings.sum(-1)
    pairs = ratings[..., :, None] * ratings[..., None, :]
    pairs -= ratings[..., None] * np.eye(ratings.shape[-1])
    return pairs * np.where(raters >= 2, divide(1.0, raters - 1.0), 0.0)[..., None, None]


def alpha_of_coincidences(
    coincidence: Numbers, scale: Scale = "nominal", positions: Sequence[float] | None = None
) -> Floats:
    """Alpha of added coincidence matrices: 1 perfect, 0 as by chance, below 0 systematic conflict.

    1 by convention when all pairable ratings are one label; nan when no unit is pairable.

    Args:
        coincidence: Shape (…, K, K).
        scale: `ordinal` counts the ratings between two labels, `interval` squares their distance.
        positions: Places of the K labels; None is 0 … K - 1. Ordinal uses their order only.

    Source: Krippendorff (2011), section D, with its ordinal and interval metrics.
    """
    matrix = as_floats(coincidence)
    totals = matrix.sum(-1)
    n = totals.sum(-1)
    apart = _metric(totals, scale, positions)
    observed = (matrix * apart).sum((-2, -1))
    pairs = (totals[..., :, None] * totals[..., None, :] * apart).sum((-2, -1))
    expected = divide(pairs, n - 1.0)
    alpha = 1.0 - divide(observed, np.where(expected > TINY * n, expected, 0.0))
    alike = (n > 0) & ~(expected > TINY * n)
    return np.where(alike, 1.0, np.where(n > 0, alpha, np.nan))


def _metric(totals: Floats, scale: Scale, positions: Sequence[float] | None) -> Floats:
    n_labels = totals.shape[-1]
    places = np.arange(n_labels, dtype=np.float64) if positions is None else as_floats(positions)
    if places.shape != (n_labels,):
        raise ValueError(f"positions must be {n_labels} numbers, got {positions!r}")
    if scale == "nominal":
        return 1.0 - np.eye(n_labels)
    if scale == "ordinal":
        order = np.argsort(places)
        sorted_totals = totals[..., order]
        middles = np.empty_like(totals)
        middles[..., order] = np.cumsum(sorted_totals, axis=-1) - sorted_totals / 2
    else:
        middles = places
    return np.asarray((middles[..., :, None] - middles[..., None, :]) ** 2, dtype=np.float64)


def krippendorff_alpha(
    counts: Numbers, scale: Scale = "nominal", positions: Sequence[float] | None = None
) -> Floats:
    """Krippendorff's alpha of units rated by any number of raters.

    Args:
        counts: Shape (…, N, K), see `coincidences`; from ratings by `rating_counts`.
        scale: Level of measurement.
        positions: Places of the labels.

    Returns:
        Shape (…); 1 when all present ratings are equal, nan when no unit has two ratings.

    >>> float(krippendorff_alpha([[3, 0], [2, 0], [1, 0]]))
    1.0
    """
    return alpha_of_coincidences(coincidences(counts).sum(-3), scale, positions)


def alpha_of_table(table: Numbers) -> Floats:
    """Nominal alpha of verdicts and gold, a failure being one more label that gold never has.

    Args:
        table: Shape (…, K, K + 1).

    Returns:
        Shape (…); nan for an empty table.
    """
    both = square(table)
    return alpha_of_coincidences(both + np.swapaxes(both, -1, -2))
