"""The calls of one check on their way, until every unit has a verdict or the deadline has come."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any

from metajudge.errors import MetajudgeError
from metajudge.judges.direct import Answer
from metajudge.judges.judge import Request
from metajudge.metrics.selfcheck.checked import Said
from metajudge.metrics.selfcheck.connection import NoAnswerError
from metajudge.metrics.selfcheck.deadlines import Wait
from metajudge.metrics.selfcheck.desk import Desk, Sending
from metajudge.metrics.selfcheck.memory import Key, Memory, matter_digest
from metajudge.metrics.selfcheck.questions import Questions
from metajudge.metrics.selfcheck.settings import CheckSettings
from metajudge.metrics.selfcheck.work import Work, lost, said_of
from metajudge.runner.setback import Setback
from metajudge.verdicts.verdict import Reply

MOST_AT_ONCE = 200_000
"""Characters of context whose calls are begun in one turn of the event loop, some ms of work."""

_UNDER_WAY: set[asyncio.Task[None]] = set()


class Calls:
    """The calls of one check.

    A plain call for which a connection rests is sent in the turn of the event loop in which the
    check begins, and its verdict is there in the turn in which the answer comes, without a task of
    its own. Whatever else there is (further attempts, connections to be made, judges that are not
    asked by HTTP, questions of several calls) goes by a task.

    Args:
        questions: How units are asked about.
        settings: Most units of an answer.
        memory: Verdicts known already.
        work: The check.
        desk: Where calls are sent.
    """

    __slots__ = (
        "_desk", "_digest", "_errands", "_is_over", "_left", "_memory", "_over", "_questions",
        "_settings", "_timer", "_wait", "_work",
    )  # fmt: skip

    def __init__(
        self,
        questions: Questions,
        settings: CheckSettings,
        memory: Memory,
        work: Work,
        desk: Desk,
    ) -> None:
        self._questions = questions
        self._settings = settings
        self._memory = memory
        self._work = work
        self._desk = desk
        self._digest = b""
        self._left = work.said.count(None)
        self._over: Callable[[], None] = _nothing
        self._is_over = False
        self._wait: Wait | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._errands: list[Sending | asyncio.Task[None]] = []

    def begin(self, ends_at: float, over: Callable[[], None]) -> None:
        """Ask about all open units; calls that are not answered by then are given up.

        Args:
            ends_at: The deadline, in s of the event loop's clock.
            over: Is called once, maybe before this returns: when every unit has a verdict, or at
                the deadline.
        """
        self._over = over
        try:
            chunks = self._chunks()
            size = sum(map(len, self._work.matter.passages))
            if size * len(chunks) > MOST_AT_ONCE:
                self._begin_in_turns(chunks, max(1, MOST_AT_ONCE // size))
            else:
                for chunk in chunks:
                    self._begin(chunk)
        except BaseException:
            self.cancel()
            raise
        if not self._left:
            self._end()
        elif not self._is_over:
            self._wait = Wait(self._late)
            self._timer = self._desk.deadlines.set(ends_at, self._wait)

    def cancel(self) -> None:
        """Give up what is under way; `over` is not called any more."""
        self._let_go()
        for errand in self._errands:
            errand.cancel()

    def _late(self) -> None:
        over = self._over
        self.cancel()
        # Tasks that are cancelled are accounted for in the next turn.
        asyncio.get_running_loop().call_soon(over)

    def _end(self) -> None:
        """Every unit has a verdict."""
        if not self._is_over:
            over = self._over
            self._let_go()
            over()

    def _let_go(self) -> None:
        self._is_over = True
        self._over = _nothing  # it holds who waits, who may hold this
        if self._wait is not None:
            self._wait.over()
        if self._timer is not None:
            self._timer.cancel()

    def _chunks(self) -> list[tuple[int, ...]]:
        """A call's worth each of the units that are not known from memory."""
        left: list[int] = []
        for index, text in enumerate(self._work.texts):
            known = self._memory.find(self._key(text)) if self._memory.has_unit(text) else None
            if known is not None:
                self._tell(index, known)
            elif len(left) < self._settings.max_units:
                left.append(index)
            else:
                detail = f"only {self._settings.max_units} units of an answer are asked about"
                self._tell(index, Said(None, "too_many_units", detail))
        size = self._questions.per_call(self._work.matter.lang)
        return [tuple(left[n : n + size]) for n in range(0, len(left), size)]

    def _key(self, text: str) -> Key:
        """The key of a unit; its digest is worked out when it is needed, mostly after sending."""
        if not self._digest:
            matter = self._work.matter
            self._digest = matter_digest(matter.passages, matter.question, matter.lang)
        return self._digest, text

    def _begin_in_turns(self, chunks: Sequence[tuple[int, ...]], at_once: int) -> None:
        """Begin some of the chunks a turn, as other checks wait for what one of them holds up."""

        def begin(some: Sequence[tuple[int, ...]]) -> None:
            for chunk in some:
                if self._is_over:
                    return
                try:
                    self._begin(chunk)
                except Exception as error:  # noqa: BLE001 - from a callback nobody else would hear
                    self._tell_all(chunk, said_of(error))

        for n in range(0, len(chunks), at_once):
            self._desk.turns.add(partial(begin, chunks[n : n + at_once]))

    def _begin(self, chunk: tuple[int, ...]) -> None:
        texts = tuple([self._work.texts[index] for index in chunk])
        request = self._plain_request(texts)
        sending: Sending | None = None
        if request is not None:
            came = partial(self._came, chunk, texts, request, len(self._errands))
            sending = self._desk.begin(request, self._work.tally, came)
        if sending is None:
            self._start(chunk, texts, request, None)
        else:
            self._errands.append(sending)

    def _plain_request(self, texts: tuple[str, ...]) -> Request | None:
        """The one call about some units; None where it takes several, or none can be made."""
        if not self._questions.is_plain:
            return None
        try:
            return self._questions.plain_request(self._work.matter, texts, self._desk.judge)
        except MetajudgeError:  # the task meets it again, and gives it as the units' failure
            return None

    def _came(
        self,
        chunk: tuple[int, ...],
        texts: tuple[str, ...],
        request: Request,
        place: int,
        answer: Answer | NoAnswerError,
    ) -> None:
        """The answer to a call that was sent at once."""
        sending = self._errands[place]
        assert isinstance(sending, Sending)
        outcome: Reply | Setback | None
        try:
            outcome = sending.outcome(answer)
            if isinstance(outcome, Reply):
                found = self._questions.read_plainly(self._work.matter, texts, outcome)
                return self._take(chunk, texts, found)
        except Exception as error:  # noqa: BLE001 - from a callback nobody else would hear of it
            return self._tell_all(chunk, said_of(error))
        return self._start(chunk, texts, request, outcome)

    def _start(
        self,
        chunk: tuple[int, ...],
        texts: tuple[str, ...],
        request: Request | None,
        first: Setback | None,
    ) -> None:
        """Ask by a task, after a first attempt or without one."""
        task = under_way(self._put(chunk, texts, request, first))
        self._errands.append(task)
        task.add_done_callback(partial(self._ended, chunk))

    def _ended(self, chunk: tuple[int, ...], task: asyncio.Task[None]) -> None:
        said = lost(task)
        if said is not None and not self._is_over:
            self._tell_all(chunk, said)

    async def _put(
        self,
        chunk: tuple[int, ...],
        texts: tuple[str, ...],
        request: Request | None,
        first: Setback | None,
    ) -> None:
        ask = partial(self._desk.ask, tally=self._work.tally, first=first)
        matter = self._work.matter
        if request is None:
            found = await self._questions.put(matter, texts, self._desk.judge, ask)
        else:
            found = await self._questions.put_request(matter, texts, request, ask)
        self._take(chunk, texts, found)

    def _take(self, chunk: tuple[int, ...], texts: tuple[str, ...], found: Sequence[Said]) -> None:
        for index, text, said in zip(chunk, texts, found, strict=True):
            if self._settings.cache_size:
                self._memory.keep(self._key(text), said)
            self._tell(index, said)

    def _tell_all(self, chunk: tuple[int, ...], said: Said) -> None:
        for index in chunk:
            self._tell(index, said)

    def _tell(self, index: int, said: Said) -> None:
        if self._work.said[index] is None:
            self._work.tell(index, said)
            self._left -= 1
            if not self._left:
                self._end()


def under_way(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """A task that is held until it ends (event loops hold them weakly), and its error is taken."""
    task = asyncio.get_running_loop().create_task(work)
    _UNDER_WAY.add(task)
    task.add_done_callback(_let_go)
    return task


def _let_go(task: asyncio.Task[None]) -> None:
    _UNDER_WAY.discard(task)
    if not task.cancelled():
        task.exception()


def _nothing() -> None:
    """What happens at the end of calls for which nobody waits."""
