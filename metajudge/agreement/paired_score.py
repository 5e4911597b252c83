"""Interval of a difference of two shares of the same units, for few units or extreme shares."""

from __future__ import annotations

import numpy as np

from metajudge.agreement.arrays import Numbers, as_floats, divide
from metajudge.agreement.intervals import Interval, wilson_interval


def paired_score_interval(
    both: Numbers, first: Numbers, second: Numbers, neither: Numbers, level: float = 0.95
) -> Interval:
    """Score interval of (both + first) / n - (both + second) / n, n the sum of the four.

    It does not shrink to a point where no unit, or every unit, changes.

    Args:
        both: Units counted both times, any shape; fractional for an effective sample size.
        first: Units counted the first time only, same shape.
        second: Units counted the second time only.
        neither: Units counted neither time.
        level: Coverage aimed at.

    Returns:
        Limits within -1 to 1; nan where n is 0.

    Source: Newcombe (1998), Stat. Med. 17: 2635-2650, method 10.

    >>> [round(float(limit), 4) for limit in paired_score_interval(36, 12, 2, 0)]
    [0.0569, 0.3404]
    """
    a, b, c, d = (as_floats(counts) for counts in (both, first, second, neither))
    n = a + b + c + d
    one, other = wilson_interval(a + b, n, level), wilson_interval(a + c, n, level)
    share, later = divide(a + b, n), divide(a + c, n)
    cross = a * d - b * c
    # The continuity correction of method 10: only a positive association is shortened.
    cross = np.where(cross > 0, np.maximum(cross - n / 2, 0.0), cross)
    tied = np.nan_to_num(divide(cross, np.sqrt((a + b) * (c + d) * (a + c) * (b + d))))
    down, up = share - one.low, one.high - share
    fall, rise = later - other.low, other.high - later
    low = np.sqrt(np.maximum(down**2 - 2 * tied * down * rise + rise**2, 0.0))
    high = np.sqrt(np.maximum(up**2 - 2 * tied * up * fall + fall**2, 0.0))
    gap = share - later
    return Interval(np.maximum(gap - low, -1.0), np.minimum(gap + high, 1.0))
