"""What a search or a race comes to, in tables, before it is laid out for any medium."""

from __future__ import annotations

from collections.abc import Iterator

from metajudge.report.consult_block import Block, Line, Shown, lines_of
from metajudge.report.figure_text import UNDEFINED, compact, count
from metajudge.report.results import RankRow
from metajudge.report.search_axis import axis_word, setting_line, value_word
from metajudge.report.search_ranking import (
    NONE,
    candidate_name,
    figure_names,
    guardrail_words,
    ranking_block,
)
from metajudge.report.search_results import (
    Candidate,
    RaceResults,
    RaceSummary,
    SearchResults,
    StudyTrial,
)
from metajudge.report.translated import translated
from metajudge.report.words import Language, word, word_or_code


def search_blocks(results: SearchResults, language: Language) -> dict[str, Block]:
    """The parts of a search's report by name, in their order."""
    blocks = (
        _ranking(results, language),
        _changes(results, language),
        _importance(results, language),
        _races(results, language),
        _trials(results, language),
    )
    return {block.name: block for block in blocks if block is not None}


def race_blocks(results: RaceResults, language: Language) -> dict[str, Block]:
    """The parts of a race's report by name."""
    names = figure_names(results.target)
    block = Block(
        "candidates",
        word("search.candidates_title", language),
        heads=(
            word("search.candidate", language),
            *(word_or_code("figure", name, language) for name in names),
            word("search.claims_asked", language),
            word("search.ended_how", language),
        ),
        lines=tuple(
            Line(
                (
                    candidate_name(one.trial, one.reading, language),
                    *(Shown(one.figures.get(name, NONE)) for name in names),
                    count(one.claims),
                    ending(one, results.claims, language, finished=results.race is not None),
                ),
                state=_state(one),
            )
            for one in results.candidates
        ),
        notes=(word("search.chance_note", language),),
    )
    return {block.name: block}


def _state(one: Candidate) -> str:
    stopped = one.stopped is not None and one.stopped.why.startswith("guardrail")
    return "broken" if one.broken or stopped else ""


def ending(one: Candidate, claims: int, language: Language, *, finished: bool = True) -> str:
    """Why a candidate was asked about so many claims and no more."""
    if one.stopped is not None:
        kind, _, name = one.stopped.why.partition(" ")
        named = word_or_code("guardrail", name, language)
        return word(f"search.stop.{kind}", language, name=named, by=one.stopped.by or "")
    if one.broken:
        return word("search.stop.breaks", language, names=guardrail_words(one.broken, language))
    short = "race_over" if finished else "unfinished"
    return word(f"search.stop.{'whole' if one.claims >= claims else short}", language)


def _ranking(results: SearchResults, language: Language) -> Block:
    title = word("search.ranking", language)
    if not results.ranking:
        return Block("ranking", title, lead=(word("search.ranking_none", language),))
    made = _numbers(results)

    def mark(row: RankRow) -> str:
        number = made.get((row.trial, row.reading))
        if number is None:
            return word("search.declared_mark", language)
        return word("search.found_mark", language, n=number)

    return ranking_block(title, results, mark, language)


def _numbers(results: SearchResults) -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    for trial in results.trials:
        if trial.candidate is not None:
            key = trial.candidate.trial, trial.candidate.reading
            found.setdefault(key, trial.number)
    return found


def _changes(results: SearchResults, language: Language) -> Block | None:
    proposal = results.proposal
    if proposal is None:
        return None
    title = word("search.changes", language, base=proposal.base)
    if not proposal.changes:
        return Block("changes", title, lead=(word("search.changes_none", language),))
    return Block(
        "changes",
        title,
        heads=(word("search.part", language), word("search.now", language)),
        lines=lines_of(
            (
                axis_word(results, change.axis, language),
                word("search.left_out", language, text=change.text or "")
                if change.taken_out
                else change.text or value_word(results, change.axis, change.value, language),
            )
            for change in proposal.changes
        ),
    )


def objective_word(name: str, language: Language) -> str:
    """An objective in words."""
    kind = "search.cost" if name in ("calls", "tokens") else "figure"
    return word_or_code(kind, name, language)


def _importance(results: SearchResults, language: Language) -> Block:
    known = {name: shares for name, shares in results.importance.items() if shares}
    most = {
        axis: max(s.get(axis, 0.0) for s in known.values()) for s in known.values() for axis in s
    }
    axes = sorted(most, key=lambda axis: (-most[axis], axis))
    return Block(
        "importance",
        word("search.importance", language),
        lead=(word("search.importance_lead", language),),
        heads=(
            (word("search.part", language), *(objective_word(name, language) for name in known))
            if axes
            else ()
        ),
        lines=lines_of(
            (
                axis_word(results, axis, language),
                *(f"{shares.get(axis, 0.0):.0%}" for shares in known.values()),
            )
            for axis in axes
        ),
        notes=tuple(
            word(
                "search.importance_none",
                language,
                name=objective_word(name, language),
                reason=translated(reason, language),
            )
            for name, reason in results.no_importance.items()
        ),
    )


def _races(results: SearchResults, language: Language) -> Block:
    notes = [word("search.otherwise_note", language)]
    if results.chance_otherwise is not None:
        chance = f"{results.chance_otherwise:.1%}"
        notes.append(word("search.chance_sum", language, chance=chance))
    return Block(
        "races",
        word("search.races", language),
        heads=tuple(
            word(f"search.{key}", language)
            for key in ("race", "candidates", "first_of", "calls_of", "calls_full", "otherwise")
        ),
        lines=lines_of(_race_cells(race, language) for race in results.races),
        notes=tuple(notes),
    )


def _race_cells(race: RaceSummary, language: Language) -> tuple[str, ...]:
    numbers = race.trials
    named = f"{numbers[0]}–{numbers[-1]}" if numbers else ""
    return (
        word("search.race_settings", language, numbers=named)
        if numbers
        else word("search.race_declared", language),
        count(race.candidates),
        race.first or word("search.nobody", language),
        count(race.calls),
        count(race.calls_full),
        f"{race.chance_otherwise:.1%}",
    )


def _trials(results: SearchResults, language: Language) -> Block:
    names = tuple(results.study.objectives)
    claims = results.gold.claims
    return Block(
        "trials",
        word("search.trials", language),
        heads=(
            word("search.number", language),
            *(objective_word(name, language) for name in names),
            word("search.claims_asked", language),
            word("search.setting", language),
            word("search.ended_how", language),
        ),
        lines=tuple(
            Line(
                (
                    f"#{trial.number}",
                    *(_value(trial, name) for name in names),
                    UNDEFINED if trial.candidate is None else count(trial.candidate.claims),
                    setting_line(trial.setting),
                    "; ".join(_trial_ending(trial, claims, language)),
                ),
                state="" if trial.candidate is None else _state(trial.candidate),
            )
            for trial in results.trials
        ),
    )


def _value(trial: StudyTrial, name: str) -> str:
    value = trial.values.get(name)
    if value is None or name not in ("tokens",):
        return compact(value)
    return count(round(value))


def _trial_ending(trial: StudyTrial, claims: int, language: Language) -> Iterator[str]:
    if trial.state != "told":
        reason = translated(trial.reason or "", language)
        yield word(f"search.state.{trial.state}", language, reason=reason)
    if trial.candidate is not None:
        yield ending(trial.candidate, claims, language)
    if trial.on_front:
        yield word("search.on_front", language)
