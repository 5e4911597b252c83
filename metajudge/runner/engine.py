"""Many calls to one judge: bounded, paced, retried by class of error, stored as they arrive."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence

from metajudge.errors import MetajudgeError, StoreError
from metajudge.judges.judge import Judge, JudgeCallError, Request
from metajudge.runner.account import Account
from metajudge.runner.call import Call, FailureClass, RunOutcome
from metajudge.runner.health import ARE_YOU_THERE, Health, Stop
from metajudge.runner.leases import RENEWALS_PER_LEASE, Leases
from metajudge.runner.limits import Limits
from metajudge.runner.progress import Observer, Silent
from metajudge.runner.queue import POLL_S, CallQueue
from metajudge.runner.setback import Setback, unexpected, weigh
from metajudge.runner.slots import Slots
from metajudge.runner.store import Store
from metajudge.runner.throttle import Throttle
from metajudge.verdicts.verdict import Reply

LONGEST_BACKOFF_S = 30.0
CANCEL_GRACE_S = 1.0
_RETRIED = frozenset[FailureClass]({"rate_limit", "server", "connection", "timeout", "empty"})
_CAME = frozenset[FailureClass]({"empty", "content_filter"})
"""A model that thinks may use up a short reply before its first word: it is there all the same."""


async def run_calls(
    calls: Sequence[Call],
    judge: Judge,
    store: Store,
    limits: Limits | None = None,
    observer: Observer | None = None,
    *,
    interrupt: asyncio.Event | None = None,
    answered_before: bool = False,
) -> RunOutcome:
    """Get a reply for every call: from the store where it is there, from the judge otherwise.

    Calls go out in the given order, each key once. A call that failed for good has a reply with
    `failure` set; only lasting answers enter the store, so a later run asks the others again. The
    judge stays open.

    Args:
        calls: What to ask.
        judge: Who answers.
        store: Where replies are kept.
        limits: Deadlines, attempts, concurrency, budget.
        observer: Is told what happens.
        interrupt: Ends the run early when set; calls in flight get `limits.grace_s`.
        answered_before: Whether the judge has answered calls such as these in an earlier run; that
            the store has some of these is seen without it.

    Returns:
        Replies by key in the order of the calls, without those an early end left open, and the
        account of the run. An early end is told by `report.stopped`, never by an exception.

    Raises:
        StoreError: Replies cannot be read or written.
        MetajudgeError: The judge needs something that the user has to mend (a model file, …).
    """
    limits = limits or Limits()
    observer = observer or Silent()
    wanted = {call.key: call for call in calls}
    replies = store.get_many(wanted)
    observer.on_start(len(wanted), len(replies))
    account = Account(len(wanted), len(replies), limits.budget)
    leases = None if limits.lease_s is None else store.leases(limits.lease_s)
    health = Health(limits, answered_before=answered_before or bool(replies))
    run = _Run(
        judge, store, limits, observer, replies, account=account, leases=leases, health=health
    )
    try:
        await run.settle_all(
            [call for key, call in wanted.items() if key not in replies], interrupt
        )
    finally:
        store.flush()
        if leases is not None:
            leases.close()
    report = account.report(run.stop.why, run.stop.message) if run.stop else account.report()
    observer.on_end(report)
    return RunOutcome({key: replies[key] for key in wanted if key in replies}, report)


async def ask_once(judge: Judge, request: Request, deadline_s: float) -> Reply | Setback:
    """One attempt. A judge that hangs ends in a time-out even when it ignores cancellation."""
    started = time.perf_counter()
    task = asyncio.ensure_future(judge.ask(request))
    try:
        done, _ = await asyncio.wait({task}, timeout=deadline_s)
    except asyncio.CancelledError:
        _abandon(task)
        raise
    if not done:
        _abandon(task)
        await asyncio.wait({task}, timeout=CANCEL_GRACE_S)
        return Setback("timeout", f"no answer within {deadline_s:g} s")
    if task.cancelled():
        return Setback("connection", "the judge gave up the call")
    try:
        return weigh(task.result(), 1000 * (time.perf_counter() - started))
    except JudgeCallError as error:
        return Setback(error.kind, error.detail, error.retry_after)
    except MetajudgeError:
        raise  # the user has to mend something (a missing model file); every call would end so
    except Exception as error:  # noqa: BLE001 - a bug in one judge must not end a paid run
        return unexpected(error)


def _abandon(task: asyncio.Future[Reply]) -> None:
    """Cancel, and take the late outcome so that nothing warns about it."""
    task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    task.cancel()


class _Run:
    """One run of the engine: workers that take calls in order until none is left."""

    def __init__(
        self,
        judge: Judge,
        store: Store,
        limits: Limits,
        observer: Observer,
        replies: dict[str, Reply],
        *,
        account: Account,
        leases: Leases | None,
        health: Health,
    ) -> None:
        self.stop: Stop | None = None
        self._judge = judge
        self._store = store
        self._limits = limits
        self._observer = observer
        self._account = account
        self._leases = leases
        self._done_with: list[str] = []
        self._replies = replies
        self._health = health
        self._slots = Slots(limits, judge.max_in_flight)
        self._slots.affordable = account.affordable()
        self._throttle = Throttle()
        self._over = asyncio.Event()
        self._idle: set[asyncio.Task[None]] = set()
        self._in_flight: set[asyncio.Task[None]] = set()
        self._workers: set[asyncio.Task[None]] = set()
        self._fault: BaseException | None = None
        self._flush_due = False
        self._trusted = asyncio.Event()
        self._trusted.set()

    async def settle_all(self, calls: Sequence[Call], interrupt: asyncio.Event | None) -> None:
        """Ask all calls, or stop early; raises what a worker could not handle."""
        queue = CallQueue(calls, self._store, self._found, self._leases)
        if not queue:
            return
        others: set[asyncio.Task[None]] = set()
        if interrupt is not None:
            others.add(asyncio.create_task(self._heed(interrupt)))
        if self._limits.budget.minutes is not None:
            others.add(asyncio.create_task(self._watch_clock(self._limits.budget.minutes)))
        if self._leases is not None:
            others.add(asyncio.create_task(self._renew(self._leases)))
        crew = [
            asyncio.create_task(self._work(queue))
            for _ in range(min(self._slots.ceiling, len(calls)))
        ]
        self._workers.update(crew)
        for task in (*crew, *others):
            task.add_done_callback(self._task_ended)
        try:
            await self._over.wait()
            await self._wind_down()
            await self._look_at_end(len(calls))
        finally:
            for task in (*crew, *others):
                task.cancel()
            await asyncio.gather(*crew, *others, return_exceptions=True)
        if self._fault is not None:
            raise self._fault

    async def _look_at_end(self, calls: int) -> None:
        """The stop of a run without an answer; an interrupt ends the look before it."""
        if self.stop is not None or self._fault is not None:
            return
        self._over.clear()
        look = asyncio.create_task(self._end_unless_up(self._health.at_end(calls)))
        look.add_done_callback(self._task_ended)
        try:
            await self._over.wait()
        finally:
            look.cancel()
            await asyncio.gather(look, return_exceptions=True)

    async def _wind_down(self) -> None:
        """After an early end: waiting workers go at once, calls in flight get their grace."""
        if self.stop is None or self._fault is not None:
            return
        for worker in self._workers - self._in_flight:
            worker.cancel()
        if self._in_flight:
            await asyncio.wait(set(self._in_flight), timeout=self.stop.grace_s)

    async def _work(self, queue: CallQueue) -> None:
        worker = asyncio.current_task()
        assert worker is not None
        while queue and self.stop is None:
            self._idle.add(worker)
            try:
                sent_at = await self._enter()
            finally:
                self._idle.discard(worker)
            if not queue or self._must_stop():
                return self._slots.give_back()
            call = queue.take()
            if not queue:
                for idle in self._idle:
                    idle.cancel()
            if call is None:
                self._slots.give_back()
                await asyncio.sleep(POLL_S)
                continue
            self._account.begun += 1
            await self._settle(call, sent_at, worker)
        return None

    async def _settle(self, call: Call, sent_at: float, worker: asyncio.Task[None]) -> None:
        """Attempts at one call until it is answered, failed for good, or the run stops."""
        charged = refused = 0
        while True:
            outcome = await self._try(call, sent_at, worker)
            if isinstance(outcome, Reply):
                return self._answer(call, outcome)
            throttled = outcome.kind == "rate_limit"
            refused, charged = refused + throttled, charged + (not throttled)
            if not self._may_retry(outcome, refused if throttled else charged):
                return await self._fail(call, outcome)
            if self.stop is not None:
                return None
            if not throttled:
                await self._pause(outcome, charged)
            sent_at = await self._enter()
            if self._must_stop():
                return self._slots.give_back()

    async def _enter(self, *, ahead: bool = False) -> float:
        """Wait for a place, the gate and the pace; gives the time of sending."""
        if not ahead:
            await self._trusted.wait()
        await self._slots.take(ahead=ahead)
        try:
            return await self._throttle.enter()
        except asyncio.CancelledError:
            self._slots.give_back()
            raise

    async def _try(self, call: Call, sent_at: float, worker: asyncio.Task[None]) -> Reply | Setback:
        """One attempt in the place that is held; the place is free afterwards."""
        self._account.sent += 1
        self._in_flight.add(worker)
        try:
            outcome = await ask_once(self._judge, call.request, self._limits.deadline_s)
            self._learn(outcome, sent_at)
        finally:
            self._in_flight.discard(worker)
            self._slots.give_back()
        return outcome

    def _learn(self, outcome: Reply | Setback, sent_at: float) -> None:
        """Adapt concurrency, pace and budget to the outcome of an attempt."""
        if isinstance(outcome, Setback) and outcome.kind == "rate_limit":
            if self._throttle.refused(sent_at, outcome.retry_after):
                self._slots.shrink()
                self._end_early(self._health.refused(outcome, self._throttle.refusals_in_row))
            return
        self._throttle.answered()
        reply = outcome if isinstance(outcome, Reply) else outcome.reply
        if reply is not None:
            self._account.add_usage(reply)
            self._slots.affordable = self._account.affordable()
            self._slots.grow()

    def _may_retry(self, setback: Setback, tries: int) -> bool:
        if setback.kind not in _RETRIED or tries >= self._limits.attempts_for(setback.kind):
            return False
        return setback.kind == "rate_limit" or self._account.charge_retry(self._limits)

    async def _pause(self, setback: Setback, charged: int) -> None:
        """Wait before a retry; a refused call waits at the shared gate instead."""
        longest = min(LONGEST_BACKOFF_S, self._limits.backoff_s * 2.0 ** (charged - 1))
        asked = min(setback.retry_after or 0.0, self._limits.patience_s)
        await asyncio.sleep(max(asked, longest * random.uniform(0.5, 1.0)))

    def _must_stop(self) -> bool:
        if (spent := self._account.spent()) is not None:
            self._end_early(Stop("budget", spent, None))
        return self.stop is not None

    def _end_early(self, stop: Stop | None) -> None:
        """Issue no more calls; the first reason stands."""
        if self.stop is None and stop is not None:
            self.stop = stop
            self._over.set()

    def _answer(self, call: Call, reply: Reply) -> None:
        self._health.answered()
        self._account.answered += 1
        self._settled(call, reply)

    async def _fail(self, call: Call, setback: Setback) -> None:
        self._account.failures[setback.kind] += 1
        self._settled(call, setback.as_reply())
        await self._end_unless_up(self._health.failed(setback))

    async def _end_unless_up(self, stop: Stop | None) -> None:
        """End early, but where failures could lie in the calls only once nothing is answered."""
        if stop is None or not stop.doubtful:
            return self._end_early(stop)
        if self.stop is not None or not self._trusted.is_set():
            return None
        self._trusted.clear()
        try:
            return self._health.looked() if await self._is_up() else self._end_early(stop)
        finally:
            self._trusted.set()

    async def _is_up(self) -> bool:
        """Whether the judge answers a question that lies in no call; costs one attempt."""
        if self._account.spent() is not None:
            return False
        await self._enter(ahead=True)
        if self._account.spent() is not None:  # others were sent meanwhile
            self._slots.give_back()
            return False
        self._account.begun += 1
        self._account.sent += 1
        try:
            outcome = await ask_once(self._judge, ARE_YOU_THERE, self._limits.deadline_s)
        finally:
            self._slots.give_back()
        reply = outcome if isinstance(outcome, Reply) else outcome.reply
        if reply is not None:
            self._account.add_usage(reply)
        return isinstance(outcome, Reply) or outcome.kind in _CAME

    def _settled(self, call: Call, reply: Reply) -> None:
        self._store.put(call.key, call.request, self._judge.identity, reply)
        self._done_with.append(call.key)
        if not self._flush_due:
            # What arrives in one turn of the loop is one transaction: a kill loses no more than
            # the calls in flight, and a busy run still writes in batches.
            self._flush_due = True
            asyncio.get_running_loop().call_soon(self._flush)
        self._replies[call.key] = reply
        self._observer.on_reply(call.key, reply)

    def _found(self, call: Call, reply: Reply) -> None:
        self._account.cache_hits += 1
        self._replies[call.key] = reply
        self._observer.on_reply(call.key, reply)

    def _task_ended(self, task: asyncio.Task[None]) -> None:
        self._workers.discard(task)
        if not task.cancelled():
            self._fault = self._fault or task.exception()
        if self._fault is not None or not self._workers:
            self._over.set()

    def _flush(self) -> None:
        self._flush_due = False
        try:
            self._store.flush()
            if self._leases is not None:
                self._leases.give_back(self._done_with)
            self._done_with = []
        except StoreError as error:
            self._fault = self._fault or error
            self._over.set()

    async def _heed(self, interrupt: asyncio.Event) -> None:
        await interrupt.wait()
        message = "interrupted. What is answered is kept; run again to go on."
        self._end_early(Stop("interrupted", message, self._limits.grace_s))

    async def _renew(self, leases: Leases) -> None:
        while True:
            await asyncio.sleep(leases.lease_s / RENEWALS_PER_LEASE)
            leases.renew()

    async def _watch_clock(self, minutes: float) -> None:
        await asyncio.sleep(60 * minutes)
        unit = "minute" if minutes == 1 else "minutes"
        message = f"the budget of {minutes:g} {unit} is spent. Run again to go on."
        self._end_early(Stop("budget", message, self._limits.grace_s))
