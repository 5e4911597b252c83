"""Small charts of a consultation as shapes with places: answers by score, parts of the shift."""

from __future__ import annotations

from typing import NamedTuple

from metajudge.report.consult_results import ConsultReport, PartStep, SideScores
from metajudge.report.consult_scores import MEASURES
from metajudge.report.figure_text import UNDEFINED, signed
from metajudge.report.part import Figure
from metajudge.report.words import WORDS, Words

WIDTH = 360
"""Units of a chart's own scale; a page stretches it."""
_EDGE, _TOP, _FLOOR = 12.0, 30.0, 140.0
_LABELS, _VALUES = 108.0, 300.0
_ROW, _HEAD = 28.0, 8.0


class Column(NamedTuple):
    """One bin of a histogram."""

    x: float
    y: float
    width: float
    height: float
    middle: float
    n: int


class Histogram(NamedTuple):
    """Answers of one side by score.

    Attributes:
        columns: Its bins, those without an answer too.
        threshold: Where the least score that passes stands.
        ticks: Places and names on the axis.
        floor: Where columns stand.
        height: Of the whole chart.
    """

    columns: tuple[Column, ...]
    threshold: float
    ticks: tuple[tuple[float, str], ...]
    floor: float
    height: float


class Bar(NamedTuple):
    """The shift that one part makes; without a number there is no bar.

    Attributes:
        name: Of the part.
        y: Its middle.
        x: Left end of the bar.
        width: Of the bar.
        low: Left end of the interval; None without one.
        high: Its right end.
        text: The number.
    """

    name: Words
    y: float
    x: float = 0.0
    width: float = 0.0
    low: float | None = None
    high: float | None = None
    text: str = UNDEFINED


class Bars(NamedTuple):
    """Parts of one measure, the total last."""

    title: Words
    bars: tuple[Bar, ...]
    zero: float
    height: float
    value_x: float = _VALUES


def histograms(report: ConsultReport) -> tuple[Histogram, Histogram]:
    """Both sides on one scale, current first."""
    sides = (report.scores.current, report.scores.proposed)
    most = max((*sides[0].histogram, *sides[1].histogram, 1))
    return _histogram(sides[0], most), _histogram(sides[1], most)


def _histogram(side: SideScores, most: int) -> Histogram:
    wide = (WIDTH - 2 * _EDGE) / len(side.histogram)
    columns = []
    for place, n in enumerate(side.histogram):
        tall = (_FLOOR - _TOP) * n / most
        x = _EDGE + wide * place
        columns.append(Column(x + 3, _FLOOR - tall, wide - 6, tall, x + wide / 2, n))
    inside = WIDTH - 2 * _EDGE
    return Histogram(
        tuple(columns),
        _EDGE + inside * side.threshold,
        tuple((_EDGE + inside * tenth / 10, f"{tenth / 10:g}") for tenth in (0, 2, 4, 6, 8, 10)),
        _FLOOR,
        _FLOOR + 20,
    )


def part_bars(report: ConsultReport) -> tuple[Bars, ...]:
    """What each part does to the mean score, the pass rate and the support rate."""
    if report.parts.total is None:
        return ()
    named = [(WORDS[f"consult.part.{row.part}"], row) for row in report.parts.parts]
    rows = [*named, (WORDS["consult.total"], report.parts.total)]
    return tuple(_bars(measure, rows) for measure in MEASURES)


def _bars(measure: str, rows: list[tuple[Words, PartStep]]) -> Bars:
    figures: list[Figure | None] = [getattr(row, measure) for _, row in rows]
    ends = [0.0]
    for found in figures:
        if found is not None:
            ends += [end for end in (found.low, found.value, found.high) if end is not None]
    least, span = min(ends), (max(ends) - min(ends)) or 1.0

    def place(value: float) -> float:
        return round(_LABELS + (_VALUES - 8 - _LABELS) * (value - least) / span, 2)

    bars = []
    for row, ((name, _), found) in enumerate(zip(rows, figures, strict=True)):
        y = _HEAD + _ROW * (row + 0.5)
        if found is None or found.value is None:
            bars.append(Bar(name, y))
            continue
        left, right = sorted((place(0.0), place(found.value)))
        sure = found.low is not None and found.high is not None
        bars.append(
            Bar(
                name,
                y,
                left,
                right - left,
                place(found.low or 0.0) if sure else None,
                place(found.high or 0.0) if sure else None,
                signed(found.value),
            )
        )
    height = 2 * _HEAD + _ROW * len(rows)
    return Bars(WORDS[f"consult.{measure}"], tuple(bars), place(0.0), height)
