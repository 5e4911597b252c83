"""Who speaks in a conversation, under the names that records have for it."""

from __future__ import annotations

from typing import Any, Literal

Speaker = Literal["user", "assistant", "system", "tool"]

_NAMES: dict[Speaker, tuple[str, ...]] = {
    "user": ("user", "human", "customer", "用户"),
    "assistant": ("assistant", "ai", "model", "agent", "bot", "gpt", "助手"),
    "system": ("system", "developer", "系统"),
    "tool": ("tool", "function", "工具"),
}
_SPEAKER = {name: speaker for speaker, names in _NAMES.items() for name in names}
SPEAKER_NAMES = tuple(_SPEAKER)
"""Names that are read, in any case."""


def speaker_of(name: Any) -> Speaker | None:
    """Who a name of a record means; None where it is none of `SPEAKER_NAMES`.

    >>> speaker_of("Human"), speaker_of("助手"), speaker_of("narrator")
    ('user', 'assistant', None)
    """
    told = getattr(name, "value", name)
    return _SPEAKER.get(told.strip().casefold()) if isinstance(told, str) else None


def speaker_at(place: int) -> Speaker:
    """Who speaks where only texts are given: the user first, then by turns."""
    return "assistant" if place % 2 else "user"
