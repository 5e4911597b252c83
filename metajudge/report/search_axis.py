"""Axes of a search and their values in words."""

from __future__ import annotations

from metajudge.report.inert import one_line
from metajudge.report.search_results import SearchResults, Value, value_text
from metajudge.report.words import WORDS, Language, reading_word, word

RULE_CUT = 28
OWN = "base"


def axis_word(results: SearchResults, axis: str, language: Language, cut: int = RULE_CUT) -> str:
    """An axis in words: structures by name, texts by their part and language.

    Args:
        results: The search.
        axis: Its name, such as `en.definition.yes`.
        language: The language.
        cut: Characters of a rule that are shown.
    """
    if f"search.axis.{axis}" in WORDS:
        return word(f"search.axis.{axis}", language)
    lang, _, rest = axis.partition(".")
    kind, _, which = rest.partition(".")
    if kind == "definition":
        return word("search.axis.definition", language, lang=lang, label=which)
    if kind == "rule":
        text = one_line(next(iter(results.texts.get(axis, {}).values()), which))
        shown = text if len(text) <= cut else f"{text[: cut - 1].rstrip()}…"
        return word("search.axis.rule", language, lang=lang, text=shown)
    known = f"search.axis.{kind}"
    return word(known, language, lang=lang) if known in WORDS else axis


def value_word(results: SearchResults, axis: str, value: Value, language: Language) -> str:
    """A value of an axis in words; a choice of a text is the text itself."""
    if isinstance(value, bool):
        return word("search.in" if value else "search.out", language)
    text = results.texts.get(axis, {}).get(value_text(value))
    if text is not None:
        return one_line(text)
    if value == OWN:
        return word("search.own", language)
    return reading_word(str(value), language) if axis == "reading" else str(value)


def setting_line(setting: dict[str, Value]) -> str:
    """A setting in one line of codes, short enough for a table."""
    return " · ".join(f"{axis}={value_text(value)}" for axis, value in setting.items())
