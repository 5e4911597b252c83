"""What reports on a terminal are made of: tables without frames, titles, names, the ranking."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from metajudge.report.figure_text import with_interval
from metajudge.report.inert import one_line
from metajudge.report.places import Place
from metajudge.report.ranked import RankedTrial, shown_figures
from metajudge.report.remarks import (
    calls_line,
    decision_sentence,
    gold_line,
    intervals_sentence,
    judges_line,
    level_text,
    undefined_sentences,
)
from metajudge.report.results import Results
from metajudge.report.words import Language, reading_word, word, word_or_code

NARROWEST = 72
FIGURES_SHOWN = 3
INDENT = "  "
"""Before a line that belongs to the one above it."""


def print_whole(report: RenderableType, console: Console) -> None:
    """Prints, what is wider than the terminal too; a `?` stands for what it lacks (B118)."""
    encoding = console.encoding
    if encoding.lower().startswith("utf"):
        console.print(report, crop=False)
        return
    with console.capture() as captured:
        console.print(report, crop=False)
    text = captured.get().encode(encoding, errors="replace").decode(encoding)
    console.file.write(text)


def columns_of(width: int | None) -> int:
    """Columns that a report may take; 80 where the width is unknown."""
    return max(NARROWEST, width or 80)


def plain(text: str, style: str = "") -> Text:
    """A text that others may have written, on one line."""
    return Text(one_line(text), style=style)


def fields(pairs: Sequence[tuple[str, str]]) -> Table:
    """Names and texts in two columns."""
    grid = Table.grid(padding=(0, 1))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, text in pairs:
        grid.add_row(name, plain(text))
    return grid


def table(columns: int) -> Table:
    """An empty table of a width."""
    return Table(
        box=SIMPLE_HEAD,
        show_edge=False,
        padding=(0, 1, 0, 0),
        pad_edge=False,
        collapse_padding=True,
        width=columns,
    )


def filled(
    columns: int,
    heads: Sequence[str],
    lines: Iterable[Sequence[str | Text]],
    *,
    wide: int = 0,
    cut: bool = False,
) -> Table:
    """A table whose column `wide` takes what is left, folded or cut."""
    made = table(columns)
    for place, head in enumerate(heads):
        if place == wide:
            made.add_column(head, overflow="ellipsis" if cut else "fold", no_wrap=cut, ratio=1)
        else:
            made.add_column(head, no_wrap=True)
    for line in lines:
        made.add_row(*(plain(cell) if isinstance(cell, str) else cell for cell in line))
    return made


def title(text: str) -> list[RenderableType]:
    """A heading with an empty line before it."""
    return [Text(""), Text(text, style="bold")]


def dim(*lines: str) -> list[RenderableType]:
    """Sentences under a table."""
    return [plain(line, "dim") for line in lines]


def place_text(place: Place, language: Language) -> Text:
    """Row, the reading where one is meant, and the short name: what may be cut comes last."""
    text = Text(f"#{place.row} " if place.row else "")
    if place.reading is not None:
        text.append(f"{reading_word(place.reading, language, short=True)} ", style="italic")
    return text.append_text(plain(place.head))


def headline(results: Results, language: Language) -> list[RenderableType]:
    """Name, question, gold set, judges and calls."""
    name = plain(results.name, "bold")
    if results.question:
        name.append_text(Text(" · ", style="dim")).append_text(plain(results.question))
    pairs = [
        (word("gold", language), gold_line(results, language)),
        (word("judge", language), judges_line(results)),
        (word("calls", language), calls_line(results, language)),
    ]
    return [name, fields(pairs)]


def decision_panel(results: Results, language: Language) -> Panel:
    """What the sweep comes to."""
    won = results.decision.winner is not None
    return framed(
        decision_sentence(results, language),
        word("winner" if won else "no_safe_winner", language),
        good=won,
    )


def framed(sentence: str, head: str, *, good: bool) -> Panel:
    """A sentence in a frame, green or yellow."""
    return Panel(
        plain(sentence),
        title=head,
        title_align="left",
        border_style="green" if good else "yellow",
        padding=(0, 1),
    )


def ranking(
    results: Results, rows: Sequence[RankedTrial], language: Language, columns: int, tail: str
) -> Table:
    """Every row with its first figures."""
    names = shown_figures(results)[:FIGURES_SHOWN]
    several = len({row.reading for row in rows}) > 1
    made = table(columns)
    made.add_column("#", justify="right", style="dim", no_wrap=True)
    made.add_column(word("rank", language), no_wrap=True)
    reading = f" · {word('reading', language)}" if several else ""
    made.add_column(word("trial", language) + reading, overflow="fold", ratio=1)
    for name in names:
        made.add_column(word_or_code("figure", name, language), no_wrap=True)
    for row in rows:
        trial = plain(row.trial.removesuffix(tail))
        if several:
            trial.append(f" · {reading_word(row.reading, language, short=True)}", style="italic")
        made.add_row(
            str(row.row),
            f"{row.rank_text}{'✗' if row.broken else ''}",
            trial,
            *(with_interval(row.figure(name)) for name in names),
            style=_row_style(results, row),
        )
    return made


def _row_style(results: Results, row: RankedTrial) -> str:
    decision = results.decision
    if row.trial == decision.winner and decision.reading in (None, row.reading):
        return "bold green"
    return "" if row.safe else "dim"


def ranking_notes(
    results: Results, rows: Sequence[RankedTrial], language: Language, tail: str
) -> list[RenderableType]:
    """How to read the ranking, and what of it is undefined."""
    lines = [intervals_sentence(results, language)]
    if any(row.tied for row in rows):
        lines.append(word("tie_note", language, level=level_text(results)))
    if tail:
        lines.append(word("names_end", language, tail=tail.strip()))
    lines.extend(undefined_sentences(results, rows, language, shown=True))
    return dim(*lines)
