"""Sentences of an answer with their places, and the spans that people marked in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from metajudge.gold.controls.texts import sentences as parts_of
from metajudge.gold.source_text import lone_surrogate

_ABBREVIATED = re.compile(
    r"\b(?:(?:[A-Z]\.)+[A-Z]|Gov|Gen|Sen|Rep|Prof|Rev|Lt|Col|Sgt|Capt|Jr|Sr|Inc|Ltd|Corp)\.\s+$"
)
BEGINS = re.compile(
    r"[\"'“‘(]*(?:The|An?|It|He|She|They|We|I|You|This|That|These|Those|There|In|On|At|For|From|"
    r"But|And|Or|So|If|As|His|Her|Their|Its|After|Before|While|When|Since|However|Additionally|"
    r"Meanwhile|According|Despite|Although)\b"
)
_LISTED = re.compile(r"(?<!\w)(-1|\d{1,2})[.)]\s")
_NUMBER_ENDS = re.compile(r"(?<=[\w,]) (\d{1,2})\.\s+(?=[\"'“‘(]?[A-Z])")
_LIST_MARK = re.compile(
    r"(?:\(?\d{1,2}[.)]\s+|[-*•·]\s+|\d{1,2}[、．]\s*|（\d{1,2}）\s*|[一二三四五六七八九十]{1,3}、\s*)"
)
_WORD = re.compile(r"[㐀-鿿]|[^\W㐀-鿿]+")
_LETTER = re.compile(r"\w")
_ALPHABETIC = re.compile(r"[^\W\d_]")
_LONGEST_ABBREVIATION = 120
_BEGINNING = 80
_TOUCH = 3
_FEWEST_WORDS = 5
REFUSAL = "a refusal"
_REFUSES = re.compile(
    r"\b(?:unable|not able|not possible|impossible) to (?:answer|determine|provide|give|say)\b"
    r"|\bcan(?:not|'t|’t| not) (?:be )?(?:answer|determine|provide|give)"
    r"|\b(?:passages?|context|text|article|source|documents?)\b[^,;.]{0,40}"
    r"\b(?:do|does|did)(?: not|n['’]t) (?:\w+ )?(?:provide|contain|mention|specify|give|include"
    r"|offer|state|address|answer)\b"
    r"|无法(?:回答|确定|判断|得知)"
    r"|(?:文中|原文|文章|资料|段落|上下文)[^，；。]{0,20}(?:没有|未)(?:提供|提及|提到|说明|包含|给出)",
    re.IGNORECASE,
)


class Place(NamedTuple):
    """A stretch of a text, from `start` to before `end`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a text.

    Attributes:
        index: 0-based, blank stretches not counted.
        start: Offset of its first character that is no space.
        end: Offset after its last character that is no space.
        text: What stands there, without the number or bullet of a list entry.
    """

    index: int
    start: int
    end: int
    text: str


def sentences_of(text: str) -> tuple[Sentence, ...]:
    """The sentences of an answer, English or Chinese, with offsets.

    A new line ends a sentence. On top of what the negative controls take for a sentence, names
    such as `U.S. Attorney` stay whole, and a number ends a sentence where it is no list number.

    >>> [part.text for part in sentences_of("1. She met Gov. Hale on May 3. He left.")]
    ['She met Gov. Hale on May 3.', 'He left.']
    >>> [(part.start, part.text) for part in sentences_of("续航8小时。支持快充！")]
    [(0, '续航8小时。'), (6, '支持快充！')]
    """
    found: list[Sentence] = []
    for begin, stop in _stretches(text):
        stretch = text[begin:stop]
        start = begin + len(stretch) - len(stretch.lstrip())
        end = start + len(stretch.strip())
        if start < end:
            mark = _LIST_MARK.match(text, start, end)
            claim = text[mark.end() if mark else start : end]
            found.append(Sentence(len(found), start, end, claim or text[start:end]))
    return tuple(found)


def place_of(text: str, start: Any, end: Any, marked: Any) -> Place | None:
    """Where a span stands: at its offsets, or at the only place of its text where they are wrong.

    >>> text = "It is 3 m long and 3 m wide."
    >>> place_of(text, 6, 9, "3 m"), place_of(text, None, None, "wide"), place_of(text, 0, 3, "3 m")
    (Place(start=6, end=9), Place(start=23, end=27), None)
    """
    if all(isinstance(at, int) and not isinstance(at, bool) for at in (start, end)):
        inside = 0 <= start < end <= len(text)
        if inside and marked in (None, text[start:end]):
            return Place(start, end)
    if not isinstance(marked, str) or not marked.strip() or text.count(marked) != 1:
        return None
    at = text.index(marked)
    return Place(at, at + len(marked))


def touches(text: str, sentence: Sentence, span: Place) -> bool:
    """Whether a span reaches into a sentence: with three letters, or all it has.

    So a span that only takes in the full stop or the first word's initial does not count.
    """
    shared = text[max(span.start, sentence.start) : min(span.end, sentence.end)]
    letters = len(_LETTER.findall(shared))
    return bool(shared) and letters >= min(
        _TOUCH, len(_LETTER.findall(text[span.start : span.end]))
    )


def beginning(text: str) -> str:
    """The first letters of a text, by which its near copies are known: one source, edited.

    >>> beginning("In 2016, 3 piers closed.") == beginning("In 2019 3 piers closed .")
    True
    """
    letters = _ALPHABETIC.findall(text[: _BEGINNING * 4])
    return "".join(letters)[:_BEGINNING].casefold()


def remark(kind: str, text: str, comment: object) -> str:
    r"""What an annotator said of a span, in one line.

    >>> remark("Evident Conflict", "on Monday", " the source has\n Tuesday")
    'Evident Conflict “on Monday”: the source has Tuesday'
    """
    said = f"{kind if lone_surrogate(kind) is None else ascii(kind)} “{' '.join(text.split())}”"
    if not isinstance(comment, str) or not comment.strip() or lone_surrogate(comment):
        return said
    return f"{said}: {' '.join(comment.split())}"


def claims_nothing(text: str) -> str | None:
    """Why a sentence is no claim: a lead-in, a refusal, or too short; None where it is one.

    >>> claims_nothing("Here are the main points:"), claims_nothing("共有三点：")
    ('a lead-in', 'a lead-in')
    >>> claims_nothing("The passages do not mention the price."), claims_nothing("文中未提及价格。")
    ('a refusal', 'a refusal')
    >>> claims_nothing("Yes, indeed."), claims_nothing("The fee is two euros.")
    ('fewer than 5 words', None)
    """
    if text.rstrip("*_ ").endswith((":", "：")):
        return "a lead-in"
    if _REFUSES.search(text):
        return REFUSAL
    if len(_WORD.findall(text)) < _FEWEST_WORDS:
        return f"fewer than {_FEWEST_WORDS} words"
    return None


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence with the space after it."""
    start = at = 0
    listed = _first_of_each_number(text)
    for part in parts_of(text):
        if start < at and _goes_on(text, start, at, part):
            at += len(part)
            continue
        yield from _cut_after_numbers(text, start, at, listed)
        start, at = at, at + len(part)
    yield from _cut_after_numbers(text, start, at, listed)


def _goes_on(text: str, start: int, at: int, part: str) -> bool:
    ends = _ABBREVIATED.search(text, max(start, at - _LONGEST_ABBREVIATION), at)
    return ends is not None and "\n" not in ends.group() and BEGINS.match(part) is None


def _cut_after_numbers(
    text: str, start: int, end: int, listed: Mapping[str, int]
) -> Iterator[tuple[int, int]]:
    for match in _NUMBER_ENDS.finditer(text, start, end):
        if listed.get(str(int(match[1]) - 1), len(text)) > match.start():
            yield start, match.end()
            start = match.end()
    yield start, end


def _first_of_each_number(text: str) -> Mapping[str, int]:
    """Where each number that may be of a list first ends, with its mark: `1. `, `2) `."""
    found: dict[str, int] = {}
    for match in _LISTED.finditer(text):
        for number in (match[1], match[1].lstrip("-")):
            found.setdefault(number, match.end())
    return found
