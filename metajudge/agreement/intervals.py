"""Confidence intervals: percentile, basic and BCa of resamples, Wilson of plain shares."""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, Numbers, as_floats, divide

NORMAL = NormalDist()
TIE = 1e-9
"""Relative distance under which a resampled value counts as equal to the observed one."""


class Interval(NamedTuple):
    """Lower and upper limits, arrays of one shape; nan where undefined."""

    low: Floats
    high: Floats


def critical_z(level: float) -> float:
    """Normal quantile of a two-sided interval.

    Raises:
        ValueError: The level is not between 0 and 1.

    >>> round(critical_z(0.95), 4)
    1.96
    """
    if not 0 < level < 1:
        raise ValueError(f"the level must lie between 0 and 1, got {level!r}")
    return NORMAL.inv_cdf((1 + level) / 2)


def column_quantiles(values: Floats, shares: Floats) -> Floats:
    """Quantiles of each column among its values that are not nan, by linear interpolation.

    Args:
        values: Shape (B, S).
        shares: Shape (Q, S), each 0 to 1.

    Returns:
        Shape (Q, S); nan for a column without values.

    Source: Hyndman and Fan (1996), definition 7.
    """
    ranked = np.sort(values, axis=0)
    known = (~np.isnan(ranked)).sum(0)
    spot = shares * np.maximum(known - 1, 0)
    below = np.floor(np.nan_to_num(spot)).astype(np.int64)
    above = np.minimum(below + 1, np.maximum(known - 1, 0))
    columns = np.arange(values.shape[1])
    low, high = ranked[below, columns], ranked[above, columns]
    step = np.where(low == high, 0.0, (high - low) * (spot - below))
    return as_floats(np.where(known > 0, low + step, np.nan))


def percentile_interval(values: Numbers, level: float = 0.95) -> Interval:
    """The middle `level` of the resampled values of each candidate.

    Args:
        values: Shape (B, S); nan resamples are left out.
        level: Coverage aimed at.

    Returns:
        Limits of shape (S,).

    Source: Efron and Tibshirani (1993), An Introduction to the Bootstrap, ch. 13.

    >>> percentile_interval(np.arange(101.0)[:, None], 0.9).high.tolist()
    [95.0]
    """
    drawn = as_floats(values)
    critical_z(level)
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    low, high = column_quantiles(drawn, np.repeat(tails[:, None], drawn.shape[1], axis=1))
    return Interval(low, high)


def basic_interval(values: Numbers, observed: Numbers, level: float = 0.95) -> Interval:
    """The percentile interval mirrored at the observed value.

    Args:
        values: Shape (B, S), resampled values; nan ones are left out.
        observed: Shape (S,), the values on the sample itself.
        level: Coverage aimed at.

    Returns:
        Limits of shape (S,), which may pass the bounds of the number; nan where the observed value
        is.

    Source: Davison and Hinkley (1997), Bootstrap Methods and their Application, eq. 5.6.

    >>> basic_interval(np.array([[1.0], [2.0], [4.0]]), [2.0], 0.5).high.tolist()
    [2.5]
    """
    seen = as_floats(observed)
    inner = percentile_interval(values, level)
    return Interval(2 * seen - inner.high, 2 * seen - inner.low)


def hull_interval(values: Numbers, observed: Numbers, level: float = 0.95) -> Interval:
    """Percentile and basic interval together, for a distance from 0 such as the ECE.

    A distance is greater on a sample than in truth, and greater again on a resample: the
    percentile interval then lies too high. Mirroring mends that, but gives the long upper tail to
    the wrong side. Neither holds its level alone; the interval that spans both does, and it is
    somewhat wide where there is no bias (`benchmarks/coverage.md`).

    Args:
        values: Shape (B, S).
        observed: Shape (S,).
        level: Coverage aimed at.

    Returns:
        Limits of shape (S,), which may pass the bounds of the number; nan where the observed value
        is.
    """
    seen = as_floats(observed)
    inner, mirrored = percentile_interval(values, level), basic_interval(values, seen, level)
    low, high = np.minimum(inner.low, mirrored.low), np.maximum(inner.high, mirrored.high)
    return Interval(low, high)


def acceleration(jackknife: Numbers, multiplicity: Numbers | None = None) -> Floats:
    """BCa's acceleration from leave-one-cluster-out values, shape (G, S) to (S,).

    0 where the values do not vary; undefined left-out values are skipped.

    Args:
        jackknife: Shape (G, S).
        multiplicity: Shape (G,), how many clusters each row stands for; None is one.

    Source: Efron and Tibshirani (1993), eq. 14.15.
    """
    values = as_floats(jackknife)
    count = np.ones(len(values)) if multiplicity is None else as_floats(multiplicity)
    weight = np.where(np.isnan(values), 0.0, count[:, None])
    filled = np.nan_to_num(values)
    mean = divide((weight * filled).sum(0), weight.sum(0))
    gap = np.where(weight > 0, mean - filled, 0.0)
    cubes, squares = (weight * gap**3).sum(0), (weight * gap**2).sum(0)
    small = squares <= 1e-24 * np.maximum(weight.sum(0), 1)
    return np.where(small, 0.0, divide(cubes, np.where(small, 0.0, 6 * squares**1.5)))


def bca_interval(
    values: Numbers,
    observed: Numbers,
    jackknife: Numbers,
    level: float = 0.95,
    multiplicity: Numbers | None = None,
) -> Interval:
    """Percentile interval corrected for median bias and for a spread that changes with the value.

    Args:
        values: Shape (B, S), resampled values; nan ones are left out.
        observed: Shape (S,), the values on the sample itself.
        jackknife: Shape (G, S), values with one cluster left out.
        level: Coverage aimed at.
        multiplicity: See `acceleration`.

    Returns:
        Limits of shape (S,); nan where the observed value is.

    Source: Efron (1987), JASA 82; Efron and Tibshirani (1993), eq. 14.9 to 14.15. Ties of resampled
    and observed values count half; values that differ by rounding alone are ties, or the limits
    would depend on the processor.
    """
    drawn, seen = as_floats(values), as_floats(observed)
    z = critical_z(level)
    known = (~np.isnan(drawn)).sum(0)
    near = np.where(np.isnan(seen), 0.0, TIE * np.maximum(np.abs(seen), 1.0))
    below = ((drawn < seen - near).sum(0) + (drawn <= seen + near).sum(0)) / 2
    edge = 0.5 / np.maximum(known, 1)
    bias = _normal_quantiles(np.clip(divide(below, known), edge, 1 - edge))
    bend = acceleration(jackknife, multiplicity)
    shares = np.stack([_adjusted_share(bias, bend, tail) for tail in (-z, z)])
    low, high = column_quantiles(drawn, np.nan_to_num(shares, nan=0.5))
    missing = np.isnan(seen)
    return Interval(np.where(missing, np.nan, low), np.where(missing, np.nan, high))


def _adjusted_share(bias: Floats, bend: Floats, tail: float) -> Floats:
    shifted = bias + tail
    room = 1 - bend * shifted
    moved = bias + divide(shifted, np.where(room > 0, room, 0.0))
    extreme = 1.0 if tail > 0 else 0.0
    return np.array([extreme if np.isnan(one) else NORMAL.cdf(one) for one in moved.tolist()])


def _normal_quantiles(shares: Floats) -> Floats:
    return np.array([np.nan if np.isnan(p) else NORMAL.inv_cdf(p) for p in shares.tolist()])


def wilson_interval(hits: Numbers, n: Numbers, level: float = 0.95) -> Interval:
    """Score interval of a share; never empty at 0 of n or n of n.

    Args:
        hits: Claims that count, any shape; may be fractional for an effective sample size.
        n: Claims of the kind, same shape.
        level: Coverage aimed at.

    Returns:
        Limits within 0 to 1; nan where n is 0.

    Source: Wilson (1927), JASA 22; Newcombe (1998), Stat. Med. 17, method 3.

    >>> [round(float(limit), 4) for limit in wilson_interval(81, 263)]
    [0.2553, 0.3662]
    """
    count, size = as_floats(hits), as_floats(n)
    square = critical_z(level) ** 2
    centre = divide(count + square / 2, np.where(size > 0, size + square, 0.0))
    spread = np.maximum(count * divide(size - count, size) + square / 4, 0.0)
    half = divide(np.sqrt(square * spread), np.where(size > 0, size + square, 0.0))
    return Interval(np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0))
