"""Everything that the monitor says of one metric under one release, as one value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field

from metajudge.errors import InputError, Problem
from metajudge.gold.appended import utc_now
from metajudge.metrics.monitor.alarm import DROP, AlarmSettings, Every, delays, watched
from metajudge.metrics.monitor.in_time import in_time, not_later
from metajudge.metrics.monitor.moved import Shift, shifts
from metajudge.metrics.monitor.queue import THRESHOLD, low_rows
from metajudge.metrics.monitor.row import MonitorRow
from metajudge.metrics.monitor.table import ScoreTable
from metajudge.metrics.monitor.trend import LEAST_ANSWERS, WeekFigures, gold_errors, weekly
from metajudge.report.figure import number
from metajudge.report.part import Part
from metajudge.version import __version__

FORMAT: Literal["metajudge-monitor/1"] = "metajudge-monitor/1"
ACKNOWLEDGED = "acknowledged"
LOWEST = 25
"""Low answers that the report lists."""
MOST_LOG = 700.0


class LookFigures(Part):
    """Evidence after one look."""

    name: str = Field(description="Week, or day.")
    units: int
    evidence: float = Field(description="The alarm is at 1 / alpha.")


class AlarmFigures(Part):
    """One alarm."""

    at: str = Field(description="Look that raised it.")
    since: str = Field(description="Look from which on things are likely to be otherwise.")
    side: Literal["drop", "rise", "unscored"]
    shifts: tuple[Shift, ...]
    judge_is_pinned: bool = Field(description="False where another judge scored after it.")
    acknowledged: str | None = Field(description="Why it was acknowledged.")


class AlarmPart(Part):
    """The alarm: how it is set, what it saw, what it raised."""

    alpha: float = Field(description="Expected false alarms a quiet week, at most.")
    slack: float
    every: Every
    bar: float
    weeks: int = Field(description="Weeks looked at.")
    looks: tuple[LookFigures, ...]
    alarms: tuple[AlarmFigures, ...]
    answers_a_week: int
    drop: float
    weeks_to_find: int | None = Field(
        description="Nine of ten such drops: low scores get more frequent."
    )
    weeks_to_find_whole: int | None = Field(description="The same where fewer answers fall to 0.")


class LowAnswer(Part):
    """One answer under the threshold of the queue."""

    answer_id: str
    time: str
    stratum: str
    score: float


class MonitorReport(Part):
    """What the page, the terminal and the exports show."""

    format: Literal["metajudge-monitor/1"] = FORMAT
    created: str
    package_version: str
    database: str = Field(description="Without password.")
    metric: str
    release: str
    others: tuple[str, ...] = Field(description="Other releases of the metric in the table.")
    answers: int
    later: int = Field(description="Answers dated after today, which are left out.")
    earlier: int = Field(description="Answers from before a gap of over a year, likewise.")
    first: str
    last: str
    strata: dict[str, int]
    weeks: tuple[WeekFigures, ...]
    alarm: AlarmPart
    threshold: float = Field(description="Of the queue.")
    low: int = Field(description="Answers with a score under it.")
    lowest: tuple[LowAnswer, ...]
    least: int = Field(description="Answers that a week needs for figures.")

    @property
    def open_alarms(self) -> tuple[AlarmFigures, ...]:
        """Alarms that nobody acknowledged."""
        return tuple(alarm for alarm in self.alarm.alarms if alarm.acknowledged is None)

    @property
    def latest(self) -> WeekFigures | None:
        """The last week that is over, or else the last one; None without any."""
        over = [week for week in self.weeks if week.over]
        weeks = over or list(self.weeks)
        return weeks[-1] if weeks else None


class Wanted(NamedTuple):
    """What a report is about.

    Attributes:
        metric: Name of the metric.
        release: Reference as the table has it; None: the one with the latest answer.
        registry: Where the release is looked for; None: as everywhere.
        settings: Of the alarm.
        threshold: Of the queue.
        least: Answers that a week needs for figures.
        today: A stamp; None: now.
    """

    metric: str = "faithfulness"
    release: str | None = None
    registry: Path | str | None = None
    settings: AlarmSettings = AlarmSettings()
    threshold: float = THRESHOLD
    least: int = LEAST_ANSWERS
    today: str | None = None


def monitor_report(database: str, wanted: Wanted | None = None) -> MonitorReport:
    """The report on what a table holds.

    Args:
        database: Path of a SQLite file, or a URL.
        wanted: What it is about.

    Raises:
        InputError: The table has no row of the metric, or none under the release.
        StoreError: The table cannot be read.
    """
    ask = wanted or Wanted()
    with ScoreTable(database) as table:
        every = table.rows(metric=ask.metric, texts=False)
        notes = table.facts(f"{ACKNOWLEDGED}:")
        shown = table.shown
    today = ask.today or utc_now()
    known, release = chosen(every, ask, shown, today)
    rows, later, earlier = in_time(known, today)
    errors = gold_errors(rows, release, ask.registry)
    low = low_rows(rows, ask.threshold)
    return MonitorReport(
        created=today,
        package_version=__version__,
        database=shown,
        metric=ask.metric,
        release=release,
        others=tuple(sorted({row.release for row in every} - {release})),
        answers=len(rows),
        later=later,
        earlier=earlier,
        first=rows[0].time,
        last=rows[-1].time,
        strata=dict(sorted(Counter(row.stratum for row in rows).items())),
        weeks=weekly(rows, errors, today=today, least=ask.least),
        alarm=_alarm(rows, ask, release, notes, today),
        threshold=ask.threshold,
        low=len(low),
        lowest=tuple(
            LowAnswer(
                answer_id=row.answer_id, time=row.time, stratum=row.stratum, score=row.score or 0.0
            )
            for row in low[:LOWEST]
        ),
        least=ask.least,
    )


def chosen(
    rows: Sequence[MonitorRow], ask: Wanted, where: str, today: str
) -> tuple[tuple[MonitorRow, ...], str]:
    """The rows under the release that is asked for, and its name.

    Raises:
        InputError: There is no row, none under the release, or none that is not dated after today.
    """
    releases = list(dict.fromkeys(row.release for row in rows))
    if not rows:
        mend = "Score answers first: metajudge monitor score."
        law = f"the table has no score of {ask.metric}"
        raise InputError(Problem(where, law, mend, field="metric"))
    known = not_later(rows, today)
    release = (known or rows)[-1].release if ask.release is None else ask.release
    own = tuple(row for row in rows if row.release == release)
    if not own:
        mend = f"Name one of {', '.join(releases)}."
        law = f"the table has no score under {release}"
        raise InputError(Problem(where, law, mend, field="release"))
    if not not_later(own, today):
        law = f"every score of {ask.metric} under {release} is dated after {today[:10]}"
        mend = "See who dates the answers, or name a later day with --as-of."
        raise InputError(Problem(where, law, mend, field="time", got=repr(own[0].time)))
    return own, release


def acknowledge(database: str, report: MonitorReport, why: str) -> int:
    """Note why the open alarms of a report are settled; how many there were.

    Every look from the change to the alarm is noted, so that an alarm stays settled where answers
    that come late move the week that raises it.

    Raises:
        InputError: There is no open alarm.
        StoreError: The table cannot be written.
    """
    if not report.open_alarms:
        law, mend = "no alarm is open, so none can be acknowledged", "Leave --acknowledge out."
        raise InputError(Problem(report.database, law, mend, field="--acknowledge"))
    with ScoreTable(database) as table:
        for alarm in report.open_alarms:
            for look in report.alarm.looks:
                if alarm.since <= look.name <= alarm.at:
                    table.note(_fact(report.metric, report.release, look.name), why)
    return len(report.open_alarms)


def _fact(metric: str, release: str, at: str) -> str:
    return f"{ACKNOWLEDGED}:{metric}:{release}:{at}"


def _alarm(
    rows: Sequence[MonitorRow], ask: Wanted, release: str, notes: dict[str, str], today: str
) -> AlarmPart:
    settings = ask.settings
    series = watched(rows, settings, today=today)
    soon = delays(series, settings)
    alarms = tuple(
        AlarmFigures(
            at=raised.at,
            since=raised.since,
            side=raised.side,
            shifts=shifts(raised),
            judge_is_pinned=all(row.judge_is_pinned is not False for row in raised.after),
            acknowledged=next(
                (
                    why
                    for look in series.looks
                    if raised.since <= look.name <= raised.at
                    and (why := notes.get(_fact(ask.metric, release, look.name))) is not None
                ),
                None,
            ),
        )
        for raised in series.raised
    )
    return AlarmPart(
        alpha=settings.alpha,
        slack=settings.slack,
        every=settings.every,
        bar=number(1 / settings.alpha) or 0.0,
        weeks=len({look.name for look in series.looks}),
        looks=tuple(
            LookFigures(
                name=look.name,
                units=look.units,
                evidence=float(f"{np.exp(min(look.log_evidence, MOST_LOG)):.4g}"),
            )
            for look in series.looks
        ),
        alarms=alarms,
        answers_a_week=soon.answers,
        drop=DROP,
        weeks_to_find=soon.spread,
        weeks_to_find_whole=soon.whole,
    )
