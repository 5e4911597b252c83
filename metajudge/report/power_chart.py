"""Power curves: in how many simulated worlds a true difference of a size is seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metajudge.report.figure_text import compact
from metajudge.report.plots import LEGEND, MARGIN, checked, plotly_text, series_colour, share_axis
from metajudge.report.selection_results import DetectableFigures, PowerResults
from metajudge.report.words import Language, word, word_or_code

MARKS = ("circle", "square", "diamond", "triangle-up")


def power_chart(found: PowerResults, language: Language) -> dict[str, Any]:
    """One curve a figure, each with marks of its own, and the power asked for."""
    traces = [
        _curve(row, place, language) for place, row in enumerate(found.detectable) if row.curve
    ]
    powers = sorted({row.power for row in found.detectable})
    layout = {
        "xaxis": {
            "title": {"text": word("true_difference", language), "standoff": 12},
            "rangemode": "tozero",
            "zeroline": False,
            "tickformat": ".2f",
            "ticks": "outside",
            "ticklen": 4,
        },
        "yaxis": share_axis(word("power_axis", language), 1.03),
        "shapes": [_level(power) for power in powers],
        "legend": LEGEND,
        "margin": MARGIN,
        "hovermode": "closest",
    }
    return checked(traces, layout)


def _curve(row: DetectableFigures, place: int, language: Language) -> dict[str, Any]:
    name = plotly_text(word_or_code("figure", row.figure, language))
    points = sorted((abs(difference), power) for difference, power in row.curve)
    return {
        "type": "scatter",
        "x": [difference for difference, _ in points],
        "y": [power for _, power in points],
        "mode": "lines+markers",
        "name": name,
        "marker": {"symbol": MARKS[place % len(MARKS)], "size": 9},
        "line": {"width": 1.8, "dash": ("solid", "dash", "dot", "dashdot")[place % 4]},
        "meta": {"colour": series_colour(place), "hollow": False},
        "customdata": _customdata(points),
        "hovertemplate": (
            f"{name}<br>{word('true_difference', language)} %{{customdata[0]}}<br>"
            f"{word('power_axis', language)} %{{customdata[1]}}<extra></extra>"
        ),
    }


def _customdata(points: Sequence[tuple[float, float]]) -> list[list[str]]:
    return [[compact(difference, 3), compact(power)] for difference, power in points]


def _level(power: float) -> dict[str, Any]:
    return {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": power,
        "y1": power,
        "line": {"width": 1.2, "dash": "dot"},
    }
