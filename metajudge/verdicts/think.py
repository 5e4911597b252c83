"""Reasoning that some models put before their answer, between `<think>` tags."""

from __future__ import annotations

import re
from typing import NamedTuple

_TAG = r"think|thinking|thought|reasoning"
_CLOSE = re.compile(rf"</\s*(?:{_TAG})\s*>", re.IGNORECASE)
_OPEN = re.compile(rf"<\s*(?:{_TAG})\s*>", re.IGNORECASE)


class Answer(NamedTuple):
    """A reply's text after its reasoning.

    Attributes:
        text: What follows the last closing tag; all of the text when there is no tag.
        had_thoughts: Reasoning was removed.
        unfinished: A reasoning block was opened and never closed, so nothing was answered.
    """

    text: str
    had_thoughts: bool
    unfinished: bool


def without_thoughts(text: str) -> Answer:
    """The answer part of a reply; a lone closing tag counts, as some servers drop the first.

    >>> without_thoughts("it says so</think>yes")
    Answer(text='yes', had_thoughts=True, unfinished=False)
    >>> without_thoughts("<think>yes or no?").unfinished
    True
    """
    if "<" not in text:
        return Answer(text, False, False)
    *_, end = (0, *(closed.end() for closed in _CLOSE.finditer(text)))
    answer = text[end:]
    opened = _OPEN.match(answer.lstrip())
    if opened is not None:
        return Answer("", True, True)
    return Answer(answer, end > 0, False)
