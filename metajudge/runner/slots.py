"""How many calls are under way at once, adapted to what the judge can take."""

from __future__ import annotations

import asyncio
from collections import deque

from metajudge.runner.limits import FLOOR_IN_FLIGHT, START_IN_FLIGHT, Limits

GROWTH_PER_ANSWER = 0.2
SHRINK_PER_EPISODE = 0.7


class Slots:
    """Places for calls in flight, given out first come first served.

    Without an exact number the count of places starts at 16, grows by a fifth of a place per answer
    while calls wait for one, and shrinks by the factor 0.7 when told to, between 4 and the
    ceiling. Growing by answers bounds what a provider's limit refuses at once: no more than 16
    calls and a fifth of those answered so far.

    Args:
        limits: `max_in_flight` None adapts; a number is kept exactly.
        judge_cap: The judge's own most; None for none.
    """

    def __init__(self, limits: Limits, judge_cap: int | None) -> None:
        self.ceiling = limits.widest(judge_cap)
        self.held = 0
        self.affordable: int | None = None
        self._adapts = limits.max_in_flight is None
        self._places = float(min(START_IN_FLIGHT, self.ceiling) if self._adapts else self.ceiling)
        self._waiters: deque[asyncio.Future[None]] = deque()

    @property
    def places(self) -> int:
        """Calls that may be under way now; `affordable` (what the budget still pays) caps it.

        Never under 1, so that a waiter comes through and sees that the budget is spent.
        """
        places = int(self._places)
        return places if self.affordable is None else max(1, min(places, self.affordable))

    async def take(self, *, ahead: bool = False) -> None:
        """Wait for a place and take it; `ahead` of all who wait, or after them."""
        if (ahead or not self._waiters) and self.held < self.places:
            self.held += 1
            return
        waiter = asyncio.get_running_loop().create_future()
        if ahead:
            self._waiters.appendleft(waiter)
        else:
            self._waiters.append(waiter)
        try:
            await waiter
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled():
                self.give_back()
            raise

    def give_back(self) -> None:
        """Free a place; the longest waiter gets it."""
        self.held -= 1
        self.wake()

    def wake(self) -> None:
        """Give free places to waiters."""
        places = self.places
        while self._waiters and self.held < places:
            waiter = self._waiters.popleft()
            if not waiter.done():
                self.held += 1
                waiter.set_result(None)

    def grow(self) -> None:
        """An answer came while calls waited for a place only: allow more of them."""
        if self._adapts and self._waiters:
            self._places = min(self.ceiling, self._places + GROWTH_PER_ANSWER)

    def shrink(self) -> None:
        """The judge refused for load: allow fewer."""
        if self._adapts:
            floor = min(FLOOR_IN_FLIGHT, self.ceiling)
            self._places = max(floor, self._places * SHRINK_PER_EPISODE)
