"""The Pareto front: summary-as-idk against over-credit, marks as large as a verdict is dear."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import Any, NamedTuple

from metajudge.report.figure_text import UNDEFINED, compact, count
from metajudge.report.plots import LEGEND, MARGIN, checked, plotly_text, share_axis
from metajudge.report.ranked import RankedTrial, winner_row
from metajudge.report.results import Results
from metajudge.report.selection_results import FrontPoint, SelectionResults
from metajudge.report.words import Language, reading_word, word

SMALLEST, LARGEST = 10, 26
"""Diameters of marks in pixels: the area grows with the tokens of a verdict."""

KINDS = {
    "won": ("winner", "--accent", "star"),
    "safe": ("safe", "--safe", "circle"),
    "off": ("broken_flat", "--off", "x"),
}
"""State of a row -> its word, colour and mark."""


class _Drawn(NamedTuple):
    row: int
    point: FrontPoint
    x: float
    y: float
    size: float
    state: str


def front_chart(
    results: Results, selection: SelectionResults, rows: Sequence[RankedTrial], language: Language
) -> dict[str, Any]:
    """Every candidate with both shares; those on the front in a ring, a line along the shares'.

    Unsafe candidates are crosses, so that colour says nothing alone.
    """
    drawn = _drawn(results, selection, rows)
    traces = [_line(drawn, language), _rings(drawn, language)]
    for state in reversed(KINDS):
        points = [entry for entry in drawn if entry.state == state]
        if points:
            traces.append(_marks(points, state, language))
    layout = {
        "xaxis": share_axis(word("figure.over_credit", language), _top(d.x for d in drawn)),
        "yaxis": share_axis(word("figure.summary_as_idk", language), _top(d.y for d in drawn)),
        "legend": LEGEND | {"itemsizing": "constant"},
        "margin": MARGIN,
        "hovermode": "closest",
    }
    return checked(traces, layout)


def _drawn(
    results: Results, selection: SelectionResults, rows: Sequence[RankedTrial]
) -> list[_Drawn]:
    numbers = {(row.trial, row.reading): row.row for row in rows}
    won = winner_row(results, rows)
    dearest = max((p.tokens_per_claim or 0.0 for p in selection.front), default=0.0)
    drawn = []
    for point in selection.front:
        x, y = point.over_credit, point.summary_as_idk
        row = numbers.get((point.trial, point.reading))
        if x is None or y is None or row is None:
            continue
        part = (point.tokens_per_claim or 0.0) / dearest if dearest > 0 else 0.0
        size = sqrt(SMALLEST**2 + (LARGEST**2 - SMALLEST**2) * part)
        state = "won" if won is not None and won.row == row else "safe" if point.safe else "off"
        drawn.append(_Drawn(row, point, x, y, round(size, 2), state))
    return drawn


def front_of_shares(points: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Points that no other is at or below on both axes, by the first axis.

    >>> front_of_shares([(0.1, 0.5), (0.2, 0.2), (0.3, 0.3), (0.4, 0.1)])
    [(0.1, 0.5), (0.2, 0.2), (0.4, 0.1)]
    """
    kept: list[tuple[float, float]] = []
    for x, y in sorted(set(points)):
        if not kept or y < kept[-1][1]:
            kept.append((x, y))
    return kept


def _line(drawn: Sequence[_Drawn], language: Language) -> dict[str, Any]:
    corners = front_of_shares((d.x, d.y) for d in drawn if d.point.on_front)
    return {
        "type": "scatter",
        "x": [x for x, _ in corners],
        "y": [y for _, y in corners],
        "mode": "lines",
        "line": {"shape": "hv", "width": 1.6, "dash": "dot"},
        "name": word("pareto_line", language),
        "meta": {"colour": "--dim", "hollow": False},
        "hoverinfo": "skip",
    }


def _rings(drawn: Sequence[_Drawn], language: Language) -> dict[str, Any]:
    front = [d for d in drawn if d.point.on_front]
    return {
        "type": "scatter",
        "x": [d.x for d in front],
        "y": [d.y for d in front],
        "mode": "markers",
        "marker": {"symbol": "circle-open", "size": [d.size + 9 for d in front]},
        "name": word("pareto_front", language),
        "cliponaxis": False,
        "meta": {"colour": "--fg", "hollow": False},
        "hoverinfo": "skip",
    }


def _marks(points: Sequence[_Drawn], state: str, language: Language) -> dict[str, Any]:
    key, colour, symbol = KINDS[state]
    tokens = word("tokens_per_claim", language)
    return {
        "type": "scatter",
        "x": [d.x for d in points],
        "y": [d.y for d in points],
        "mode": "markers+text",
        "text": _labels(points),
        "textposition": "middle right",
        "cliponaxis": False,
        "textfont": {"size": 12},
        "name": word(key, language),
        "meta": {"colour": colour, "hollow": False, "outside": True},
        "marker": {"symbol": symbol, "size": [d.size for d in points], "opacity": 0.85},
        "customdata": [
            [
                d.row,
                plotly_text(d.point.trial),
                reading_word(d.point.reading, language),
                compact(d.x),
                compact(d.y),
                _tokens(d.point.tokens_per_claim),
            ]
            for d in points
        ],
        "hovertemplate": (
            "#%{customdata[0]} %{customdata[1]}<br>%{customdata[2]}<br>"
            f"{word('figure.over_credit', language)} %{{customdata[3]}}<br>"
            f"{word('figure.summary_as_idk', language)} %{{customdata[4]}}<br>"
            f"{tokens} %{{customdata[5]}}<extra></extra>"
        ),
    }


def _labels(points: Sequence[_Drawn]) -> list[str]:
    """Row numbers beside their marks; marks at one place share a label."""
    held: dict[tuple[float, float], list[str]] = {}
    for d in points:
        held.setdefault((d.x, d.y), []).append(str(d.row))
    # Blanks that do not collapse keep the number clear of the ring.
    return ["\u00a0\u00a0" + ", ".join(held.pop((d.x, d.y), [])) for d in points]


def _tokens(tokens: float | None) -> str:
    return UNDEFINED if tokens is None else count(round(tokens))


def _top(values: Iterable[float]) -> float:
    return min(1.04, max([0.2, *values]) + 0.06)
