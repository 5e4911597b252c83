"""The one door for programs without an event loop."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from metajudge.errors import MetajudgeError
from metajudge.judges.judge import Judge
from metajudge.runner.call import Call, RunOutcome
from metajudge.runner.engine import run_calls
from metajudge.runner.limits import Limits
from metajudge.runner.progress import Observer
from metajudge.runner.store import Store

_NO_LOOP_INSIDE = (
    "run_sync cannot work inside a running event loop (a notebook or a web service has "
    "one). Write `await metajudge.runner.run_calls(...)` with the same arguments instead."
)


def run_sync(
    calls: Sequence[Call],
    judge: Judge,
    store: Store,
    limits: Limits | None = None,
    observer: Observer | None = None,
    *,
    keep_open: bool = False,
) -> RunOutcome:
    """`run_calls` for programs without an event loop; Ctrl-C and SIGTERM end the run cleanly.

    The judge is closed at the end, since its connections belong to this run's event loop, unless
    `keep_open`. A second Ctrl-C ends at once.

    Raises:
        MetajudgeError: An event loop is running in this thread.
        KeyboardInterrupt: Ctrl-C came twice.
        StoreError: Replies cannot be read or written.
    """
    if inside_a_loop():
        raise MetajudgeError(_NO_LOOP_INSIDE)

    # Not the task's own outcome: signal.getsignal writes out the repr of the finished task.
    outcomes: list[RunOutcome] = []

    async def run_and_close() -> None:
        interrupt = asyncio.Event()
        try:
            with _signals(interrupt):
                outcomes.append(
                    await run_calls(calls, judge, store, limits, observer, interrupt=interrupt)
                )
        finally:
            if not keep_open:
                await judge.close()

    try:
        asyncio.run(run_and_close())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    return outcomes[0]


class OpenDoor:
    """`run_sync` again and again on one event loop, so that connections outlive a run.

    A context manager; leaving it closes the loop. Judges are closed by `close_judges`.
    """

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()

    def __enter__(self) -> OpenDoor:
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    def run(
        self,
        calls: Sequence[Call],
        judge: Judge,
        store: Store,
        limits: Limits | None = None,
        observer: Observer | None = None,
        *,
        answered_before: bool = False,
    ) -> RunOutcome:
        """As `run_sync`, but the judge stays open.

        Raises:
            MetajudgeError: An event loop is running in this thread.
            KeyboardInterrupt: Ctrl-C came twice.
            StoreError: Replies cannot be read or written.
        """
        if inside_a_loop():
            raise MetajudgeError(_NO_LOOP_INSIDE)
        outcomes: list[RunOutcome] = []

        async def run_once() -> None:
            interrupt = asyncio.Event()
            with _signals(interrupt):
                outcomes.append(
                    await run_calls(
                        calls,
                        judge,
                        store,
                        limits,
                        observer,
                        interrupt=interrupt,
                        answered_before=answered_before,
                    )
                )

        try:
            self._loop.run_until_complete(run_once())
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None
        return outcomes[0]

    def close_judges(self, judges: Iterable[Judge]) -> None:
        """Give back connections and models, in the loop that they belong to."""
        for judge in judges:
            self._loop.run_until_complete(judge.close())


def inside_a_loop() -> bool:
    """Whether an event loop runs in this thread, where `run_sync` cannot work."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


@contextmanager
def _signals(interrupt: asyncio.Event) -> Iterator[None]:
    """First signal: end cleanly; second: cancel. Earlier handlers are put back at the end."""
    loop, main = asyncio.get_running_loop(), asyncio.current_task()
    earlier = {}

    def heed() -> None:
        if interrupt.is_set() and main is not None:
            main.cancel()
        interrupt.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        handler = signal.getsignal(number)
        try:
            loop.add_signal_handler(number, heed)
        except (NotImplementedError, ValueError, RuntimeError):
            continue
        earlier[number] = handler
    try:
        yield
    finally:
        for number, handler in earlier.items():
            loop.remove_signal_handler(number)
            if handler is not None:
                signal.signal(number, handler)
