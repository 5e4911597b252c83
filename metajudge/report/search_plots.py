"""Optuna's plots in the report's words and colours: parts and figures named as in its tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import escape
from textwrap import wrap
from typing import Any

from metajudge.report.figure_text import compact
from metajudge.report.plots import LEGEND, plotly_text, series_colour
from metajudge.report.search_axis import axis_word, value_word
from metajudge.report.search_blocks import objective_word
from metajudge.report.search_results import SearchResults, StudyTrial
from metajudge.report.words import Language, word

LABEL_WIDTH = {"en": 24, "zh": 16}
"""Characters of a line of a part's name."""
VALUE_CUT = 60
_NUMBER = re.compile(r"&quot;number&quot;: (\d+)|\"number\": (\d+)")
_ENDING = re.compile(r"<extra>(.*?)</extra>")
_OPTUNA = {
    "Trial": "trial",
    "Feasible Trial": "trial",
    "Best Trial": "best_trial",
    "Best Value": "best_value",
    "Infeasible Trial": "infeasible",
    "Hyperparameter Importance": "share",
}
"""What Optuna says, and whose word of the report stands for it."""
_COLOURS = {"Best Trial": "--accent", "Best Value": "--accent", "Infeasible Trial": "--failure"}
_OTHERS = "--safe"


def worded_plots(results: SearchResults, language: Language) -> dict[str, dict[str, Any]]:
    """The plots that there are, in one language; the file's own are not changed.

    Args:
        results: A search with Optuna's plots as plain Plotly JSON.
        language: Of every text in them.
    """
    names = _names(results, language)
    hovers = {trial.number: _hover(results, trial, language) for trial in results.trials}
    drawn = {"front": _front, "history": _history, "importance": _importance}
    return {
        name: _worded(drawn[name](plot), names, hovers)
        for name, plot in results.plots.items()
        if plot is not None
    }


def _names(results: SearchResults, language: Language) -> dict[str, str]:
    """Text in Optuna's plots -> text of the report."""
    names = {said: word(f"search.{key}_word", language) for said, key in _OPTUNA.items()}
    names |= {"Hyperparameter": ""}
    for objective in results.study.objectives:
        names[escape(objective)] = plotly_text(objective_word(objective, language))
    taken: set[str] = set()
    for axis in results.study.axes:
        name = _unlike(axis_word(results, axis, language), taken)
        taken.add(name)
        lines = wrap(name, LABEL_WIDTH[language], break_long_words=language == "zh")
        names[escape(axis)] = "<br>".join(map(plotly_text, lines))
    return names


def _unlike(name: str, taken: set[str]) -> str:
    """A name that no other axis has: bars of one name would be one."""
    place, found = 1, name
    while found in taken:
        place += 1
        found = f"{name} ({place})"
    return found


def _hover(results: SearchResults, trial: StudyTrial, language: Language) -> str:
    return "<br>".join(map(plotly_text, _hover_lines(results, trial, language)))


def _hover_lines(results: SearchResults, trial: StudyTrial, language: Language) -> Iterator[str]:
    yield f"#{trial.number}"
    for name in results.study.objectives:
        yield f"{objective_word(name, language)}: {compact(trial.values.get(name), 3)}"
    for axis, value in trial.setting.items():
        said = value_word(results, axis, value, language)
        shown = said if len(said) <= VALUE_CUT else f"{said[: VALUE_CUT - 1]}…"
        yield f"{axis_word(results, axis, language)}: {shown}"


def _worded(value: Any, names: Mapping[str, str], hovers: Mapping[int, str]) -> Any:
    if isinstance(value, Mapping):
        return {key: _worded(inner, names, hovers) for key, inner in value.items()}
    if isinstance(value, list):
        return [_worded(inner, names, hovers) for inner in value]
    if not isinstance(value, str):
        return value
    number = _NUMBER.search(value)
    if number is not None:
        return hovers.get(int(number[1] or number[2]), value)
    told = _ENDING.sub(lambda found: f"<extra>{names.get(found[1], found[1])}</extra>", value)
    return names.get(told, told)


def _front(plot: Mapping[str, Any]) -> dict[str, Any]:
    """Points by how their setting ended, instead of by its number."""
    traces = []
    for trace in plot["data"]:
        ending = _ENDING.search(trace.get("hovertemplate", ""))
        traces.append(_marked(trace, "Trial" if ending is None else ending[1]))
    return {"data": traces, "layout": {**plot["layout"], "legend": LEGEND}}


def _history(plot: Mapping[str, Any]) -> dict[str, Any]:
    traces = [_marked(trace, trace.get("name", "")) for trace in plot["data"]]
    return {"data": traces, "layout": {**plot["layout"], "legend": LEGEND}}


def _marked(trace: Mapping[str, Any], ending: str) -> dict[str, Any]:
    """A trace under the name of its ending, with the page's colour for it."""
    meta = {
        "colour": _COLOURS.get(ending, _OTHERS),
        "hollow": ending == "Infeasible Trial",
    }
    marker = {"size": 5 if trace.get("type") == "scatter3d" else 9}
    told = {"name": ending, "showlegend": bool(trace.get("x")), "meta": meta}
    return {**trace, **told, **({"marker": marker} if trace.get("mode") == "markers" else {})}


def _importance(plot: Mapping[str, Any]) -> dict[str, Any]:
    """Bars labelled in percent, as the table of importances is."""
    bars = [
        {
            **bar,
            "text": [f"{share:.0%}" for share in bar["x"]],
            "hovertemplate": "%{y}: %{x:.1%}<extra>%{fullData.name}</extra>",
            "meta": {"colour": series_colour(place)},
            "showlegend": True,
        }
        for place, bar in enumerate(plot["data"])
    ]
    layout = {**plot["layout"], "legend": {**LEGEND, "traceorder": "normal"}}
    layout["xaxis"] = {**layout.get("xaxis", {}), "tickformat": ".0%", "range": [0, 1.2]}
    return {"data": bars, "layout": layout}
