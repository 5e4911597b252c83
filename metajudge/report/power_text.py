"""Power on a terminal: what differences a gold set can show, curves as bars, labels needed."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from metajudge.report.figure_text import UNDEFINED, compact, count, percent
from metajudge.report.places import Places
from metajudge.report.ranked import ranked_trials
from metajudge.report.results import Results
from metajudge.report.selection_results import DetectableFigures, PowerResults
from metajudge.report.terminal_parts import (
    columns_of,
    dim,
    filled,
    headline,
    title,
)
from metajudge.report.words import Language, word, word_or_code

BAR = 40
"""Cells of a bar at a power of 1."""


def render_power(
    results: Results,
    power: PowerResults,
    language: Language = "en",
    width: int | None = None,
) -> RenderableType:
    """Detectable differences, power curves and labels needed.

    Args:
        results: The sweep.
        power: Its power, or what of it was asked for.
        language: Of the texts.
        width: Columns that there are; None for 80.
    """
    columns, places = columns_of(width), Places(ranked_trials(results))
    return Group(
        *headline(results, language),
        *_detectable(power, places, language, columns),
        *_curves(power, language),
        *_needed(power, language, columns),
    )


def _detectable(
    power: PowerResults, places: Places, language: Language, columns: int
) -> Iterator[RenderableType]:
    keys = ("figure", "detectable", "power_axis", "clusters", "claims")
    heads = [word(key, language) for key in keys]
    lines: list[list[str | Text]] = []
    reasons: dict[str, list[str]] = {}
    for row in power.detectable:
        name = word_or_code("figure", row.figure, language)
        if row.difference is None:
            reasons.setdefault(row.reason or UNDEFINED, []).append(name)
        lines.append(
            [
                name,
                compact(row.difference),
                compact(row.power),
                count(row.clusters),
                count(row.claims),
            ]
        )
    place = places.of(power.trial, power.reading)
    yield from title(word("power", language))
    yield filled(columns, heads, lines)
    yield from dim(*_why(reasons, language))
    yield from dim(
        word(
            "power_lead",
            language,
            trial=f"#{place.row or UNDEFINED} {place.head}",
            worlds=count(power.worlds),
            churn=percent(power.churn),
        )
    )


def _curves(power: PowerResults, language: Language) -> Iterator[RenderableType]:
    for row in power.detectable:
        if row.curve:
            name = word_or_code("figure", row.figure, language)
            heading = (
                f"{name}: {word('true_difference', language)} → {word('power_axis', language)}"
            )
            yield from title(heading)
            yield from curve_lines(row)


def curve_lines(row: DetectableFigures) -> list[Text]:
    """A power curve as bars; `┊` stands at the power asked for.

    >>> row = DetectableFigures(figure="kappa", power=0.8, difference=0.1, clusters=9, claims=20,
    ...                         curve=((0.05, 0.5), (0.1, 1.0)))
    >>> print(curve_lines(row)[0].plain)
      .050 ████████████████████            ┊         50 %
    """
    asked = round(row.power * BAR)
    lines = []
    for difference, power in sorted((abs(d), p) for d, p in row.curve):
        filled_cells = round(min(1.0, max(0.0, power)) * BAR)
        bar = "█" * filled_cells + " " * (BAR + 1 - filled_cells)
        if filled_cells <= asked:
            bar = f"{bar[:asked]}┊{bar[asked + 1 :]}"
        lines.append(plain_line(f"  {compact(difference, 3)} {bar} {percent(power)}"))
    return lines


def plain_line(text: str) -> Text:
    """A line whose blanks stand for something."""
    return Text(text, no_wrap=True)


def _needed(power: PowerResults, language: Language, columns: int) -> Iterator[RenderableType]:
    if not power.needed:
        return
    keys = ("slice", "figure", "difference", "have", "need")
    lines: list[list[str | Text]] = []
    reasons: dict[str, list[str]] = {}
    for row in power.needed:
        name = word_or_code("slice", row.slice, language)
        figure = word_or_code("figure", row.figure, language)
        if row.need is None:
            reasons.setdefault(row.reason or UNDEFINED, []).append(f"{name} · {figure}")
        lines.append(
            [
                name,
                figure,
                compact(row.difference),
                count(row.have),
                count(row.need),
            ]
        )
    yield from title(word("labels_needed", language))
    yield filled(columns, [word(key, language) for key in keys], lines)
    yield from dim(*_why(reasons, language), word("labels_needed_note", language))


def _why(reasons: dict[str, list[str]], language: Language) -> list[str]:
    """Why numbers are missing; those of one reason share a line."""
    comma = word("list_comma", language)
    return [
        word("broken_why", language, name=f"– {comma.join(names)}", why=reason)
        for reason, names in reasons.items()
    ]
