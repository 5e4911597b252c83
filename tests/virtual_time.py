"""Time that passes only while an event loop has nothing to do, so that no test waits or is late.

    async def test_a_minute_ends():
        with virtual_time():
            await asyncio.sleep(60)  # at once, and `time.monotonic()` is 60 s later

For what happens on one event loop alone: the loop jumps to its next timer as soon as nothing else
is ready, whatever threads, sockets and other processes may be about to do.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import pytest_asyncio

CLOCKS = ("time", "monotonic", "perf_counter")


class Clock:
    """What the clocks of `time` show beyond where they stood.

    Attributes:
        passed_s: Time since the beginning, in s.
    """

    def __init__(self) -> None:
        self.passed_s = 0.0

    def shown_by(self, clock: str) -> Any:
        """The clock of that name, which stands still until time is passed."""
        began = getattr(time, clock)()
        return lambda: began + self.passed_s


class _Jumping:
    """A selector that passes the time instead of waiting."""

    def __init__(self, selector: Any, clock: Clock) -> None:
        self._selector, self._clock = selector, clock

    def select(self, timeout: float | None = None) -> Any:
        found = self._selector.select(timeout if timeout is None else 0)
        if timeout is not None and not found:
            self._clock.passed_s += timeout
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._selector, name)


class Held:
    """Work for a thread that takes until its `with` block ends."""

    def __init__(self) -> None:
        self._begun, self._ended = threading.Event(), threading.Event()

    def work(self) -> None:
        """For the thread."""
        self._begun.set()
        self._ended.wait()

    async def under_way(self) -> None:
        """Until the thread works, in real time."""
        await asyncio.to_thread(self._begun.wait)

    def __enter__(self) -> Held:
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()


@contextmanager
def virtual_time() -> Iterator[Clock]:
    """The running loop and the clocks of `time` follow one clock, which waits for nobody."""
    loop: Any = asyncio.get_running_loop()
    clock, selector = Clock(), loop._selector
    with pytest.MonkeyPatch.context() as patched:
        for name in CLOCKS:
            patched.setattr(time, name, clock.shown_by(name))
        patched.setattr(loop, "_selector", _Jumping(selector, clock))
        yield clock


@pytest_asyncio.fixture
async def virtual_clock() -> AsyncIterator[Clock]:
    """`virtual_time` for the whole of an asynchronous test."""
    with virtual_time() as clock:
        yield clock
