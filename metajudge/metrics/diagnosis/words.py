"""Texts of a diagnosis in English and Chinese, read from `tables/words.json`."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from metajudge.counted import filled
from metajudge.report.words import Language, Words


@cache
def words() -> dict[str, Words]:
    """Key -> text in both languages."""
    place = files("metajudge.metrics.diagnosis").joinpath("tables", "words.json")
    table = json.loads(place.read_text(encoding="utf-8"))
    return {key: Words(*pair) for key, pair in table.items()}


def word(key: str, language: Language, /, **values: object) -> str:
    """A text with its placeholders filled; values are put in as they are, braces and all.

    >>> word("undecided", "zh")
    '未定'
    """
    return filled(words()[key].of(language), values)
