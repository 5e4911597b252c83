"""Small charts over weeks as shapes with places; the page draws them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from metajudge.metrics.monitor.report import MonitorReport
from metajudge.metrics.monitor.trend import WeekFigures
from metajudge.metrics.monitor.words import WORDS
from metajudge.report.figure_text import compact, with_interval
from metajudge.report.part import Figure
from metajudge.report.words import Words

WIDTH, HEIGHT = 360, 190
"""Units of a chart's own scale; a page stretches it."""
_LEFT, _RIGHT, _TOP, _FLOOR = 34.0, 350.0, 12.0, 160.0
_LEAST_EVIDENCE = 0.01


class Point(NamedTuple):
    """One week of a line.

    Attributes:
        x: Its place.
        y: Of the value.
        low: Of the lower limit; None without an interval.
        high: Of the upper limit.
        text: Week and value.
    """

    x: float
    y: float
    low: float | None
    high: float | None
    text: str


class Series(NamedTuple):
    """One line.

    Attributes:
        name: What it shows.
        style: Its colour: `a`, `b` or `c`.
        points: Weeks with a value.
        path: The line; broken where a week has none.
        band: The interval around it, one polygon for each unbroken part.
    """

    name: Words
    style: str
    points: tuple[Point, ...]
    path: str
    band: tuple[str, ...]


class Chart(NamedTuple):
    """One chart.

    Attributes:
        name: Its anchor.
        title: Its heading.
        series: Lines.
        ticks: Places and texts on the vertical axis.
        weeks: Places, texts and anchors on the horizontal one.
        alarms: Places of weeks that raised an alarm.
        bar: Place of the alarm's bar; None elsewhere.
    """

    name: str
    title: Words
    series: tuple[Series, ...]
    ticks: tuple[tuple[float, str], ...]
    weeks: tuple[tuple[float, str, str], ...]
    alarms: tuple[float, ...]
    bar: float | None = None


def charts(report: MonitorReport) -> tuple[Chart, ...]:
    """Mean score, rates, and evidence, on one scale of weeks each."""
    weeks = report.weeks
    shares: dict[str, Sequence[tuple[str, str, Sequence[Figure | None]]]] = {
        "score": [("mean_score", "a", [week.mean_score for week in weeks])],
        "rates": [
            ("pass_rate", "a", [week.pass_rate for week in weeks]),
            ("support", "b", [_support(week, corrected=False) for week in weeks]),
            ("corrected", "c", [_support(week, corrected=True) for week in weeks]),
        ],
    }
    names = [week.week for week in weeks]
    places = _places(len(names))
    raised = {alarm.at for alarm in report.alarm.alarms}
    alarms = tuple(x for x, name in zip(places, names, strict=True) if name in raised)
    drawn = [
        Chart(
            name,
            WORDS[f"monitor.chart.{name}"],
            tuple(_line(*one, names, places) for one in lines),
            tuple((_share_y(value), f"{value:g}") for value in (0.0, 0.25, 0.5, 0.75, 1.0)),
            _week_ticks(names, places),
            alarms,
        )
        for name, lines in shares.items()
    ]
    return (*drawn, _evidence(report))


def _support(week: WeekFigures, *, corrected: bool) -> Figure | None:
    if week.support is None:
        return None
    return week.support.corrected if corrected else week.support.raw


def _places(n: int) -> list[float]:
    inside = _RIGHT - _LEFT - 12
    return [_LEFT + 6 + inside * (0.5 if n == 1 else k / (n - 1)) for k in range(n)]


def _share_y(value: float) -> float:
    return _FLOOR - (_FLOOR - _TOP) * min(1.0, max(0.0, value))


def _line(
    key: str,
    style: str,
    figures: Sequence[Figure | None],
    names: Sequence[str],
    places: Sequence[float],
) -> Series:
    runs: list[list[Point]] = [[]]
    for figure, name, x in zip(figures, names, places, strict=True):
        if figure is None or figure.value is None:
            runs.append([])
            continue
        low, high = (
            None if limit is None else _share_y(limit) for limit in (figure.low, figure.high)
        )
        text = f"{name}: {with_interval(figure)}"
        runs[-1].append(Point(x, _share_y(figure.value), low, high, text))
    kept = [run for run in runs if run]
    return Series(
        WORDS[f"monitor.{key}"],
        style,
        tuple(point for run in kept for point in run),
        _path(kept),
        tuple(_band(run) for run in kept if len(run) > 1 and style == "a"),
    )


def _path(runs: Sequence[Sequence[Point]]) -> str:
    return " ".join(
        "M" + " L".join(f"{point.x:.1f} {point.y:.1f}" for point in run) for run in runs
    )


def _band(run: Sequence[Point]) -> str:
    upper = [f"{p.x:.1f},{p.y if p.high is None else p.high:.1f}" for p in run]
    lower = [f"{p.x:.1f},{p.y if p.low is None else p.low:.1f}" for p in reversed(run)]
    return " ".join((*upper, *lower))


def _week_ticks(
    names: Sequence[str], places: Sequence[float]
) -> tuple[tuple[float, str, str], ...]:
    if not names:
        return ()
    if len(names) == 1:
        return ((places[0], names[0], "middle"),)
    return ((places[0] - 6, names[0], "start"), (places[-1] + 6, names[-1], "end"))


def _evidence(report: MonitorReport) -> Chart:
    looks = report.alarm.looks
    names, places = [look.name for look in looks], _places(len(looks))
    bar = report.alarm.bar
    most = max((bar * 10, *(look.evidence for look in looks)))
    span = math.log(most / _LEAST_EVIDENCE)

    def y(value: float) -> float:
        share = math.log(max(value, _LEAST_EVIDENCE) / _LEAST_EVIDENCE) / span
        return _FLOOR - (_FLOOR - _TOP) * share

    points = [
        Point(x, y(look.evidence), None, None, f"{look.name}: {look.evidence:.3g}")
        for look, x in zip(looks, places, strict=True)
    ]
    raised = {alarm.at for alarm in report.alarm.alarms}
    line = Series(
        WORDS["monitor.chart.evidence"], "b", tuple(points), _path([points]) if points else "", ()
    )
    ticks = (_LEAST_EVIDENCE, 1.0, bar)
    return Chart(
        "evidence",
        WORDS["monitor.chart.evidence"],
        (line,),
        tuple((y(value), compact(value) if value < 1 else f"{value:,.0f}") for value in ticks),
        _week_ticks(names, places),
        tuple(x for x, name in zip(places, names, strict=True) if name in raised),
        y(bar),
    )
