"""Checks against a judge server, in a process of its own: what `benchmarks.selfcheck` measures.

Each function gives the wall times in ms of every round, and the CPU time of a check in us.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import random
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from benchmarks.process import Figures

LATENCY_MS = 50.0
PASSAGES = ["The hall opens at nine. " * 30, "It lends twenty books. " * 30]
KEY = "key-of-the-benchmark"
PRICED, FREE = "gpt-4o-mini", "judge"


class Answers:
    """New answers for ever."""

    def __init__(self) -> None:
        self._made = 0

    def __call__(self, sentences: int = 1) -> str:
        self._made += 1
        parts = ("east", "west", "north", "south")[:sentences]
        return " ".join(f"In hall {self._made} the {part} gate opens at nine." for part in parts)


def _candidate(api_base: str, model: str) -> Any:
    """The literal template by a model of the server; a name with a price costs, and has a key."""
    from metajudge.release.candidate import Candidate, JudgePin
    from metajudge.scoring.policies import parse_policy
    from metajudge.templates.catalogue import catalogue

    os.environ.pop("OPENAI_API_KEY", None)
    if model != FREE:
        os.environ["OPENAI_API_KEY"] = KEY
    pin = JudgePin(spec=f"openai/{model}", api_base=api_base)
    return Candidate("bench", (catalogue()["literal"],), parse_policy("strict"), 0.8, pin)


def _rounds(once: Callable[[], Awaitable[list[float]]], rounds: int) -> Awaitable[Figures]:
    """Wall times in ms of each round; the first two rounds only warm up."""

    async def run() -> Figures:
        for _ in range(2):
            await once()
        # What the imports have left is not looked through again and again.
        gc.collect()
        gc.freeze()
        found, cpu = [], time.process_time()
        for _ in range(rounds):
            found.append(await once())
            await asyncio.sleep(0.02)
        cpu_us = 1e6 * (time.process_time() - cpu) / sum(map(len, found))
        return {"ms": found, "cpu_us": cpu_us}

    return run()


def at_once(
    api_base: str,
    rounds: int,
    checks: int,
    sentences: int,
    *,
    model: str = PRICED,
    from_first: bool = False,
) -> Figures:
    """Checks that begin in one turn of the event loop.

    Args:
        from_first: Count from the moment when the first check of all begins, not from its own.
    """
    from metajudge.metrics.selfcheck.checker import SelfCheck

    answers = Answers()

    async def run() -> Figures:
        candidate = _candidate(api_base, model)
        async with SelfCheck(candidate, deadline_s=10, max_waiting=4096) as checker:

            async def one(answer: str, first: float) -> float:
                began = first or time.perf_counter()
                checked = await checker.check_async(answer, PASSAGES)
                assert checked.decision == "passed" and checked.calls == sentences, checked
                return 1000 * (time.perf_counter() - began)

            async def once() -> list[float]:
                texts = [answers(sentences) for _ in range(checks)]
                first = time.perf_counter() if from_first else 0.0
                return list(await asyncio.gather(*(one(text, first) for text in texts)))

            return await _rounds(once, rounds)

    return asyncio.run(run())


def steady(api_base: str, rounds: int, checks: int) -> Figures:
    """As many checks under way all the time; a round is half a second of it."""
    from metajudge.metrics.selfcheck.checker import SelfCheck

    answers = Answers()

    async def run() -> Figures:
        async with SelfCheck(_candidate(api_base, PRICED), deadline_s=10) as checker:

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

            return await _rounds(once, rounds)

    return asyncio.run(run())


def arriving(api_base: str, rounds: int, per_s: float) -> Figures:
    """Checks that begin at random times; a round is half a second of it."""
    from metajudge.metrics.selfcheck.checker import SelfCheck

    answers, dice = Answers(), random.Random(1)

    async def run() -> Figures:
        async with SelfCheck(_candidate(api_base, PRICED), deadline_s=10) as checker:

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

            return await _rounds(once, rounds)

    return asyncio.run(run())


def threads(api_base: str, rounds: int, checks: int) -> Figures:
    """Checks of as many threads that begin at a barrier, by the sync call."""
    from metajudge.metrics.selfcheck.checker import SelfCheck

    with SelfCheck(_candidate(api_base, PRICED), deadline_s=10) as checker:

        def check(answer: str) -> None:
            checked = checker.check(answer, PASSAGES)
            assert checked.decision == "passed", checked

        return _by_threads(check, rounds, checks)


def _by_threads(ask: Callable[[str], None], rounds: int, count: int) -> Figures:
    """What as many threads do with an answer each, begun at a barrier."""
    answers = Answers()
    begin, end = threading.Barrier(count + 1), threading.Barrier(count + 1)
    found: list[float] = []
    goes_on = True

    def work() -> None:
        while True:
            answer = answers()
            begin.wait()
            if not goes_on:
                return
            began = time.perf_counter()
            ask(answer)
            found.append(1000 * (time.perf_counter() - began))
            end.wait()

    async def once() -> list[float]:
        begin.wait()
        end.wait()
        taken, found[:] = list(found), []
        return taken

    crew = [threading.Thread(target=work, daemon=True) for _ in range(count)]
    for thread in crew:
        thread.start()
    figures = asyncio.run(_rounds(once, rounds))
    goes_on = False
    begin.wait()
    for thread in crew:
        thread.join()
    return figures


def floor_threads(api_base: str, rounds: int, client: str) -> Figures:
    """200 threads, each waiting for a future of one event loop: by `quick`, a request; or a sleep.

    The loop runs in a thread of its own, as that of the sync call does.
    """
    from metajudge.judges.judge import Request

    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    judge, source = _quick_judge(api_base)

    def ask(answer: str) -> None:
        if client == "quick":
            work = judge.ask(Request(source.render(PASSAGES, (answer,)), 8))
        else:
            work = asyncio.sleep(LATENCY_MS / 1000)
        asyncio.run_coroutine_threadsafe(work, loop).result()

    return _by_threads(ask, rounds, 200)


def floor(api_base: str, rounds: int, client: str) -> Figures:
    """200 requests at once by a client alone."""
    return asyncio.run(
        _floor_quick(api_base, rounds) if client == "quick" else _floor_aiohttp(api_base, rounds)
    )


def _quick_judge(api_base: str) -> tuple[Any, Any]:
    """A judge by the quick transport, and the template that asks it."""
    from metajudge.judges import open_judge
    from metajudge.judges.options import JudgeOptions
    from metajudge.metrics.selfcheck.transport import QuickJudge
    from metajudge.templates.catalogue import catalogue

    options = JudgeOptions(api_base=api_base)
    judge = QuickJudge.in_place_of(open_judge("openai/judge", options), options)  # type: ignore[arg-type]
    return judge, catalogue()["literal"].source_for("en")


async def _floor_quick(api_base: str, rounds: int) -> Figures:
    from metajudge.judges.judge import Request

    (judge, source), answers = _quick_judge(api_base), Answers()

    async def one(request: Request) -> float:
        began = time.perf_counter()
        await judge.ask(request)
        return 1000 * (time.perf_counter() - began)

    async def once() -> list[float]:
        asked = [Request(source.render(PASSAGES, (answers(),)), 8) for _ in range(200)]
        return list(await asyncio.gather(*map(one, asked)))

    try:
        return await _rounds(once, rounds)
    finally:
        await judge.close()


async def _floor_aiohttp(api_base: str, rounds: int) -> Figures:
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
        return await _rounds(once, rounds)
