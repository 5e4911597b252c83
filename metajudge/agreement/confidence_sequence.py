"""Limits that hold at every look together, for claims drawn without replacement from a finite set.

The question is what all N claims together would say, after n of them were seen in random order.
A confidence sequence holds the truth at *all* n at once with the stated probability, so that one
may look after every block and stop whenever it is clear. At n = N it is the truth itself.

Claims may come in blocks that are stratified in proportion. The evidence against a wrong total is
convex in the sum of what was seen, and proportional strata spread that sum less than a plain random
draw does, so that it grows no faster than there; the tests measure how often the limits miss.
"""

from __future__ import annotations

import math

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks, Numbers, as_floats
from metajudge.agreement.intervals import Interval

BETS = (0.1, 0.25, 0.5, 0.75, 0.95)
"""Shares of the money that are at stake in one claim, each with an equal part of it."""
MOST_BET = 0.98
HALVINGS = 24


def hits_sequence(hits: Numbers, seen: Numbers, total: int, error: float) -> Interval:
    """Limits of the hits among all `total` claims, from the hits among those seen; whole numbers.

    A total M is left out once its prior chance, even over 0 … N, is 1 / error of its chance given
    what was seen. That ratio is a martingale that begins at 1 where M is true, so the truth is
    *ever* left out with a probability of at most `error`. Exact for any N; never outside of what
    counting alone allows.

    Args:
        hits: Shape (…), whole numbers from 0 to `seen`.
        seen: Shape (…), claims seen, at most `total`.
        total: N.
        error: Chance that the limits ever miss, both sides together.

    Source: Waudby-Smith and Ramdas (2020), NeurIPS, theorem 2.1 with a beta-binomial prior of
    (1, 1); Ville (1939).

    >>> hits_sequence([0, 4], [0, 4], 10, 0.05).low.tolist()
    [0.0, 5.0]
    """
    told, n = np.broadcast_arrays(_whole(hits)[..., None], _whole(seen)[..., None])
    every = np.arange(total + 1)
    rest = every - told
    possible = (rest >= 0) & (rest <= total - n)
    some = np.where(possible, rest, 0)
    logs = np.concatenate([[0.0], np.log(np.arange(1, total + 2)).cumsum()])
    prior = -math.log(total + 1)
    posterior = logs[every] - logs[some] - logs[told] + logs[total - every]
    posterior = posterior - logs[np.where(possible, total - n - rest, 0)] - logs[n - told]
    posterior = posterior + logs[total - n] + logs[n + 1] - logs[total + 1]
    return _range(possible & (prior - posterior < -math.log(error)))


def sum_sequence(values: Numbers, total: int, error: float) -> Interval:
    """Limits of the sum of all `total` values, from those seen, in the order they were drawn.

    Values lie between −1 and 1: for a paired difference 1 where the first candidate alone is right,
    −1 where the other alone is, 0 otherwise. Somebody bets at each claim that the sum of all is
    greater than D, with even odds if it is D: b of the money on (value − mean of what is left under
    D), so that the money is a martingale, and less than that for any smaller sum. D is left out
    once the money has ever reached 2 / error; the upper limit is had with the signs turned.

    Args:
        values: Shape (…, n), n at most `total`.
        total: N.
        error: Chance that the limits ever miss, both sides together.

    Returns:
        Limits of shape (…); never outside of what counting alone allows.

    Source: Waudby-Smith and Ramdas (2024), J. R. Stat. Soc. B 86, section on sampling without
    replacement; Ville (1939). Fixed bets, mixed evenly.

    >>> sum_sequence([[1.0, 1.0, -1.0]], 3, 0.05).low.tolist()
    [1.0]
    """
    drawn = as_floats(values)
    low, high = least_sum(drawn, total, error / 2), least_sum(-drawn, total, error / 2)
    return Interval(low, as_floats(-high))


def least_sum(values: Numbers, total: int, error: float) -> Floats:
    """The lower limit of `sum_sequence` alone, which is then missed with `error` at most.

    Args:
        values: Shape (…, n).
        total: N.
        error: Chance that the limit ever exceeds the sum of all.

    >>> least_sum([[1.0, 1.0, -1.0]], 5, 0.05).tolist()
    [-1.0]
    """
    values = as_floats(values)
    seen = values.sum(-1)
    left = total - values.shape[-1]
    low, high = seen - left, seen + left
    if left == 0 or values.shape[-1] == 0:
        return as_floats(low)
    before = values.cumsum(-1) - values
    places = total - np.arange(values.shape[-1])
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        out = _money(values, (middle[..., None] - before) / places) >= -math.log(error)
        low, high = np.where(out, middle, low), np.where(out, high, middle)
    return as_floats(low)


def _money(values: Floats, means: Floats) -> Floats:
    """Log of the most money ever had, shape (…)."""
    most = MOST_BET / (1 + np.clip(means, -1 + 1e-9, None))
    gains = np.stack([np.log1p(np.minimum(bet, most) * (values - means)) for bet in BETS])
    return as_floats(np.logaddexp.reduce(gains.cumsum(-1), axis=0).max(-1) - math.log(len(BETS)))


def _whole(numbers: Numbers) -> Ints:
    return np.asarray(np.rint(as_floats(numbers)), np.int64)


def _range(kept: Masks) -> Interval:
    """First and last place that is kept along the last axis."""
    last = kept.shape[-1] - 1
    return Interval(as_floats(kept.argmax(-1)), as_floats(last - kept[..., ::-1].argmax(-1)))
