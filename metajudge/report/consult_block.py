"""What one part of a consultation's report shows, before it is laid out for any medium."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from metajudge.report.consult_results import ShownClaim
from metajudge.report.figure_text import UNDEFINED, with_interval
from metajudge.report.part import Figure, VerdictCode
from metajudge.report.remarks import few_clusters
from metajudge.report.translated import translated
from metajudge.report.words import Language, verdict_word, word


class Shown(NamedTuple):
    """A figure in a cell; it is shown with its interval, and its reason where it is undefined.

    Attributes:
        figure: The figure.
        sign: Whether it is a difference.
        before: What stands in front of it.
    """

    figure: Figure
    sign: bool = False
    before: str = ""

    @property
    def text(self) -> str:
        """As tables have it."""
        return self.before + with_interval(self.figure, sign=self.sign)


Cell: TypeAlias = str | Shown


class Example(NamedTuple):
    """A claim whose verdict changes; `shown` is None where the report lacks its text."""

    claim_id: str
    was: VerdictCode
    now: VerdictCode
    shown: ShownClaim | None


class Line(NamedTuple):
    """A row of a table.

    Attributes:
        cells: As many as the table has heads.
        examples: Claims that the row counts.
        state: Of a criterion, for its colour; "" for other rows.
    """

    cells: tuple[Cell, ...]
    examples: tuple[Example, ...] = ()
    state: str = ""


class Block(NamedTuple):
    """A part of the report.

    Attributes:
        name: Its anchor, the same in every language.
        title: Its heading.
        lead: Sentences above the table.
        heads: Of the columns; none without a table.
        lines: The table.
        notes: Sentences under the table, beside those on undefined figures.
        fine: Sentences that a terminal has no room for.
        sides: Heads of columns by which an undefined figure is named too.
    """

    name: str
    title: str
    lead: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    lines: tuple[Line, ...] = ()
    notes: tuple[str, ...] = ()
    fine: tuple[str, ...] = ()
    sides: tuple[str, ...] = ()

    def under(self, language: Language) -> tuple[str, ...]:
        """What stands under the table: notes, and why figures are undefined."""
        return (*self.notes, *undefined_lines(self, language))


def cell_text(cell: Cell) -> str:
    """A cell as plain text."""
    return cell.text if isinstance(cell, Shown) else cell


def arrow(was: VerdictCode, now: VerdictCode, language: Language) -> str:
    """A direction, `idk → yes`."""
    return f"{verdict_word(was, language)} → {verdict_word(now, language)}"


def undefined_lines(block: Block, language: Language) -> tuple[str, ...]:
    """Why figures of a table, or their intervals, are undefined; one line a reason."""
    rows: dict[tuple[str, str], dict[str, list[str]]] = {}
    for line in block.lines:
        name = cell_text(line.cells[0])
        for head, cell in zip(block.heads, line.cells, strict=True):
            if isinstance(cell, Shown) and (cell.figure.reason or cell.figure.value is None):
                key = "consult.undefined" if cell.figure.value is None else "consult.unsure"
                why = cell.figure.reason or word("not_computed", language)
                rows.setdefault((key, why), {}).setdefault(name, []).append(head)
    comma = word("list_comma", language)
    return tuple(
        word(
            key,
            language,
            who=comma.join(_named(block, name, heads, language) for name, heads in names.items()),
            why=translated(why, language),
        )
        for (key, why), names in rows.items()
    )


def _named(block: Block, name: str, heads: Sequence[str], language: Language) -> str:
    sides = [head for head in heads if head in block.sides]
    if not sides:
        return name
    columns = word("list_comma", language).join(sides)
    return word("consult.of_columns", language, who=name, columns=columns)


def warning_lines(blocks: Iterable[Block], language: Language) -> tuple[str, ...]:
    """Warnings that figures carry: few contexts in one line, others with the parts they are in."""
    found: dict[str, list[str]] = {}
    few: list[tuple[int, int]] = []
    for block in blocks:
        for cell in (cell for line in block.lines for cell in line.cells):
            if isinstance(cell, Shown) and cell.figure.warning:
                counted = few_clusters(cell.figure.warning)
                if counted is None:
                    found.setdefault(cell.figure.warning, []).append(block.title)
                else:
                    few.append(counted)
    comma = word("list_comma", language)
    others = (
        word("consult.warned", language, who=comma.join(dict.fromkeys(titles)), warning=warning)
        for warning, titles in found.items()
    )
    return (*([_few_contexts(few, language)] if few else ()), *others)


def _few_contexts(few: Sequence[tuple[int, int]], language: Language) -> str:
    """That contexts are few, with the range of their counts.

    Args:
        few: How many each figure has, and how many it should have at least.
        language: Of the line.
    """
    counts, least = [n for n, _ in few], max(least for _, least in few)
    low, high = min(counts), max(counts)
    n = str(low) if low == high else word("consult.range", language, low=low, high=high)
    return word("consult.few_contexts", language, n=n, least=least)


def cut_to(block: Block, rows: int, columns: int | None = None) -> tuple[Block, int]:
    """A part with only its first rows and columns, and how many rows that leaves out."""
    lines = tuple(line._replace(cells=line.cells[:columns]) for line in block.lines[:rows])
    left = len(block.lines) - len(lines)
    return block._replace(heads=block.heads[:columns], lines=lines), left


def right_columns(block: Block) -> tuple[bool, ...]:
    """Which columns hold counts only, and so stand to the right."""
    return tuple(
        all(_is_count(line.cells[place]) for line in block.lines)
        for place in range(len(block.heads))
    )


def _is_count(cell: Cell) -> bool:
    if isinstance(cell, Shown):
        return False
    return cell.replace(",", "").isdecimal() or cell in ("", UNDEFINED)


def lines_of(rows: Iterable[Sequence[Cell]]) -> tuple[Line, ...]:
    """Rows without examples."""
    return tuple(Line(tuple(row)) for row in rows)
