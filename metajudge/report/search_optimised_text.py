"""An optimiser's run on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.text import Text

from metajudge.report.consult_block import Block, Line, Shown
from metajudge.report.consult_text import laid_out
from metajudge.report.figure_text import count
from metajudge.report.inert import one_line, visible
from metajudge.report.part import Figure
from metajudge.report.search_blocks import SHOWN
from metajudge.report.search_optimised import OptimisedResults
from metajudge.report.terminal_parts import dim, fields, framed, plain, print_whole, title
from metajudge.report.words import Language, reading_word, word, word_or_code

MOST_REFUSED = 3
_NONE = Figure(value=None, n=0, reason="not computed")


def print_optimised(results: OptimisedResults, console: Console, language: Language = "en") -> None:
    """Prints the report of an optimiser's run."""
    print_whole(render_optimised(results, language, console.width), console)


def render_optimised(
    results: OptimisedResults, language: Language = "en", width: int | None = None
) -> RenderableType:
    """The report as something Rich prints; `width` in columns, None for 80."""
    decision = results.decision
    won = decision.winner is not None
    nothing = "search.nothing_new" if results.stopped is None else "search.undecided"
    return Group(
        plain(f"{word('search.optimise_title', language)} · {results.name}", "bold"),
        fields(_facts(results, language)),
        framed(
            decision.sentence_zh if language == "zh" else decision.sentence,
            word("search.proposed" if won else nothing, language),
            good=won,
        ),
        *_ranking(results, language, width or 80),
        *_instructions(results, language),
        *_refused(results, language),
        *_notes(results, language),
    )


def _facts(results: OptimisedResults, language: Language) -> list[tuple[str, str]]:
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
            role=role,
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


def _ranking(
    results: OptimisedResults, language: Language, columns: int
) -> Iterator[RenderableType]:
    if not results.ranking:
        return
    names = tuple(dict.fromkeys((results.target, *SHOWN)))
    start = results.start.partition("@")[0]
    lines = []
    for row in results.ranking:
        figures = results.figures[f"{row.trial} ({row.reading})"]
        mark = f" ({word('search.start_mark', language)})" if row.trial == start else ""
        broken = word("list_comma", language).join(
            word_or_code("guardrail", one.guardrail, language) for one in row.broken
        )
        lines.append(
            Line(
                (
                    f"{row.rank}. {row.trial} · "
                    f"{reading_word(row.reading, language, short=True)}{mark}",
                    *(Shown(figures.get(name, _NONE)) for name in names),
                    broken or word("search.kept", language),
                ),
                state="kept" if row.safe else "broken",
            )
        )
    heads = (
        word("search.candidate", language),
        *(word_or_code("figure", name, language) for name in names),
        word("search.guardrails", language),
    )
    block = Block("ranking", word("search.chosen_ranking", language), (), heads, tuple(lines))
    yield from title(block.title)
    yield from laid_out(block.heads, block.lines, columns)
    yield from dim(*block.under(language))


def _instructions(results: OptimisedResults, language: Language) -> Iterator[RenderableType]:
    chosen = next(
        (one for one in results.proposed if one.template == results.decision.winner), None
    )
    if chosen is None:
        return
    for key, text in (("before", results.instruction), ("now", chosen.instruction)):
        yield from title(word(f"search.instruction_{key}", language))
        for line in text.splitlines():
            yield Text(visible(line))


def _refused(results: OptimisedResults, language: Language) -> Iterator[RenderableType]:
    if not results.refused:
        return
    yield from title(f"{word('search.refused', language)}: {len(results.refused)}")
    yield fields(
        [
            (f"{one.number}", one_line("; ".join(one.problems)))
            for one in results.refused[:MOST_REFUSED]
        ]
    )


def _notes(results: OptimisedResults, language: Language) -> Iterator[RenderableType]:
    notes = [*results.notes]
    if results.feedback_used or results.feedback_left_out:
        told, left = (
            ", ".join(f"{name} {n}" for name, n in counts.items()) or "0"
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
    if notes:
        yield from title(word("search.notes", language))
        yield fields([("·", note) for note in notes])
