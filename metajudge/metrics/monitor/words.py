"""The monitor's texts in English and Chinese; reasons in tables are kept in English alone."""

from __future__ import annotations

from metajudge.counted import filled
from metajudge.report.translated import Translations, translated
from metajudge.report.words import Language, Words, words_of


def _read() -> dict[str, Words]:
    table = words_of("metajudge.metrics.monitor", "texts.json")
    return {f"monitor.{key}": text for key, text in table.items()}


WORDS: dict[str, Words] = _read()
"""Key, with `monitor.` before it, -> text in both languages."""
_REASONS = Translations(WORDS, "monitor.said.", translated)


def said(key: str, language: Language, /, **values: object) -> str:
    """A text with its placeholders filled.

    >>> said("weeks_n", "zh", n=3)
    '在 3 周内'
    """
    text = WORDS[f"monitor.{key}"].of(language)
    return filled(text, values) if values else text


def reason(text: str, language: Language) -> str:
    """A reason in a language; one without a translation stands as it is.

    >>> reason("7 answers with a score, 20 are needed", "zh")
    '有得分的回答 7 条，至少需要 20 条'
    """
    return _REASONS(text, language)
