"""The verdict in plain text: a marked line, a label that leads, or a last line that is one."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from metajudge.verdicts.vocabulary import CLOSING, OPENING, Vocabulary, Word, fold

_MARKERS_EN = "verdict|label|answer|conclusion|judge?ment|decision"
_MARKERS_ZH = "结论|判断|判定|裁决|答案|标签"
_MARKER = (
    rf"(?:(?:so|thus|therefore|hence),?\s+)?(?:(?:the|my)\s+)?(?:final\s+|overall\s+)?"
    rf"(?:{_MARKERS_EN})|(?:最终|最后)?(?:的)?(?:{_MARKERS_ZH})"
)
_REASON_WORDS = "explanation|reason|rationale|because|since|理由|解释|原因|因为|由于"
_FENCE_LINE = re.compile(r"^\s*```[\w-]*\s*$", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.。!?])\s*(?=\S)")
_REASON_MARK = re.compile(rf"^\s*(?:{_REASON_WORDS})\s*[:：]\s*", re.IGNORECASE)
_FLAGS = re.IGNORECASE | re.DOTALL


class LineReading(NamedTuple):
    """A label read from one line.

    Attributes:
        word: The label, or `not_offered`.
        rest: What follows the label on its line; "" for nothing.
    """

    word: Word
    rest: str


class _Patterns(NamedTuple):
    marked: re.Pattern[str]
    marked_any: re.Pattern[str]
    leading: re.Pattern[str]
    listed: re.Pattern[str]


TextFailure = Literal["none", "contradiction", "unread_marker"]


@dataclass(frozen=True, slots=True)
class TextAnswer:
    """What plain text says.

    Attributes:
        word: The label read; None with the reason in `failure`.
        failure: `none` found, several labels in `contradiction`, or an `unread_marker`.
        marked: Read from a marked line.
        first: The label stands in the first line that is not blank.
        last: The label stands in the last line that is not blank.
        at_end: Nothing follows the label, so a length limit may have cut it.
        rest: What follows the label on its own line.
        reason: All the rest of the text; None when there is none.
    """

    word: Word | None
    failure: TextFailure = "none"
    marked: bool = False
    first: bool = False
    last: bool = False
    at_end: bool = False
    rest: str = ""
    reason: str | None = None


def read_text(text: str, vocabulary: Vocabulary) -> TextAnswer:
    """The verdict of a plain reply about one claim.

    Marked lines (`Verdict: no`, `结论：支持`, `The answer is yes.`) go first and must agree.
    Without any, the first line may be a whole label or lead with one, and the last line may be a
    whole label; these must agree too. A marker followed by a list of labels repeats the question
    and is passed over. A label inside a sentence is never read.
    """
    lines = _content_lines(text)
    if not lines:
        return TextAnswer(None)
    patterns = _patterns(vocabulary.alternatives)
    marked, unread = _marked_readings(lines, vocabulary, patterns)
    if marked:
        return _agreed(marked, lines, marked=True)
    if unread:
        return TextAnswer(None, "unread_marker")
    return _agreed(_bare_readings(lines, vocabulary, patterns), lines, marked=False)


def read_line(line: str, vocabulary: Vocabulary) -> LineReading | None:
    """The label that a line is or leads with, after an optional marker."""
    patterns = _patterns(vocabulary.alternatives)
    return _reading(patterns.marked, line, vocabulary, patterns) or _reading(
        patterns.leading, line, vocabulary, patterns
    )


def _content_lines(text: str) -> list[str]:
    lines = [line.strip() for line in _FENCE_LINE.sub("", text).splitlines()]
    kept = [line for line in lines if line]
    joined: list[str] = []
    for line in kept:
        if joined and _MARKER_ALONE.match(_normal(joined[-1])):
            joined[-1] = f"{joined[-1]} {line}"
        else:
            joined.append(line)
    return joined


_Readings = list[tuple[int, LineReading]]


def _marked_readings(
    lines: list[str], vocabulary: Vocabulary, patterns: _Patterns
) -> tuple[_Readings, bool]:
    readings: _Readings = []
    unread = False
    for index, line in enumerate(lines):
        for segment in _segments(line):
            reading = _reading(patterns.marked, segment, vocabulary, patterns)
            if reading is not None:
                readings.append((index, reading))
            elif patterns.marked_any.match(_normal(segment)):
                unread |= not _lists_labels(segment, patterns)
    return readings, unread


def _segments(line: str) -> list[str]:
    last = _SENTENCE_END.split(line)[-1]
    return [line] if last == line else [line, last]


def _bare_readings(lines: list[str], vocabulary: Vocabulary, patterns: _Patterns) -> _Readings:
    readings: _Readings = []
    last = len(lines) - 1
    for index, line in enumerate(lines):
        word = vocabulary.whole_word(line)
        if word is not None:
            readings.append((index, LineReading(word, "")))
            continue
        reading = _reading(patterns.leading, line, vocabulary, patterns)
        if reading is not None:
            readings.append((index, reading))
    # A label between the first and the last line answers nothing, but it can contradict.
    decisive = [i for i, r in readings if i == 0 or (i == last and not r.rest)]
    return readings if decisive else []


def _agreed(readings: _Readings, lines: list[str], *, marked: bool) -> TextAnswer:
    words = {reading.word for _, reading in readings}
    if not words:
        return TextAnswer(None)
    if len(words) > 1:
        return TextAnswer(None, "contradiction")
    index, reading = readings[-1]
    last = len(lines) - 1
    others = [line for i, line in enumerate(lines) if i != index]
    if reading.rest:
        others.insert(min(index, len(others)), reading.rest)
    reason = _REASON_MARK.sub("", "\n".join(others)).strip()
    return TextAnswer(
        word=reading.word,
        marked=marked,
        first=readings[0][0] == 0,
        last=index == last,
        at_end=index == last and not reading.rest,
        rest=reading.rest,
        reason=reason or None,
    )


def _reading(
    pattern: re.Pattern[str], line: str, vocabulary: Vocabulary, patterns: _Patterns
) -> LineReading | None:
    normal = _normal(line)
    match = pattern.match(normal)
    if match is None:
        return None
    word = vocabulary.words.get(fold(match["label"]))
    tail = match["rest"] or ""
    if word is None or patterns.listed.match(tail) is not None:
        return None
    if match["colon"] is None and tail.strip():
        return None
    start = match.start("rest")
    same_places = len(normal) == len(line)
    rest = "" if start < 0 else (line if same_places else normal)[start:]
    return LineReading(word, rest.strip())


def _lists_labels(segment: str, patterns: _Patterns) -> bool:
    """Whether the text after a marker begins as a list of labels: `yes, no or idk`, `yes/no`."""
    normal = _normal(segment)
    match = patterns.marked_any.match(normal)
    return match is not None and patterns.listed.match(normal, match.end()) is not None


def _normal(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFKC", text).replace("’", "'")


@lru_cache(maxsize=256)
def _patterns(alternatives: str) -> _Patterns:
    opening, closing = f"[{re.escape(OPENING)}]{{0,4}}", f"[{re.escape(CLOSING)}]{{0,4}}"
    label = rf"{opening}(?P<label>{alternatives}){closing}"
    tail = (
        rf"(?:[.。]?{closing}\s*$"
        rf"|(?:\s?(?:[.。,;:!)(]|-{{1,2}}\s|[–—]{{1,2}})|\s(?={_REASON_WORDS}))(?P<rest>.*)$)"
    )
    marker = rf"[\s#*_•-]{{0,8}}(?:{_MARKER})[*_\s]{{0,4}}"
    colon = r"(?:\s?(?:is|are)\s?|是|为)?(?P<colon>:)"
    return _Patterns(
        marked=re.compile(rf"{marker}(?:{colon}|\bis\b)[\s*_]{{0,6}}{label}{tail}", _FLAGS),
        marked_any=re.compile(rf"{marker}{colon}[\s*_]{{0,6}}", _FLAGS),
        leading=re.compile(rf"[*_#\s]{{0,6}}(?P<colon>){label}{tail}", _FLAGS),
        listed=re.compile(
            rf"[\s,/|;]{{0,4}}(?:or\b|and\b|或者?|和|、)?\s?{opening}(?:{alternatives}){closing}"
            rf"\s?(?:[,/|;:、.。!]|or\b|and\b|或|和|$)",
            _FLAGS,
        ),
    )


_MARKER_ALONE = re.compile(rf"[\s#*_•-]*(?:{_MARKER})[*_\s]*:[\s*_]*$", re.IGNORECASE)
