"""Reasons and notes in Chinese: files of results keep each in English alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property, partial

from metajudge.counted import filled, variants
from metajudge.report.words import WORDS, Language, Words, word_or_code

SAID = ".said."
"""In the keys of the texts that are translated; the English one is what a file says."""
_PLACE = re.compile(r"\\{(\w+)\\}")


class Translations:
    """Texts that files keep in English alone, in the language of whoever reads them.

    Args:
        table: Texts by key.
        marker: Stands in the keys of those that are translated.
        otherwise: Is asked for a text that none of them is; None leaves it as it is.
    """

    def __init__(
        self,
        table: Mapping[str, Words],
        marker: str,
        otherwise: Callable[[str, Language], str] | None = None,
    ) -> None:
        self._said = [text for key, text in table.items() if marker in key]
        self._otherwise = otherwise

    def __call__(self, text: str, language: Language) -> str:
        """A text in a language; values of its places are translated too."""
        if language == "en":
            return text
        for said, pattern in self._patterns:
            found = pattern.fullmatch(text)
            if found is not None:
                places = {name: self(at, language) for name, at in found.groupdict().items()}
                return filled(said.of(language), places) if places else said.of(language)
        return text if self._otherwise is None else self._otherwise(text, language)

    @cached_property
    def _patterns(self) -> list[tuple[Words, re.Pattern[str]]]:
        return [
            (text, re.compile(_PLACE.sub(r"(?P<\1>.+)", re.escape(said)), re.DOTALL))
            for text in self._said
            for said in variants(text.en)
        ]


_OF_REPORTS = Translations(WORDS, SAID, partial(word_or_code, "failure"))


def translated(text: str, language: Language) -> str:
    """A reason, note or class of failure in the report's language; one without a text stays.

    >>> translated("the figure is undefined: a label has no gold claim", "zh")
    '该数值未定义：有标签没有标注陈述'
    >>> translated("truncated", "zh"), translated("of my own", "zh")
    ('被截断', 'of my own')
    """
    return _OF_REPORTS(text, language)
