"""Who asks about the units of checks, and lists claims where units are claims."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from metajudge.metrics.selfcheck.calls import Calls, under_way
from metajudge.metrics.selfcheck.checked import Said
from metajudge.metrics.selfcheck.claims import extracted, extraction_request, sentence_of
from metajudge.metrics.selfcheck.desk import Desk
from metajudge.metrics.selfcheck.memory import Memory
from metajudge.metrics.selfcheck.questions import Questions
from metajudge.metrics.selfcheck.settings import CheckSettings
from metajudge.metrics.selfcheck.work import Work, lost


@dataclass(frozen=True)
class Worker:
    """Asks about the units of checks."""

    questions: Questions
    settings: CheckSettings
    memory: Memory

    async def judge(self, work: Work, desk: Desk, ends_at: float) -> None:
        """Fill in the verdicts of a check until all are there or the deadline has come.

        Never raises but for cancellation, which ends all calls of the check.

        Args:
            work: The check.
            desk: Where calls are sent.
            ends_at: The deadline, in s of the event loop's clock.
        """
        work.tally.ends_at = ends_at
        if self.settings.units == "claims" and work.is_open:
            task = under_way(self._list_claims(work, desk))
            try:
                # A task that ignores its cancellation is not waited for.
                left_s = max(0.0, ends_at - asyncio.get_running_loop().time())
                await asyncio.wait([task], timeout=left_s)
            finally:
                task.cancel()
            work.whole = work.whole or lost(task)
        if work.whole is None:
            over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            calls = self.begin(work, desk, ends_at, partial(_settle, over))
            try:
                await over
            finally:
                calls.cancel()
        work.end()

    def begin(self, work: Work, desk: Desk, ends_at: float, over: Callable[[], None]) -> Calls:
        """Begin to ask about the units of a check, without waiting for the end.

        Args:
            work: The check.
            desk: Where calls are sent.
            ends_at: The deadline, in s of the event loop's clock.
            over: Is called once, maybe before this returns, when there is no more to wait for.
        """
        work.tally.ends_at = ends_at
        calls = Calls(self.questions, self.settings, self.memory, work, desk)
        calls.begin(ends_at, over)
        return calls

    async def _list_claims(self, work: Work, desk: Desk) -> None:
        """The claims as units; the sentences where a judge finds no claim in them."""
        pieces, matter = work.pieces, work.matter
        request = extraction_request(pieces.answer, matter.question, matter.lang)
        found = extracted(await desk.ask(request, work.tally))
        if found.failure is not None:
            work.whole = Said(None, found.failure, found.detail)
        elif found.claims:
            places = [sentence_of(claim, pieces.sentences) for claim in found.claims]
            work.take_units(found.claims, places)
            work.drawn = True


def _settle(over: asyncio.Future[None]) -> None:
    if not over.done():
        over.set_result(None)
