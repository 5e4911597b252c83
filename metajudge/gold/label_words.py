"""Claims that contain the word of their own label: a judge may copy it instead of reading."""

from __future__ import annotations

import re

from metajudge.gold.claim import GoldLabel

_ENGLISH: dict[GoldLabel, str] = {
    "yes": r"yes|supported",
    "no": r"contradicted",
    "idk": r"idk|i do(?:n't|n’t| not) know|not[ _-]mentioned|borderline|unknown",
    "supported": r"supported",
    "unsupported": r"unsupported|not supported",
}
_CHINESE: dict[GoldLabel, str] = {
    "yes": r"^是的|^是[，,。.！!]?$|支持",
    "no": r"^不是[，,。.！!]|^否[，,。.！!]?$|矛盾",
    "idk": r"不知道|未提及|未提到",
    "supported": r"有依据|支持",
    "unsupported": r"无依据|不支持",
}
_BARE_NO = r"^no[,.! ]|[\"'“‘]no[\"'”’]"
_PATTERNS: dict[GoldLabel, re.Pattern[str]] = {
    label: re.compile(
        rf"\b(?:{_ENGLISH[label]})\b|{_CHINESE[label]}" + (f"|{_BARE_NO}" if label == "no" else ""),
        re.IGNORECASE,
    )
    for label in _ENGLISH
}


def own_label_word(claim: str, label: GoldLabel) -> str | None:
    """The first word of its own label, in any dialect, that a claim contains; None without one.

    `no` counts at the start or in quotes only, 是 and 否 only where they answer: both are everyday
    words elsewhere.

    >>> own_label_word("The release notes are unknown to the vendor.", "idk")
    'unknown'
    >>> own_label_word("There is no fee.", "no") is None
    True
    """
    found = _PATTERNS[label].search(claim)
    return found.group().strip(" ,.!，。！") if found else None
