"""Whether asking on makes sense: failures in a row, a refused key, a provider that only refuses."""

from __future__ import annotations

from typing import NamedTuple

from metajudge.counted import counted
from metajudge.judges.judge import Request
from metajudge.runner.call import FailureClass, Stopped
from metajudge.runner.limits import Limits
from metajudge.runner.setback import Setback
from metajudge.templates.message import Message

_JUDGE_DOWN: frozenset[FailureClass] = frozenset(
    {"rate_limit", "server", "connection", "timeout", "not_a_judge", "access", "unexpected"}
)
_DOUBTFUL: frozenset[FailureClass] = _JUDGE_DOWN - {"not_a_judge", "access"}
_DOWN_WHILE_UNPROVEN: frozenset[FailureClass] = frozenset({"bad_request", "empty"})
ARE_YOU_THERE = Request((Message("user", "Answer with the word yes."),), max_tokens=16)
"""What a judge is asked before it counts as down. The answer is not kept: that there is one says
that the failures lie in the calls, such as a context that the server cannot take."""


class Stop(NamedTuple):
    """An early end.

    Attributes:
        why: Its class.
        message: One line for people.
        grace_s: How long calls in flight are waited for, in s; None until they end by themselves.
        doubtful: Whether the failures could lie in the calls: ask `ARE_YOU_THERE` first.
    """

    why: Stopped
    message: str
    grace_s: float | None
    doubtful: bool = False


def _no_access(detail: str) -> str:
    if detail.startswith("no key"):
        return f"the judge cannot be asked: {detail}, and run again."
    return (
        f"the judge refuses the key or the permission ({detail}). "
        "Check the API key and what it may use, and run again."
    )


class Health:
    """Counts total failures in a row and says when to stop.

    A failure that lies in the call (content filter, context too long, no recorded reply) says
    nothing about the judge. A bad request or an empty reply does so only while nothing was ever
    answered: afterwards the judge is known to understand the requests.

    Args:
        limits: `stop_after`, `patience_s` and `grace_s` are used.
        answered_before: Whether the judge has answered such requests earlier.
    """

    def __init__(self, limits: Limits, *, answered_before: bool = False) -> None:
        self._limits = limits
        self._proven = False
        self._understood = answered_before
        self._doubtful = False
        self._in_row = 0
        self._down = 0
        self._last = ""

    def answered(self) -> None:
        """A call was answered."""
        self._proven = self._understood = True
        self._in_row = 0

    def looked(self) -> None:
        """The judge is up; nothing is known of requests such as the calls have."""
        self._proven = True
        self._in_row = 0

    def failed(self, setback: Setback) -> Stop | None:
        """A call failed for good; the stop that follows, if one does."""
        self._last = f"last: {setback.kind}: {setback.detail}"
        if setback.kind == "access" and not self._proven:
            return Stop("access", _no_access(setback.detail), 0.0)
        means_down = setback.kind in _JUDGE_DOWN
        if not means_down and (self._understood or setback.kind not in _DOWN_WHILE_UNPROVEN):
            return None
        self._doubtful = setback.kind in _DOUBTFUL
        self._down += 1
        self._in_row += 1
        if self._in_row < self._limits.stop_after:
            return None
        what = f"{counted(self._in_row, 'calls')} in a row failed ({self._last})"
        return self._judge_down(what, doubtful=self._doubtful)

    def refused(self, setback: Setback, in_row: int) -> Stop | None:
        """The gate closed the `in_row`-th time with no answer between; the stop that follows."""
        wait = setback.retry_after
        if wait is not None and wait > self._limits.patience_s:
            return self._judge_down(f"the provider asks to wait {wait:.0f} s ({setback.detail})")
        if in_row < self._limits.stop_after:
            return None
        refused = f"the provider refused {counted(in_row, 'times')} in a row"
        return self._judge_down(f"{refused} ({setback.detail})")

    def at_end(self, calls: int) -> Stop | None:
        """The stop of a run too short for failures in a row: every one of its calls failed so."""
        if self._proven or not self._down or self._down < calls:
            return None
        return self._judge_down(f"no call was answered ({self._last})", doubtful=self._doubtful)

    def _judge_down(self, what: str, *, doubtful: bool = False) -> Stop:
        mend = "What is answered is kept; run again when the judge is up."
        return Stop("judge_down", f"{what}. {mend}", self._limits.grace_s, doubtful)
