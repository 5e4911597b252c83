"""Labels, times and names of people as other tools write them."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from datetime import datetime, timezone
from functools import lru_cache
from typing import Any

from metajudge.gold.claim import SPACE_LABELS, GoldLabel
from metajudge.gold.importing.fields import LISTS, MAPPINGS
from metajudge.gold.importing.records import bounded
from metajudge.gold.importing.source import Source
from metajudge.gold.source_text import lone_surrogate

GOLD_NAMES = ("label", "gold_label", "human_label")
"""Fields of a record that may hold a label without a column map."""
ASKED_NAMES = (
    *GOLD_NAMES,
    *("verdict", "faithfulness", "faithful", "is_faithful", "groundedness", "grounded"),
    *("is_grounded", "support", "supported", "is_supported", "attribution", "attributable"),
    *("entailment", "consistency", "consistent"),
)
"""Questions put to people whose yes can only mean that the context supports the claim."""
OUR_WORDS: dict[str, GoldLabel] = {word: word for words in SPACE_LABELS.values() for word in words}
_YES_IS_BAD = re.compile(
    r"halluc|unfaith|unground|unsupport|contradict|inconsist|fabricat|error|幻觉|编造|错误|矛盾",
    re.IGNORECASE,
)
_FRACTION = re.compile(r"\.(\d+)")
_ZONE = re.compile(r"([+-]\d\d)(\d\d)$")
_NUMBERS = (int, float)
_NAMELESS = (bool, list, dict)
_MILLISECONDS_FROM = 10**11
_NANOSECONDS_FROM = 10**17


def word_of(value: Any) -> str:
    """A label as one word, as `labels` of the user name it; "" for none.

    >>> word_of(True), word_of(1.0), word_of([" yes "]), word_of(["yes", "no"]), word_of(None)
    ('true', '1', 'yes', 'yes, no', '')
    """
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, LISTS):
        return ", ".join([word for word in map(word_of, value) if word])
    if isinstance(value, bool):
        return str(value).lower()
    if _is_nan(value):
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else str(value).strip()


def _is_nan(value: Any) -> bool:
    """Whether it is what data frames write where nothing is."""
    return isinstance(value, float) and math.isnan(value)


def label_of(word: str, source: Source, name: str = "label") -> GoldLabel | None:
    """Our label of their word: as the user's label map says, else our own words alone.

    Args:
        word: As `word_of` gives it.
        source: Whose `labels` are looked at first.
        name: Of the question; yes and no to one such as `hallucination` need a label map.
    """
    return _label_of(word, tuple(source.labels.items()), name)


@lru_cache(maxsize=256)
def _label_of(word: str, labels: tuple[tuple[str, GoldLabel], ...], name: str) -> GoldLabel | None:
    folded = _folded(word)
    given = {_folded(theirs): ours for theirs, ours in labels}
    label = dict(labels).get(word) or given.get(folded) or OUR_WORDS.get(folded)
    turned = folded in ("yes", "no") and folded not in given and _YES_IS_BAD.search(name)
    return None if turned else label


def _folded(word: str) -> str:
    """A word without case, and with full-width letters as the usual ones."""
    return word.casefold() if word.isascii() else unicodedata.normalize("NFKC", word).casefold()


def question_named(names: Sequence[str], source: Source) -> tuple[str | None, str]:
    """Which of the questions put to people asks for the label, and else what to say about it."""
    return _asked(tuple(names), source.columns.get("label"))


@lru_cache(maxsize=256)
def _asked(names: tuple[str, ...], path: str | None) -> tuple[str | None, str]:
    if path is not None:
        return (path, "") if path in names else (None, f"nothing is named {path}")
    usual = [name for name in dict.fromkeys(names) if name.casefold() in ASKED_NAMES]
    if len(usual) == 1:
        return usual[0], ""
    choice = ", ".join(usual or dict.fromkeys(names))
    return None, f"say which one is the label: {choice}" if choice else ""


def moment(value: Any) -> datetime | None:
    """A point in time of ISO 8601, or of seconds, milliseconds or nanoseconds since 1970.

    >>> moment("2025-03-01T09:30:00.1234567Z").isoformat(), moment(1740821400).isoformat()
    ('2025-03-01T09:30:00.123456+00:00', '2025-03-01T09:30:00+00:00')
    """
    if isinstance(value, datetime):
        return value
    if isinstance(value, _NUMBERS) and not isinstance(value, bool):
        scale = 10**9 if value >= _NANOSECONDS_FROM else 10**3 if value >= _MILLISECONDS_FROM else 1
        try:
            return datetime.fromtimestamp(value / scale, timezone.utc)
        except (OverflowError, ValueError, OSError):
            return None
    text = str(value or "").strip()
    if text.endswith(("Z", "z")):
        text = text[:-1] + "+00:00"
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        pass
    text = _FRACTION.sub(lambda match: f".{match[1][:6]:0<6}", text, count=1)
    try:
        return datetime.fromisoformat(_ZONE.sub(r"\1:\2", text))
    except ValueError:
        return None


def person(value: Any) -> str | None:
    """The name of an annotator: as it is, or the e-mail, name or id of a user; nothing else."""
    if isinstance(value, MAPPINGS):
        named = value.get("email") or value.get("username") or value.get("name")
        value = named or value.get("id") or None
    name = identifier(value)
    return None if name is None else bounded(name)


def identifier(value: Any) -> str | None:
    """Upstream's id as a text; None where there is none, or it is no text that can be saved."""
    if value is None:
        return None
    if isinstance(value, str):
        text = value.strip()
    else:
        is_none = isinstance(value, _NAMELESS) or _is_nan(value)
        text = "" if is_none else str(value).strip()
    return text if text and (text.isascii() or lone_surrogate(text) is None) else None
