"""The monitor's texts in English and Chinese; reasons in tables are kept in English alone."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files

from metajudge.report.translated import translated
from metajudge.report.words import Language, Words

_SAID = "said."
_PLACE = re.compile(r"\\{(\w+)\\}")


def _read() -> dict[str, Words]:
    text = files("metajudge.metrics.monitor").joinpath("texts.json").read_text(encoding="utf-8")
    return {f"monitor.{key}": Words(*pair) for key, pair in json.loads(text).items()}


WORDS: dict[str, Words] = _read()
"""Key, with `monitor.` before it, -> text in both languages."""


def said(key: str, language: Language, /, **values: object) -> str:
    """A text with its placeholders filled.

    >>> said("weeks_n", "zh", n=3)
    '在 3 周内'
    """
    text = WORDS[f"monitor.{key}"].of(language)
    return text.format(**values) if values else text


def reason(text: str, language: Language) -> str:
    """A reason in a language; one without a translation stands as it is.

    >>> reason("7 answers with a score, 20 are needed", "zh")
    '有得分的回答 7 条，至少需要 20 条'
    """
    if language == "en":
        return text
    for key, pattern in _patterns():
        found = pattern.fullmatch(text)
        if found is not None:
            places = {name: reason(at, language) for name, at in found.groupdict().items()}
            return WORDS[key].of(language).format(**places)
    return translated(text, language)


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (key, re.compile(_PLACE.sub(r"(?P<\1>.+)", re.escape(text.en)), re.DOTALL))
        for key, text in WORDS.items()
        if key.startswith(f"monitor.{_SAID}")
    )
