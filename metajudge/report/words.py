"""Every text of the reports, in English and Chinese, in one table, read from `texts/`.

Texts of figures (`figure.kappa`), guardrails, slices, failures and so on are looked up by code with
`word_or_code`, so that a code without a text is shown as it is instead of being lost.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import partial
from importlib.resources import files
from typing import Literal, NamedTuple

from metajudge.counted import filled
from metajudge.templates.reading_names import reading_named, threshold_text

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")
TEXTS = (
    *("general", "selection", "stability", "ceiling", "consult"),
    *("judged", "messages", "search", "tune"),
)
"""Files of texts; no key stands in two of them."""


class Words(NamedTuple):
    """One text in both languages, with the same placeholders in both."""

    en: str
    zh: str

    def of(self, language: Language) -> str:
        """The text in one language."""
        return self.zh if language == "zh" else self.en


def words_of(package: str, *place: str) -> dict[str, Words]:
    """Key -> text in both languages, from a JSON file of a package.

    >>> words_of("metajudge.report", "texts", "general.json")["figure.kappa"].en
    'kappa'
    """
    table = json.loads(files(package).joinpath(*place).read_text(encoding="utf-8"))
    return {key: Words(*pair) for key, pair in table.items()}


def _read_words() -> dict[str, Words]:
    words: dict[str, Words] = {}
    for name in TEXTS:
        words |= words_of("metajudge.report", "texts", f"{name}.json")
    return words


WORDS: dict[str, Words] = _read_words()
"""Key -> text in both languages."""


def word(key: str, language: Language, /, **values: object) -> str:
    """A text with its placeholders filled; values are put in as they are, braces and all.

    >>> word("figure.kappa", "en")
    'kappa'
    >>> word("claims_n", "zh", n="{x}")
    '{x} 条陈述'
    """
    text = WORDS[key].of(language)
    return filled(text, values) if values else text


def both(text_of: Callable[[Language], str]) -> Words:
    """A text in both languages.

    >>> both(lambda language: word("figure.over_credit", language))
    Words(en='over-credit', zh='过度认可')
    """
    return Words(text_of("en"), text_of("zh"))


def word_or_code(kind: str, code: str, language: Language) -> str:
    """The text for a code of a kind, or the code itself where there is none.

    >>> word_or_code("slice", "summary", "zh")
    '概括'
    >>> word_or_code("slice", "of_my_own", "en")
    'of_my_own'
    """
    words = WORDS.get(f"{kind}.{code}")
    return code if words is None else words.of(language)


def reading_word(reading: str, language: Language, *, short: bool = False) -> str:
    """A reading in words, with its threshold where it has one.

    Args:
        reading: Its name, such as `batch_corrected@0.60`.
        language: The language.
        short: For a narrow column.

    >>> reading_word("batch_corrected@0.60", "zh"), reading_word("top@0.60", "en", short=True)
    ('批次校正，P(yes) ≥ 0.60', 'top ≥ 0.60')
    """
    kind, name = "reading_short" if short else "reading", reading_named(reading)
    plain = word(f"{kind}.{name.base}", language)
    if name.threshold is None:
        return plain
    threshold = threshold_text(name.threshold)
    return word(f"{kind}_at", language, reading=plain, threshold=threshold)


def words_with(readings: Iterable[str]) -> dict[str, Words]:
    """Every text, and those of readings with a threshold: what a page of them looks up by key."""
    at = {reading for reading in readings if f"reading.{reading}" not in WORDS}
    told = {f"reading.{reading}": both(partial(reading_word, reading)) for reading in sorted(at)}
    return WORDS | told


def verdict_word(code: str, language: Language) -> str:
    """A verdict as tables have it: labels as they are, a failure in words.

    >>> verdict_word("idk", "zh"), verdict_word("failure", "zh")
    ('idk', '失败')
    """
    return word("verdict.failure", language) if code == "failure" else code
