"""Reasons and notes in Chinese: files of results keep each in English alone."""

from __future__ import annotations

import re
from functools import cache

from metajudge.report.words import WORDS, Language, word

SAID = ".said."
"""In the keys of the texts that are translated; the English one is what a file says."""
_PLACE = re.compile(r"\\{(\w+)\\}")


def translated(text: str, language: Language) -> str:
    """A reason or note in the report's language; one without a translation stands as it is.

    >>> translated("the figure is undefined: a label has no gold claim", "zh")
    '该数值未定义：有标签没有标注陈述'
    >>> translated("of my own", "zh")
    'of my own'
    """
    if language == "en":
        return text
    for key, pattern in _patterns():
        found = pattern.fullmatch(text)
        if found is not None:
            places = found.groupdict().items()
            return word(key, language, **{name: translated(at, language) for name, at in places})
    return text


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (key, re.compile(_PLACE.sub(r"(?P<\1>.+)", re.escape(text.en)), re.DOTALL))
        for key, text in WORDS.items()
        if SAID in key
    )
