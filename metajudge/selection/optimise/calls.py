"""Calls that many threads make one by one, as runs of the engine under one budget."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import TracebackType

from metajudge.counted import singular
from metajudge.errors import MetajudgeError
from metajudge.judges.judge import Judge, Scalar
from metajudge.runner.call import Call, RunReport
from metajudge.runner.engine import run_calls
from metajudge.runner.limits import Budget, Limits
from metajudge.runner.store import Store
from metajudge.verdicts.verdict import Reply


class Halted(BaseException):
    """No more can be asked: the budget is spent, the judge is down, or a file is missing.

    A `BaseException`, since DSPy takes every `Exception` for a bad prompt, scores it 0 and goes
    on.

    Attributes:
        message: Why, as a sentence.
        error: What the user has to mend; None for an ordinary early end.
    """

    def __init__(self, message: str, error: BaseException | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.error = error


@dataclass
class _Wanted:
    role: str
    calls: Sequence[Call]
    answer: Future[dict[str, Reply]] = field(default_factory=Future)


class SharedCalls:
    """A worker thread that asks judges for other threads; a context manager.

    What comes in while a run is under way goes out together as the next one. So the store has one
    user, a judge one event loop, and the budget is that of all runs together. The judges are
    closed at the end.

    Args:
        judges: Who answers, by role.
        store: Where replies are kept; used by the worker alone while this is open.
        limits: Bounds of all runs together.
        told: Is told the role and its attempts so far after each run, in the worker's thread.
    """

    def __init__(
        self,
        judges: Mapping[str, Judge],
        store: Store,
        limits: Limits,
        told: Callable[[str, int], None] | None = None,
    ) -> None:
        self.reports: dict[str, list[RunReport]] = {role: [] for role in judges}
        self.stopped: str | None = None
        self._told = told
        self._in_row = dict.fromkeys(judges, 0)
        self._failed: dict[tuple[str, str], Reply] = {}
        self._judges, self._store, self._limits = dict(judges), store, limits
        self._wanted: queue.SimpleQueue[_Wanted | None] = queue.SimpleQueue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._interrupt: asyncio.Event | None = None
        self._worker = threading.Thread(target=self._work, name="shared-calls", daemon=True)
        self._began = time.monotonic()
        self._handing_in = threading.Lock()
        self._over = False

    def __enter__(self) -> SharedCalls:
        self._worker.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._handing_in:
            self._over = True
            self._wanted.put(None)
        if error is not None and self._loop is not None and self._interrupt is not None:
            with suppress(RuntimeError):  # the worker is through, and its loop closed
                self._loop.call_soon_threadsafe(self._interrupt.set)
        self._worker.join()

    def identity(self, role: str) -> Mapping[str, Scalar]:
        """What of a judge enters the keys of its calls."""
        return self._judges[role].identity

    def replies(self, role: str, calls: Sequence[Call]) -> dict[str, Reply]:
        """Replies by key; a call that an early end left open has none.

        What failed for good is not asked again: that is for the next run.

        Raises:
            Halted: A fault that the user has to mend.
        """
        lost = {c.key: self._failed[role, c.key] for c in calls if (role, c.key) in self._failed}
        if len(lost) == len(calls):
            return lost
        wanted = _Wanted(role, [call for call in calls if call.key not in lost])
        with self._handing_in:
            if self._over:
                raise Halted("the calls of this run are over")
            self._wanted.put(wanted)
        return lost | wanted.answer.result()

    def reply(self, role: str, call: Call) -> Reply:
        """The reply to one call; a call that failed for good has a reply with `failure` set.

        Raises:
            Halted: The call was not asked.
        """
        found = self.replies(role, [call])
        if call.key not in found:
            raise Halted(self.stopped or "the call was not asked")
        return found[call.key]

    def _work(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop, self._interrupt = asyncio.get_running_loop(), asyncio.Event()
        try:
            going_on = True
            while going_on:
                together = [await asyncio.to_thread(self._wanted.get)]
                while not self._wanted.empty():
                    together.append(self._wanted.get())
                going_on = None not in together
                asked = [each for each in together if each is not None]
                for role in dict.fromkeys(each.role for each in asked):
                    await self._answer(role, [each for each in asked if each.role == role])
        finally:
            self._turn_away()
            for judge in {id(judge): judge for judge in self._judges.values()}.values():
                await judge.close()

    def _turn_away(self) -> None:
        """Nobody waits for a worker that has ended."""
        with self._handing_in:
            self._over = True
            while not self._wanted.empty():
                left = self._wanted.get()
                if left is not None:
                    left.answer.set_exception(Halted("the calls of this run are over"))

    async def _answer(self, role: str, asked: Sequence[_Wanted]) -> None:
        try:
            found = await self._run(role, [call for each in asked for call in each.calls])
        except BaseException as error:
            for each in asked:
                each.answer.set_exception(Halted(str(error), error))
            if not isinstance(error, MetajudgeError):
                raise
            return
        for each in asked:
            known = {call.key: found[call.key] for call in each.calls if call.key in found}
            each.answer.set_result(known)

    async def _run(self, role: str, calls: Sequence[Call]) -> dict[str, Reply]:
        limits = replace(self._limits, budget=self._left())
        outcome = await run_calls(
            calls, self._judges[role], self._store, limits, interrupt=self._interrupt
        )
        self._learn(role, outcome.report)
        lost = {key: reply for key, reply in outcome.replies.items() if reply.failure is not None}
        self._failed |= {(role, key): reply for key, reply in lost.items()}
        if self._told is not None and outcome.report.sent:
            self._told(role, sum(report.sent for report in self.reports[role]))
        return outcome.replies

    def _learn(self, role: str, report: RunReport) -> None:
        """Whether a run's early end is the end of all of them."""
        self._in_row[role] = 0 if report.answered else self._in_row[role] + report.failed
        few = self._in_row[role] < self._limits.stop_after
        if report.stopped == "judge_down" and few and not report.not_asked:
            # A run as short as one call counts as down once all of it failed.
            report = replace(report, stopped=None, message="")
        self.reports[role].append(report)
        if report.stopped is not None and self.stopped is None:
            self.stopped = self._budget() if report.stopped == "budget" else report.message

    def _budget(self) -> str:
        budget = self._limits.budget
        bounds = {"calls": budget.calls, "USD": budget.usd, "minutes": budget.minutes}
        told = " and ".join(
            f"{n:g} {singular(unit) if n == 1 else unit}"
            for unit, n in bounds.items()
            if n is not None
        )
        return f"the budget of {told} is spent. Run again to go on."

    def _left(self) -> Budget:
        """What the runs so far leave; nothing once one of them ended early."""
        if self.stopped is not None:
            return Budget(calls=0)
        every = [report for reports in self.reports.values() for report in reports]
        return self._limits.budget.left(every, time.monotonic() - self._began)
