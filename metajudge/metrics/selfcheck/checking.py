"""Checks from their arguments to their outcomes, in whatever event loop they are awaited."""

from __future__ import annotations

import asyncio
import threading
import time
import weakref
from collections import Counter
from functools import lru_cache, partial
from typing import Any, NamedTuple

from metajudge.counted import counted
from metajudge.errors import InputError, JudgeDownError, MetajudgeError, Problem, short_repr
from metajudge.judges.judge import Judge
from metajudge.metrics.selfcheck.background import Background, Errand
from metajudge.metrics.selfcheck.breaker import Breaker
from metajudge.metrics.selfcheck.checked import Checked, Said
from metajudge.metrics.selfcheck.decision import Rule
from metajudge.metrics.selfcheck.desks import Desks
from metajudge.metrics.selfcheck.kept import Kept
from metajudge.metrics.selfcheck.memory import Memory
from metajudge.metrics.selfcheck.outcome import Told, checked, not_checked
from metajudge.metrics.selfcheck.passages import passages_of
from metajudge.metrics.selfcheck.pieces import Pieces, pieces_of
from metajudge.metrics.selfcheck.questions import Matter, Questions
from metajudge.metrics.selfcheck.settings import CheckSettings
from metajudge.metrics.selfcheck.wording import language_by_script
from metajudge.metrics.selfcheck.work import Work, said_of
from metajudge.metrics.selfcheck.worker import Worker
from metajudge.release.candidate import Candidate, JudgePin
from metajudge.scoring.statements import is_statement_free

GRACE_S = 0.25
"""How long after the deadline a caller waits for a background loop that somebody blocks."""

_NO_CONTEXT = Said("idk", reason="the context is empty")


class ClosedError(MetajudgeError):
    """A check was asked of a closed self-check."""


class Given(NamedTuple):
    """The arguments of a check, of whatever type, and when it began in s of `perf_counter`."""

    answer: Any
    context: Any
    question: Any
    lang: Any
    started: float


class Checking:
    """What the checks of one `SelfCheck` share; safe between threads and event loops.

    Args:
        candidate: Whose questions and policy.
        judge: Who is asked.
        settings: How.

    Raises:
        InputError: The candidate cannot check an answer, or the judge's spec is faulty.
        StoreError: The log or store cannot be written to.

    Attributes:
        background: The event loop of callers that have none.
        closed: Whether further checks are refused.
    """

    def __init__(
        self, candidate: Candidate, judge: JudgePin | Judge, settings: CheckSettings
    ) -> None:
        self.background = Background()
        self.closed = False
        self._settings = settings
        self._worker = Worker(Questions(candidate), settings, Memory(settings.cache_size))
        least = candidate.threshold if settings.min_score is None else float(settings.min_score)
        rule = Rule(candidate.policy, least, settings.on_unsupported, settings.on_failure)
        self.breaker = Breaker(settings.breaker_after, settings.breaker_rest_s)
        self.kept: Kept | None = None
        if settings.log is not None or settings.store is not None:
            self.kept = Kept(settings.log, settings.store)
        self.desks = Desks(judge, settings, self.breaker, self.kept)
        self.told = Told(candidate.name, self.desks.spec, rule, settings)
        self._counts: Counter[str] = Counter()
        self._counting = threading.Lock()
        # Nobody has to close it: threads and connections go with it. At exit there is no need.
        weakref.finalize(self, _let_go, self.background, self.desks, self.kept).atexit = False

    @property
    def counts(self) -> dict[str, int]:
        """Checks so far by decision."""
        with self._counting:
            return dict(self._counts)

    def begun(self, answer: Any, context: Any, question: Any, lang: Any, started: float) -> Work:
        """The check before anything is asked.

        Raises:
            InputError: An argument is of the wrong type.
        """
        if self.closed:
            raise ClosedError("the self-check is closed")
        passages = _passages(answer, context, question, lang)
        matter = Matter(passages, question, lang or language_by_script(answer))
        most = self._settings.max_chars
        if len(answer) > most:
            detail = f"the answer has {counted(len(answer), 'characters')}, over max_chars {most:,}"
            return Work(
                matter, Pieces(answer, (), ()), started, whole=Said(None, "too_long", detail)
            )
        work = Work(matter, pieces_of(answer, matter.lang), started)
        if not is_statement_free(answer):
            texts = [sentence.text for sentence in work.pieces.sentences]
            work.take_units(texts, _each_alone(len(texts)))
        if not any([passage.strip() for passage in passages]):
            for index in range(len(work.texts)):
                work.tell(index, _NO_CONTEXT)
        return work

    async def checked(
        self, answer: Any, context: Any, question: Any, lang: Any, started: float
    ) -> Checked:
        """The outcome of a check that began at some time."""
        try:
            work = self.begun(answer, context, question, lang, started)
            if work.is_open:
                await self.settle(work)
            return self.outcome(work)
        except Exception as error:  # noqa: BLE001 - see after
            return self.after(error, answer, lang, started)

    def begin(self, given: Given, errand: Errand[Checked]) -> None:
        """Begin a check in the background loop; the errand ends with its outcome.

        Without a task, where a desk is known and nothing is listed first: the outcome is there in
        the turn of the loop in which the last answer comes.
        """
        loop = asyncio.get_running_loop()
        desk = self.desks.known(loop)
        if desk is None or self._settings.units == "claims":
            return errand.follow(loop.create_task(self.checked(*given)))
        try:
            work = self.begun(*given)
            if work.is_open:
                ends_at = loop.time() + self.left(given.started)
                over = partial(self._over, work, errand)
                errand.stop = self._worker.begin(work, desk, ends_at, over).cancel
                return None
        except Exception as error:  # noqa: BLE001 - see after
            after = partial(self.after, error, given.answer, given.lang, given.started)
            return errand.give(after)
        return self._over(work, errand)

    def _over(self, work: Work, errand: Errand[Checked]) -> None:
        work.end()
        errand.give(partial(self._ended, work))

    def _ended(self, work: Work) -> Checked:
        try:
            return self.outcome(work)
        except Exception as error:  # noqa: BLE001 - see after
            return self.after(error, work.pieces.answer, work.matter.lang, work.started)

    async def settle(self, work: Work) -> None:
        """Judge a check in this event loop, or in the judge's own one."""
        loop = asyncio.get_running_loop()
        if not self.desks.stays_home or loop is self.background.loop:
            return await self._judged_here(work)
        future = asyncio.wrap_future(self.background.submit(self._judged_here(work)))
        try:
            done, _ = await asyncio.wait([future], timeout=self.left(work.started) + GRACE_S)
        finally:
            future.cancel()
        if done and future.cancelled():
            raise ClosedError("the self-check was closed")
        if done:
            future.result()
        work.end()
        return None

    async def _judged_here(self, work: Work) -> None:
        loop = asyncio.get_running_loop()
        desk = self.desks.known(loop) or await self.desks.here()
        await self._worker.judge(work, desk, loop.time() + self.left(work.started))

    def left(self, started: float) -> float:
        """Seconds to the deadline, at least 0."""
        return max(0.0, started + self._settings.deadline_s - time.perf_counter())

    def outcome(self, work: Work) -> Checked:
        """What follows from the verdicts; counted and logged.

        Raises:
            JudgeDownError: The check is not complete, and `raise_on_error` is set.
        """
        outcome = checked(work, self.told)
        self._count(outcome)
        if self.kept is not None:
            self.kept.check(outcome, work.pieces.answer, work.matter, self.told.judge)
        if self._settings.raise_on_error and not outcome.complete:
            raise JudgeDownError(outcome.why)
        return outcome

    def _count(self, outcome: Checked) -> None:
        with self._counting:
            self._counts[outcome.decision] += 1

    def after(self, error: Exception, answer: Any, lang: Any, started: float) -> Checked:
        """The outcome of a check that could not be made.

        The one place where any exception whatever ends. It stands in somebody's path from question
        to answer: a fault of the caller's arguments, of a judge written by others or of this
        package may cost the check and must not cost the answer's decision, which the user made for
        that very case (`on_failure`). Nothing is lost: the class, text or place of the error is in
        the outcome, which is logged and counted like all others.
        """
        if self._settings.raise_on_error:
            raise error
        said = (
            Said(None, "closed", str(error)) if isinstance(error, ClosedError) else said_of(error)
        )
        outcome = not_checked(said, answer, lang, self.told, started=started)
        self._count(outcome)
        if self.kept is not None and said.failure != "closed":
            self.kept.check(outcome, answer, None, self.told.judge)
        return outcome


def _let_go(background: Background, desks: Desks, kept: Kept | None) -> None:
    background.leave(desks.close())
    if kept is not None:
        kept.leave()


@lru_cache(maxsize=256)
def _each_alone(count: int) -> tuple[tuple[int, ...], ...]:
    """The places of units that are the sentences themselves."""
    return tuple((n,) for n in range(count))


def _passages(answer: Any, context: Any, question: Any, lang: Any) -> tuple[str, ...]:
    """The passages of a context, once the arguments of a check are known to be right.

    Raises:
        InputError: With everything that is wrong with them.
    """
    passages = (context,) if isinstance(context, str) else context
    listed = isinstance(passages, list | tuple) and all([isinstance(p, str) for p in passages])
    asked = question is None or isinstance(question, str)
    tagged = lang is None or isinstance(lang, str)
    if isinstance(answer, str) and listed and asked and tagged:
        return passages_of(passages)
    rules = (
        ("answer", answer, isinstance(answer, str), "text"),
        ("context", context, listed, "a text, or a list or tuple of texts"),
        ("question", question, asked, "text or None"),
        ("lang", lang, tagged, "a language tag or None"),
    )
    raise InputError(
        Problem("check", f"{name} is {law}", "Correct the call.", field=name, got=short_repr(got))
        for name, got, holds, law in rules
        if not holds
    )
