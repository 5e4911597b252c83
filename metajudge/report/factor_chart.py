"""The interaction plot: one share by context form, a line per wording and claims per call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from metajudge.report.figure_text import with_interval
from metajudge.report.part import Figure
from metajudge.report.plots import checked, plotly_text, series_colour, share_axis, whiskers
from metajudge.report.stability_results import FactorCell, FactorResults
from metajudge.report.words import Language, word

FACTOR_FIGURES = ("summary_as_idk", "over_credit")
MARKS = ("circle", "square", "diamond", "triangle-up")
GLYPHS = ("●", "■", "◆", "▲")
DASHES = ("solid", "dash", "dot", "dashdot")
APART = 0.07
"""Distance of lines at one context form, so that their intervals stand side by side."""


class FactorLine(NamedTuple):
    """One wording and number of claims per call: colour by the one, mark and dash by the other."""

    template: str
    claims_per_call: int
    colour: str
    mark: str
    glyph: str
    dash: str


def factor_lines(found: FactorResults) -> tuple[FactorLine, ...]:
    """Every line of the plot, in the order of the cells."""
    templates = list(dict.fromkeys(cell.template for cell in found.cells))
    sizes = list(dict.fromkeys(cell.claims_per_call for cell in found.cells))
    keys = dict.fromkeys((cell.template, cell.claims_per_call) for cell in found.cells)
    return tuple(
        FactorLine(
            template,
            size,
            series_colour(templates.index(template)),
            MARKS[sizes.index(size) % len(MARKS)],
            GLYPHS[sizes.index(size) % len(GLYPHS)],
            DASHES[sizes.index(size) % len(DASHES)],
        )
        for template, size in keys
    )


def factor_chart(found: FactorResults, figure: str, language: Language) -> dict[str, Any]:
    """One of `FACTOR_FIGURES` in every cell where it is defined."""
    forms = list(dict.fromkeys(cell.context_form for cell in found.cells))
    lines = factor_lines(found)
    traces = [
        _trace(found, line, figure, forms, (place - (len(lines) - 1) / 2) * APART)
        for place, line in enumerate(lines)
    ]
    tops = [f.high or f.value or 0.0 for f in (_figure(cell, figure) for cell in found.cells)]
    layout = {
        "xaxis": {
            "title": {"text": word("factor.context_form", language), "standoff": 12},
            "tickvals": list(range(len(forms))),
            "ticktext": [plotly_text(form) for form in forms],
            "range": [-0.5, len(forms) - 0.5],
            "zeroline": False,
        },
        "yaxis": share_axis(
            word(f"figure.{figure}", language), min(1.03, max([0.1, *tops]) + 0.03)
        ),
        "showlegend": False,
        "margin": {"l": 64, "r": 12, "t": 16, "b": 48},
        "hovermode": "closest",
    }
    return checked(traces, layout)


def _figure(cell: FactorCell, figure: str) -> Figure:
    return cell.summary_as_idk if figure == "summary_as_idk" else cell.over_credit


def _trace(
    found: FactorResults, line: FactorLine, figure: str, forms: Sequence[str], shift: float
) -> dict[str, Any]:
    cells = [
        cell
        for cell in found.cells
        if (cell.template, cell.claims_per_call) == (line.template, line.claims_per_call)
    ]
    held = [(cell.context_form, _figure(cell, figure)) for cell in cells]
    known = [(form, value) for form, value in held if value.value is not None]
    figures = [value for _, value in known]
    return {
        "type": "scatter",
        "x": [forms.index(form) + shift for form, _ in known],
        "y": [value.value for value in figures],
        "error_y": whiskers(figures),
        "mode": "lines+markers",
        "name": plotly_text(line.template),
        "marker": {"symbol": line.mark, "size": 10},
        "line": {"width": 1.6, "dash": line.dash},
        "meta": {"colour": line.colour, "hollow": False},
        "customdata": [[plotly_text(form), with_interval(value), value.n] for form, value in known],
        "hovertemplate": (
            f"{plotly_text(line.template)}<br>%{{customdata[0]}} × {line.claims_per_call}<br>"
            "%{customdata[1]} · n %{customdata[2]}<extra></extra>"
        ),
    }
