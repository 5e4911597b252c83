"""How fast annotators label: a description, and no test of anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metajudge.agreement.arrays import Floats, Numbers, as_floats


@dataclass(frozen=True, slots=True)
class Speed:
    """Seconds from sight of a claim to its label; every figure None where no label has them.

    Attributes:
        n: Labels with seconds.
        median: Seconds.
        low_quartile: Seconds.
        high_quartile: Seconds.
        under_floor: Share of these labels that took less than the floor of their claim.
    """

    n: int
    median: float | None
    low_quartile: float | None
    high_quartile: float | None
    under_floor: float | None


def speeds(seconds: Numbers, floor: Sequence[float] | Floats) -> tuple[Speed, ...]:
    """How fast each annotator labelled.

    Args:
        seconds: Shape (R, N), nan where unknown.
        floor: Shape (N,), seconds that it takes to read each claim.

    >>> speeds([[1.0, 9.0, np.nan]], [2.0, 2.0, 2.0])[0]
    Speed(n=2, median=5.0, low_quartile=3.0, high_quartile=7.0, under_floor=0.5)
    """
    taken, least = as_floats(seconds), as_floats(floor)
    found = []
    for row in taken:
        known = ~np.isnan(row)
        if not known.any():
            found.append(Speed(0, None, None, None, None))
            continue
        low, middle, high = map(float, np.quantile(row[known], [0.25, 0.5, 0.75]))
        fast = float((row[known] < least[known]).mean())
        found.append(Speed(int(known.sum()), middle, low, high, fast))
    return tuple(found)
