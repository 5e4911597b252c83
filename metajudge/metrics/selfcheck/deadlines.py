"""The deadlines of many checks of one event loop, by a single timer."""

from __future__ import annotations

import asyncio
from collections import deque


class Deadlines:
    """Ends waits whose time has come.

    Checks of one self-check all have the same time, so their deadlines come in the order in which
    they were set: a place in a queue is enough, which costs less than a timer of the event loop. A
    deadline before one that was set earlier gets a timer of its own.
    """

    def __init__(self) -> None:
        self._waits: deque[tuple[float, asyncio.Future[None]]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    def set(self, ends_at: float, over: asyncio.Future[None]) -> asyncio.TimerHandle | None:
        """End a wait at some time of the event loop's clock, unless it has ended before.

        Returns:
            A timer to cancel when the wait has ended otherwise; None where there is none.
        """
        waits = self._waits
        while waits and waits[0][1].done():
            waits.popleft()
        if waits and ends_at < waits[-1][0]:
            return asyncio.get_running_loop().call_at(ends_at, end, over)
        waits.append((ends_at, over))
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_at(ends_at, self._due)
        return None

    def _due(self) -> None:
        loop, waits = asyncio.get_running_loop(), self._waits
        now = loop.time()
        while waits and (waits[0][1].done() or waits[0][0] <= now):
            end(waits.popleft()[1])
        self._timer = loop.call_at(waits[0][0], self._due) if waits else None


def end(over: asyncio.Future[None]) -> None:
    """End a wait that goes on."""
    if not over.done():
        over.set_result(None)
