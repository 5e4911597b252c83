"""What the tab *Stability* shows: flips, shares of variance, controls and factors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from metajudge.gold.goldset import GoldSet
from metajudge.report.axis_text import axis_level_text, axis_text, effect_text
from metajudge.report.factor_chart import FactorLine, factor_lines
from metajudge.report.figure_text import compact, count, percent
from metajudge.report.part import Figure
from metajudge.report.places import Place, Places
from metajudge.report.remarks import level_text
from metajudge.report.results import Results
from metajudge.report.stability_results import (
    AxisFigures,
    ControlFigures,
    ControlResults,
    FactorEffect,
    FlippingClaim,
    LevelFigures,
    StabilityResults,
)
from metajudge.report.words import Language, Words, both, word

FLIP_GUARDRAIL = "flip_rate"
SCORE_MEASURES = ("score_sd", "score_icc", "answer_tau")
LEAST_SCALE = 0.1


class AxisColumn(NamedTuple):
    """An axis: its number in the plot of shares, its code and its name."""

    number: int
    code: str
    name: Words


class FlipRow(NamedTuple):
    """One trial on every axis."""

    place: Place
    cells: Mapping[str, AxisFigures]


class SharePart(NamedTuple):
    """One axis' part of a trial's movement."""

    axis: AxisColumn
    share: float
    percent: str


class ControlRow(NamedTuple):
    """One trial on every kind of negative control.

    `reads` is None where that was not tested; `pooled` is the drop that decides it.
    """

    place: Place
    reads: bool | None
    reason: str | None
    pooled: Figure | None
    cells: Mapping[str, ControlFigures]


class Flipping(NamedTuple):
    """A claim that flips, its text where the gold set is there, and where it stands."""

    claim: FlippingClaim
    place: Place
    text: str
    axes: tuple[Words, ...]


def stability_parts(results: Results, places: Places, gold: GoldSet | None) -> dict[str, Any]:
    """Names of the template's part and what they stand for; None where results have no such part.

    Args:
        results: The sweep.
        places: Where its trials stand.
        gold: Where texts of claims come from.
    """
    return {
        "axis_name": lambda axis: both(lambda lang: axis_text(axis, lang)),
        "level_name": lambda level: both(lambda lang: axis_level_text(level, lang)),
        "effect_name": lambda effect: both(lambda lang: effect_text(effect, lang)),
        "flips_of": lambda claim: both(
            lambda lang: word("flips_of", lang, n=claim.flips, of=claim.of)
        ),
        "not_had": lambda levels: both(lambda lang: word("not_had", lang, levels=levels)),
        "stability": _stability(results, places, gold),
        "controls": _controls(results, places),
        "factors": _factors(results, places),
    }


def axis_columns(found: StabilityResults) -> tuple[AxisColumn, ...]:
    """The axes in the order in which they stand in the results, numbered from 1."""
    codes = dict.fromkeys(axis.axis for axis in found.axes)
    return tuple(
        AxisColumn(number, code, both(lambda lang, code=code: axis_text(code, lang)))  # type: ignore[misc]
        for number, code in enumerate(codes, 1)
    )


def flip_rows(found: StabilityResults, places: Places) -> tuple[FlipRow, ...]:
    """One row a trial, in the order in which the results name them."""
    return tuple(
        FlipRow(places.of(trial), {axis.axis: axis for axis in found.axes if axis.trial == trial})
        for trial in found.trials
    )


def level_lines(axis: AxisFigures) -> tuple[LevelFigures | None, ...]:
    """The reference and the levels of an axis, or one empty line where it has none."""
    reference = () if axis.reference is None else (axis.reference,)
    return (*reference, *axis.levels) or (None,)


def scale(figures: Sequence[Figure]) -> float:
    """The right end of an axis on which all figures and their intervals fit, 0.1 to 1."""
    tops = [f.high if f.high is not None else f.value for f in figures]
    known = [top for top in tops if top is not None]
    return min(1.0, max(LEAST_SCALE, *known, 0.0))


def _stability(results: Results, places: Places, gold: GoldSet | None) -> dict[str, Any] | None:
    found = results.stability
    if found is None:
        return None
    columns = axis_columns(found)
    top = scale([axis.flip_rate for axis in found.axes])
    bound = results.guardrails.get(FLIP_GUARDRAIL)
    return {
        "found": found,
        "columns": columns,
        "rows": flip_rows(found, places),
        "top": top,
        "bound": bound,
        "lead": both(lambda lang: _lead(found, lang)),
        "note": both(
            lambda lang: word("flips_note", lang, level=level_text(results), top=compact(top))
        ),
        "bound_note": bound is not None
        and both(lambda lang: word("flips_bound", lang, bound=compact(bound))),
        "shares": [(places.of(t), _parts(found.shares.get(t, {}), columns)) for t in found.trials],
        "shared": [c for c in columns if any(c.code in part for part in found.shares.values())],
        "lines": level_lines,
        "any_tau": any(tau is not None for tau in found.template_tau.values()),
        "policies": tuple(dict.fromkeys(p for axis in found.axes for p in axis.score_sd)),
        "measures": SCORE_MEASURES,
        "flipping": _flipping(found, places, gold),
    }


def _lead(found: StabilityResults, language: Language) -> str:
    return word(
        "flips_lead",
        language,
        claims=word("claims_n", language, n=count(found.claims)),
        contexts=word("contexts_n", language, n=count(found.contexts)),
    )


def _parts(shares: Mapping[str, float], columns: tuple[AxisColumn, ...]) -> tuple[SharePart, ...]:
    return tuple(
        SharePart(column, shares[column.code], percent(shares[column.code]))
        for column in columns
        if shares.get(column.code, 0.0) > 0
    )


def _flipping(
    found: StabilityResults, places: Places, gold: GoldSet | None
) -> tuple[Flipping, ...]:
    texts = {} if gold is None else {claim.claim_id: claim.claim for claim in gold.claims}
    names = {column.code: column.name for column in axis_columns(found)}
    return tuple(
        Flipping(
            claim,
            places.of(claim.trial),
            texts.get(claim.claim_id, ""),
            tuple(names.get(axis, Words(axis, axis)) for axis in claim.axes),
        )
        for claim in found.most_flipping
    )


def _controls(results: Results, places: Places) -> dict[str, Any] | None:
    found = results.controls
    if found is None:
        return None
    return {
        "found": found,
        "kinds": tuple(dict.fromkeys((*found.probes, *(row.kind for row in found.rows)))),
        "rows": control_rows(results, places),
    }


def control_rows(results: Results, places: Places) -> tuple[ControlRow, ...]:
    """One row a trial with probes, in the order of the results."""
    found = results.controls
    if found is None:
        return ()
    trials = dict.fromkeys((*(row.trial for row in found.rows), *found.insensitive))
    return tuple(
        ControlRow(
            places.of(trial),
            reads_evidence(found, trial),
            found.insensitive.get(trial),
            found.pooled_drop.get(trial),
            {row.kind: row for row in found.rows if row.trial == trial},
        )
        for trial in trials
    )


def reads_evidence(found: ControlResults, trial: str) -> bool | None:
    """Whether a trial is seen to read the evidence; None where that was not tested."""
    if trial not in found.insensitive or found.causes.get(trial) == "not_tested":
        return None
    return found.insensitive[trial] is None


def _factors(results: Results, places: Places) -> dict[str, Any] | None:
    found = results.factors
    if found is None:
        return None
    names = tuple(dict.fromkeys(effect.figure for effect in found.effects))
    rows: dict[str, dict[str, FactorEffect]] = {}
    for effect in found.effects:
        rows.setdefault(effect.effect, {})[effect.figure] = effect
    return {
        "found": found,
        "lines": [_line(line, places) for line in factor_lines(found)],
        "cells": [(places.of(cell.template), cell) for cell in found.cells],
        "effects": names,
        "effect_rows": [
            (name, next(iter(cells.values())).order, cells) for name, cells in rows.items()
        ],
        "top": reach([effect.difference for effect in found.effects]),
    }


def _line(line: FactorLine, places: Places) -> dict[str, Any]:
    return {
        "place": places.of(line.template),
        "size": both(lambda lang: word("per_call_n", lang, n=line.claims_per_call)),
        "colour": line.colour,
        "glyph": line.glyph,
        "dash": line.dash,
    }


def reach(differences: Sequence[Figure]) -> float:
    """How far from 0 differences and their intervals go, at least 0.1."""
    ends = [end for d in differences for end in (d.value, d.low, d.high) if end is not None]
    return max([LEAST_SCALE, *map(abs, ends)])
