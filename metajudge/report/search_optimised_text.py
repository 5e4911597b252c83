"""An optimiser's run on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.text import Text

from metajudge.report.consult_text import laid_out_block
from metajudge.report.inert import visible
from metajudge.report.search_optimised import OptimisedResults
from metajudge.report.search_optimised_blocks import (
    instructions,
    optimised_blocks,
    optimised_facts,
    optimised_notes,
    optimised_verdict,
)
from metajudge.report.search_text import ROWS, laid_out_notes, sentence
from metajudge.report.terminal_parts import fields, framed, plain, print_whole, title
from metajudge.report.words import Language, word


def print_optimised(results: OptimisedResults, console: Console, language: Language = "en") -> None:
    """Prints the report of an optimiser's run."""
    print_whole(render_optimised(results, language, console.width), console)


def render_optimised(
    results: OptimisedResults, language: Language = "en", width: int | None = None
) -> RenderableType:
    """The report as something Rich prints; `width` in columns, None for 80."""
    blocks = optimised_blocks(results, language)
    first, columns = blocks.pop("ranking", None), width or 80
    return Group(
        plain(f"{word('search.optimise_title', language)} · {results.name}", "bold"),
        fields(optimised_facts(results, language)),
        framed(
            sentence(results, language),
            word(f"search.{optimised_verdict(results)}", language),
            good=results.decision.winner is not None,
        ),
        *(() if first is None else laid_out_block(first, language, columns, ROWS)),
        *_instructions(results, language),
        *(
            part
            for block in blocks.values()
            for part in laid_out_block(block, language, columns, ROWS)
        ),
        *laid_out_notes(optimised_notes(results, language), language),
    )


def _instructions(results: OptimisedResults, language: Language) -> Iterator[RenderableType]:
    for heading, text in instructions(results, language):
        yield from title(heading)
        for line in text.splitlines():
            yield Text(visible(line))
