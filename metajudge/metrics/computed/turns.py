"""How many turns conversations take, and whether suspiciously many end after one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from metajudge.agreement.intervals import wilson_interval
from metajudge.errors import InputError, Problem, short_repr
from metajudge.metrics.computed.words import sentence
from metajudge.metrics.speakers import SPEAKER_NAMES, Speaker, speaker_at, speaker_of

SUSPICIOUS_SHARE = 0.8
"""Share of single-turn conversations above which hard questions may be dodged."""


@dataclass(frozen=True, slots=True)
class TurnCounts:
    """Turns over a set of conversations; None where no conversation has a turn.

    Attributes:
        n: Conversations with a turn.
        without: Conversations in which no user speaks; they count nowhere else.
        mean: Mean turns, 1 and more.
        most: Turns of the longest.
        fewest: Turns of the shortest.
        single_turn_share: Share of those with one turn, 0 to 1.
        low: Lower limit of that share.
        high: Upper limit.
    """

    n: int
    without: int
    mean: float | None
    most: int | None
    fewest: int | None
    single_turn_share: float | None
    low: float | None
    high: float | None

    @property
    def suspicious(self) -> bool:
        """Whether the single-turn share is above `SUSPICIOUS_SHARE`."""
        return self.single_turn_share is not None and self.single_turn_share > SUSPICIOUS_SHARE

    def warning(self, language: str = "en") -> str | None:
        """What a high single-turn share may mean, in one sentence; None where it is not high.

        The sentence says so where the interval still holds `SUSPICIOUS_SHARE`.
        """
        if not self.suspicious or self.low is None:
            return None
        key = "single_turn" if self.low > SUSPICIOUS_SHARE else "single_turn_unsure"
        figures = {"share": self.single_turn_share, "low": self.low, "high": self.high, "n": self.n}
        return sentence(key, language, limit=SUSPICIOUS_SHARE, **figures)


def count_turns(messages: Sequence[Any], where: str = "messages") -> int | None:
    """Turns of a conversation: a user's message and what answers it, usually two messages.

    Several messages of the user in a row are one; messages of the system and of tools do not
    count, nor does the assistant's greeting before the user speaks.

    Args:
        messages: Mappings or objects with `role` (OpenAI, DeepEval) or `type` (Ragas, LangChain),
            in any case and under any of `SPEAKER_NAMES`; or texts, the user's first and then by
            turns.
        where: What is read, for messages.

    Returns:
        1 and more; None where no user speaks.

    Raises:
        InputError: A message has no role that is known.

    >>> count_turns([{"role": "user"}, {"role": "assistant"}, {"role": "user"}])
    2
    >>> count_turns(["在吗？", "在的。"]), count_turns([])
    (1, None)
    """
    roles = [_role(message, at, where) for at, message in enumerate(messages)]
    spoken = [role for role in roles if role in ("user", "assistant")]
    begins = [role for at, role in enumerate(spoken) if at == 0 or spoken[at - 1] != role]
    return begins.count("user") or None


def _role(message: Any, at: int, where: str) -> Speaker:
    if isinstance(message, str):
        return speaker_at(at)
    fields = message if isinstance(message, Mapping) else vars(message)
    told = fields.get("role") or fields.get("type")
    speaker = speaker_of(told)
    if speaker is None:
        law = f"a message has a role, one of {', '.join(SPEAKER_NAMES)}"
        got = short_repr(getattr(told, "value", told))
        raise InputError(Problem(where, law, "Name who speaks.", field="role", got=got))
    return speaker


def turn_counts(turns: Iterable[int | None], level: float = 0.95) -> TurnCounts:
    """Turns over a set of conversations.

    Args:
        turns: Of each, from `count_turns`; None where no user speaks.
        level: Coverage of the interval of the single-turn share (Wilson).

    >>> found = turn_counts([1, 1, 4])
    >>> found.mean, found.most, found.fewest, round(found.single_turn_share, 3)
    (2.0, 4, 1, 0.667)
    """
    every = list(turns)
    known = [count for count in every if count is not None]
    without = len(every) - len(known)
    if not known:
        return TurnCounts(0, without, None, None, None, None, None, None)
    single = known.count(1)
    limits = wilson_interval(single, len(known), level)
    return TurnCounts(
        n=len(known),
        without=without,
        mean=sum(known) / len(known),
        most=max(known),
        fewest=min(known),
        single_turn_share=single / len(known),
        low=float(limits.low),
        high=float(limits.high),
    )
