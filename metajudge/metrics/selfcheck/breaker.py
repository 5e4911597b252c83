"""When a judge counts as down, so that it is not waited for again and again."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

from metajudge.counted import counted
from metajudge.runner.call import FailureClass

DOWN: frozenset[FailureClass] = frozenset(
    {"rate_limit", "server", "timeout", "connection", "access", "not_a_judge", "unexpected"}
)
"""Failures that say something about the judge; the others lie in the call."""


class Breaker:
    """Counts failures in a row over all event loops; safe between threads.

    After `after` failures with no answer between them nothing is let in for `rest_s`. Then one call
    tries: an answer ends the pause, a failure begins another one. One of which nothing is heard for
    `rest_s` (its event loop is gone, or it was left in another process by a fork) holds nobody up.

    Args:
        after: Failures in a row, at least 1.
        rest_s: Length of the pause in s.
        clock: A monotonic clock in s.

    >>> breaker = Breaker(1, 30.0)
    >>> breaker.lets_in(), breaker.failed("connection", "refused"), breaker.lets_in()
    (True, None, False)
    """

    def __init__(
        self, after: int, rest_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._after, self._rest_s, self._clock = after, rest_s, clock
        self._lock = threading.Lock()
        self._in_row = 0
        self._rests_until: float | None = None
        self._tries_until = -math.inf
        self._last = ""

    @property
    def resting(self) -> bool:
        """Whether the judge counts as down."""
        return self._rests_until is not None

    @property
    def told(self) -> str:
        """One line about the pause."""
        return f"{counted(self._in_row, 'calls')} in a row failed (last: {self._last})"

    def lets_in(self) -> bool:
        """Whether a call may go out; the one that tries again takes its turn by asking this."""
        if self._rests_until is None:
            return True
        with self._lock:
            if self._rests_until is None:
                return True
            now = self._clock()
            if now < max(self._tries_until, self._rests_until):
                return False
            self._tries_until = now + self._rest_s
            return True

    def answered(self) -> None:
        """A call was answered, or failed for a reason that lies in the call."""
        if self._in_row or self._rests_until is not None:
            with self._lock:
                self._in_row, self._rests_until, self._tries_until = 0, None, -math.inf

    def failed(self, kind: FailureClass, detail: str) -> None:
        """A call failed."""
        if kind not in DOWN:
            return self.answered()
        with self._lock:
            self._in_row += 1
            self._last = f"{kind}: {detail}"
            self._tries_until = -math.inf
            if self._in_row >= self._after:
                self._rests_until = self._clock() + self._rest_s
        return None

    def gave_up(self) -> None:
        """A call was given up by its caller, which says nothing; another one may try."""
        with self._lock:
            self._tries_until = -math.inf
