"""The self-check: an answer held against its context before anybody reads it."""

from __future__ import annotations

import asyncio
import concurrent.futures
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

from metajudge.gold.setting_names import check_names
from metajudge.judges.judge import Judge
from metajudge.metrics.selfcheck.background import Errand, LateError, LoopEndedError
from metajudge.metrics.selfcheck.checked import Checked
from metajudge.metrics.selfcheck.checking import GRACE_S, Checking, ClosedError, Given
from metajudge.metrics.selfcheck.desk import NotAskedError
from metajudge.metrics.selfcheck.settings import CheckSettings
from metajudge.metrics.selfcheck.stream import CheckStream
from metajudge.release.bundle import Release, load_release
from metajudge.release.candidate import Candidate, JudgePin
from metajudge.scoring.policies import parse_policy
from metajudge.templates.catalogue import Wording, catalogue_wording

Context = str | Sequence[str]


class SelfCheck:
    """Checks answers at answer time under a release.

    >>> checker = SelfCheck("faithfulness-verdict@1", deadline_s=2)  # doctest: +SKIP
    >>> checker.check(answer, passages).text  # doctest: +SKIP

    Neither `check` nor `check_async` nor `stream` raises, whatever the judge, the arguments or this
    package do, unless `raise_on_error` is set; cancellation and the like pass. What happens instead
    is stated in `docs/recipes/selfcheck.md`. May be used from many threads and event loops at once;
    each event loop has a judge with connections of its own, which is closed with the loop, by
    `close`, `aclose`, or at the end of a `with` or `async with` block. Checks that are under way in
    the background then (those of `check`, and of judges that are asked there) end as `closed`.

    Args:
        source: A release, a reference to one, or a candidate.
        judge: A judge spec in place of the release's own judge, or a judge that somebody opened;
            the release's figures then say nothing about the verdicts. It is closed with the check.
        **settings: See `CheckSettings`.

    Raises:
        InputError: A setting, the release or the judge's spec is faulty, or its templates do not
            ask about parts of an answer.
        StoreError: The log or store cannot be written to.
    """

    def __init__(
        self,
        source: Release | Candidate | str | Path,
        judge: str | Judge | None = None,
        **settings: Any,
    ) -> None:
        if isinstance(source, str | Path):
            source = load_release(source)
        candidate = source.candidate if isinstance(source, Release) else source
        check_names("self-check", settings, CheckSettings)
        chosen = CheckSettings(**settings)
        self._checks = Checking(candidate, _asked(candidate.judge, judge, chosen), chosen)

    @classmethod
    def unreleased(
        cls,
        wording: str | Wording,
        judge: str,
        *,
        policy: str = "strict",
        threshold: float = 0.8,
        **settings: Any,
    ) -> SelfCheck:
        """A self-check without a release, and so without figures on how often its judge errs.

        Args:
            wording: Name of a shipped template, or templates by language.
            judge: A judge spec.
            policy: How verdicts become a score.
            threshold: Least score that passes, 0 to 1.
            **settings: See `CheckSettings`.

        Raises:
            InputError: There is no such template, policy or judge, or a setting is faulty.
            StoreError: The log or store cannot be written to.
        """
        spoken = catalogue_wording(wording) if isinstance(wording, str) else wording
        pin = JudgePin(spec=judge)
        candidate = Candidate(spoken.name, (spoken,), parse_policy(policy), threshold, pin)
        return cls(candidate, **settings)

    def check(
        self, answer: str, context: Context, question: str | None = None, lang: str | None = None
    ) -> Checked:
        """Check an answer and wait for the outcome, at most for the deadline.

        Works with and without a running event loop; one that runs in this thread stands still
        meanwhile, so use `check_async` there.

        Args:
            answer: What is to be shown, plain text or Markdown.
            context: The passages that it rests on, or one text.
            question: What was asked; only for templates that show it, and for drawing claims.
            lang: Language tag of the answer; None decides by its script.
        """
        started = time.perf_counter()
        checks = self._checks
        if checks.closed:
            return checks.after(ClosedError("the self-check is closed"), answer, lang, started)
        # All of it in the background loop: threads that took turns in the work itself would wait
        # for one another at every step of it.
        given = Given(answer, context, question, lang, started)
        begin: Callable[[Errand[Checked]], None] = partial(checks.begin, given)
        fault: Exception
        try:
            return checks.background.wait(begin, checks.left(started) + GRACE_S)
        except LateError:
            fault = NotAskedError("deadline", "somebody blocks the background loop")
        except LoopEndedError:
            fault = ClosedError("the self-check was closed")
        except RuntimeError as error:  # no thread can be started, as when the interpreter ends
            fault = ClosedError("the self-check was closed") if checks.closed else error
        return checks.after(fault, answer, lang, started)

    async def check_async(
        self, answer: str, context: Context, question: str | None = None, lang: str | None = None
    ) -> Checked:
        """`check` for programs with an event loop. Cancelling it ends its calls."""
        return await self._checks.checked(answer, context, question, lang, time.perf_counter())

    def stream(
        self, answer: str, context: Context, question: str | None = None, lang: str | None = None
    ) -> CheckStream:
        """The units of an answer as they are judged, and the outcome when all are.

        >>> async def show(checker, answer, passages):
        ...     stream = checker.stream(answer, passages)
        ...     async for unit in stream:
        ...         print(unit.label, unit.text)
        ...     return stream.outcome.text
        """
        return CheckStream(self._checks, answer, context, question, lang)

    def close(self) -> None:
        """Close the judges and write what waits; later checks fail as `closed`.

        The judge of an event loop that runs in this very thread is closed when that loop goes on;
        `aclose` waits for it.
        """
        self._checks.closed = True
        self._checks.desks.leave_here()
        closing: concurrent.futures.Future[None] | None = None
        try:
            closing = self._checks.background.submit(self._checks.desks.close())
            closing.result(timeout=10)
        except concurrent.futures.TimeoutError:
            assert closing is not None
            closing.cancel()
        except RuntimeError:  # no thread can be started, as when the interpreter ends
            pass
        self._end()

    async def aclose(self) -> None:
        """`close` for programs with an event loop."""
        self._checks.closed = True
        await self._checks.desks.close()
        await asyncio.get_running_loop().run_in_executor(None, self._end)

    def _end(self) -> None:
        self._checks.background.close()
        if self._checks.kept is not None:
            self._checks.kept.close()

    def __enter__(self) -> SelfCheck:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    async def __aenter__(self) -> SelfCheck:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"SelfCheck({self._checks.told.release}, {self._checks.told.judge})"

    @property
    def judge_is_down(self) -> bool:
        """Whether no calls are sent for a while, since the judge failed too many in a row."""
        return self._checks.breaker.resting

    @property
    def counts(self) -> dict[str, int]:
        """Checks so far by decision."""
        return self._checks.counts

    @property
    def unwritten(self) -> int:
        """Rows of log and store that are not on disk yet; they are tried again."""
        return 0 if self._checks.kept is None else self._checks.kept.unwritten

    @property
    def dropped(self) -> int:
        """Rows of log and store that were given up, since a disk refused and too many waited."""
        return 0 if self._checks.kept is None else self._checks.kept.dropped


def _asked(pin: JudgePin, judge: str | Judge | None, settings: CheckSettings) -> JudgePin | Judge:
    """The release's judge, or the one in its place at the same temperature and seed."""
    if judge is None and settings.api_base is None:
        return pin
    if judge is None or isinstance(judge, str):
        changes = {"spec": judge or pin.spec, "api_base": settings.api_base, "max_in_flight": None}
        return pin.model_copy(update=changes)
    return judge
