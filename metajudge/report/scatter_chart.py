"""Every row's summary-as-idk against its over-credit, with intervals and the allowed region."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metajudge.report.figure_text import compact, with_interval
from metajudge.report.plots import (
    LEGEND,
    MARGIN,
    checked,
    plotly_text,
    share_axis,
    whiskers,
)
from metajudge.report.ranked import RankedTrial, row_ranges, winner_row
from metajudge.report.results import Results
from metajudge.report.words import Language, reading_word, word
from metajudge.templates.reading_names import reading_named

OVER_CREDIT_GUARDRAIL = "over_credit_upper"
STATES = {"won": "--accent", "safe": "--safe", "off": "--off"}
"""What a row is, and the colour of the page for it: the winner, safe, a guardrail broken."""

SYMBOLS = {"top": "circle", "prior_corrected": "square", "batch_corrected": "diamond"}
"""Mark of each reading."""
AT_SYMBOLS = {"top": "hexagon", "prior_corrected": "pentagon", "batch_corrected": "octagon"}
"""Mark of each reading with a threshold."""


def unplotted_rows(rows: Sequence[RankedTrial]) -> str:
    """Rows that the scatter cannot show, because a figure is undefined."""
    return row_ranges([row.row for row in rows if not _is_drawn(row)])


def scatter_chart(
    results: Results, rows: Sequence[RankedTrial], language: Language
) -> dict[str, Any]:
    """Summary-as-idk against over-credit with intervals, and the region that is allowed."""
    drawn = [row for row in rows if _is_drawn(row)]
    won = winner_row(results, rows)
    traces = []
    for state in reversed(STATES):
        for reading in dict.fromkeys(row.reading for row in drawn):
            points = [r for r in drawn if r.reading == reading and row_state(r, won) == state]
            if points:
                traces.append(_trace(points, state, language))
    return checked(traces, _layout(results, drawn, language))


def row_state(row: RankedTrial, won: RankedTrial | None) -> str:
    """`won`, `safe` or `off`."""
    if won is not None and row.row == won.row:
        return "won"
    return "safe" if row.safe else "off"


def _is_drawn(row: RankedTrial) -> bool:
    return None not in (row.figure("over_credit").value, row.figure("summary_as_idk").value)


def _trace(points: Sequence[RankedTrial], state: str, language: Language) -> dict[str, Any]:
    over = [row.figure("over_credit") for row in points]
    idk = [row.figure("summary_as_idk") for row in points]
    reading = reading_word(points[0].reading, language)
    kind = word({"won": "winner", "safe": "safe", "off": "broken"}[state], language)
    return {
        "type": "scatter",
        "x": [figure.value for figure in over],
        "y": [figure.value for figure in idk],
        "error_x": whiskers(over),
        "error_y": whiskers(idk),
        "mode": "markers+text",
        "text": [str(row.row) for row in points],
        "name": f"{kind} · {reading}",
        "meta": {"colour": STATES[state], "hollow": state == "off"},
        "marker": {"size": 22, "symbol": _symbol(points[0].reading)},
        "textfont": {"size": 11},
        "customdata": [
            [row.row, plotly_text(row.trial), reading, with_interval(x), with_interval(y)]
            for row, x, y in zip(points, over, idk, strict=True)
        ],
        "hovertemplate": (
            "#%{customdata[0]} %{customdata[1]}<br>%{customdata[2]}<br>"
            f"{word('figure.over_credit', language)} %{{customdata[3]}}<br>"
            f"{word('figure.summary_as_idk', language)} %{{customdata[4]}}<extra></extra>"
        ),
    }


def _symbol(reading: str) -> str:
    base, threshold = reading_named(reading)
    return (SYMBOLS if threshold is None else AT_SYMBOLS)[base]


def _layout(results: Results, drawn: Sequence[RankedTrial], language: Language) -> dict[str, Any]:
    bound = results.guardrails.get(OVER_CREDIT_GUARDRAIL)
    return {
        "xaxis": share_axis(word("figure.over_credit", language), _highest(drawn, "over_credit")),
        "yaxis": share_axis(
            word("figure.summary_as_idk", language), _highest(drawn, "summary_as_idk")
        ),
        "shapes": [] if bound is None else [_region(bound)],
        "annotations": [] if bound is None else [_region_note(bound, language)],
        "legend": LEGEND,
        "margin": MARGIN,
        "hovermode": "closest",
    }


def _highest(rows: Sequence[RankedTrial], name: str) -> float:
    tops = [f.high or f.value or 0.0 for f in (row.figure(name) for row in rows)]
    return min(1.02, max(0.2, *tops, 0.0) + 0.04)


def _region(bound: float) -> dict[str, Any]:
    return {
        "type": "rect",
        "xref": "x",
        "yref": "paper",
        "x0": -1,
        "x1": bound,
        "y0": 0,
        "y1": 1,
        "layer": "below",
        "line": {"width": 0},
    }


def _region_note(bound: float, language: Language) -> dict[str, Any]:
    return {
        "text": word("scatter_region", language, bound=compact(bound)),
        "xref": "x",
        "yref": "paper",
        "x": bound,
        "y": 1,
        "xanchor": "left",
        "yanchor": "top",
        "showarrow": False,
        "font": {"size": 11},
        "xshift": 4,
    }
