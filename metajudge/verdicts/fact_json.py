"""Facts in a JSON reply: a list of strings or objects, bare or in a wrapper."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

_KEYS = ("fact", "truth", "statement", "claim", "text", "content", "事实", "陈述", "内容")
_START = re.compile(r"^[ \t]*(?:\[\s*(?:[\"'{\]]|$)|\{\s*[\"'}])", re.MULTILINE)
_STRING = r"\"(?:[^\"\\]|\\.)*\""
_COMPLETE = re.compile(
    rf"(?:[\[,]|\"(?:{'|'.join(_KEYS)})\"\s*:)\s*(?P<string>{_STRING})(?!\s*:)",
    re.IGNORECASE | re.DOTALL,
)
_DECODER = json.JSONDecoder(strict=False)


class FactJson(NamedTuple):
    """What JSON lists: the facts, or None where some part of it is no fact or cannot be read."""

    facts: tuple[str, ...] | None


def read_fact_json(text: str, *, cut: bool) -> FactJson | None:
    """The facts of a reply in JSON; None when it is none.

    JSON begins a line, after an introduction at most, and nothing stands behind it on its last
    line. Of JSON that the token limit cut, the complete strings are kept; any other fault makes
    it unreadable.

    >>> read_fact_json('["It rained.", "It snowed."]', cut=False)
    FactJson(facts=('It rained.', 'It snowed.'))
    >>> read_fact_json('{"facts": ["下雨了。", "下', cut=True)
    FactJson(facts=('下雨了。',))
    >>> read_fact_json("It rained.", cut=False) is None
    True
    """
    start = _START.search(text)
    if start is None or not _only_introduces(text[: start.start()]):
        return None
    position = start.end() - len(start.group().lstrip())
    facts: list[str] = []
    while True:
        try:
            value, end = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            complete = _COMPLETE.finditer(text, position) if cut else ()
            rest = [json.loads(found["string"], strict=False) for found in complete]
            return FactJson((*facts, *rest) if cut else None)
        line_end = text.find("\n", end)
        if text[end : line_end if line_end >= 0 else None].strip(" \t\r,，"):
            return None
        strings = _strings(value)
        if strings is None:
            return FactJson(None)
        facts += strings
        following = _START.search(text, end)
        if following is None or text[end : following.start()].strip(" \t\r\n,"):
            return FactJson(tuple(facts))
        position = following.end() - len(following.group().lstrip())


def _only_introduces(before: str) -> bool:
    lines = [line.strip() for line in before.splitlines() if line.strip()]
    return not lines or (len(lines) == 1 and lines[0].endswith((":", "：", ".", "。")))


def _strings(value: object) -> Sequence[str] | None:
    """The facts of one decoded value; None when a part of it is no fact."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        parts = [_strings(element) for element in value if element is not None]
        readable = [part for part in parts if part is not None]
        return [s for part in readable for s in part] if len(readable) == len(parts) else None
    return _of_object(value) if isinstance(value, dict) else None


def _of_object(pairs: dict[str, object]) -> Sequence[str] | None:
    lists = [inner for inner in pairs.values() if isinstance(inner, list)]
    if len(lists) == 1:
        return _strings(lists[0])
    named = [inner for key, inner in pairs.items() if key.strip().casefold() in _KEYS]
    values = list(pairs.values())
    numbered = all(key.strip().isdigit() for key in pairs)
    for chosen in (named[:1], values if numbered or len(values) == 1 else []):
        if chosen and all(isinstance(inner, str) for inner in chosen):
            return [str(inner) for inner in chosen]
    return None if pairs else []
