"""Stability on a terminal: the block of a sweep's report, and all of `metajudge stability`."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from metajudge.report.axis_text import axis_level_text, axis_text
from metajudge.report.controls_text import controls_lines, factors_lines, insensitive_lines
from metajudge.report.figure_text import UNDEFINED, compact, count, percent, with_interval
from metajudge.report.places import Places
from metajudge.report.ranked import ranked_trials
from metajudge.report.results import Results
from metajudge.report.stability_parts import (
    FlipRow,
    control_rows,
    flip_rows,
)
from metajudge.report.stability_results import (
    AxisFigures,
    LevelFigures,
    StabilityResults,
)
from metajudge.report.terminal_parts import (
    INDENT,
    columns_of,
    dim,
    filled,
    headline,
    place_text,
    plain,
    title,
)
from metajudge.report.words import Language, word

REPEATS = "repeats"
CLAIMS_SHOWN = 10


def stability_summary(
    results: Results, places: Places, language: Language, columns: int
) -> list[RenderableType]:
    """Flip rates by trial and who does not read; nothing where neither was measured."""
    return [
        *_flip_summary(results, places, language, columns),
        *insensitive_lines(control_rows(results, places), language),
    ]


def _flip_summary(
    results: Results, places: Places, language: Language, columns: int
) -> list[RenderableType]:
    found = results.stability
    if found is None:
        return []
    heads = [
        word("trial", language),
        word("axis.repeats", language),
        word("worst_axis", language),
        word("flip_rate", language),
    ]
    lines: list[list[str | Text]] = []
    for row in flip_rows(found, places):
        repeats, worst = row.cells.get(REPEATS), worst_axis(row)
        lines.append(
            [
                place_text(row.place, language),
                UNDEFINED if repeats is None else with_interval(repeats.flip_rate),
                UNDEFINED if worst is None else axis_text(worst.axis, language),
                UNDEFINED if worst is None else with_interval(worst.flip_rate),
            ]
        )
    return [
        *title(f"{word('tab.stability', language)}: {word('flips', language)}"),
        filled(columns, heads, lines),
        *dim(flips_lead(found, language)),
    ]


def flips_lead(found: StabilityResults, language: Language) -> str:
    """What was moved, on how many claims."""
    return word(
        "flips_lead",
        language,
        claims=word("claims_n", language, n=count(found.claims)),
        contexts=word("contexts_n", language, n=count(found.contexts)),
    )


def worst_axis(row: FlipRow) -> AxisFigures | None:
    """The axis other than repeats along which verdicts flip most."""
    axes = [axis for code, axis in row.cells.items() if code != REPEATS]
    known = [axis for axis in axes if axis.flip_rate.value is not None]
    return max(known, key=lambda axis: axis.flip_rate.value or 0.0, default=None)


def render_stability(
    results: Results, language: Language = "en", width: int | None = None
) -> RenderableType:
    """All of stability, negative controls and factors; a sentence for a part that is not there.

    Args:
        results: A finished sweep.
        language: Of the texts.
        width: Columns that there are; None for 80.
    """
    columns, places = columns_of(width), Places(ranked_trials(results))
    return Group(
        *headline(results, language),
        *_stability(results, places, language, columns),
        *controls_lines(results, places, language, columns),
        *factors_lines(results, places, language, columns),
    )


def _stability(
    results: Results, places: Places, language: Language, columns: int
) -> Iterator[RenderableType]:
    found = results.stability
    yield from title(word("flips", language))
    if found is None:
        yield plain(word("no_stability", language))
        return
    rows = flip_rows(found, places)
    keys = ("axis", "runs", "flip_rate", "fleiss", "variance_share")
    heads = [word(key, language) for key in keys]
    lines: list[list[str | Text]] = []
    for row in rows:
        lines.append([place_text(row.place, language), "", "", "", ""])
        shares = found.shares.get(row.place.trial, {})
        lines.extend(
            _axis_line(axis, shares.get(code), language) for code, axis in row.cells.items()
        )
    yield filled(columns, heads, lines)
    yield from dim(flips_lead(found, language), word("shares_lead", language), *found.notes)
    yield from _levels(rows, language, columns)
    yield from _orders(found, language)
    yield from _flipping(found, places, language, columns)


def _axis_line(axis: AxisFigures, share: float | None, language: Language) -> list[str | Text]:
    return [
        Text(INDENT).append_text(plain(axis_text(axis.axis, language))),
        str(axis.runs),
        with_interval(axis.flip_rate),
        with_interval(axis.fleiss),
        percent(share),
    ]


def _levels(
    rows: tuple[FlipRow, ...], language: Language, columns: int
) -> Iterator[RenderableType]:
    figures = ("summary_as_idk", "over_credit", "kappa")
    heads = [word("level", language), *(word(f"figure.{name}", language) for name in figures)]
    lines: list[list[str | Text]] = []
    for row in rows:
        lines.append([place_text(row.place, language), "", "", ""])
        told: list[LevelFigures] = []
        for axis in row.cells.values():
            if axis.reference is not None and axis.reference not in told:
                told.append(axis.reference)
                lines.append(_level_line(axis, axis.reference, language))
            lines.extend(_level_line(axis, level, language) for level in axis.levels)
    yield from title(word("levels", language))
    yield filled(columns, heads, lines)


def _level_line(axis: AxisFigures, level: LevelFigures, language: Language) -> list[str | Text]:
    name = axis_level_text(level.level, language)
    if level is axis.reference:
        name = f"{name} ({word('reference', language)})"
    else:
        name = f"{axis_text(axis.axis, language)}: {name}"
    return [
        Text(INDENT).append_text(plain(name)),
        with_interval(level.summary_as_idk),
        with_interval(level.over_credit),
        with_interval(level.kappa),
    ]


def _orders(found: StabilityResults, language: Language) -> Iterator[RenderableType]:
    known = [
        f"{axis_text(axis, language)} {compact(tau)}"
        for axis, tau in found.template_tau.items()
        if tau is not None
    ]
    yield from title(word("template_tau", language))
    if not known:
        yield plain(word("template_tau_none", language))
        return
    yield plain(" · ".join(known))
    yield from dim(word("template_tau_lead", language))


def _flipping(
    found: StabilityResults, places: Places, language: Language, columns: int
) -> Iterator[RenderableType]:
    if not found.most_flipping:
        return
    keys = ("claim", "trial", "gold_label", "unperturbed", "flips_count")
    lines: list[list[str | Text]] = [
        [
            claim.claim_id,
            place_text(places.of(claim.trial), language),
            claim.gold,
            claim.verdict,
            f"{claim.flips}/{claim.of}",
        ]
        for claim in found.most_flipping[:CLAIMS_SHOWN]
    ]
    yield from title(word("most_flipping", language))
    yield filled(columns, [word(key, language) for key in keys], lines, wide=1)
