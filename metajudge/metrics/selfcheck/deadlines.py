"""The deadlines of many checks of one event loop, by a single timer."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable


class Wait:
    """What has a deadline; once it is over, it holds nothing of what waited.

    Args:
        late: Is called when the deadline comes before the end.
    """

    __slots__ = ("_late",)

    def __init__(self, late: Callable[[], None]) -> None:
        self._late: Callable[[], None] | None = late

    @property
    def is_over(self) -> bool:
        """Whether it has ended, by itself or by its deadline."""
        return self._late is None

    def over(self) -> None:
        """It has ended by itself."""
        self._late = None

    def due(self) -> None:
        """Its deadline has come; nothing happens where it is over."""
        late, self._late = self._late, None
        if late is not None:
            late()


class Deadlines:
    """Ends waits whose time has come.

    Checks of one self-check all have the same time, so their deadlines come in the order in which
    they were set: a place in a queue is enough, which costs less than a timer of the event loop. A
    deadline before one that was set earlier gets a timer of its own.
    """

    def __init__(self) -> None:
        self._waits: deque[tuple[float, Wait]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    def set(self, ends_at: float, wait: Wait) -> asyncio.TimerHandle | None:
        """End a wait at some time of the event loop's clock, unless it has ended before.

        Returns:
            A timer to cancel when the wait has ended otherwise; None where there is none.
        """
        waits = self._waits
        while waits and waits[0][1].is_over:
            waits.popleft()
        if waits and ends_at < waits[-1][0]:
            return asyncio.get_running_loop().call_at(ends_at, wait.due)
        waits.append((ends_at, wait))
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_at(ends_at, self._due)
        return None

    def _due(self) -> None:
        loop, waits = asyncio.get_running_loop(), self._waits
        now = loop.time()
        while waits and (waits[0][1].is_over or waits[0][0] <= now):
            waits.popleft()[1].due()
        self._timer = loop.call_at(waits[0][0], self._due) if waits else None
