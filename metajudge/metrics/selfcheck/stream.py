"""The units of one answer as they are judged."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from typing import Any

from metajudge.metrics.selfcheck.checked import Checked, CheckedUnit
from metajudge.metrics.selfcheck.checking import Checking
from metajudge.metrics.selfcheck.work import Work


class CheckStream:
    """The units of one answer as they are judged; an asynchronous iterator.

    Leaving the loop early and `aclose` end the calls that are under way.

    Attributes:
        outcome: The outcome, once the iteration has ended by itself; None before.
    """

    def __init__(self, checks: Checking, *arguments: Any) -> None:
        self.outcome: Checked | None = None
        self._units = self._judged(checks, *arguments)

    def __aiter__(self) -> AsyncGenerator[CheckedUnit, None]:
        return self._units

    async def aclose(self) -> None:
        """End the calls that are under way."""
        await self._units.aclose()

    async def _judged(
        self, checks: Checking, answer: Any, context: Any, question: Any, lang: Any
    ) -> AsyncGenerator[CheckedUnit, None]:
        started = time.perf_counter()
        driver: asyncio.Future[None] | None = None
        try:
            work = checks.begun(answer, context, question, lang, started)
            units: asyncio.Queue[CheckedUnit | None] = asyncio.Queue()
            driver = _driven(checks, work, units)
            while (unit := await units.get()) is not None:
                yield unit
            await driver
            self.outcome = checks.outcome(work)
        except Exception as error:  # noqa: BLE001 - see Checking.after
            self.outcome = checks.after(error, answer, lang, started)
        finally:
            if driver is not None:
                driver.cancel()


def _driven(
    checks: Checking, work: Work, units: asyncio.Queue[CheckedUnit | None]
) -> asyncio.Future[None]:
    """A check under way that puts its units, and None at the end, into a queue of this loop."""
    loop = asyncio.get_running_loop()

    def put(unit: CheckedUnit) -> None:
        if checks.desks.stays_home:
            loop.call_soon_threadsafe(units.put_nowait, unit)
        else:
            units.put_nowait(unit)

    for index, said in enumerate(work.said):
        if said is not None:
            units.put_nowait(work.unit(index))
    work.on_unit = put
    driver = asyncio.ensure_future(checks.settle(work))
    driver.add_done_callback(lambda _: units.put_nowait(None))
    return driver
