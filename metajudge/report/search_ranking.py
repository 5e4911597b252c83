"""A ranking of candidates as a table, whoever proposed them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from metajudge.report.consult_block import Block, Cell, Line, Shown
from metajudge.report.part import Figure
from metajudge.report.results import RankRow
from metajudge.report.search_optimised import OptimisedResults
from metajudge.report.search_results import SearchResults
from metajudge.report.words import Language, reading_word, word, word_or_code

BESIDE = ("over_credit", "kappa")
"""Figures beside the target."""
NONE = Figure(value=None, n=0, reason="not computed")


def figure_names(target: str) -> tuple[str, ...]:
    """Figures of the table, the target first."""
    return tuple(dict.fromkeys((target, *BESIDE)))


def candidate_name(trial: str, reading: str, language: Language) -> str:
    """A trial under a reading, as tables name it."""
    return f"{trial} · {reading_word(reading, language, short=True)}"


def guardrail_words(names: Sequence[str], language: Language) -> str:
    """Some guardrails in words."""
    told = (word_or_code("guardrail", name, language) for name in names)
    return word("list_comma", language).join(told)


def ranking_block(
    title: str,
    results: SearchResults | OptimisedResults,
    mark: Callable[[RankRow], str],
    language: Language,
) -> Block:
    """The rows in their order, with figures and the guardrails that they break.

    Args:
        title: Of the part.
        results: The ranking, and the figures of its rows.
        mark: What stands in brackets behind a name; "" for nothing.
        language: Of all words.
    """
    names = figure_names(results.target)

    def line(row: RankRow) -> Line:
        found = results.figures[f"{row.trial} ({row.reading})"]
        name = f"{row.rank}. {candidate_name(row.trial, row.reading, language)}"
        broken = guardrail_words([one.guardrail for one in row.broken], language)
        cells: tuple[Cell, ...] = (
            f"{name} ({mark(row)})" if mark(row) else name,
            *(Shown(found.get(figure, NONE)) for figure in names),
            broken or word("search.kept", language),
        )
        return Line(cells, state="kept" if row.safe else "broken")

    return Block(
        "ranking",
        title,
        heads=(
            word("search.candidate", language),
            *(word_or_code("figure", name, language) for name in names),
            word("search.guardrails", language),
        ),
        lines=tuple(map(line, results.ranking)),
    )
