"""One event loop in a thread of its own, for callers that have none or judges that want one."""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")
JOIN_S = 5.0


class LateError(Exception):
    """An errand did not end in its time."""


class LoopEndedError(Exception):
    """The loop ended before an errand did."""


class Errand(Generic[T]):
    """Something that a thread wants done in the loop, and a lock that its end opens.

    Args:
        start: Begins it, in the loop; it ends by `give`, in the same turn or later.

    Attributes:
        stop: Ends the work on it when nobody waits any more; None where there is nothing to end.
        is_awaited: Whether somebody waits for its end.
        ended: Is open once it has ended.
    """

    __slots__ = ("_error", "_is_over", "_queue", "_result", "_start", "ended", "is_awaited", "stop")

    def __init__(self, start: Callable[[Errand[T]], None], queue: _Queue) -> None:
        self._start = start
        self._queue = queue
        self._is_over = False
        self._result: T | None = None
        self._error: BaseException | None = None
        self.is_awaited = True
        self.stop: Callable[[], object] | None = None
        self.ended = threading.Lock()
        self.ended.acquire()

    def begin(self) -> None:
        """Begin it, if somebody still waits; an error in that ends it."""
        if not self.is_awaited:
            return
        self._queue.under_way.add(self)
        try:
            self._start(self)
        except Exception as error:  # noqa: BLE001 - it is raised where somebody waits for it
            self._end(None, error)

    def follow(self, task: asyncio.Task[T]) -> None:
        """End as a task does."""
        self.stop = task.cancel
        task.add_done_callback(lambda task: self.give(task.result))

    def give(self, result: Callable[[], T]) -> None:
        """End with a result or the error that is raised in making it."""
        if self._is_over:
            return
        try:
            self._end(result(), None)
        except asyncio.CancelledError:
            self._end(None, LoopEndedError())
        except Exception as error:  # noqa: BLE001 - it is raised where somebody waits for it
            self._end(None, error)

    def give_up(self) -> None:
        """End it without a result."""
        if self.stop is not None:
            self.stop()
        self._end(None, LoopEndedError())

    def _end(self, result: T | None, error: BaseException | None) -> None:
        if not self._is_over:
            self._is_over, self._result, self._error = True, result, error
            self._queue.under_way.discard(self)
            self.ended.release()

    def result(self) -> T:
        """What it ended with; raises where that is an error."""
        if self._error is not None:
            raise self._error
        return cast("T", self._result)


class _Queue:
    """The errands of one loop. Many threads that come at once rouse it once."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: deque[Errand[Any]] = deque()
        self._roused = False
        self._closed = False
        self.under_way: set[Errand[Any]] = set()

    def put(self, errand: Errand[Any]) -> None:
        """Have an errand begun; raises `RuntimeError` where the loop has ended."""
        self._waiting.append(errand)
        if self._closed:
            raise RuntimeError("the loop has ended")
        if not self._roused:
            self._roused = True
            self._loop.call_soon_threadsafe(self._set_out)

    def give_up(self, errand: Errand[Any]) -> None:
        """Have an errand ended for which nobody waits."""
        with suppress(RuntimeError):  # the loop has ended, and the errand with it
            self._loop.call_soon_threadsafe(errand.give_up)

    def _set_out(self) -> None:
        # Before the errands are taken: one that is put there later finds that it has to rouse.
        self._roused = False
        while self._waiting:
            self._waiting.popleft().begin()

    def close(self) -> None:
        """End all errands, as the loop has ended; one that is put there later is refused."""
        self._closed = True
        for errand in [*self.under_way, *self._waiting]:
            errand.give_up()


class Background:
    """An event loop that runs in a daemon thread from its first use on; safe between threads.

    A process that was forked begins with a loop of its own.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._queue: _Queue | None = None
        self._thread: threading.Thread | None = None
        self._pid = os.getpid()

    def wait(self, start: Callable[[Errand[T]], None], timeout_s: float) -> T:
        """What comes of an errand; it is given up where nobody waits for it any more.

        `submit` does as much for a coroutine with a future, whose task, locks and callbacks cost a
        check a quarter of its CPU, and some turns of the loop when many end at once.

        Raises:
            LateError: It did not end in that many seconds.
            LoopEndedError: `close` came first.
            RuntimeError: The thread cannot be started, as when the interpreter ends.
        """
        queue = self._running()[1]
        errand = Errand(start, queue)
        queue.put(errand)
        ended = False
        try:
            ended = errand.ended.acquire(timeout=timeout_s)
        finally:
            if not ended:
                errand.is_awaited = False
                queue.give_up(errand)
        if not ended:
            raise LateError
        return errand.result()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run a coroutine there; the future may be cancelled.

        Raises:
            RuntimeError: The thread cannot be started, as when the interpreter ends.
        """
        try:
            return asyncio.run_coroutine_threadsafe(work, self._running()[0])
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

    def _running(self) -> tuple[asyncio.AbstractEventLoop, _Queue]:
        with self._lock:
            loop, queue = self._loop, self._queue
            if loop is None or queue is None or self._pid != os.getpid():
                self._pid = os.getpid()
                loop = self._loop = asyncio.new_event_loop()
                queue = self._queue = _Queue(loop)
                self._thread = threading.Thread(
                    target=_run, args=(loop, queue), name="metajudge-selfcheck", daemon=True
                )
                self._thread.start()
            return loop, queue


def _run(loop: asyncio.AbstractEventLoop, queue: _Queue) -> None:
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
        queue.close()
