"""Scores, pass rate, support rate and threshold before and after, and where the shift is from."""

from __future__ import annotations

from collections.abc import Iterator

from metajudge.report.consult_block import Block, Cell, Line, Shown, lines_of
from metajudge.report.consult_decision import scored_by, threshold_text
from metajudge.report.consult_results import (
    ConsultReport,
    FlippedAnswer,
    MatchedThreshold,
    PartPath,
    PartStep,
    RepeatNoise,
    SideScores,
)
from metajudge.report.figure import rounded
from metajudge.report.figure_text import brackets, compact, count
from metajudge.report.part import Figure
from metajudge.report.words import Language, word, word_or_code

MEASURES = ("mean_score", "pass_rate", "support_rate")
"""What is taken apart."""
_DECILES = (1, 5, 9)


def scores_block(report: ConsultReport, language: Language) -> Block:
    """Mean score, pass rate and spread of both sides."""
    found = report.scores
    was, now = found.current, found.proposed
    spread = word("consult.spread", language)
    lead = word(
        "consult.scores_lead",
        language,
        was=scored_by(was.policy, was.threshold, language),
        now=scored_by(now.policy, now.threshold, language),
    )
    heads = tuple(word(f"consult.{key}", language) for key in ("current", "proposed", "shift"))
    rows: list[tuple[Cell, ...]] = [
        (
            word("consult.mean_score", language),
            Shown(was.mean),
            Shown(now.mean),
            Shown(found.mean_shift, sign=True),
        ),
        (
            word("consult.pass_rate", language),
            Shown(was.pass_rate),
            Shown(now.pass_rate),
            Shown(found.pass_rate_shift, sign=True),
        ),
        (spread, _spread(was), _spread(now), ""),
    ]
    return Block(
        "scores",
        word("consult.scores", language),
        lead=(lead,),
        heads=("", *heads),
        lines=lines_of(rows),
        notes=(_passing(report, language), *_without_score(report, language)),
    )


def _spread(side: SideScores) -> str:
    known = [side.deciles[place] for place in _DECILES if place < len(side.deciles)]
    return " · ".join(map(compact, known))


def _passing(report: ConsultReport, language: Language) -> str:
    found = report.scores
    return word(
        "consult.passing_changes",
        language,
        fail=count(found.to_fail),
        pass_=count(found.to_pass),
        of=count(found.answers),
    )


def _without_score(report: ConsultReport, language: Language) -> Iterator[str]:
    for key in ("current", "proposed"):
        side: SideScores = getattr(report.scores, key)
        if side.undefined:
            why = word("list_comma", language).join(
                f"{name} {count(n)}" for name, n in side.undefined.items()
            )
            n = count(sum(side.undefined.values()))
            who = word(f"consult.{key}", language)
            yield word("consult.no_score", language, side=who, n=n, why=why)


def languages_block(report: ConsultReport, language: Language) -> Block | None:
    """The shift in each language; None where the sample has only one."""
    found = report.scores.languages
    if not found:
        return None
    keys = ("language", "answers", "mean_score", "pass_rate")
    return Block(
        "languages",
        word("consult.languages", language),
        heads=tuple(word(f"consult.{key}", language) for key in keys),
        lines=lines_of(
            (
                word_or_code("language", name, language),
                count(row.answers),
                Shown(row.mean_shift, sign=True),
                Shown(row.pass_rate_shift, sign=True),
            )
            for name, row in found.items()
        ),
    )


def answers_block(report: ConsultReport, language: Language) -> Block:
    """Answers that pass under one side only."""
    found = report.scores
    title = word("consult.flipped", language, n=count(len(found.flipped)))
    if not found.flipped:
        none = word("consult.no_flipped", language, n=count(found.answers))
        return Block("answers", title, lead=(none,))
    keys = ("answer", "current", "proposed", "outcome")
    return Block(
        "answers",
        title,
        heads=tuple(word(f"consult.{key}", language) for key in keys),
        lines=lines_of(_answer(row, language) for row in found.flipped),
    )


def _answer(row: FlippedAnswer, language: Language) -> tuple[Cell, ...]:
    way = "fail_to_pass" if row.passed_now else "pass_to_fail"
    return (
        row.answer_id,
        compact(row.score_was),
        compact(row.score_now),
        word(f"consult.{way}", language),
    )


def parts_block(report: ConsultReport, language: Language) -> Block:
    """What part of the shift is policy, threshold, template and judge."""
    title, found = word("consult.parts", language), report.parts
    missing = [word("consult.not_asked_note", language, what=what) for what in found.not_asked]
    if found.total is None:
        nothing = word("consult.nothing_differs", language)
        return Block("parts", title, lead=(nothing,), notes=tuple(missing))
    lead = word("consult.parts_lead", language, n=count(found.answers))
    if len(found.parts) == 1:
        only = word(f"consult.part.{found.parts[0].part}", language)
        lead = word("consult.parts_one", language, part=only)
    rows = [_step(row, word(f"consult.part.{row.part}", language), language) for row in found.parts]
    rows.append(_step(found.total, word("consult.total", language), language))
    return Block(
        "parts",
        title,
        lead=(lead,),
        heads=tuple(word(f"consult.{key}", language) for key in ("part", *MEASURES)),
        lines=lines_of(rows),
        notes=tuple(missing),
    )


def _step(row: PartStep, name: str, language: Language) -> tuple[Cell, ...]:
    return (name, *(_change(getattr(row, measure), language) for measure in MEASURES))


def _change(figure: Figure | None, language: Language) -> Cell:
    if figure is None:
        return word("consult.not_asked", language)
    return Shown(figure, sign=True)


def paths_block(report: ConsultReport, language: Language) -> Block | None:
    """The steps of each order by itself; None where only one part differs."""
    found = report.parts
    paths = [path for path in (found.forward, found.backward) if path is not None]
    if len(found.parts) < 2 or not paths:
        return None
    return Block(
        "paths",
        word("consult.paths", language),
        heads=tuple(word(f"consult.{key}", language) for key in ("path", *MEASURES)),
        lines=tuple(line for path in paths for line in _path(path, language)),
    )


def _path(path: PartPath, language: Language) -> Iterator[Line]:
    for place, row in enumerate(path.steps, start=1):
        name = f"{place} {word(f'consult.part.{row.part}', language)}"
        yield Line(_step(row, name, language))


def error_block(report: ConsultReport, language: Language) -> Block:
    """The support rate as called and corrected for the judges' errors."""
    title, found = word("consult.error", language), report.error
    if found is None:
        return Block("error", title, lead=(word("consult.error_no_gold", language),))
    was, now = found.current, found.proposed
    values = (compact(was.singular_value), compact(now.singular_value))
    heads = tuple(word(f"consult.{key}", language) for key in ("current", "proposed", "shift"))
    rows: list[tuple[Cell, ...]] = [
        (
            word("consult.support_raw", language),
            Shown(was.raw),
            Shown(now.raw),
            Shown(found.raw_shift, sign=True),
        ),
        (
            word("consult.support_corrected", language),
            Shown(was.corrected),
            Shown(now.corrected),
            Shown(found.corrected_shift, sign=True),
        ),
        (word("consult.error_shift", language), "", "", Shown(found.error_shift, sign=True)),
    ]
    return Block(
        "error",
        title,
        lead=(word("consult.error_lead", language),),
        heads=(word("consult.support_rate", language), *heads),
        lines=lines_of(rows),
        fine=(word("consult.singular", language, was=values[0], now=values[1]),),
        sides=heads[:2],
    )


def thresholds_block(report: ConsultReport, language: Language) -> Block:
    """Thresholds that keep the pass rate and the false-pass rate of today."""
    found = report.thresholds
    keys = ("keeps", "today", "at_own", "threshold_to_use", "at_threshold")
    rows = (found.pass_rate, found.false_pass_rate)
    own = [
        word(f"consult.keeps.{row.keeps}", language)
        for row in rows
        if row.threshold.value == rounded(found.proposed)
    ]
    notes = [word("consult.false_pass_note", language)]
    if own:
        who = word("list_comma", language).join(own)
        at = threshold_text(found.proposed)
        notes.insert(0, word("consult.own_is_nearest", language, who=who, threshold=at))
    return Block(
        "thresholds",
        word("consult.thresholds", language),
        lead=(word("consult.thresholds_lead", language),),
        heads=tuple(word(f"consult.{key}", language) for key in keys),
        lines=lines_of(_matched(row, language) for row in rows),
        notes=tuple(notes),
    )


def _matched(row: MatchedThreshold, language: Language) -> tuple[Cell, ...]:
    at = row.threshold
    threshold: Cell = Shown(at)
    if at.value is not None:
        threshold = f"{threshold_text(at.value)} {brackets(at)}".rstrip()
    return (
        word(f"consult.keeps.{row.keeps}", language),
        Shown(row.wanted),
        Shown(row.at_own),
        threshold,
        Shown(row.obtained),
    )


def repeats_block(report: ConsultReport, language: Language) -> Block:
    """Flips of repeats beside flips between the sides."""
    title, found = word("consult.repeats", language), report.repeats
    if not found.measured:
        return Block("repeats", title, lead=(word("consult.repeats_once", language),))
    sides = (found.current, found.proposed, found.between)
    heads = tuple(word(f"consult.{key}", language) for key in ("current", "proposed", "between"))
    rows: list[tuple[Cell, ...]] = [
        (word(f"consult.{key}", language), *(_noise(side, name, language) for side in sides))
        for key, name in (("verdict_flips", "flip_rate"), ("pass_flips", "pass_flip_rate"))
    ]
    if found.beyond is not None:
        rows.append((word("consult.beyond", language), "", "", Shown(found.beyond, sign=True)))
    return Block(
        "repeats",
        title,
        lead=(word("consult.repeats_lead", language, n=found.repeats),),
        heads=("", *heads),
        lines=lines_of(rows),
    )


def _noise(side: RepeatNoise | None, name: str, language: Language) -> Cell:
    if side is None:
        return word("not_computed", language)
    return Shown(getattr(side, name))
