"""The blocks of an answer in plain text or Markdown: list points, headings, tables, code, prose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

Kind = Literal["blank", "heading", "point", "code", "table_head", "table_row", "prose"]

_LINE = re.compile(r"[^\n]*(?:\n|\Z)")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_HEADING = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]+\S|[ \t]{0,3}(?:\*\*|__)[^*_\n]+(?:\*\*|__)[ \t]*$")
POINT = re.compile(
    r"[ \t>]*(?:[-*+•·▪◦‣●○■□–—][ \t]+|\(?\d{1,3}[.)、．）][ \t]*|[（(]\d{1,3}[)）][ \t]*"
    r"|[（(]?[一二三四五六七八九十]{1,3}[)）、．][ \t]*|[a-zA-Z][.)][ \t]+|[①-⑳][ \t]*)(?=\S)"
)
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-{3,}:?[ \t]*(?:\|[ \t]*:?-{3,}:?[ \t]*)*\|?[ \t]*")


class Block(NamedTuple):
    """Some whole lines of an answer.

    Attributes:
        start: Where they begin.
        end: Where they end, the last line's break included.
        kind: What they are. A table's head holds the rule under it.
        level: Of a heading 1 to 6, and 7 where it is only in bold; 0 elsewhere.
    """

    start: int
    end: int
    kind: Kind
    level: int = 0


def blocks_of(text: str) -> tuple[Block, ...]:
    r"""The blocks of a text; they cover it without a gap.

    Lines of prose and the lines that go on with a point are blocks of their own; whoever knows
    where sentences end joins them.

    >>> [block.kind for block in blocks_of("# Fees\n\n- Adults pay 5.\n")]
    ['heading', 'blank', 'point']
    """
    return tuple(_blocks(text))


def _blocks(text: str) -> Iterator[Block]:
    lines = [found for found in _LINE.finditer(text) if found[0]]
    place = 0
    while place < len(lines):
        taken, kind, level = _next(text, lines, place)
        yield Block(lines[place].start(), lines[place + taken - 1].end(), kind, level)
        place += taken


def _next(text: str, lines: list[re.Match[str]], place: int) -> tuple[int, Kind, int]:
    """Lines taken, their kind and level."""
    line = lines[place][0].rstrip("\n")
    if not line.strip():
        return 1, "blank", 0
    fence = _FENCE.match(line)
    if fence:
        return _fenced(lines, place, fence[1]), "code", 0
    if "|" in line and place + 1 < len(lines):
        rule = lines[place + 1][0].rstrip("\n")
        if "|" in rule and _TABLE_RULE.fullmatch(rule):
            return 2, "table_head", 0
    if line.lstrip().startswith("|"):
        return 1, "table_row", 0
    heading = _HEADING.match(line)
    if heading:
        return 1, "heading", len(heading[1]) if heading[1] else 7
    return 1, "point" if POINT.match(line) else "prose", 0


def _fenced(lines: list[re.Match[str]], place: int, mark: str) -> int:
    """Lines of a block of code; one that is never closed goes to the end."""
    for further in range(place + 1, len(lines)):
        if lines[further][0].strip() == mark:
            return further - place + 1
    return len(lines) - place
