"""A desk for each event loop, with a judge of its own, since connections belong to their loop."""

from __future__ import annotations

import asyncio
import threading

from metajudge.judges import open_judge
from metajudge.judges.direct import DirectJudge
from metajudge.judges.judge import Judge, Request
from metajudge.judges.options import JudgeOptions
from metajudge.metrics.selfcheck.breaker import Breaker
from metajudge.metrics.selfcheck.desk import Desk, Heard
from metajudge.metrics.selfcheck.kept import Kept
from metajudge.metrics.selfcheck.settings import CheckSettings
from metajudge.metrics.selfcheck.transport import QuickJudge
from metajudge.release.candidate import JudgePin
from metajudge.verdicts.verdict import Reply

CLOSE_S = 5.0


class Desks:
    """The desks of a self-check.

    Args:
        judge: Who is asked: pinned, to be opened for each event loop, or one that somebody opened.
        settings: Bounds of each desk.
        breaker: Shared by all of them.
        kept: Where replies are kept; None for nowhere.

    Raises:
        JudgeSpecError: The pin's spec names no judge.

    Attributes:
        spec: The judge's spec.
        stays_home: Whether all calls go by the background loop: the judge was opened by somebody,
            or answers so few calls at once that a second copy would only be in its way.
    """

    def __init__(
        self,
        judge: JudgePin | Judge,
        settings: CheckSettings,
        breaker: Breaker,
        kept: Kept | None = None,
    ) -> None:
        self._settings, self._breaker, self._kept = settings, breaker, kept
        self._pin = judge if isinstance(judge, JudgePin) else None
        # Opened at once, so that a wrong spec is refused before the first answer.
        self._next: Judge | None = self._opened() if isinstance(judge, JudgePin) else judge
        self.spec = self._next.spec
        self.stays_home = self._pin is None or self._next.max_in_flight is not None
        self._desks: dict[asyncio.AbstractEventLoop, Desk] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._lock = threading.Lock()

    def known(self, loop: asyncio.AbstractEventLoop) -> Desk | None:
        """The desk of an event loop; None where it has none yet."""
        return self._desks.get(loop)

    async def here(self) -> Desk:
        """The desk of the event loop that runs."""
        loop = asyncio.get_running_loop()
        desk = self._desks.get(loop)
        if desk is None:
            with self._lock:
                judge, self._next = self._next, None
                for ended in [known for known in self._desks if known.is_closed()]:
                    del self._desks[ended]
                desk = self._made(self._opened() if judge is None else judge)
                self._desks[loop] = desk
            await desk.open()
        return desk

    def leave_here(self) -> None:
        """Let the event loop that runs in this thread, if one does, close its judge by itself."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return
        with self._lock:
            desk = self._desks.pop(loop, None)
        if desk is not None:
            closing = loop.create_task(desk.close())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        """Close the judges, each in its own event loop; loops that ended have closed theirs."""
        here = asyncio.get_running_loop()
        with self._lock:
            desks, self._desks = self._desks, {}
            judge, self._next = self._next, None
        if judge is not None:
            await judge.close()
        for loop, desk in desks.items():
            if loop is here:
                await desk.close()
            elif loop.is_running():
                closing = asyncio.run_coroutine_threadsafe(desk.close(), loop)
                await asyncio.wait([asyncio.wrap_future(closing)], timeout=CLOSE_S)

    def _made(self, judge: Judge) -> Desk:
        heard: Heard | None = None
        if self._kept is not None:
            kept = self._kept

            def heard(request: Request, reply: Reply) -> None:
                kept.reply(judge.identity, request, reply)

        return Desk(judge, self._settings, self._breaker, heard)

    def _opened(self) -> Judge:
        pin = self._pin
        assert pin is not None
        options = JudgeOptions(
            api_base=pin.api_base,
            temperature=pin.temperature,
            seed=pin.seed,
            timeout_s=self._settings.deadline_s,
        )
        judge = open_judge(pin.spec, options)
        if isinstance(judge, DirectJudge):
            return QuickJudge.in_place_of(judge, options)
        return judge
