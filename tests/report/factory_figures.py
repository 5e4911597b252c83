"""Made-up shares and differences with intervals, for the parts of made-up results."""

from __future__ import annotations

import math

from metajudge.report.part import Figure


def share(value: float, n: int, reason: str = "no claim") -> Figure:
    """A share of n claims with a plain interval."""
    if n == 0:
        return Figure(value=None, n=0, reason=reason)
    value = round(value * n) / n
    half = 1.96 * math.sqrt(max(value * (1 - value), 0.25 / n) / n)
    return Figure(
        value=round(value, 6),
        low=round(max(0.0, value - half), 6),
        high=round(min(1.0, value + half), 6),
        n=n,
        clusters=max(1, n // 3),
    )


def gap(value: float, half: float, n: int) -> Figure:
    """A difference with an interval of the given half width."""
    return Figure(
        value=round(value, 6),
        low=round(max(-1.0, value - half), 6),
        high=round(min(1.0, value + half), 6),
        n=n,
        clusters=max(1, n // 3),
    )


UNDEFINED = Figure(value=None, n=0, reason="fewer than two runs have a verdict")
