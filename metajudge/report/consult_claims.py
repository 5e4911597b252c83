"""Claims whose verdict changes, by direction and slice, and what gold says of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from metajudge.report.consult_block import Block, Cell, Example, Line, Shown, arrow, lines_of
from metajudge.report.consult_results import (
    ConsultReport,
    FlipDirection,
    FlipGroup,
    GoldFlip,
    ShownClaim,
)
from metajudge.report.figure_text import count, p_text, with_interval
from metajudge.report.part import VerdictCode
from metajudge.report.words import Language, word, word_or_code

GOLD_FIGURES = ("over_credit", "summary_as_idk", "kappa", "pass_agreement", "false_pass_rate")
"""Figures on gold that stand first."""
_SIGNED = ("score_bias",)


def flips_block(report: ConsultReport, language: Language) -> Block:
    """Directions with their share and examples; with gold, who is right on gold."""
    title, found = word("consult.flips", language), report.flips
    if not found.changed and (report.on_gold is None or not report.on_gold.changed):
        none = word("consult.no_flips", language, claims=count(found.claims))
        return Block("flips", title, lead=(none,))
    lead = word(
        "consult.flips_lead",
        language,
        changed=count(found.changed),
        claims=count(found.claims),
        rate=with_interval(found.flip_rate),
    )
    keys = ["direction", "claims", "share"]
    if report.on_gold is not None:
        keys += ["gold_claims", "right_before", "right_after"]
    return Block(
        "flips",
        title,
        lead=(lead,),
        heads=tuple(word(f"consult.{key}", language) for key in keys),
        lines=tuple(_directions(report, language)),
        notes=(word("consult.flips_gold_note", language),) if report.on_gold else (),
    )


def _directions(report: ConsultReport, language: Language) -> Iterator[Line]:
    """Directions of the sample, then those that only gold claims take."""
    on_gold = report.on_gold
    gold = {(row.was, row.now): row for row in on_gold.directions} if on_gold else {}
    seen: set[tuple[VerdictCode, VerdictCode]] = set()
    for row in report.flips.directions:
        way = (row.was, row.now)
        seen.add(way)
        yield Line(
            (*_on_sample(row, language), *(_right(gold.get(way)) if on_gold else ())),
            _examples(way, row.examples, report.texts),
        )
    for way, found in gold.items():
        if way not in seen:
            yield Line((arrow(*way, language), "0", "", *_right(found)))


def _on_sample(row: FlipDirection, language: Language) -> tuple[Cell, ...]:
    return arrow(row.was, row.now, language), count(row.claims), Shown(row.share)


def _right(found: GoldFlip | None) -> tuple[Cell, ...]:
    if found is None:
        return "0", "", ""
    return count(found.claims), Shown(found.agrees_before), Shown(found.agrees_after)


def _examples(
    way: tuple[VerdictCode, VerdictCode], ids: Sequence[str], texts: Mapping[str, ShownClaim]
) -> tuple[Example, ...]:
    return tuple(Example(name, *way, texts.get(name)) for name in ids)


def groups_block(report: ConsultReport, language: Language) -> Block | None:
    """Changes by slice and language; None where the sample has neither, or nothing changes."""
    found = report.flips.groups if report.flips.changed else ()
    languages = [row for row in found if row.kind == "language"]
    slices = [row for row in found if row.kind == "slice"]
    slices.sort(key=lambda row: -row.changed)
    shown = [*slices, *(languages if len(languages) > 1 else [])]
    if not shown:
        return None
    keys = ("group", "claims", "changed", "flip_rate", "support_shift", "directions")
    return Block(
        "groups",
        word("consult.groups", language),
        heads=tuple(word(f"consult.{key}", language) for key in keys),
        lines=lines_of(_group(row, language) for row in shown),
    )


def _group(row: FlipGroup, language: Language) -> tuple[Cell, ...]:
    ways = (f"{way.replace('->', '→')} {count(n)}" for way, n in row.directions.items())
    return (
        word_or_code(row.kind, row.name, language),
        count(row.claims),
        count(row.changed),
        Shown(row.flip_rate),
        Shown(row.support_shift, sign=True),
        " · ".join(ways),
    )


def on_gold_block(report: ConsultReport, language: Language) -> Block | None:
    """Both sides on the same labelled claims; None without gold."""
    found = report.on_gold
    if found is None:
        return None
    lead = word(
        "consult.on_gold_lead",
        language,
        changed=count(found.changed),
        better=count(found.better),
        worse=count(found.worse),
        p=p_text(found.mcnemar_p),
    )
    names = sorted(found.differences, key=lambda name: name not in GOLD_FIGURES)
    keys = ("figure", "current", "proposed", "difference")
    return Block(
        "on_gold",
        word("consult.on_gold", language),
        lead=(lead,),
        heads=tuple(word(f"consult.{key}", language) for key in keys),
        lines=lines_of(
            (
                word_or_code("figure", name, language),
                Shown(found.current[name], sign=name in _SIGNED),
                Shown(found.proposed[name], sign=name in _SIGNED),
                Shown(found.differences[name], sign=True),
            )
            for name in names
        ),
    )


def gold_flips_block(report: ConsultReport, language: Language) -> Block | None:
    """What gold says of the gold claims that change one way; None where none does."""
    found = report.on_gold
    if found is None or not found.directions:
        return None
    keys = ("direction", "claims", "right_before", "right_after", "right_neither", "slices")
    return Block(
        "gold_flips",
        word("consult.gold_flips", language),
        heads=tuple(word(f"consult.{key}", language) for key in keys),
        lines=tuple(_gold_flip(report, row, language) for row in found.directions),
    )


def _gold_flip(report: ConsultReport, row: GoldFlip, language: Language) -> Line:
    slices = (
        f"{word_or_code('slice', name, language)} {count(n)}" for name, n in row.slices.items()
    )
    cells: tuple[Cell, ...] = (
        arrow(row.was, row.now, language),
        count(row.claims),
        Shown(row.agrees_before),
        Shown(row.agrees_after),
        Shown(row.agrees_neither),
        " · ".join(slices),
    )
    return Line(cells, _examples((row.was, row.now), row.examples, report.gold_texts))
