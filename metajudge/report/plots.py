"""Charts of the HTML report as Plotly figures in JSON; the page colours them by its theme."""

from __future__ import annotations

import base64
import gzip
import hashlib
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from typing import Any, NamedTuple

from metajudge.report.figure_text import compact, with_interval
from metajudge.report.inert import one_line
from metajudge.report.ranked import RankedTrial, row_ranges, winner_row
from metajudge.report.results import Figure, Results
from metajudge.report.words import LANGUAGES, Language, word, word_or_code

OVER_CREDIT_GUARDRAIL = "over_credit_upper"
STATES = ("won", "safe", "off")
"""Colours of the page that points take: the winner, safe rows, rows that broke a guardrail."""

SYMBOLS = {"top": "circle", "prior_corrected": "square", "batch_corrected": "diamond"}
"""Mark of each reading in the scatter plot."""


class Script(NamedTuple):
    """Plotly's script, packed for the page, and the hash by which the page may run it."""

    gzip_base64: str
    csp_hash: str


@lru_cache(maxsize=1)
def plotly_script() -> Script:
    """The installed Plotly's own script: about 4.8 MB, 1.9 MB packed."""
    from plotly.offline import get_plotlyjs

    code = str(get_plotlyjs()).encode()
    packed = base64.b64encode(gzip.compress(code, 6, mtime=0)).decode("ascii")
    return Script(packed, csp_hash(code))


def csp_hash(code: bytes) -> str:
    """A script's source expression for a content security policy.

    >>> csp_hash(b"")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    return f"'sha256-{base64.b64encode(hashlib.sha256(code).digest()).decode('ascii')}'"


def charts(results: Results, rows: Sequence[RankedTrial]) -> dict[str, Any]:
    """Every chart of the page.

    `scatter`: language -> figure. `slices`: `traces`, one a row of the report, and `layouts`,
    one a language. Colours stand as `meta.state` for the page to fill in.
    """
    return {
        "scatter": {lang: scatter_figure(results, rows, lang) for lang in LANGUAGES},
        "slices": {
            "traces": [slice_trace(row) for row in rows],
            "layouts": {lang: slice_layout(rows, lang) for lang in LANGUAGES},
        },
    }


def unplotted_rows(rows: Sequence[RankedTrial]) -> str:
    """Rows that the scatter cannot show, because a figure is undefined."""
    return row_ranges([row.row for row in rows if not _is_drawn(row)])


def scatter_figure(
    results: Results, rows: Sequence[RankedTrial], language: Language
) -> dict[str, Any]:
    """Summary-as-idk against over-credit with intervals, and the region that is allowed."""
    import plotly.graph_objects as go

    drawn = [row for row in rows if _is_drawn(row)]
    won = winner_row(results, rows)
    figure = go.Figure(layout=_scatter_layout(results, drawn, language))
    for state in reversed(STATES):
        for reading in dict.fromkeys(row.reading for row in drawn):
            points = [r for r in drawn if r.reading == reading and _state(r, won) == state]
            if points:
                figure.add_trace(_scatter_trace(points, state, language))
    return _plain_json(figure)


def _is_drawn(row: RankedTrial) -> bool:
    return None not in (row.figure("over_credit").value, row.figure("summary_as_idk").value)


def _state(row: RankedTrial, won: RankedTrial | None) -> str:
    if won is not None and row.row == won.row:
        return "won"
    return "safe" if row.safe else "off"


def _whiskers(figures: Sequence[Figure]) -> dict[str, Any]:
    def reach(figure: Figure, limit: float | None) -> float:
        return 0.0 if limit is None or figure.value is None else abs(limit - figure.value)

    return {
        "type": "data",
        "symmetric": False,
        "array": [reach(figure, figure.high) for figure in figures],
        "arrayminus": [reach(figure, figure.low) for figure in figures],
        "thickness": 1.2,
        "width": 0,
    }


def _scatter_trace(points: Sequence[RankedTrial], state: str, language: Language) -> Any:
    import plotly.graph_objects as go

    over = [row.figure("over_credit") for row in points]
    idk = [row.figure("summary_as_idk") for row in points]
    reading = word(f"reading.{points[0].reading}", language)
    kind = word({"won": "winner", "safe": "safe", "off": "broken"}[state], language)
    return go.Scatter(
        x=[figure.value for figure in over],
        y=[figure.value for figure in idk],
        error_x=_whiskers(over),
        error_y=_whiskers(idk),
        mode="markers+text",
        text=[str(row.row) for row in points],
        name=f"{kind} · {reading}",
        meta={"state": state},
        marker={"size": 22, "symbol": SYMBOLS.get(points[0].reading, "hexagon")},
        textfont={"size": 11},
        customdata=[
            [row.row, escape(one_line(row.trial)), reading, with_interval(x), with_interval(y)]
            for row, x, y in zip(points, over, idk, strict=True)
        ],
        hovertemplate=(
            "#%{customdata[0]} %{customdata[1]}<br>%{customdata[2]}<br>"
            f"{word('figure.over_credit', language)} %{{customdata[3]}}<br>"
            f"{word('figure.summary_as_idk', language)} %{{customdata[4]}}<extra></extra>"
        ),
    )


def _scatter_layout(
    results: Results, drawn: Sequence[RankedTrial], language: Language
) -> dict[str, Any]:
    bound = results.guardrails.get(OVER_CREDIT_GUARDRAIL)
    return {
        "xaxis": _share_axis(word("figure.over_credit", language), _highest(drawn, "over_credit")),
        "yaxis": _share_axis(
            word("figure.summary_as_idk", language), _highest(drawn, "summary_as_idk")
        ),
        "shapes": [] if bound is None else [_region(bound)],
        "annotations": [] if bound is None else [_region_note(bound, language)],
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "margin": {"l": 72, "r": 34, "t": 64, "b": 48},
        "hovermode": "closest",
    }


def _highest(rows: Sequence[RankedTrial], name: str) -> float:
    tops = [f.high or f.value or 0.0 for f in (row.figure(name) for row in rows)]
    return min(1.02, max(0.2, *tops, 0.0) + 0.04)


def _share_axis(title: str, top: float) -> dict[str, Any]:
    return {
        "title": {"text": title, "standoff": 12},
        "range": [-0.025, top],
        "zeroline": False,
        "tickformat": ".0%",
        "ticks": "outside",
        "ticklen": 4,
    }


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


def slice_trace(row: RankedTrial) -> dict[str, Any]:
    """Accuracy of one row on every slice, as a bar each."""
    import plotly.graph_objects as go

    groups = {name: g for name, g in row.figures.slices.items() if g.accuracy.value is not None}
    accuracies = [group.accuracy for group in groups.values()]
    bar = go.Bar(
        orientation="h",
        x=[figure.value for figure in accuracies],
        y=[escape(one_line(name)) for name in groups],
        error_x=_whiskers(accuracies),
        name=f"#{row.row}",
        customdata=[
            [with_interval(group.accuracy), group.n, *(group.called[c] for c in group.called)]
            for group in groups.values()
        ],
        hovertemplate="%{y} · %{customdata[0]} · n %{customdata[1]}<extra></extra>",
    )
    return _plain_json(go.Figure([bar]))["data"][0]  # type: ignore[no-any-return]


def slice_layout(rows: Sequence[RankedTrial], language: Language) -> dict[str, Any]:
    """Axes of the slice bars."""
    names = list(dict.fromkeys(name for row in rows for name in row.figures.slices))
    counts = {name: g.n for row in rows for name, g in row.figures.slices.items()}
    axis = _share_axis(word("figure.accuracy", language), 1.0) | {"range": [0, 1.02]}
    return {
        "xaxis": axis,
        "yaxis": {
            "tickvals": [escape(one_line(name)) for name in names],
            "ticktext": [
                f"{escape(one_line(word_or_code('slice', name, language)))} · {counts[name]}"
                for name in names
            ],
            "autorange": "reversed",
            "automargin": True,
            "showgrid": False,
        },
        "barmode": "group",
        "bargap": 0.3,
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "margin": {"l": 8, "r": 34, "t": 36, "b": 48},
        "height": 90 + 34 * max(1, len(names)),
    }


def _plain_json(figure: Any) -> dict[str, Any]:
    figure.update_layout(template="none")
    plain: dict[str, Any] = figure.to_plotly_json()
    plain["layout"].pop("template", None)
    return plain
