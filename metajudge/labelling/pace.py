"""How fast claims are labelled, and how long the rest may take."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from statistics import fmean, median
from typing import NamedTuple

RECENT = 30
FEWEST = 3


class Pace(NamedTuple):
    """The pace of the last claims.

    Attributes:
        median_seconds: Of a claim.
        per_hour: Claims in an hour at the mean time of a claim.
        minutes_left: For the claims that wait, at that pace.
    """

    median_seconds: float
    per_hour: float
    minutes_left: float


def pace_of(seconds: Iterable[float | None], waiting: int) -> Pace | None:
    """The pace of the last 30 claims whose time is known; None with fewer than three.

    Args:
        seconds: Time of each claim in sight, the last one first; None where unknown.
        waiting: Claims that wait.

    >>> pace_of([10.0, 20.0, 30.0], 90)
    Pace(median_seconds=20.0, per_hour=180.0, minutes_left=30.0)
    """
    known = list(islice((value for value in seconds if value is not None), RECENT))
    if len(known) < FEWEST or (mean := fmean(known)) <= 0:
        return None
    return Pace(median(known), 3600 / mean, waiting * mean / 60)
