"""Can probabilities be believed: the reliability diagram and the abstention curve of one row."""

from __future__ import annotations

from math import sqrt
from typing import Any

from metajudge.report.figure_text import compact
from metajudge.report.plots import LEGEND, checked, share_axis
from metajudge.report.selection_results import CalibrationFigures
from metajudge.report.words import Language, word

SMALLEST, LARGEST = 7, 24
MARGIN = {"l": 64, "r": 14, "t": 44, "b": 48}


def reliability_chart(found: CalibrationFigures, language: Language) -> dict[str, Any]:
    """Share right against confidence, a mark per bin that holds verdicts, and the diagonal."""
    bins = [
        (b, b.confidence, b.right)
        for b in found.bins
        if b.n and b.confidence is not None and b.right is not None
    ]
    most = max((b.n for b, _, _ in bins), default=1)
    points = {
        "type": "scatter",
        "x": [confidence for _, confidence, _ in bins],
        "y": [right for _, _, right in bins],
        "mode": "lines+markers",
        "name": word("share_right", language),
        "marker": {
            "size": [
                round(SMALLEST + (LARGEST - SMALLEST) * sqrt(b.n / most), 2) for b, _, _ in bins
            ]
        },
        "line": {"width": 1.2},
        "meta": {"colour": "--accent", "hollow": False},
        "customdata": [[b.n, compact(c), compact(r)] for b, c, r in bins],
        "hovertemplate": (
            f"{word('confidence', language)} %{{customdata[1]}}<br>"
            f"{word('share_right', language)} %{{customdata[2]}}<br>"
            "n %{customdata[0]}<extra></extra>"
        ),
    }
    diagonal = {
        "type": "scatter",
        "x": [0, 1],
        "y": [0, 1],
        "mode": "lines",
        "name": word("perfect", language),
        "line": {"width": 1.2, "dash": "dot"},
        "meta": {"colour": "--dim", "hollow": False},
        "hoverinfo": "skip",
    }
    axes = {
        "xaxis": share_axis(word("confidence", language), 1.04),
        "yaxis": share_axis(word("share_right", language), 1.04),
    }
    return checked([diagonal, points], axes | _plain_layout())


def abstention_chart(found: CalibrationFigures, language: Language) -> dict[str, Any]:
    """Error and over-credit of the verdicts kept, against the share of claims that is kept."""
    names = {"error": ("error", "--bad"), "over_credit": ("figure.over_credit", "--safe")}
    traces = []
    for place, (field, (key, colour)) in enumerate(names.items()):
        kept = [
            (point.coverage, value, point.threshold)
            for point in found.abstention
            if (value := getattr(point, field)) is not None
        ]
        traces.append(
            {
                "type": "scatter",
                "x": [coverage for coverage, _, _ in kept],
                "y": [value for _, value, _ in kept],
                "mode": "lines+markers",
                "name": word(key, language),
                "marker": {"symbol": ("circle", "square")[place], "size": 7},
                "line": {"width": 1.6, "dash": ("solid", "dash")[place]},
                "meta": {"colour": colour, "hollow": False},
                "customdata": [[compact(c), compact(v), compact(t)] for c, v, t in kept],
                "hovertemplate": (
                    f"{word('figure.coverage', language)} %{{customdata[0]}}<br>"
                    f"{word(key, language)} %{{customdata[1]}}<br>"
                    f"{word('confidence', language)} ≥ %{{customdata[2]}}<extra></extra>"
                ),
            }
        )
    tops = [value for trace in traces for value in trace["y"]]
    axes = {
        "xaxis": share_axis(word("figure.coverage", language), 1.04),
        "yaxis": share_axis(word("error", language), min(1.03, max([0.1, *tops]) + 0.04)),
    }
    return checked(traces, axes | _plain_layout())


def _plain_layout() -> dict[str, Any]:
    return {"legend": LEGEND, "margin": MARGIN, "hovermode": "closest"}
