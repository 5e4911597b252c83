"""Scores whose dates fit together: none after today, and none from long before all others."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import NamedTuple

from metajudge.metrics.monitor.row import MonitorRow
from metajudge.metrics.monitor.times import day_of

TOLERANCE = timedelta(days=1)
"""How far the clock that dates answers may be ahead."""
LONGEST_GAP = timedelta(days=371)
"""Days without an answer after which a series begins anew: over a year."""


class InTime(NamedTuple):
    """Rows that make a series, and how many were set aside.

    Attributes:
        rows: By time.
        later: Rows that are dated after today.
        earlier: Rows from before a gap of over a year.
    """

    rows: tuple[MonitorRow, ...]
    later: int
    earlier: int


def not_later(rows: Sequence[MonitorRow], today: str) -> tuple[MonitorRow, ...]:
    """Rows that are not dated after today, but for a day of tolerance.

    Args:
        rows: Any rows.
        today: A stamp or day.
    """
    last = (date.fromisoformat(today[:10]) + TOLERANCE).isoformat()
    return tuple(row for row in rows if day_of(row.time) <= last)


def in_time(rows: Sequence[MonitorRow], today: str) -> InTime:
    """The series that goes on now: without rows dated after today, from the last long gap on.

    Args:
        rows: Of one metric under one release, by time.
        today: A stamp or day.
    """
    known = not_later(rows, today)
    begins = 0
    days = [date.fromisoformat(day_of(row.time)) for row in known]
    for place, (one, after) in enumerate(pairwise(days), 1):
        if after - one > LONGEST_GAP:
            begins = place
    return InTime(known[begins:], len(rows) - len(known), begins)
