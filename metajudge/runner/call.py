"""What is asked of a judge, and the account of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from metajudge.judges.judge import CallErrorKind, Request
from metajudge.verdicts.verdict import Reply

Stopped = Literal["budget", "judge_down", "access", "interrupted", "no_model"]
FailureClass = CallErrorKind | Literal["empty", "unexpected"]


@dataclass(frozen=True, slots=True)
class Call:
    """One request under its content key (`metajudge.judges.judge.call_key`).

    Attributes:
        key: SHA-256 in hex; two calls with one key are one call.
        request: What the judge is asked.
    """

    key: str
    request: Request


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a run did. Cached replies add nothing to tokens, cost or retries.

    Attributes:
        asked: Distinct calls wanted.
        cache_hits: Of these, already in the store.
        answered: Of these, answered in this run.
        failures: Calls that ended for good without an answer, by class of the last error.
        sent: Attempts that went to the judge.
        retries: Attempts beyond the first of their call.
        prompt_tokens: Tokens read, over the replies that say so.
        completion_tokens: Tokens written, over the replies that say so.
        cached_tokens: Of `prompt_tokens`, taken from a warm prefix.
        cost_usd: Sum of the known prices in USD; None when no reply has one.
        unpriced: Replies of this run without a known price.
        wall_s: Wall time in s.
        stopped: Why the run ended early; None when every call was settled.
        message: One line for people about an early end; "" otherwise.
    """

    asked: int
    cache_hits: int = 0
    answered: int = 0
    failures: Mapping[FailureClass, int] = field(default_factory=dict)
    sent: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float | None = None
    unpriced: int = 0
    wall_s: float = 0.0
    stopped: Stopped | None = None
    message: str = ""

    @property
    def failed(self) -> int:
        """Calls that ended for good without an answer."""
        return sum(self.failures.values())

    @property
    def not_asked(self) -> int:
        """Calls that an early end left open; the next run asks them."""
        return self.asked - self.cache_hits - self.answered - self.failed


class RunOutcome(NamedTuple):
    """Replies by key in the order of the calls, and the account of the run.

    A call that an early end left open has no entry in `replies`.
    """

    replies: dict[str, Reply]
    report: RunReport
