"""The shared gate at a provider's rate limit: everyone waits once, then all go at a learned pace.

One 429 closes the gate for all calls until `Retry-After` has passed, so that no waiting call
spends an attempt on a refusal that is known beforehand. When the gate opens, the calls that were
let in lately (since the last opening, at most 5 to 10 s before the refusal, the wait included)
give the rate that the provider really serves; calls are then spaced slightly slower than that, and
the pace rises, by 1 % in the first second, 20 % in ten, 200 % in forty, until the next refusal:
slowly while the learned rate is likely right, faster when it turns out too low. A provider's burst
allowance is averaged out.
"""

from __future__ import annotations

import asyncio
import time

UNDER_RATE = 0.95
RISE_PER_S = 0.01
RISE_PER_S2 = 0.001
WINDOW_S = 5.0
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 60.0
CATCH_UP_S = 0.05


class Throttle:
    """Gate and pace that all calls of a run share. Times are in s of a monotonic clock.

    Attributes:
        rate: Pace in calls/s; None while no refusal has been seen.
        refusals_in_row: Closings of the gate with no answer between them.
    """

    def __init__(self) -> None:
        self.rate: float | None = None
        self.refusals_in_row = 0
        self._closed = False
        self._turn = asyncio.Lock()
        self._opens_at = 0.0
        self._next_at = 0.0
        self._learned = 0.0
        self._opened_at = 0.0
        self._refused = 0
        self._windows = [(0.0, 0), (0.0, 0)]

    async def enter(self) -> float:
        """Wait for gate and pace; gives the time of sending."""
        if self.rate is not None or self._closed:
            await self._wait_turn()
        now = time.monotonic()
        self._count(now)
        return now

    def answered(self) -> None:
        """A call was let in and answered."""
        self.refusals_in_row = 0

    def refused(self, sent_at: float, retry_after: float | None) -> bool:
        """A call sent at `sent_at` got 429; True when this closes the gate anew."""
        now = time.monotonic()
        stale = sent_at < self._opened_at
        self._refused += not stale
        wait = self._wait_for(retry_after)
        if self._closed and not stale:
            self._opens_at = max(self._opens_at, now + (retry_after or 0.0))
        if self._closed or stale:
            return False
        self._closed = True
        self.refusals_in_row += 1
        self._opens_at = now + wait
        return True

    def _wait_for(self, retry_after: float | None) -> float:
        backoff = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0**self.refusals_in_row)
        return backoff if retry_after is None else max(retry_after, 0.05)

    async def _wait_turn(self) -> None:
        # One at a time: a call that gives up then leaves no gap in the pace behind.
        async with self._turn:
            while True:
                now = time.monotonic()
                wait = max(self._opens_at, 0.0 if self._closed else self._next_at) - now
                if wait <= 0:
                    break
                await asyncio.sleep(wait)
            if self._closed:
                self._reopen(now)
            age = now - self._opened_at
            self.rate = self._learned * (1.0 + RISE_PER_S * age + RISE_PER_S2 * age * age)
            self._next_at = max(self._next_at, now - CATCH_UP_S) + 1.0 / self.rate

    def _count(self, now: float) -> None:
        """One more call in the younger of two windows; a window is full after 5 s."""
        older, (start, sent) = self._windows
        if not sent or now - start > WINDOW_S:
            self._windows = [(start, sent) if sent else older, (now, 1)]
        else:
            self._windows = [older, (start, sent + 1)]

    def _reopen(self, now: float) -> None:
        filled = [window for window in self._windows if window[1]]
        start = min((start for start, _ in filled), default=now)
        let_in = max(1, sum(sent for _, sent in filled) - self._refused)
        learned = UNDER_RATE * let_in / max(now - start, 1e-3)
        self._learned = learned if self.rate is None else min(learned, UNDER_RATE * self.rate)
        self._closed = False
        self._opened_at = self._next_at = now
        self._refused = 0
        self._windows = [(0.0, 0), (0.0, 0)]
