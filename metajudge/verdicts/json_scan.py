r"""Finding JSON in a judge's reply: whole, fenced, or with prose before and after it.

Only what a JSON decoder accepts is read. The one mend is a backslash before a character that JSON
does not escape (`\$`), which is taken literally; names without quotes, single quotes and missing
ends are never repaired, since such a repair would invent an answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

_OPENER = re.compile(r"\{\s*[\"}]|\[\s*[\"{\[\]]")
_HOLDER = re.compile(r"\[|\{\s*\"[^\"\\]*\"\s*:\s*[\[{]")
_ESCAPE = re.compile(r"\\([\"\\/bfnrt]|u[0-9a-fA-F]{4})|\\")
_STRING_OR_BRACKET = re.compile(r"\"(?:[^\"\\]|\\.)*\"|[\[\]{}]", re.DOTALL)
_MOST_ATTEMPTS = 500
_MOST_DESCENTS = 4


@dataclass(frozen=True, slots=True)
class JsonObject:
    """A JSON object with its keys as written: doubled keys and their order are kept."""

    pairs: tuple[tuple[str, object], ...]

    def values_of(self, folded_keys: Collection[str]) -> list[tuple[str, object]]:
        """The pairs whose key is one of `folded_keys`, white space and case aside."""
        return [pair for pair in self.pairs if pair[0].strip().casefold() in folded_keys]


class _Broken:
    """Stands in a list of values for an element that could not be decoded."""

    def __repr__(self) -> str:
        return "BROKEN"


BROKEN: Final = _Broken()


@dataclass(slots=True)
class JsonFound:
    """What a scan found.

    Attributes:
        values: Decoded values in order of place; with `descend`, `BROKEN` for a broken element.
        spans: Start and end of each value in the text.
        whole: One value, and nothing but white space around it.
        mended: An escape or a raw control character was mended.
        broken: Something that begins like JSON could not be decoded.
        cut: Some JSON runs to the end of the text without closing.
        descents: Broken lists and wrappers whose elements were read one by one.
    """

    values: list[object] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    whole: bool = False
    mended: bool = False
    broken: bool = False
    cut: bool = False
    descents: int = 0

    def text_outside(self, text: str) -> str:
        """The text with every decoded value taken out."""
        pieces, position = [], 0
        for start, end in self.spans:
            pieces.append(text[position:start])
            position = end
        return "\n".join([*pieces, text[position:]])


def scan_json(text: str, descend: bool = False) -> JsonFound:
    r"""Every JSON object and list that begins in the text, outermost first.

    Args:
        text: The reply.
        descend: Read the elements of a list or wrapper that does not decode as a whole one by
            one, so that one bad element does not spoil the others.

    >>> scan_json('Use {x}. ```json\n{"verdict": "no"}\n``` {done}').values
    [JsonObject(pairs=(('verdict', 'no'),))]
    >>> scan_json("Use `{verdict: yes}` when sure.").values
    []
    """
    found = JsonFound()
    position = 0
    for _ in range(_MOST_ATTEMPTS):
        opener = _OPENER.search(text, position)
        if opener is None:
            break
        position = _take(text, opener.start(), descend, found)
    found.whole = len(found.spans) == 1 and _is_whole(text, found.spans[0])
    return found


def _take(text: str, start: int, descend: bool, found: JsonFound) -> int:
    """Read what begins at `start` into `found`; gives the place to look on from."""
    try:
        value, end = _STRICT.raw_decode(text, start)
    except (ValueError, RecursionError):
        closing = _balanced_end(text, start)
        if closing is not None:
            mended = _mended(text[start:closing])
            if mended is not None:
                found.mended = True
                found.values.append(mended)
                found.spans.append((start, closing))
                return closing
        found.cut |= closing is None
        if descend and found.descents < _MOST_DESCENTS and _HOLDER.match(text, start):
            found.descents += 1
            return start + 1
        found.broken = True
        if descend:
            found.values.append(BROKEN)
        return len(text) if closing is None else closing
    found.values.append(value)
    found.spans.append((start, end))
    return end


def _mended(region: str) -> object | None:
    escaped = _ESCAPE.sub(lambda match: match[0] if match[1] else "\\\\", region)
    try:
        value, end = _LENIENT.raw_decode(escaped)
    except (ValueError, RecursionError):
        return None
    return value if end == len(escaped) else None


def _balanced_end(text: str, start: int) -> int | None:
    """Place after the bracket that closes the one at `start`, strings skipped."""
    depth = 0
    for token in _STRING_OR_BRACKET.finditer(text, start):
        mark = token.group()
        if mark in "[{":
            depth += 1
        elif mark in "]}":
            depth -= 1
            if depth == 0:
                return token.end()
    return None


def _is_whole(text: str, span: tuple[int, int]) -> bool:
    return not text[: span[0]].strip() and not text[span[1] :].strip()


def _as_object(pairs: list[tuple[str, object]]) -> JsonObject:
    return JsonObject(tuple(pairs))


_STRICT = json.JSONDecoder(object_pairs_hook=_as_object)
_LENIENT = json.JSONDecoder(object_pairs_hook=_as_object, strict=False)
