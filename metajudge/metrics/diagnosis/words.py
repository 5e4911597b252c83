"""Texts of a diagnosis in English and Chinese, read from `tables/words.json`."""

from __future__ import annotations

from functools import cache

from metajudge.counted import filled
from metajudge.report.words import Language, Words, words_of


@cache
def words() -> dict[str, Words]:
    """Key -> text in both languages."""
    return words_of("metajudge.metrics.diagnosis", "tables", "words.json")


def word(key: str, language: Language, /, **values: object) -> str:
    """A text with its placeholders filled; values are put in as they are, braces and all.

    >>> word("undecided", "zh")
    '未定'
    """
    return filled(words()[key].of(language), values)
