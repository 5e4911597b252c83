"""The overhead of a self-check by a clock that only runs while the checker works.

On a machine that others use too, wall times tell more about them than about the checker. Here
the event loop's clock is the CPU time of the process, set forward by whatever the loop would have
slept. The judge is the loopback server of the tests, by sockets. It stands for one on another core:
its 50 ms begin when a request is written, and its own CPU time is taken out. What is left is what
a machine with a core to spare for each of the two would show, system calls included; what the event
loop does for the judge's side (a look at each socket, a timer each) still counts against us.

- *at once*: all checks begin in one turn of the event loop. Their overhead is counted twice: from
  the moment when the first one begins, so that the work on all others counts as waiting, and from
  when each began, as a caller would time its own.
- *steady*: as many are under way all the time, each begun when another ends.
- *by threads*: the sync call, by as many threads; CPU a check alone, as threads have no such clock.

Run: python -m benchmarks.selfcheck_clock
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import selectors
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from benchmarks.process import fresh
from benchmarks.selfcheck import LATENCY_MS, PASSAGES, Answers, _candidate, server
from metajudge.metrics.selfcheck import connection, transport
from metajudge.metrics.selfcheck.checker import SelfCheck
from tests import loopback
from tests.loopback import LoopbackServer, chat, in_order


@dataclass
class _Clock:
    """Seconds skipped instead of slept, and of the judge's work."""

    skipped_s: float = 0.0
    taken_out_s: float = 0.0

    def __call__(self) -> float:
        return time.process_time() - self.taken_out_s + self.skipped_s


CLOCK = _Clock()
WRITTEN_AT: dict[int, float] = {}
"""When the last request was written, by the port that it was sent from."""


class _Sending(connection.Connection):
    """The checker's side of a connection, which tells when requests were written."""

    _port = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._port = transport.get_extra_info("sockname")[1]

    def send(self, request: bytes, heard: connection.Heard) -> None:
        super().send(request, heard)
        _outside(self._note)

    def _note(self) -> None:
        WRITTEN_AT[self._port] = CLOCK()


class _NoSleep(selectors.DefaultSelector):
    """Sets the clock forward where it would sleep."""

    def select(self, timeout: float | None = None) -> Any:
        ready = super().select(0)
        if ready or timeout is None or timeout <= 0:
            return ready
        CLOCK.skipped_s += timeout
        return super().select(0)


class _Loop(asyncio.SelectorEventLoop):
    def time(self) -> float:
        return CLOCK()


_Own = loopback._Connection


class _Connection(_Own):
    """The server's side of a connection, whose work does not count."""

    def data_received(self, data: bytes) -> None:
        port = self.transport.get_extra_info("peername")[1]
        self.server.latency_s = LATENCY_MS / 1000 - (CLOCK() - WRITTEN_AT.get(port, CLOCK()))
        _outside(lambda: _Own.data_received(self, data))

    def _send(self, answer: Any) -> None:
        _outside(lambda: _Own._send(self, answer))


def _outside(work: Callable[[], None]) -> None:
    began = time.process_time()
    work()
    CLOCK.taken_out_s += time.process_time() - began


Span = tuple[float, float]
"""When a check began and ended, in s of the clock."""
One = Callable[[], Awaitable[Span]]


async def _at_once(one: One, checks: int) -> tuple[list[float], list[float]]:
    """Overhead in ms from the first beginning of each turn, and from each check's own."""
    from_first: list[float] = []
    from_own: list[float] = []
    for turn in range(22):
        taken = await asyncio.gather(*(one() for _ in range(checks)))
        if turn == 1:
            gc.collect()
            gc.freeze()
        if turn > 1:
            first = min(began for began, _ in taken)
            from_first += [_over(first, ended) for _, ended in taken]
            from_own += [_over(began, ended) for began, ended in taken]
    return from_first, from_own


async def _steady(one: One, checks: int) -> tuple[list[float], list[float]]:
    loop = asyncio.get_running_loop()
    found: list[float] = []
    begins = loop.time() + 0.5

    async def work(number: int) -> None:
        await asyncio.sleep(number / checks * LATENCY_MS / 1000)
        while (now := loop.time()) < begins + 1.5:
            began, ended = await one()
            if now > begins:
                found.append(_over(began, ended))

    await asyncio.gather(*(work(number) for number in range(checks)))
    return found, found


def _over(began: float, ended: float) -> float:
    return 1000 * (ended - began) - LATENCY_MS


async def _measured(way: Any, checks: int, sentences: int) -> Row:
    loop, answers = asyncio.get_running_loop(), Answers()
    judge = LoopbackServer(in_order([chat("yes")]), LATENCY_MS / 1000, None)
    judge.keep_received = False
    stop, ready = asyncio.Event(), asyncio.Event()
    serving = asyncio.ensure_future(loopback._run(judge, 0, ready.set, stop))
    await ready.wait()
    made, ready_made = 0, [answers(sentences) for _ in range(40_000)]
    async with SelfCheck(_candidate(judge.url), deadline_s=600, max_waiting=4096) as checker:

        async def one() -> Span:
            nonlocal made
            made += 1
            answer = ready_made.pop() if ready_made else answers(sentences)
            began = loop.time()
            checked = await checker.check_async(answer, PASSAGES)
            assert checked.decision == "passed", checked
            return began, loop.time()

        skipped, began = CLOCK.skipped_s, CLOCK()
        first, own = await way(one, checks)
        worked = CLOCK() - began - (CLOCK.skipped_s - skipped)
    stop.set()
    await serving
    return Row(*_quantiles(first), *_quantiles(own), 1e6 * worked / made)


class Row(NamedTuple):
    """Overhead in ms from the first beginning and from each check's own; CPU a check in us."""

    p50: float
    p99: float
    own_p50: float
    own_p99: float
    cpu_us: float


def _quantiles(found: Sequence[float]) -> tuple[float, float]:
    ordered = sorted(found)
    return ordered[len(ordered) // 2], ordered[int(0.99 * len(ordered))]


def _in_loop(way: Any, checks: int, sentences: int) -> Row:
    loop = _Loop(_NoSleep())
    asyncio.set_event_loop(loop)
    try:
        row: Row = loop.run_until_complete(_measured(way, checks, sentences))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()
        gc.unfreeze()
    return row


def _of_threads(checks: int) -> float:
    """CPU in us a check of the sync call by threads, against a judge in another process."""
    with server() as judge:
        figures = fresh(
            "selfcheck:threads", api_base=judge.api_base, pid=judge.pid, rounds=10, checks=checks
        )
    return float(figures["cpu_us"])


ROWS = (
    ("1 at once, 1 sentence", _at_once, 1, 1),
    ("1 at once, 4 sentences", _at_once, 1, 4),
    ("20 at once, 1 sentence", _at_once, 20, 1),
    ("50 at once, 4 sentences", _at_once, 50, 4),
    ("200 at once, 1 sentence", _at_once, 200, 1),
    ("100 steady, 1 sentence", _steady, 100, 1),
    ("200 steady, 1 sentence", _steady, 200, 1),
)


def main() -> None:
    parser = argparse.ArgumentParser(description="overhead of the self-check by CPU time")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", default="", help="rows whose name holds this")
    options = parser.parse_args()
    vars(loopback)["_Connection"], vars(transport)["Connection"] = _Connection, _Sending
    print(f"load average {os.getloadavg()[0]:.1f}; median (least to most) of {options.repeats}")
    for name, way, checks, sentences in ROWS:
        if options.only in name:
            rows = [_in_loop(way, checks, sentences) for _ in range(options.repeats)]
            told = (f"{field} {_spread([row[n] for row in rows])}" for n, field in _FIELDS)
            print(f"{name}: {', '.join(told)}", flush=True)
    vars(loopback)["_Connection"], vars(transport)["Connection"] = _Own, connection.Connection
    for checks in (1, 50, 200):
        name = f"{checks} by threads"
        if options.only in name:
            spread = _spread([_of_threads(checks) for _ in range(options.repeats)])
            print(f"{name}: CPU us a check {spread}", flush=True)


_FIELDS = tuple(enumerate(("p50", "p99", "own p50", "own p99", "CPU us a check")))


def _spread(figures: Sequence[float]) -> str:
    ordered = sorted(figures)
    return f"{ordered[len(ordered) // 2]:.1f} ({ordered[0]:.1f} to {ordered[-1]:.1f})"


if __name__ == "__main__":
    main()
