"""The chat message that a template compiles to."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Message(NamedTuple):
    """One chat message; `content` is plain text."""

    role: Literal["system", "user", "assistant"]
    content: str
