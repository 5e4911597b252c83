"""Charts of a tuning: the front of the objectives, and the answer scores by the credit of idk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from metajudge.report.figure_text import compact
from metajudge.report.plots import LEGEND, checked, plotly_text, series_colour
from metajudge.report.tune_blocks import objective_name, setting_word
from metajudge.report.tune_results import TuneResults
from metajudge.report.words import Language, word

WEIGHED = ("mae", "bias")
"""Figures of the answer scores that are drawn over the weight."""


def tune_plots(results: TuneResults, language: Language) -> dict[str, dict[str, Any]]:
    """The charts that there are, by name, as plain Plotly JSON.

    Args:
        results: A tuning.
        language: Of every text in them.
    """
    drawn = {"front": _front(results, language), "weights": _weights(results, language)}
    return {name: plot for name, plot in drawn.items() if plot is not None}


def _front(results: TuneResults, language: Language) -> dict[str, Any] | None:
    """The first two objectives against each other; None for fewer points or objectives than two."""
    names = tuple(results.space.objectives)[:2]
    points = [
        point
        for point in results.front
        if all(point.values.get(name) is not None for name in names)
    ]
    if len(names) < 2 or len(points) < 2:
        return None
    titles = [plotly_text(objective_name(name, language)) for name in names]
    trace = {
        "type": "scatter",
        "mode": "markers",
        "x": [point.values[names[0]] for point in points],
        "y": [point.values[names[1]] for point in points],
        "text": [plotly_text(setting_word(point.setting, language)) for point in points],
        "hovertemplate": "%{text}<br>%{x:.3f} · %{y:.3f}<extra></extra>",
        "marker": {"size": 9},
        "meta": {"colour": "--accent", "hollow": False},
        "showlegend": False,
    }
    axes = {f"{axis}axis": {"title": {"text": t}} for axis, t in zip("xy", titles, strict=True)}
    return checked([trace], axes)


def _weights(results: TuneResults, language: Language) -> dict[str, Any] | None:
    """Error and bias of the answer scores by the weight; None where no answer has a score."""
    weights = results.weights
    if weights is None or weights.best is None:
        return None
    layout = {
        "xaxis": {"title": {"text": "partial(w)"}},
        "yaxis": {"tickformat": ".2f"},
        "legend": LEGEND,
        "shapes": [],
    }
    return checked(list(_weight_lines(results, language)), layout)


def _weight_lines(results: TuneResults, language: Language) -> Iterator[dict[str, Any]]:
    assert results.weights is not None
    for place, name in enumerate(WEIGHED):
        rows = [row for row in results.weights.rows if getattr(row, name).value is not None]
        figures = [getattr(row, name) for row in rows]
        yield {
            "type": "scatter",
            "mode": "lines",
            "name": plotly_text(word(f"tune.{name}", language)),
            "x": [row.weight for row in rows],
            "y": [figure.value for figure in figures],
            "text": [f"{compact(f.low)} – {compact(f.high)}" for f in figures],
            "hovertemplate": "partial(%{x}): %{y:.3f} [%{text}]<extra>%{fullData.name}</extra>",
            "meta": {"colour": series_colour(place), "hollow": False},
        }
