"""Every text of the labelling page, in English and Chinese, in one table."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Literal

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")
HTML_LANGUAGE: dict[Language, str] = {"en": "en", "zh": "zh-CN"}
WORDS: dict[str, tuple[str, str]] = {
    key: (en, zh)
    for key, (en, zh) in json.loads(
        files("metajudge.labelling").joinpath("texts", "page.json").read_text(encoding="utf-8")
    ).items()
}
"""Key -> English, Chinese; the same placeholders in both."""


def word(key: str, language: Language, /, **values: object) -> str:
    """A text with its placeholders filled; values are put in as they are, braces and all.

    >>> word("progress_n", "en", done=3, total=10)
    '3 of 10'
    """
    text = WORDS[key][LANGUAGES.index(language)]
    return text.format(**values) if values else text
