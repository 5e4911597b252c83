"""What an optimiser comes to, in words and tables, before it is laid out for any medium."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from metajudge.report.consult_block import Block, lines_of
from metajudge.report.figure_text import compact, count
from metajudge.report.inert import one_line
from metajudge.report.results import RankRow
from metajudge.report.search_optimised import OptimisedResults
from metajudge.report.search_ranking import ranking_block
from metajudge.report.translated import translated
from metajudge.report.words import Language, word, word_or_code

INSTRUCTION_CUT = 80
"""Characters of an instruction that a table shows."""


def optimised_blocks(results: OptimisedResults, language: Language) -> dict[str, Block]:
    """The tables of an optimiser's report by name, in their order."""
    blocks = (
        _ranking(results, language),
        _left_out(results, language),
        _refused(results, language),
    )
    return {block.name: block for block in blocks if block.lines}


def optimised_verdict(results: OptimisedResults) -> str:
    """What it comes to, in one code: proposed, nothing_new, undecided."""
    if results.decision.winner is not None:
        return "proposed"
    return "nothing_new" if results.stopped is None else "undecided"


def instructions(results: OptimisedResults, language: Language) -> list[tuple[str, str]]:
    """The instruction at the start and the one proposed, with their headings; [] without one."""
    chosen = next(
        (one for one in results.proposed if one.template == results.decision.winner), None
    )
    if chosen is None:
        return []
    return [
        (word("search.instruction_before", language), results.instruction),
        (word("search.instruction_now", language), chosen.instruction),
    ]


def optimised_facts(results: OptimisedResults, language: Language) -> list[tuple[str, str]]:
    """Gold set, judges, tool and calls: names and texts."""
    gold = results.gold
    tool = word(
        "search.tool_line",
        language,
        tool=results.tool,
        version=results.tool_version,
        rounds=results.rounds,
    )
    divided = word(
        "search.divided_line", language, learned=results.learned_from, chosen=results.chosen_on
    )
    calls = [
        word(
            "search.role_line",
            language,
            role=word_or_code("search.role", role, language),
            asked=count(told.asked),
            stored=count(told.from_store),
        )
        for role, told in results.calls.items()
    ]
    return [
        (word("gold", language), f"{gold.name} {gold.version} · {results.language}"),
        (word("judge", language), results.judge),
        *([(word("search.proposer", language), results.proposer)] if results.proposer else []),
        (word("search.tool", language), tool),
        (word("search.start", language), results.start),
        (word("search.divided", language), divided),
        (word("calls", language), " · ".join(calls)),
    ]


def optimised_notes(results: OptimisedResults, language: Language) -> list[str]:
    """What else there is to know, a sentence each."""
    notes = [translated(note, language) for note in results.notes]
    if results.feedback_used or results.feedback_left_out:
        told, left = (
            _counted(counts, language)
            for counts in (results.feedback_used, results.feedback_left_out)
        )
        notes.append(word("search.feedback_note", language, told=told, left=left))
    if results.mismatches or results.failed_rows:
        notes.append(
            word(
                "search.mismatch_note",
                language,
                n=results.mismatches,
                failed=results.failed_rows,
            )
        )
    if results.shown_contexts:
        notes.append(word("search.shown_note", language, n=len(results.shown_contexts)))
    return notes


def _counted(counts: Mapping[str, int], language: Language) -> str:
    told = (f"{translated(name, language)} {n}" for name, n in counts.items())
    return word("list_comma", language).join(told) or "0"


def _ranking(results: OptimisedResults, language: Language) -> Block:
    start = results.start.partition("@")[0]

    def mark(row: RankRow) -> str:
        return word("search.start_mark", language) if row.trial == start else ""

    return ranking_block(word("search.chosen_ranking", language), results, mark, language)


def _left_out(results: OptimisedResults, language: Language) -> Block:
    """Proposals that make a template and were not measured on the claims that choose."""
    return Block(
        "left_out",
        word("search.left_out_title", language),
        heads=(
            word("search.candidate", language),
            word("search.row_mean", language),
            word("search.instruction", language),
            word("search.why", language),
        ),
        lines=lines_of(
            (
                f"#{one.number} · {one.template}",
                compact(one.row_mean),
                _cut(one.instruction),
                translated(one.left_out or "", language),
            )
            for one in results.proposed
            if one.left_out is not None
        ),
    )


def _refused(results: OptimisedResults, language: Language) -> Block:
    """Proposals that make no template."""
    return Block(
        "refused",
        word("search.refused", language),
        heads=(
            word("search.number", language),
            word("search.instruction", language),
            word("search.why", language),
        ),
        lines=lines_of(
            (f"#{one.number}", _cut(one.instruction), " ".join(_problems(one.problems, language)))
            for one in results.refused
        ),
    )


def _problems(problems: tuple[str, ...], language: Language) -> Iterator[str]:
    for problem in problems:
        _, _, told = problem.partition(": ")  # what it is of is the row
        yield one_line(translated(told or problem, language))


def _cut(text: str) -> str:
    shown = one_line(text)
    return shown if len(shown) <= INSTRUCTION_CUT else f"{shown[: INSTRUCTION_CUT - 1].rstrip()}…"
