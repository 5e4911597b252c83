"""Moments, days and weeks of traffic, all in UTC."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone

YEARS = range(2000, 2200)
"""Years that traffic can be of; a clock that was never set says 1970."""
_FRACTION = re.compile(r"(?<=:\d\d)[.,](\d+)")


def moment(text: str) -> datetime:
    """A time in UTC; one without an offset is taken as UTC, a date as its midnight.

    Raises:
        ValueError: It is no ISO 8601 time, or of a year outside `YEARS`.

    >>> moment("2026-11-30T09:30:00+08:00").isoformat()
    '2026-11-30T01:30:00+00:00'
    """
    plain = _FRACTION.sub(lambda found: f".{found[1][:6]:0<6}", text.strip())
    read = datetime.fromisoformat(re.sub("[Zz]$", "+00:00", plain))
    return in_years(read.replace(tzinfo=timezone.utc) if read.tzinfo is None else read)


def in_years(when: datetime) -> datetime:
    """A time in UTC.

    Raises:
        ValueError: Its year is outside `YEARS`.
    """
    if when.year not in YEARS:
        raise ValueError(f"the year {when.year} is not from {YEARS[0]} to {YEARS[-1]}")
    return when.astimezone(timezone.utc)


def stamp(when: datetime) -> str:
    """A time as the table has it: whole seconds in UTC, so that texts sort as times do.

    >>> stamp(moment("2026-11-30T09:30:00.9+08:00"))
    '2026-11-30T01:30:00Z'
    """
    return when.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def day_of(time: str) -> str:
    """The day of a stamp.

    >>> day_of("2026-11-30T01:30:00Z")
    '2026-11-30'
    """
    return time[:10]


def week_of(time: str) -> str:
    """The ISO week of a stamp or a day, which begins on Monday in UTC.

    >>> week_of("2027-01-01T00:00:00Z"), week_of("2026-11-30")
    ('2026-W53', '2026-W49')
    """
    year, week, _ = date.fromisoformat(time[:10]).isocalendar()
    return f"{year}-W{week:02d}"


def first_day(week: str) -> date:
    """Monday of a week.

    >>> first_day("2026-W49").isoformat()
    '2026-11-30'
    """
    year, _, number = week.partition("-W")
    return date.fromisocalendar(int(year), int(number), 1)


def weeks_between(first: str, last: str) -> tuple[str, ...]:
    """Every week from one to another, both included, those without traffic too.

    >>> weeks_between("2026-W52", "2027-W01")
    ('2026-W52', '2026-W53', '2027-W01')
    """
    day, end = first_day(first), first_day(last)
    weeks = []
    while day <= end:
        weeks.append(week_of(day.isoformat()))
        day += timedelta(days=7)
    return tuple(weeks)
