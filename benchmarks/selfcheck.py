"""What a self-check adds to the judge's latency: 200 checks at once against a 50 ms judge.

The judge is the loopback server of the tests with one fixed answer, in a process and on a core of
its own. The overhead of a check is its wall time less 50 ms, so the judge's own queueing counts
against us. Every answer is new, so that no verdict comes from memory.

- *at once*: all checks begin in the same turn of the event loop (or at one barrier of threads): the
  worst case, since the last of them waits for the work on all others.
- *steady*: as many checks are under way all the time, each begun when another ends.
- *arriving*: checks begin at random times (Poisson) at a stated rate, as users come.

Beside them stand the floors: the same requests by aiohttp alone, and by this package's quick
transport alone, without splitting, reading or deciding anything.

Each round tells how often the system took the core away from the checker or the judge
(`ru_nivcsw`): rounds with at most two such losses are *undisturbed*, a property of the machine that
does not look at what was measured. Figures are given for those and for all rounds.

Run: python -m benchmarks.selfcheck [--rounds 60] [--write]   `--write` makes the page
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import platform
import random
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.process import ROOT, Figures, cores, fresh, placed

PAGE = ROOT / "benchmarks" / "selfcheck.md"
LATENCY_MS = 50.0
MOST_LOSSES = 2
BOUND_MS = 15.0
PASSAGES = ["The hall opens at nine. " * 30, "It lends twenty books. " * 30]


class Server(NamedTuple):
    """A judge server: its address and process."""

    api_base: str
    pid: int


class Setting(NamedTuple):
    """One row of the table."""

    name: str
    function: str
    arguments: dict[str, Any]


AT_ONCE = "200 checks at once, one sentence each"
FLOOR = "floor: 200 requests at once by"
SETTINGS = (
    Setting(f"**{AT_ONCE}, async**", "at_once", {"checks": 200, "sentences": 1}),
    Setting("50 at once, four sentences each, async", "at_once", {"checks": 50, "sentences": 4}),
    Setting("200 at once, four sentences each, async", "at_once", {"checks": 200, "sentences": 4}),
    Setting("200 steady, one sentence each, async", "steady", {"checks": 200}),
    Setting("arriving, 500 a second, async", "arriving", {"per_s": 500}),
    Setting("arriving, 1,000 a second, async", "arriving", {"per_s": 1000}),
    Setting("alone, four sentences, async", "at_once", {"checks": 1, "sentences": 4}),
    Setting("alone, one sentence, sync", "threads", {"checks": 1}),
    Setting("50 threads at once, one sentence each, sync", "threads", {"checks": 50}),
    Setting("200 threads at once, one sentence each, sync", "threads", {"checks": 200}),
    Setting(f"{FLOOR} the quick transport alone", "floor", {"client": "quick"}),
    Setting(f"{FLOOR} aiohttp alone", "floor", {"client": "aiohttp"}),
)


@contextmanager
def server() -> Iterator[Server]:
    """The judge, on the server's core."""
    command = [sys.executable, "-m", "tests.loopback", "--latency-ms", str(LATENCY_MS)]
    with placed(cores().server):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        assert process.stdout is not None
        yield Server(process.stdout.readline().strip(), process.pid)
    finally:
        process.terminate()
        process.wait(10)


def losses(pid: int) -> int:
    """How often the system has taken a core away from this process and from another one so far."""
    mine = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return mine
    line = next(
        line for line in status.read_text().splitlines() if line.startswith("nonvoluntary_ctxt")
    )
    return mine + int(line.split()[1])


class Answers:
    """New answers for ever."""

    def __init__(self) -> None:
        self._made = 0

    def __call__(self, sentences: int = 1) -> str:
        self._made += 1
        parts = ("east", "west", "north", "south")[:sentences]
        return " ".join(f"In hall {self._made} the {part} gate opens at nine." for part in parts)


def _candidate(api_base: str) -> Any:
    from metajudge.release.candidate import Candidate, JudgePin
    from metajudge.scoring.policies import parse_policy
    from metajudge.templates.catalogue import catalogue

    pin = JudgePin(spec="openai/judge", api_base=api_base)
    return Candidate("bench", (catalogue()["literal"],), parse_policy("strict"), 0.8, pin)


def _rounds(
    once: Callable[[], Awaitable[list[float]]], rounds: int, pid: int
) -> Awaitable[Figures]:
    """Wall times in ms of each round and its losses; the first two rounds only warm up."""

    async def run() -> Figures:
        for _ in range(2):
            await once()
        # What the imports have left is not looked through again and again.
        gc.collect()
        gc.freeze()
        found, lost, cpu = [], [], time.process_time()
        for _ in range(rounds):
            before = losses(pid)
            found.append(await once())
            lost.append(losses(pid) - before)
            await asyncio.sleep(0.02)
        cpu_us = 1e6 * (time.process_time() - cpu) / sum(map(len, found))
        return {"ms": found, "lost": lost, "cpu_us": cpu_us}

    return run()


def at_once(api_base: str, pid: int, rounds: int, checks: int, sentences: int) -> Figures:
    """Checks that begin in one turn of the event loop."""
    from metajudge.metrics.selfcheck.checker import SelfCheck

    answers = Answers()

    async def run() -> Figures:
        async with SelfCheck(_candidate(api_base), deadline_s=10, max_waiting=4096) as checker:

            async def one(answer: str) -> float:
                began = time.perf_counter()
                checked = await checker.check_async(answer, PASSAGES)
                assert checked.decision == "passed" and checked.calls == sentences, checked
                return 1000 * (time.perf_counter() - began)

            async def once() -> list[float]:
                texts = [answers(sentences) for _ in range(checks)]
                return list(await asyncio.gather(*map(one, texts)))

            return await _rounds(once, rounds, pid)

    return asyncio.run(run())


def steady(api_base: str, pid: int, rounds: int, checks: int) -> Figures:
    """As many checks under way all the time; a round is half a second of it."""
    from metajudge.metrics.selfcheck.checker import SelfCheck

    answers = Answers()

    async def run() -> Figures:
        async with SelfCheck(_candidate(api_base), deadline_s=10) as checker:

            async def once() -> list[float]:
                found: list[float] = []
                ends = time.perf_counter() + 0.5

                async def work() -> None:
                    await asyncio.sleep(random.uniform(0, LATENCY_MS / 1000))
                    while (began := time.perf_counter()) < ends:
                        checked = await checker.check_async(answers(), PASSAGES)
                        assert checked.decision == "passed", checked
                        found.append(1000 * (time.perf_counter() - began))

                await asyncio.gather(*(work() for _ in range(checks)))
                return found

            return await _rounds(once, rounds, pid)

    return asyncio.run(run())


def arriving(api_base: str, pid: int, rounds: int, per_s: float) -> Figures:
    """Checks that begin at random times; a round is half a second of it."""
    from metajudge.metrics.selfcheck.checker import SelfCheck

    answers, dice = Answers(), random.Random(1)

    async def run() -> Figures:
        async with SelfCheck(_candidate(api_base), deadline_s=10) as checker:

            async def one(due: float) -> float:
                checked = await checker.check_async(answers(), PASSAGES)
                assert checked.decision == "passed", checked
                return 1000 * (time.perf_counter() - due)

            async def once() -> list[float]:
                tasks = []
                due = time.perf_counter()
                ends = due + 0.5
                while due < ends:
                    due += dice.expovariate(per_s)
                    await asyncio.sleep(max(0.0, due - time.perf_counter()))
                    tasks.append(asyncio.ensure_future(one(max(due, time.perf_counter()))))
                return list(await asyncio.gather(*tasks))

            return await _rounds(once, rounds, pid)

    return asyncio.run(run())


def threads(api_base: str, pid: int, rounds: int, checks: int) -> Figures:
    """Checks of as many threads that begin at a barrier, by the sync call."""
    from metajudge.metrics.selfcheck.checker import SelfCheck

    answers = Answers()
    with SelfCheck(_candidate(api_base), deadline_s=10) as checker:
        begin, end = threading.Barrier(checks + 1), threading.Barrier(checks + 1)
        found: list[float] = []
        goes_on = True

        def work() -> None:
            while True:
                answer = answers()
                begin.wait()
                if not goes_on:
                    return
                began = time.perf_counter()
                checked = checker.check(answer, PASSAGES)
                found.append(1000 * (time.perf_counter() - began))
                assert checked.decision == "passed", checked
                end.wait()

        async def once() -> list[float]:
            begin.wait()
            end.wait()
            taken, found[:] = list(found), []
            return taken

        crew = [threading.Thread(target=work, daemon=True) for _ in range(checks)]
        for thread in crew:
            thread.start()
        figures = asyncio.run(_rounds(once, rounds, pid))
        goes_on = False
        begin.wait()
        for thread in crew:
            thread.join()
    return figures


def floor(api_base: str, pid: int, rounds: int, client: str) -> Figures:
    """200 requests at once by a client alone."""
    return asyncio.run(
        _floor_quick(api_base, pid, rounds)
        if client == "quick"
        else _floor_aiohttp(api_base, pid, rounds)
    )


async def _floor_quick(api_base: str, pid: int, rounds: int) -> Figures:
    from metajudge.judges import open_judge
    from metajudge.judges.judge import Request
    from metajudge.judges.options import JudgeOptions
    from metajudge.metrics.selfcheck.transport import QuickJudge
    from metajudge.templates.catalogue import catalogue

    options = JudgeOptions(api_base=api_base)
    judge = QuickJudge.in_place_of(open_judge("openai/judge", options), options)  # type: ignore[arg-type]
    source, answers = catalogue()["literal"].source_for("en"), Answers()

    async def one(request: Request) -> float:
        began = time.perf_counter()
        await judge.ask(request)
        return 1000 * (time.perf_counter() - began)

    async def once() -> list[float]:
        asked = [Request(source.render(PASSAGES, (answers(),)), 8) for _ in range(200)]
        return list(await asyncio.gather(*map(one, asked)))

    try:
        return await _rounds(once, rounds, pid)
    finally:
        await judge.close()


async def _floor_aiohttp(api_base: str, pid: int, rounds: int) -> Figures:
    import aiohttp

    from metajudge.templates.catalogue import catalogue

    source, answers = catalogue()["literal"].source_for("en"), Answers()
    session = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0),
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"Content-Type": "application/json"},
    )

    async def one(messages: Sequence[Any]) -> float:
        began = time.perf_counter()
        told = [{"role": m.role, "content": m.content} for m in messages]
        body = json.dumps({"model": "judge", "messages": told}, ensure_ascii=False).encode()
        async with session.post(f"{api_base}/chat/completions", data=body) as answer:
            json.loads(await answer.read())
        return 1000 * (time.perf_counter() - began)

    async def once() -> list[float]:
        asked = [source.render(PASSAGES, (answers(),)) for _ in range(200)]
        return list(await asyncio.gather(*map(one, asked)))

    async with session:
        return await _rounds(once, rounds, pid)


class Row(NamedTuple):
    """Figures of one setting, in ms above the judge's latency; None without such rounds."""

    setting: Setting
    rounds: int
    undisturbed: int
    p50: float | None
    p99: float | None
    all_p50: float
    all_p99: float
    cpu_us: float


def measured(setting: Setting, rounds: int) -> Row:
    """One setting, in a process of its own."""
    with server() as judge:
        figures = fresh(
            f"selfcheck:{setting.function}",
            api_base=judge.api_base,
            pid=judge.pid,
            rounds=rounds,
            **setting.arguments,
        )
    every = [ms for found in figures["ms"] for ms in found]
    quiet = [
        ms
        for found, lost in zip(figures["ms"], figures["lost"], strict=True)
        if lost <= MOST_LOSSES
        for ms in found
    ]
    return Row(
        setting,
        len(figures["ms"]),
        sum(lost <= MOST_LOSSES for lost in figures["lost"]),
        _over(quiet, 0.50) if quiet else None,
        _over(quiet, 0.99) if quiet else None,
        _over(every, 0.50),
        _over(every, 0.99),
        figures["cpu_us"],
    )


def _over(ms: Sequence[float], share: float) -> float:
    """A quantile (the smallest value that this share does not exceed) less the latency."""
    ordered = sorted(ms)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] - LATENCY_MS


def shown(value: float | None) -> str:
    """A figure of the table."""
    return "" if value is None else f"{value:.1f}"


def page(rows: Sequence[Row], load: tuple[float, float]) -> str:
    """The page."""
    table = "\n".join(
        f"| {row.setting.name} | {row.undisturbed} of {row.rounds} | {shown(row.p50)} | "
        f"{shown(row.p99)} | {shown(row.all_p50)} | {shown(row.all_p99)} | {row.cpu_us:.0f} |"
        for row in rows
    )
    first = rows[0]
    kept = first.p99 is not None and first.p99 < BOUND_MS
    told = "kept" if kept else "not kept"
    return PATTERN.format(
        table=table,
        date=datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        machine=machine(),
        before=f"{load[0]:.1f}",
        after=f"{load[1]:.1f}",
        verdict=f"{told}: p99 {shown(first.p99)} ms in undisturbed rounds, "
        f"{shown(first.all_p99)} ms over all rounds",
        bound=f"{BOUND_MS:g}",
        at_once=AT_ONCE,
    )


def machine() -> str:
    """Processor, cores and Python."""
    info = Path("/proc/cpuinfo")
    names = info.read_text().splitlines() if info.exists() else []
    name = next((line.partition(": ")[2] for line in names if line.startswith("model name")), "")
    count = len(cores().both) or os.cpu_count()
    return f"{name or platform.processor()}, {count} cores, Python {platform.python_version()}"


PATTERN = """# What a self-check adds to the judge's latency

Written by `python -m benchmarks.selfcheck --write`; do not edit. {date}; {machine}; load average of
the machine {before} before and {after} after: other work ran on the same cores.

Judge: loopback server with 50 ms of latency, in a process and on a core of its own. Overhead is the
wall time of a check less 50 ms, in ms. *Undisturbed* are rounds in which the system took the core
away from checker and judge at most twice. CPU is that of the checking process, in us a check.

| | undisturbed rounds | p50 | p99 | p50, all rounds | p99, all rounds | CPU |
|---|---|---|---|---|---|---|
{table}

Bound for *{at_once}*: p99 < {bound} ms. **{verdict}.**
"""


def main() -> None:
    parser = argparse.ArgumentParser(description="overhead of the self-check")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--only", default="", help="settings whose name holds this")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    before, rows = os.getloadavg()[0], []
    for setting in SETTINGS:
        if options.only not in setting.name:
            continue
        rows.append(measured(setting, options.rounds))
        row = rows[-1]
        print(
            f"{setting.name}: {row.undisturbed} of {row.rounds} rounds undisturbed, "
            f"p50 {shown(row.p50)}, p99 {shown(row.p99)}; all: p50 {row.all_p50:.1f}, "
            f"p99 {row.all_p99:.1f}; CPU {row.cpu_us:.0f} us a check",
            flush=True,
        )
    if options.write:
        PAGE.write_text(page(rows, (before, os.getloadavg()[0])), encoding="utf-8")


if __name__ == "__main__":
    main()
