"""Intervals of one point, which resampling gives where a sample holds no difference."""

from __future__ import annotations

from dataclasses import replace

from metajudge.agreement.arrays import TINY
from metajudge.agreement.estimate import Estimate, told_apart

NO_SPREAD = "no interval: every resample gives the same value"


def without_point_interval(found: Estimate) -> Estimate:
    """The estimate, without an interval that is one point or comes from one cluster.

    People who never differ in a sample never differ in its resamples: that is no certainty.

    >>> without_point_interval(Estimate(1.0, 1.0, 1.0, 9, 4, "")).reason
    'no interval: every resample gives the same value'
    """
    kept = told_apart(found)
    if kept.low is None or kept.high is None or kept.high - kept.low > TINY:
        return kept
    return replace(kept, low=None, high=None, reason=NO_SPREAD)
