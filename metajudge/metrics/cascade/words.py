"""Every text of the cascade in English and Chinese, read from `texts/cascade.json`."""

from __future__ import annotations

from functools import cache

from metajudge.counted import filled
from metajudge.report.words import Language, Words, words_of


@cache
def words() -> dict[str, Words]:
    """Key -> text in both languages."""
    return words_of("metajudge.metrics.cascade", "texts", "cascade.json")


def word(key: str, language: Language, /, **values: object) -> str:
    """A text with its placeholders filled; values are put in as they are, braces and all.

    >>> word("never", "zh")
    '不放行'
    """
    return filled(words()[key].of(language), values)


def share(value: float) -> str:
    """A share as per cent, with a decimal where it is small.

    >>> share(0.05), share(0.013333), share(0.0), share(0.0004), share(0.9999)
    ('5%', '1.3%', '0%', '0.04%', '99.99%')
    """
    told = f"{100 * value:.1f}".removesuffix(".0")
    return f"{100 * value:.4g}%" if told in ("0", "100") else f"{told}%"
