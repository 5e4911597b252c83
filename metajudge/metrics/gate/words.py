"""Every text of the gate in English and Chinese, read from `texts/gate.json`."""

from __future__ import annotations

from functools import cache

from metajudge.counted import filled
from metajudge.report.words import Language, Words, words_of


@cache
def words() -> dict[str, Words]:
    """Key -> text in both languages."""
    return words_of("metajudge.metrics.gate", "texts", "gate.json")


def word(key: str, language: Language, /, **values: object) -> str:
    """A text with its placeholders filled; values are put in as they are, braces and all.

    >>> word("verdict.undecided", "zh")
    '无法判定'
    """
    text = words()[key].of(language)
    return filled(text, values) if values else text


def percent(value: float) -> str:
    """A share as per cent, without needless decimals.

    >>> percent(0.05), percent(0.125)
    ('5%', '12.5%')
    """
    return f"{100 * value:.1f}%".replace(".0%", "%")


def points(value: float | None, *, sign: bool = False) -> str:
    """A score or a change with three decimals; a dash where there is none.

    >>> points(-0.0421, sign=True), points(None), points(0.9)
    ('-0.042', '–', '0.900')
    """
    if value is None:
        return "–"
    return f"{value:+.3f}" if sign else f"{value:.3f}"
