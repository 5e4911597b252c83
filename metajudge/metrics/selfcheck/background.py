"""One event loop in a thread of its own, for callers that have none or judges that want one."""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, Generic, TypeVar

T = TypeVar("T")
JOIN_S = 5.0


class LateError(Exception):
    """A coroutine did not end in its time."""


class LoopEndedError(Exception):
    """The loop ended before a coroutine did."""


class _Errand(Generic[T]):
    """A coroutine on its way into the loop, and a lock that its end opens."""

    __slots__ = ("ended", "task", "work")

    def __init__(self, work: Coroutine[Any, Any, T]) -> None:
        self.work = work
        self.task: asyncio.Task[T] | None = None
        self.ended = threading.Lock()
        self.ended.acquire()

    def begin(self) -> None:
        self.task = asyncio.get_running_loop().create_task(self.work)
        self.task.add_done_callback(lambda _: self.ended.release())

    def give_up(self) -> None:
        if self.task is not None:
            self.task.cancel()


class Background:
    """An event loop that runs in a daemon thread from its first use on; safe between threads.

    A process that was forked begins with a loop of its own.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._pid = os.getpid()
        self._errands: deque[_Errand[Any]] = deque()
        self._roused = False

    def wait(self, work: Coroutine[Any, Any, T], timeout_s: float) -> T:
        """What a coroutine gives that runs there; cancelled where nobody waits for it any more.

        `submit` does as much with a future, whose locks and callbacks cost a check a tenth of its
        CPU. Many threads that come at once rouse the loop once.

        Raises:
            LateError: It did not end in that many seconds.
            LoopEndedError: `close` came first.
            RuntimeError: The thread cannot be started, as when the interpreter ends.
        """
        errand = _Errand(work)
        try:
            loop = self._running()
            self._errands.append(errand)
            if not self._roused:
                self._roused = True
                loop.call_soon_threadsafe(self._set_out)
        except RuntimeError:
            work.close()
            raise
        ended = False
        try:
            ended = errand.ended.acquire(timeout=timeout_s)
        finally:
            if not ended:
                with suppress(RuntimeError):  # the loop has ended, and the errand with it
                    loop.call_soon_threadsafe(errand.give_up)
        if not ended or errand.task is None:
            raise LateError
        if errand.task.cancelled():
            raise LoopEndedError
        return errand.task.result()

    def _set_out(self) -> None:
        # Before the errands are taken: one that is put there later finds that it has to rouse.
        self._roused = False
        while self._errands:
            self._errands.popleft().begin()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run a coroutine there; the future may be cancelled.

        Raises:
            RuntimeError: The thread cannot be started, as when the interpreter ends.
        """
        try:
            return asyncio.run_coroutine_threadsafe(work, self._running())
        except RuntimeError:
            work.close()
            raise

    @property
    def loop(self) -> asyncio.AbstractEventLoop | None:
        """The loop, where it runs."""
        return self._loop if self._pid == os.getpid() else None

    def close(self) -> None:
        """End the loop with everything that runs in it; safe to call twice."""
        with self._lock:
            loop, thread = self.loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None:
            return
        loop.call_soon_threadsafe(loop.stop)
        if thread is not threading.current_thread():
            thread.join(JOIN_S)

    def leave(self, last: Coroutine[Any, Any, None]) -> None:
        """`close` for those who must not wait, after a last coroutine; both by the loop itself."""
        loop, self._loop = self.loop, None
        if loop is None:
            last.close()
            return
        ended = asyncio.run_coroutine_threadsafe(last, loop)
        ended.add_done_callback(lambda _: loop.call_soon_threadsafe(loop.stop))

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or self._pid != os.getpid():
                self._pid = os.getpid()
                self._errands, self._roused = deque(), False
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=_run, args=(self._loop,), name="metajudge-selfcheck", daemon=True
                )
                self._thread.start()
            return self._loop


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.wait(left, timeout=1.0))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        asyncio.set_event_loop(None)
        loop.close()
