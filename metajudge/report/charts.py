"""Every chart of the HTML report by name, as JSON for the page's script."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from metajudge.report.calibration_chart import abstention_chart, reliability_chart
from metajudge.report.factor_chart import FACTOR_FIGURES, factor_chart
from metajudge.report.front_chart import front_chart
from metajudge.report.power_chart import power_chart
from metajudge.report.ranked import RankedTrial, calibrated_rows
from metajudge.report.results import Results
from metajudge.report.scatter_chart import scatter_chart
from metajudge.report.slice_chart import slice_charts
from metajudge.report.words import LANGUAGES, Language


def charts(results: Results, rows: Sequence[RankedTrial]) -> dict[str, Any]:
    """Every chart that the results have numbers for.

    `fixed`: chart -> language -> figure. `chosen`: chart -> one entry a choice, each language ->
    figure. `slices`: `traces`, one a row of the report, and `layouts`, one a language.
    """
    fixed = {"scatter": _spoken(lambda lang: scatter_chart(results, rows, lang))}
    selection, power, factors = results.selection, results.power, results.factors
    if selection is not None:
        fixed["front"] = _spoken(lambda lang: front_chart(results, selection, rows, lang))
    if power is not None:
        fixed["power"] = _spoken(lambda lang: power_chart(power, lang))
    if factors is not None:
        for name in FACTOR_FIGURES:
            fixed[f"factors-{name}"] = _spoken(
                lambda lang, name=name: factor_chart(factors, name, lang)  # type: ignore[misc]
            )
    kinds: dict[str, Callable[..., dict[str, Any]]] = {
        "reliability": reliability_chart,
        "abstention": abstention_chart,
    }
    return {
        "fixed": fixed,
        "chosen": {
            name: [
                _spoken(lambda lang, draw=draw, c=c: draw(c, lang))  # type: ignore[misc]
                for _, c in calibrated_rows(results, rows)
            ]
            for name, draw in kinds.items()
        },
        "slices": slice_charts(rows),
    }


def _spoken(draw: Callable[[Language], dict[str, Any]]) -> dict[str, Any]:
    return {language: draw(language) for language in LANGUAGES}
