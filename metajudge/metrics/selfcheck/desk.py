"""Where the calls of one event loop are sent: bounded, tried again, and stopped when it is down."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass

from metajudge.counted import counted
from metajudge.judges.direct import Answer
from metajudge.judges.judge import Judge, JudgeCallError, Request
from metajudge.metrics.selfcheck.breaker import Breaker
from metajudge.metrics.selfcheck.connection import Heard as AnswerHeard
from metajudge.metrics.selfcheck.connection import NoAnswerError
from metajudge.metrics.selfcheck.deadlines import Deadlines
from metajudge.metrics.selfcheck.settings import CheckSettings
from metajudge.metrics.selfcheck.transport import QuickJudge, Sent
from metajudge.metrics.selfcheck.turns import Turns
from metajudge.runner.call import FailureClass
from metajudge.runner.limits import Limits
from metajudge.runner.setback import Setback, weigh
from metajudge.runner.slots import Slots
from metajudge.verdicts.verdict import Reply

AGAIN: frozenset[FailureClass] = frozenset({"rate_limit", "server", "connection", "empty"})
"""Failures after which a call is sent again, while the deadline allows."""
PAUSE_S = 0.05

Heard = Callable[[Request, Reply], None]


class NotAskedError(Exception):
    """A call that was not sent; `failure` is its class and `detail` one line."""

    def __init__(self, failure: str, detail: str) -> None:
        super().__init__(f"{failure}: {detail}")
        self.failure = failure
        self.detail = detail


@dataclass(slots=True)
class Tally:
    """What one check has sent and spent.

    Attributes:
        ends_at: Its deadline, in s of the event loop's clock.
        calls: Calls sent.
        tokens: Tokens told by the replies.
        usd: Sum of the known prices; None while none is known.
    """

    ends_at: float = 0.0
    calls: int = 0
    tokens: int = 0
    usd: float | None = None

    def add(self, reply: Reply) -> None:
        """Count a reply."""
        self.tokens += (reply.prompt_tokens or 0) + (reply.completion_tokens or 0)
        if reply.cost_usd is not None:
            self.usd = (self.usd or 0.0) + reply.cost_usd


class Desk:
    """The judge of one event loop, and the calls that wait for it.

    Args:
        judge: Who is asked; closed with the event loop, or by `close`.
        settings: Bounds and attempts.
        breaker: Shared by all event loops.
        heard: Is given every reply with its request.

    Attributes:
        deadlines: Of the checks of this event loop.
        turns: Their long work.
    """

    def __init__(
        self, judge: Judge, settings: CheckSettings, breaker: Breaker, heard: Heard | None
    ) -> None:
        self.judge = judge
        self.deadlines = Deadlines()
        self.turns = Turns()
        self._settings = settings
        self._breaker = breaker
        self._heard = heard
        self._slots = Slots(Limits(max_in_flight=settings.max_in_flight), judge.max_in_flight)
        self._waiting = 0
        self._keeper: AsyncGenerator[None, None] | None = None

    async def open(self) -> None:
        """Take care that the judge is closed with the event loop.

        `asyncio.run` ends the asynchronous generators of its loop before it closes it; this one
        closes the judge.
        """
        self._keeper = self._closing()
        await anext(self._keeper)

    async def _closing(self) -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            await self.judge.close()

    async def close(self) -> None:
        """Give back the judge's connections, in its own event loop; safe to call twice."""
        if self._keeper is not None:
            await self._keeper.aclose()

    async def ask(
        self, request: Request, tally: Tally, first: Setback | None = None
    ) -> Reply | Setback:
        """A reply, or why there is none.

        Args:
            request: The call.
            tally: Of its check.
            first: What the first attempt, made by `begin`, ended with.

        Raises:
            NotAskedError: The judge counts as down, or too many calls wait.
        """
        outcome = first or await self._attempt(request, tally)
        attempt = 1
        while isinstance(outcome, Setback):
            if attempt >= self._settings.attempts or outcome.kind not in AGAIN:
                break
            wait = max(outcome.retry_after or 0.0, PAUSE_S)
            if asyncio.get_running_loop().time() + wait >= tally.ends_at:
                break
            await asyncio.sleep(wait)
            outcome = await self._attempt(request, tally)
            attempt += 1
        return outcome

    def begin(self, request: Request, tally: Tally, heard: AnswerHeard) -> Sending | None:
        """Send a call at once, where nothing has to be waited for but the answer.

        Args:
            request: The call.
            tally: Of its check.
            heard: Is given what `Sending.outcome` takes.

        Returns:
            None where nothing was sent, and `ask` has to be used.
        """
        slots = self._slots
        if self._breaker.resting or self._waiting or slots.held >= slots.places:
            return None
        judge = self.judge
        sent = judge.begin(request, heard) if isinstance(judge, QuickJudge) else None
        if sent is None:
            return None
        slots.held += 1
        tally.calls += 1
        return Sending(self, request, tally, sent)

    async def _attempt(self, request: Request, tally: Tally) -> Reply | Setback:
        if not self._breaker.lets_in():
            raise NotAskedError("judge_down", self._breaker.told)
        try:
            await self._turn()
        except (asyncio.CancelledError, NotAskedError):
            self._breaker.gave_up()
            raise
        return await self._send(request, tally)

    async def _turn(self) -> None:
        """Wait for a place, if not too many wait already."""
        full = self._slots.held >= self._slots.places
        if full and self._waiting >= self._settings.max_waiting:
            raise NotAskedError(
                "overloaded", f"{counted(self._waiting, 'calls wait')} for the judge already"
            )
        self._waiting += 1
        try:
            await self._slots.take()
        finally:
            self._waiting -= 1

    async def _send(self, request: Request, tally: Tally) -> Reply | Setback:
        tally.calls += 1
        outcome: Reply | Setback | None = None
        try:
            outcome = weigh(await self.judge.ask(request), 0.0)
        except JudgeCallError as error:
            outcome = Setback(error.kind, error.detail, error.retry_after)
        finally:
            self._ended(request, tally, outcome)
        return outcome

    def _ended(self, request: Request, tally: Tally, outcome: Reply | Setback | None) -> None:
        """Account for a call that has ended; None for one that brought nothing."""
        self._slots.give_back()
        if outcome is None:
            return self._given_up(tally)
        reply = outcome if isinstance(outcome, Reply) else outcome.reply
        if reply is not None:
            tally.add(reply)
        if isinstance(outcome, Setback):
            return self._breaker.failed(outcome.kind, outcome.detail)
        self._breaker.answered()
        if self._heard is not None:
            self._heard(request, outcome)
        return None

    def _given_up(self, tally: Tally) -> None:
        """A call that brought nothing: a late one speaks against the judge, another does not."""
        try:
            late = asyncio.get_running_loop().time() >= tally.ends_at
        except RuntimeError:  # its event loop was closed over it
            late = False
        if late:
            self._breaker.failed("timeout", "no answer before the deadline of its check")
        else:
            self._breaker.gave_up()


class Sending:
    """A call that `Desk.begin` sent: a callback hears of its answer, and nobody waits for it."""

    __slots__ = ("_desk", "_request", "_sent", "_tally")

    def __init__(self, desk: Desk, request: Request, tally: Tally, sent: Sent) -> None:
        self._desk = desk
        self._request = request
        self._tally = tally
        self._sent: Sent | None = sent

    def outcome(self, answer: Answer | NoAnswerError) -> Reply | Setback | None:
        """What came of it; None where it has to be asked anew, as if it had not been sent."""
        sent, self._sent = self._sent, None
        judge, desk = self._desk.judge, self._desk
        assert sent is not None
        assert isinstance(judge, QuickJudge)
        outcome: Reply | Setback | None = None
        try:
            reply = judge.read(sent, answer)
            if reply is None:
                self._tally.calls -= 1
            else:
                outcome = weigh(reply, 0.0)
        except JudgeCallError as error:
            outcome = Setback(error.kind, error.detail, error.retry_after)
        finally:
            desk._ended(self._request, self._tally, outcome)
        return outcome

    def cancel(self) -> None:
        """Give it up; nothing happens where its answer has come."""
        sent, self._sent = self._sent, None
        if sent is not None:
            sent.connection.abort()
            self._desk._ended(self._request, self._tally, None)
