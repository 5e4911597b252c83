"""Negative controls and factors on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from metajudge.report.axis_text import effect_text
from metajudge.report.figure_text import UNDEFINED, compact, with_interval
from metajudge.report.places import Places
from metajudge.report.results import Results
from metajudge.report.stability_parts import ControlRow, control_rows
from metajudge.report.stability_results import FactorResults
from metajudge.report.terminal_parts import INDENT, dim, filled, place_text, plain, title
from metajudge.report.words import Language, word, word_or_code


def insensitive_lines(rows: tuple[ControlRow, ...], language: Language) -> list[RenderableType]:
    """Who does not read the evidence, with the reason; nothing where there were no probes."""
    if not rows:
        return []
    lines: list[RenderableType] = [
        place_text(row.place, language)
        .append(f" ✗ {word('insensitive', language)}: ", style="yellow")
        .append_text(plain(row.reason or ""))
        for row in rows
        if row.reads is False
    ]
    if not lines:
        read = sum(row.reads is True for row in rows)
        lines = [plain(word("all_read", language, n=read, of=len(rows)))]
    return [*title(word("controls", language)), *lines]


def controls_lines(
    results: Results, places: Places, language: Language, columns: int
) -> Iterator[RenderableType]:
    """Each trial on each kind of probe, or a sentence why there is none."""
    found, rows = results.controls, control_rows(results, places)
    if found is None:
        yield from title(word("controls", language))
        yield plain(word("no_controls", language))
        return
    yield from insensitive_lines(rows, language)
    heads = ["", "n", *(word(key, language) for key in ("wrong", "yes_before", "drop"))]
    lines: list[list[str | Text]] = []
    for row in rows:
        lines.append([_reads(row, language), "", "", "", _pooled(row)])
        lines.extend(
            [
                Text(INDENT).append_text(plain(word_or_code("control", kind, language))),
                str(cell.n),
                with_interval(cell.wrong),
                compact(cell.yes_before.value),
                with_interval(cell.drop, sign=True),
            ]
            for kind, cell in row.cells.items()
        )
    yield filled(columns, heads, lines)
    yield from dim(word("controls_lead", language), word("pooled_note", language), *found.notes)


def _reads(row: ControlRow, language: Language) -> Text:
    keys = {True: "reads", False: "insensitive", None: "not_tested"}
    mark = {True: "✓", False: "✗", None: "–"}[row.reads]
    return place_text(row.place, language).append(f" {mark} {word(keys[row.reads], language)}")


def _pooled(row: ControlRow) -> str:
    return "" if row.pooled is None else with_interval(row.pooled, sign=True)


def factors_lines(
    results: Results, places: Places, language: Language, columns: int
) -> Iterator[RenderableType]:
    """Cells and effects of the factorial, or a sentence why there is none."""
    found = results.factors
    yield from title(word("factors", language))
    if found is None:
        yield plain(word("no_factors", language))
        return
    figures = ("summary_as_idk", "over_credit")
    names = [word(f"figure.{name}", language) for name in figures]
    heads = [
        *(word(f"factor.{name}", language) for name in ("template", "context_form")),
        "×",
        *names,
    ]
    lines: list[list[str | Text]] = [
        [
            place_text(places.of(cell.template), language),
            cell.context_form,
            str(cell.claims_per_call),
            with_interval(cell.summary_as_idk),
            with_interval(cell.over_credit),
        ]
        for cell in found.cells
    ]
    yield filled(columns, heads, lines)
    yield from dim(word("times_note", language), *found.notes)
    yield from title(word("effects", language))
    yield filled(columns, [word("effect", language), *names], _effects(found, language))


def _effects(found: FactorResults, language: Language) -> list[list[str | Text]]:
    rows: dict[str, dict[str, str]] = {}
    for effect in found.effects:
        rows.setdefault(effect.effect, {})[effect.figure] = with_interval(
            effect.difference, sign=True
        )
    return [
        [
            effect_text(name, language),
            *(cells.get(figure, UNDEFINED) for figure in ("summary_as_idk", "over_credit")),
        ]
        for name, cells in rows.items()
    ]
