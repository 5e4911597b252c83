"""One thread for a model that takes one call at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from metajudge.judges.judge import JudgeCallError

Found = TypeVar("Found")


class Worker:
    """Work off the event loop, one piece after another; the thread begins with the first.

    Args:
        name: Of the thread.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._threads: ThreadPoolExecutor | None = None
        self._last: Future[Any] | None = None

    async def run(self, work: Callable[[], Found], deadline_s: float | None = None) -> Found:
        """What the work gives.

        Args:
            work: Called in the thread, once what came before is done.
            deadline_s: Most time in s, from when its own turn comes; None waits on.

        Raises:
            JudgeCallError: It took longer. The thread is busy until it ends all the same.
        """
        if self._last is not None and not self._last.done():
            await asyncio.wait([asyncio.wrap_future(self._last)])
        if self._threads is None:
            self._threads = ThreadPoolExecutor(1, thread_name_prefix=self._name)
        turn: Future[Found] = self._threads.submit(work)
        self._last = turn
        try:
            return await asyncio.wait_for(asyncio.wrap_future(turn), deadline_s)
        except asyncio.TimeoutError:
            raise JudgeCallError("timeout", f"no answer within {deadline_s:g} s") from None

    async def close(self) -> None:
        """End the thread once its work is done; safe to call twice."""
        threads, self._threads = self._threads, None
        if threads is not None:
            await asyncio.get_running_loop().run_in_executor(None, threads.shutdown)
