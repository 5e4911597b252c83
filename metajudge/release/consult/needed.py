"""How many labels or answers would decide a criterion that is open."""

from __future__ import annotations

import math

from metajudge.agreement.intervals import NORMAL, critical_z
from metajudge.release.consult.units import NOTHING_CHANGES
from metajudge.report.part import Figure

ROUNDING = 1e-9
"""A bound met to the last digit of a file is kept."""
POWER = 0.8
"""Chance that what is collected decides, if the figure is what it seems to be."""


def half_width(got: Figure) -> float | None:
    """Half the width of an interval; None where there is none."""
    return None if got.low is None or got.high is None else (got.high - got.low) / 2


def needed(got: Figure, bound: float, level: float = 0.95) -> int | None:
    """Units that decide a criterion with 80 % chance, if the figure is what it seems to be.

    From the width of the present interval: its standard error shrinks with the square root of the
    units, until the distance to the bound is (z of the level + z of the power) of it. Where nothing
    changed, Wilson's limit z² / (n + z²) of no change shrinks with the units themselves.

    Args:
        got: The figure.
        bound: Its bound.
        level: Coverage of the interval.

    Returns:
        None for an undefined figure, or one that stands on its bound.

    Source: Bloom (1995), Eval. Rev. 19 (minimum detectable effect), solved for the sample size.

    >>> needed(Figure(value=0.0, low=-0.04, high=0.04, n=100), 0.02)
    818
    """
    half = half_width(got)
    if half is None or got.value is None:
        return None
    distance = abs(bound - got.value)
    if distance <= ROUNDING:
        return None
    if got.method == NOTHING_CHANGES:
        return math.ceil(got.n * (1 / distance - 1) / (1 / half - 1))
    z = critical_z(level)
    smallest = (z + NORMAL.inv_cdf(POWER)) * half / z
    return math.ceil(got.n * (smallest / distance) ** 2)
