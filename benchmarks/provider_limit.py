"""G8: at a provider's limit of 20 calls/s (429 with `Retry-After: 1` past it), nothing is lost.

The server's verdict on each case is known, so a verdict that was lost, swapped or invented shows.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

from benchmarks.cases import prompt
from benchmarks.goal import Row, judged, skipped
from benchmarks.judge_server import label_of
from benchmarks.meter import Meter
from benchmarks.process import Figures, MeasurementError, fresh, judge_server

CALLS_PER_S = 20
TICK_S = 0.01
MOST_BLOCKED_S = 0.1


def engine(calls: int, api_base: str) -> Figures:
    """The project with its default limits."""
    return asyncio.run(_engine(calls, api_base))


async def _engine(calls: int, api_base: str) -> Figures:
    from metajudge.judges import JudgeOptions, Request, call_key, open_judge
    from metajudge.runner import Call, Store, run_calls
    from metajudge.templates.message import Message

    judge = open_judge("openai/gpt-4o-mini", JudgeOptions(api_base=api_base))
    requests = [Request((Message("user", prompt(n)),), max_tokens=8) for n in range(calls)]
    asked = [Call(call_key(judge.identity, request), request) for request in requests]
    # Imports and the first connection; what it takes from the burst is back a moment later.
    await judge.ask(Request((Message("user", prompt(-1)),), max_tokens=8))
    await asyncio.sleep(2 / CALLS_PER_S)
    meter = Meter(api_base)
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "replies.sqlite") as store:
        watch = asyncio.create_task(_longest_block())
        with meter:
            replies = (await run_calls(asked, judge, store)).replies
        watch.cancel()
        stored = store.count()
    await judge.close()
    told = [replies[call.key].text if call.key in replies else None for call in asked]
    return meter.figures | {
        "lost": sum(text not in ("yes", "no", "idk") for text in told),
        "wrong": sum(text != label_of(n) for n, text in enumerate(told) if text),
        "stored": stored,
        "blocked_s": _Blocked.longest_s,
    }


class _Blocked:
    longest_s = 0.0


async def _longest_block() -> None:
    """Note the longest time in which the event loop did not come round."""
    while True:
        before = time.perf_counter()
        await asyncio.sleep(TICK_S)
        _Blocked.longest_s = max(_Blocked.longest_s, time.perf_counter() - before - TICK_S)


def measure(scale: float = 1.0, repeats: int = 1) -> list[Row]:
    """Rows of G8."""
    calls = max(40, int(200 * scale))
    with judge_server(50, CALLS_PER_S) as address:
        ours = fresh("provider_limit:engine", calls=calls, api_base=address)
    return [_row(ours, calls), _ragas(calls)]


def _limit_s(calls: float) -> float:
    """Wall time that the provider's limit allows at best: its burst comes free."""
    return max(calls - CALLS_PER_S, 1) / CALLS_PER_S


def _row(ours: Figures, calls: int) -> Row:
    extra, limit = ours["calls"] / calls - 1, _limit_s(calls)
    whole = not ours["lost"] and not ours["wrong"] and ours["stored"] == calls
    return judged(
        f"G8: {calls} calls at a limit of {CALLS_PER_S}/s: <= 10 % extra calls, <= 1.2 x the "
        "limit's time, no verdict lost or invented, Retry-After obeyed, loop never blocked for "
        "0.1 s",
        f"{100 * extra:.1f} % extra, {ours['wall_s']:.1f} s = {ours['wall_s'] / limit:.2f} x, "
        f"{ours['lost']} lost, {ours['wrong']} wrong, {ours['too_early']:.0f} sent too early, "
        f"longest block {1000 * ours['blocked_s']:.0f} ms",
        f"limit {limit:.1f} s",
        extra <= 0.1
        and ours["wall_s"] <= 1.2 * limit
        and whole
        and not ours["too_early"]
        and ours["blocked_s"] <= MOST_BLOCKED_S,
        f"{ours['refused']:.0f} refusals until the pace was learned, "
        f"loop blocked for at most {1000 * ours['blocked_s']:.0f} ms",
    )


def _ragas(calls: int) -> Row:
    goal = f"G8: the same limit beside Ragas ({calls // 2} cases, {calls} calls)"
    if find_spec("ragas") is None:
        return skipped(goal, "ragas is not installed (pip install ragas)")
    try:
        with judge_server(50, CALLS_PER_S) as address:
            found = fresh("faithfulness:ragas", in_flight=0, cases=calls // 2, api_base=address)
    except MeasurementError as error:
        return skipped(goal, str(error))
    extra = found["calls"] / calls - 1
    beside = (
        f"Ragas {100 * extra:.0f} % extra calls, {found['wall_s']:.1f} s, "
        f"{calls // 2 - found['scored']:.0f} cases without a score"
    )
    return Row(goal, "see above", beside)
