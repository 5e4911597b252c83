"""Every text of the computed metrics, in English and Chinese, read from `texts.json`."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from metajudge.counted import filled


@cache
def texts() -> dict[str, list[str]]:
    """Key -> text in English and Chinese."""
    text = files("metajudge.metrics.computed").joinpath("texts.json").read_text(encoding="utf-8")
    found: dict[str, list[str]] = json.loads(text)
    return found


def sentence(key: str, language: str, **values: object) -> str:
    """A text in Chinese for `zh` and in English for any other language, its places filled.

    >>> sentence("turns", "zh", n=3)
    '共 3 轮。'
    """
    english, chinese = texts()[key]
    return filled(chinese if language == "zh" else english, values)
