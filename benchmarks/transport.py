"""G2 to G5 and G7: what the engine and its two transports make of a latency.

Beside each stands its floor: workers that pull numbers from one counter and send the same prompts
by the same library, without schedule, retries, store or accounts.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from benchmarks.cases import prompt
from benchmarks.goal import Row, judged
from benchmarks.meter import Meter, limit_s, middle
from benchmarks.process import Figures, fresh, judge_server

WARM_UP = 4
MODEL = "openai/gpt-4o-mini"
WIDTHS = (8, 16, 32, 64, 128, 256)
STEP = 1.05

Send = Callable[[str], Awaitable[object]]


def engine(client: str, in_flight: int, calls: int, api_base: str) -> Figures:
    """The project: `run_calls` into a fresh store, by `direct` or `litellm`."""
    return asyncio.run(_engine(client, in_flight, calls, api_base))


async def _engine(client: str, in_flight: int, calls: int, api_base: str) -> Figures:
    from metajudge.judges import JudgeOptions, Request, call_key, open_judge
    from metajudge.runner import Call, Limits, Store, run_calls
    from metajudge.templates.message import Message

    spec = MODEL if client == "direct" else f"litellm:{MODEL}"
    judge = open_judge(spec, JudgeOptions(api_base=api_base))
    limits = Limits(max_in_flight=in_flight)

    def call(number: int) -> Call:
        request = Request((Message("user", prompt(number)),), max_tokens=8)
        return Call(call_key(judge.identity, request), request)

    meter = Meter(api_base)
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "replies.sqlite") as store:
        await run_calls([call(-n) for n in range(1, WARM_UP + 1)], judge, store, limits)
        asked = [call(n) for n in range(calls)]
        with meter:
            outcome = await run_calls(asked, judge, store, limits)
    await judge.close()
    unanswered = calls - outcome.report.answered
    return meter.figures | {"lost": unanswered, "retries": outcome.report.retries}


def floor(client: str, in_flight: int, calls: int, api_base: str) -> Figures:
    """The library alone: `aiohttp` or `litellm`."""
    return asyncio.run(_floor(client, in_flight, calls, api_base))


async def _floor(client: str, in_flight: int, calls: int, api_base: str) -> Figures:
    meter = Meter(api_base)
    opened = _aiohttp if client == "aiohttp" else _litellm
    send, close = await opened(api_base, in_flight)
    await asyncio.gather(*(send(prompt(-n)) for n in range(1, WARM_UP + 1)))
    numbers = iter(range(calls))

    async def worker() -> None:
        for number in numbers:
            await send(prompt(number))

    with meter:
        await asyncio.gather(*(worker() for _ in range(in_flight)))
    await close()
    return meter.figures


async def _aiohttp(api_base: str, in_flight: int) -> tuple[Send, Callable[[], Awaitable[None]]]:
    import aiohttp

    session = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=in_flight), headers={"Authorization": "Bearer none"}
    )

    async def send(text: str) -> object:
        body = {
            "model": "gpt-4o-mini",
            "messages": [{"role": "user", "content": text}],
            "max_tokens": 8,
            "temperature": 0.0,
        }
        async with session.post(f"{api_base}/chat/completions", json=body) as answer:
            return json.loads(await answer.read())["choices"][0]["message"]["content"]

    return send, session.close


async def _litellm(api_base: str, in_flight: int) -> tuple[Send, Callable[[], Awaitable[None]]]:
    import litellm

    async def send(text: str) -> object:
        answer = await litellm.acompletion(
            model=MODEL,
            messages=[{"role": "user", "content": text}],
            max_tokens=8,
            temperature=0.0,
            api_base=api_base,
            api_key="none",
            num_retries=0,
        )
        return answer.choices[0].message.content

    return send, litellm.close_litellm_async_clients


class Setting(NamedTuple):
    """Which client at which width against which latency."""

    client: Literal["direct", "litellm"]
    in_flight: int
    calls: int
    latency_s: float

    @property
    def limit_s(self) -> float:
        """Wall time if the client added nothing."""
        return limit_s(self.calls, self.in_flight, self.latency_s)


class Pairs(NamedTuple):
    """A setting measured by the engine and by the library alone."""

    setting: Setting
    engines: list[Figures]
    floors: list[Figures]


def _pairs(setting: Setting, repeats: int) -> Pairs:
    """Engine and floor in turn, so that a slow minute of the machine meets both."""
    pairs = Pairs(setting, [], [])
    library = "aiohttp" if setting.client == "direct" else "litellm"
    with judge_server(1000 * setting.latency_s) as address:
        shared = {"in_flight": setting.in_flight, "calls": setting.calls, "api_base": address}
        for _ in range(repeats):
            pairs.engines.append(fresh("transport:engine", client=setting.client, **shared))
            pairs.floors.append(fresh("transport:floor", client=library, **shared))
    return pairs


def _lost(rows: list[Figures]) -> str:
    lost = sum(row["lost"] for row in rows)
    return f", {lost} CALLS LOST" if lost else ""


def measure(scale: float = 1.0, repeats: int = 3) -> list[Row]:
    """Rows of G2, G3, G4, G5 and G7.

    Args:
        scale: Share of the usual number of calls.
        repeats: Fresh processes a figure.
    """
    sized = partial(_sized, scale)
    litellm = _pairs(Setting("litellm", 32, sized(640), 0.05), repeats)
    direct = _pairs(Setting("direct", 256, sized(5120), 0.05), repeats)
    narrow = _pairs(Setting("direct", 32, sized(1280), 0.05), repeats)
    slow = _pairs(Setting("litellm", 64, sized(1280), 0.5), max(1, repeats - 1))
    return [
        _g2(litellm),
        _g3(direct),
        _g4(narrow, 0.85),
        _g4(slow, 0.78),
        _g5("direct", sized(1024)),
        _g5("litellm", sized(640)),
        _g7((direct, narrow, slow, litellm)),
    ]


def _sized(scale: float, calls: int) -> int:
    return max(64, int(calls * scale))


def _g2(pairs: Pairs) -> Row:
    _, engines, floors = pairs
    cpu, floor_cpu = middle(engines, "cpu_ms"), middle(floors, "cpu_ms")
    rate, floor_rate = middle(engines, "calls_per_s"), middle(floors, "calls_per_s")
    cpu_share, rate_share = cpu / floor_cpu, rate / floor_rate
    return judged(
        "G2: through litellm CPU <= 1.12 x litellm alone and >= 0.88 x its calls/s "
        "(32 in flight, 50 ms)",
        f"{cpu_share:.2f} x CPU ({cpu:.2f} ms a call), {rate_share:.2f} x rate "
        f"({rate:.0f} calls/s){_lost(engines)}",
        f"litellm alone: {floor_cpu:.2f} ms a call, {floor_rate:.0f} calls/s",
        cpu_share <= 1.12 and rate_share >= 0.88,
        f"{cpu - floor_cpu:.2f} ms a call come on top of litellm's own {floor_cpu:.2f} ms: task, "
        "reading the reply, store and accounts",
    )


def _g3(pairs: Pairs) -> Row:
    _, engines, floors = pairs
    rate, cpu = middle(engines, "calls_per_s"), middle(engines, "cpu_ms")
    floor_rate, floor_cpu = middle(floors, "calls_per_s"), middle(floors, "cpu_ms")
    return judged(
        "G3: direct transport, 256 in flight, 50 ms: >= 1,200 calls/s and <= 0.8 ms CPU a call",
        f"{rate:,.0f} calls/s, {cpu:.2f} ms CPU a call{_lost(engines)}",
        f"aiohttp alone: {floor_rate:,.0f} calls/s, {floor_cpu:.2f} ms",
        rate >= 1200 and cpu <= 0.8,
        f"one core is {100 * rate * cpu / 1000:.0f} % busy with {cpu:.2f} ms a call, of which "
        f"aiohttp alone needs {floor_cpu:.2f} ms; the server used "
        f"{100 * middle(engines, 'server_share'):.0f} % of its core",
    )


def _g4(pairs: Pairs, least: float) -> Row:
    setting, engines, floors = pairs
    limit = setting.limit_s
    reached, floor_reached = (limit / middle(rows, "wall_s") for rows in (engines, floors))
    shape = f"{setting.client}, {1000 * setting.latency_s:.0f} ms, {setting.in_flight} in flight"
    return judged(
        f"G4: share of the latency limit, {shape}: >= {least} and >= 0.95 x the floor's",
        f"{reached:.2f} ({middle(engines, 'wall_s'):.2f} s of at best {limit:.2f} s)"
        f"{_lost(engines)}",
        f"library alone: {floor_reached:.2f}",
        reached >= least and reached >= 0.95 * floor_reached,
        f"{middle(engines, 'cpu_ms'):.2f} ms CPU a call against {middle(floors, 'cpu_ms'):.2f} ms "
        f"of the library alone; its own share of the limit is {floor_reached:.2f}",
    )


def _widths(function: str, client: str, calls: int, widths: Sequence[int]) -> dict[int, float]:
    """Shortest wall time of two in s, by calls in flight."""
    with judge_server(50) as address:
        return {
            width: min(
                fresh(
                    f"transport:{function}",
                    client=client,
                    in_flight=width,
                    calls=calls,
                    api_base=address,
                )["wall_s"]
                for _ in range(1 if width < 32 else 2)
            )
            for width in widths
        }


def _steps(walls: dict[int, float]) -> dict[int, float]:
    """Time at each width as a multiple of that at half the width."""
    return {wide: walls[wide] / walls[narrow] for narrow, wide in itertools.pairwise(sorted(walls))}


def _g5(client: str, calls: int) -> Row:
    walls = _widths("engine", client, calls, WIDTHS)
    steps = _steps(walls)
    worst = max(steps, key=lambda width: steps[width])
    shown = " > ".join(f"{walls[width]:.2f}" for width in WIDTHS)
    beside = ""
    if client == "litellm":
        alone = _widths("floor", client, calls, WIDTHS[-3:])
        told = ", ".join(f"{alone[width]:.2f}" for width in WIDTHS[-3:])
        beside = f"litellm alone at 64, 128, 256: {told}"
    return judged(
        f"G5: {client}, 8 to 256 in flight, 50 ms: twice the width never takes > 1.05 x the time",
        f"s at 8, 16, … 256: {shown}; worst step x {steps[worst]:.2f} (to {worst})",
        beside,
        steps[worst] <= STEP,
        f"the step to {worst} in flight takes {steps[worst]:.2f} x the time: the client's CPU is "
        f"the limit there, and more calls in flight only open more connections; {beside}",
    )


def _g7(found: Sequence[Pairs]) -> Row:
    opened = {
        pairs.setting: max(int(row["connections"]) for row in pairs.engines) for pairs in found
    }
    shown = ", ".join(
        f"{setting.client} {count} at {setting.in_flight} in flight ({setting.calls:,} calls)"
        for setting, count in opened.items()
    )
    return judged(
        "G7: connections opened in a run <= calls in flight + 1, all kept alive",
        shown,
        "",
        all(count <= setting.in_flight + 1 for setting, count in opened.items()),
        shown,
    )
