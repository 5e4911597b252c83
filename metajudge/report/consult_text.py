"""A consultation on a terminal: the decision first, one to two screens, readable at 40 columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from metajudge.report.consult_block import (
    Block,
    Example,
    Line,
    arrow,
    cell_text,
    cut_to,
    warning_lines,
)
from metajudge.report.consult_blocks import consult_blocks
from metajudge.report.consult_decision import (
    GOOD,
    about,
    decision_sentence,
    decision_word,
    intervals_line,
    note_lines,
    unanswered_lines,
)
from metajudge.report.consult_results import ConsultReport
from metajudge.report.inert import one_line
from metajudge.report.terminal_parts import dim, fields, framed, plain, print_whole, table, title
from metajudge.report.words import Language, word

LEFT_OUT = ("languages", "paths", "gold_flips")
"""Parts that only the other media have."""
ROWS: Mapping[str, int] = {"flips": 5, "groups": 5, "on_gold": 4, "answers": 3}
"""Most rows of a table."""
COLUMNS: Mapping[str, int] = {"groups": 5}
"""Most columns of a table."""
EXAMPLES = 2
DIRECTIONS = 3
"""Directions with examples."""
FIRST = 16
"""Least cells of the first column; where a table leaves it less, its rows become lists."""
WIDEST = 26
_STYLES = {"broken": "bold red", "open": "yellow", "kept": "green"}


def print_consult(report: ConsultReport, console: Console, language: Language = "en") -> None:
    """Prints the report; on a terminal that lacks a character a `?` stands for it (B118)."""
    print_whole(render_consult(report, language, console.width), console)


def render_consult(
    report: ConsultReport, language: Language = "en", width: int | None = None
) -> RenderableType:
    """The report as something Rich prints.

    Args:
        report: A consultation.
        language: Of the texts.
        width: Columns that there are; None for 80.
    """
    columns, blocks = width or 80, consult_blocks(report, language)
    shown = [block for name, block in blocks.items() if name not in LEFT_OUT]
    return Group(
        plain(word("consult.title", language), "bold"),
        fields(about(report, language)),
        framed(
            decision_sentence(report, language),
            decision_word(report, language),
            good=report.rule.decision in GOOD,
        ),
        *(part for block in shown for part in _block(block, language, columns)),
        *_notes(report, shown, language),
    )


def _block(block: Block, language: Language, columns: int) -> Iterator[RenderableType]:
    yield from laid_out_block(block, language, columns, ROWS, COLUMNS)
    yield from _examples(block.lines[: ROWS.get(block.name)], language)


def laid_out_block(
    block: Block,
    language: Language,
    columns: int,
    rows: Mapping[str, int],
    cells: Mapping[str, int] | None = None,
) -> Iterator[RenderableType]:
    """A part of a report on a terminal, long tables cut.

    Args:
        block: The part.
        language: Of the texts.
        columns: Columns that there are.
        rows: Most rows of a table by the name of its part; others are whole.
        cells: Most columns of a table, likewise.
    """
    most = rows.get(block.name, len(block.lines))
    shown, left = cut_to(block, most, (cells or {}).get(block.name))
    yield from title(shown.title)
    yield from map(plain, shown.lead)
    if shown.lines:
        yield from laid_out(shown.heads, shown.lines, columns)
    if left:
        yield from dim(f"… {word('consult.more_rows', language, n=left)}")
    yield from dim(*shown.under(language))


def laid_out(heads: Sequence[str], lines: Sequence[Line], columns: int) -> Iterator[RenderableType]:
    """A table, or, where it is too wide, a list of what each row holds."""
    texts = [[one_line(cell_text(cell)) for cell in line.cells] for line in lines]
    widths = [
        min(WIDEST, max((*map(cell_len, head.split()), *(cell_len(row[k]) for row in texts))))
        for k, head in enumerate(heads)
    ]
    if FIRST + sum(widths[1:]) + len(widths) > columns:
        yield from _listed(heads, texts)
        return
    made = table(columns)
    made.add_column(heads[0], overflow="fold", ratio=1)
    for head, width in zip(heads[1:], widths[1:], strict=True):
        made.add_column(head, overflow="fold", min_width=width, max_width=width)
    for line, row in zip(lines, texts, strict=True):
        made.add_row(*map(Text, row), style=_STYLES.get(line.state, ""))
    yield made


def _listed(heads: Sequence[str], texts: Sequence[Sequence[str]]) -> Iterator[RenderableType]:
    for row in texts:
        yield Text(row[0], style="bold")
        made = Table.grid(padding=(0, 1))
        made.add_column(style="dim", overflow="fold", max_width=FIRST)
        made.add_column(overflow="fold")
        for head, cell in zip(heads[1:], row[1:], strict=True):
            if cell:
                made.add_row(Text(f"  {head}"), Text(cell))
        yield made


def _examples(lines: Sequence[Line], language: Language) -> Iterator[RenderableType]:
    shown = [line for line in lines if line.examples][:DIRECTIONS]
    if not shown:
        return
    ways = [arrow(line.examples[0].was, line.examples[0].now, language) for line in shown]
    wide = max(map(cell_len, ways))
    yield Text("")
    for line, way in zip(shown, ways, strict=True):
        for place, example in enumerate(line.examples[:EXAMPLES]):
            head = "" if place else way
            text = Text(head + " " * (wide - cell_len(head) + 1), no_wrap=True, overflow="ellipsis")
            yield text.append(one_line(_said(example, language)))


def _said(example: Example, language: Language) -> str:
    shown = example.shown
    if shown is None:
        return f"{example.claim_id}: {word('consult.no_text', language)}"
    return f"{shown.claim} ({example.claim_id})"


def _notes(
    report: ConsultReport, blocks: Sequence[Block], language: Language
) -> Iterator[RenderableType]:
    warnings = (*unanswered_lines(report, language), *warning_lines(blocks, language))
    yield Text("")
    for key, texts in (("warnings", warnings), ("consult.notes", note_lines(report, language))):
        if texts:
            yield Text(word(key, language), style="bold")
            yield fields([("·", text) for text in texts])
    yield from dim(intervals_line(report, language))
