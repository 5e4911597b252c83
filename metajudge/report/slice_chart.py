"""Accuracy of a row on every slice, as bars beside a second row's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metajudge.report.figure_text import with_interval
from metajudge.report.plots import LEGEND, checked, plotly_text, share_axis, whiskers
from metajudge.report.ranked import RankedTrial
from metajudge.report.words import LANGUAGES, Language, word, word_or_code


def slice_charts(rows: Sequence[RankedTrial]) -> dict[str, Any]:
    """`traces`, one a row of the report, and `layouts`, one a language."""
    return {
        "traces": [_trace(row) for row in rows],
        "layouts": {language: _layout(rows, language) for language in LANGUAGES},
    }


def _trace(row: RankedTrial) -> dict[str, Any]:
    groups = {name: g for name, g in row.figures.slices.items() if g.accuracy.value is not None}
    accuracies = [group.accuracy for group in groups.values()]
    bar = {
        "type": "bar",
        "orientation": "h",
        "x": [figure.value for figure in accuracies],
        "y": [plotly_text(name) for name in groups],
        "error_x": whiskers(accuracies),
        "name": f"#{row.row}",
        "customdata": [
            [with_interval(group.accuracy), group.n, *(group.called[c] for c in group.called)]
            for group in groups.values()
        ],
        "hovertemplate": "%{y} · %{customdata[0]} · n %{customdata[1]}<extra></extra>",
    }
    return checked([bar], {})["data"][0]  # type: ignore[no-any-return]


def _layout(rows: Sequence[RankedTrial], language: Language) -> dict[str, Any]:
    names = list(dict.fromkeys(name for row in rows for name in row.figures.slices))
    counts = {name: g.n for row in rows for name, g in row.figures.slices.items()}
    axis = share_axis(word("figure.accuracy", language), 1.0) | {"range": [0, 1.02]}
    return {
        "xaxis": axis,
        "yaxis": {
            "tickvals": [plotly_text(name) for name in names],
            "ticktext": [
                f"{plotly_text(word_or_code('slice', name, language))} · {counts[name]}"
                for name in names
            ],
            "autorange": "reversed",
            "automargin": True,
            "showgrid": False,
        },
        "barmode": "group",
        "bargap": 0.3,
        "legend": LEGEND,
        "margin": {"l": 8, "r": 34, "t": 36, "b": 48},
        "height": 90 + 34 * max(1, len(names)),
    }
