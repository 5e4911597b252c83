"""Facts in a list of plain lines: dashes, bullets, numbers, or one fact a line without any mark.

A number is taken for the list's own only where it cannot be part of the fact: `1. It rained` has
one, `3.5 mg were given` and `1.2.3 is out` have none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

_TEN = "一二三四五六七八九十"
_NUMBER = r"(?P<number>\d{1,3})"
_SURE = (
    r"[-*+–—－]\s+",
    r"[-–—](?=[^\W\d_]|[\"“”'‘《（(])",
    r"[•·●○◦▪■►▶‣∙➢✓✔・]\s*",
    r"[①-⑳❶-❿]\s*",
    rf"[(（\[【]\s*(?:\d{{1,3}}|[{_TEN}]{{1,3}})\s*[)）\]】](?:[.:：](?!\d)|、)?\s*",
    rf"(?:第\s*)?[{_TEN}]{{1,3}}(?:条)?[、.．:：]\s*(?![{_TEN}])",
    r"(?:第\s*\d{1,3}\s*[条点项]|(?:事实|要点)\s*\d{0,3}|(?:fact|statement)\s*#?\d{0,3})"
    r"(?:[:：]\s*|[.、)）]\s+)",
)
_MARK = re.compile("|".join(_SURE), re.IGNORECASE)
_NUMBERED = re.compile(rf"{_NUMBER}\s?(?P<mark>[.．]?[)）]|[.．、:：])(?P<gap>\s*)(?P<rest>\S.*)$")
_BOLD_NUMBER = re.compile(r"^\*\*(\d{1,3}[.)、:：]?)\*\*")
_BOLD_LINE = re.compile(r"^\*\*((?:(?!\*\*).)+)\*\*$")
_HEADING_END = (":", "：")
_SENTENCE_END = re.compile(r"[.!?。！？；;…][\"'”’」』)）\]】*]*$")
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")


class FactLines(NamedTuple):
    """What plain text lists.

    Attributes:
        facts: The facts in their order, without marks.
        listed: Some line carries a list mark; without one, every line was taken for a fact.
        partial: The last line was left unfinished by the token limit and is not among the facts.
        outside: Lines after the first mark that belong to no fact and were left out.
    """

    facts: tuple[str, ...]
    listed: bool
    partial: bool
    outside: int


class _Line(NamedTuple):
    text: str
    marked: bool
    joins: bool
    """Indented, or right below the line before: it can be the rest of that line's fact."""


@dataclass(frozen=True, slots=True)
class _Fact:
    text: str
    last_line: int


def read_fact_lines(text: str, *, cut: bool) -> FactLines:
    r"""The facts of a reply in plain lines.

    Once any line carries a mark, lines without one are the rest of the fact above (indented, or
    that fact has no full stop yet), or an introduction or remark, which is left out. A line that
    ends in a colon and does not run on is a heading.

    Args:
        text: The reply without reasoning blocks and fences.
        cut: The token limit ended the reply, so a last line without its newline is unfinished.

    >>> read_fact_lines("Facts:\n1. 3.5 mg were given.\n2. It rained.", cut=False).facts
    ('3.5 mg were given.', 'It rained.')
    >>> read_fact_lines("- 高塔建于1931年。\n- 高塔有", cut=True).facts
    ('高塔建于1931年。',)
    """
    lines = _lines(text)
    if not lines:
        return FactLines((), False, False, 0)
    listed = any(line.marked for line in lines)
    facts, outside = _listed(lines) if listed else _unlisted(lines)
    last = len(lines) - 1
    partial = cut and not text.endswith(("\n", "\r"))
    kept = [f.text for f in facts if f.text and not (partial and f.last_line == last)]
    return FactLines(tuple(kept), listed, partial, outside)


def without_mark(line: str) -> str:
    """A single line without its list mark, if it has a certain one."""
    return _marks([line.strip()])[0][0]


def _listed(lines: Sequence[_Line]) -> tuple[list[_Fact], int]:
    facts: list[_Fact] = []
    outside, open_fact, begun = 0, False, False
    for index, line in enumerate(lines):
        if line.marked:
            begun, open_fact = True, not _is_heading(lines, index)
            if open_fact:
                facts.append(_Fact(line.text, index))
        elif open_fact and line.joins and not _SENTENCE_END.search(facts[-1].text):
            facts[-1] = _Fact(_joined(facts[-1].text, line.text), index)
        else:
            open_fact = False
            outside += begun
    return facts, outside


def _is_heading(lines: Sequence[_Line], index: int) -> bool:
    """A marked line that ends in a colon and does not run on in the line below."""
    below = lines[index + 1] if index + 1 < len(lines) else None
    runs_on = below is not None and below.joins and not below.marked
    return lines[index].text.endswith(_HEADING_END) and not runs_on


def _unlisted(lines: Sequence[_Line]) -> tuple[list[_Fact], int]:
    facts = [
        _Fact(line.text, index)
        for index, line in enumerate(lines)
        if not line.text.endswith(_HEADING_END) and not line.text.startswith("#")
    ]
    return facts, 0


def _lines(text: str) -> list[_Line]:
    raw = [line.rstrip() for line in text.splitlines()]
    places = [i for i, line in enumerate(raw) if _LETTER_OR_DIGIT.search(line)]
    stripped = [_plain(raw[i]) for i in places]
    marks = _marks(stripped)
    return [
        _Line(bare, marked, raw[i][:1].isspace() or (i > 0 and raw[i - 1] != ""))
        for i, (bare, marked) in zip(places, marks, strict=True)
    ]


def _plain(line: str) -> str:
    line = _BOLD_NUMBER.sub(r"\1", line.strip())
    return _BOLD_LINE.sub(r"\1", line)


def _marks(lines: Sequence[str]) -> list[tuple[str, bool]]:
    """Each line without its mark, and whether it had one."""
    numbered = [_NUMBERED.match(line) for line in lines]
    certain = {_style(found) for found in numbered if found is not None and _is_certain(found)}
    marks: list[tuple[str, bool]] = []
    next_number = 1
    for line, found in zip(lines, numbered, strict=True):
        if found is not None:
            due = _style(found) in certain and int(found["number"]) == next_number
            marked = _is_certain(found) or due
            marks.append((found["rest"] if marked else line, marked))
            next_number = int(found["number"]) + 1 if marked else next_number
            continue
        mark = _MARK.match(line)
        bare = line if mark is None else line[mark.end() :]
        if mark is not None:
            bare = _without_inner_number(bare, next_number)
            next_number += 1
        marks.append((_BOLD_LINE.sub(r"\1", bare), mark is not None))
    return marks


def _style(found: re.Match[str]) -> tuple[str, bool]:
    return found["mark"], bool(found["gap"])


def _is_certain(found: re.Match[str]) -> bool:
    """Whether a number and its sign can only be a list's: not `3.5`, `3:0`, `3.x`, `1、2号`."""
    first = found["rest"][0]
    if found["gap"]:
        return True
    return not (first.isdigit() or (first.isascii() and first.islower()))


def _without_inner_number(line: str, due: int) -> str:
    """A bulleted line without a second mark: its own place in the list, as in `- 2. It rained`."""
    found = _NUMBERED.match(line)
    if found is None or not found["gap"] or int(found["number"]) != due:
        return line
    return found["rest"]


def _joined(first: str, second: str) -> str:
    if not first or not second:
        return first or second
    wide = all(unicodedata.east_asian_width(c) in "WF" for c in (first[-1], second[0]))
    return first + ("" if wide else " ") + second
