"""In-process judges for tests of the runner."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from metajudge.judges.judge import JudgeCallError, Request, Scalar, call_key
from metajudge.runner import Call, Limits
from metajudge.runner.health import ARE_YOU_THERE
from metajudge.templates.message import Message
from metajudge.verdicts.verdict import Reply

Act = Callable[[int, str], Awaitable[Reply]]


class FakeJudge:
    """Answers by a function of (number of the attempt, prompt); counts attempts.

    Questions whether it is there are answered alike, and counted in `looks` alone.
    """

    gives_logprobs = False

    def __init__(self, act: Act | None = None, max_in_flight: int | None = None) -> None:
        self.spec = "fake"
        self.identity: Mapping[str, Scalar] = {"model": "fake", "temperature": 0.0}
        self.max_in_flight = max_in_flight
        self.prompts: list[str] = []
        self.looks = 0
        self.in_flight = 0
        self.peak = 0
        self.closed = 0
        self._act = act or yes

    async def ask(self, request: Request) -> Reply:
        prompt = request.messages[-1].content
        if request == ARE_YOU_THERE:
            self.looks += 1
        else:
            self.prompts.append(prompt)
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        try:
            return await self._act(len(self.prompts), prompt)
        finally:
            self.in_flight -= 1

    async def close(self) -> None:
        self.closed += 1

    @property
    def attempts(self) -> int:
        return len(self.prompts)


async def yes(number: int, prompt: str) -> Reply:
    return Reply(f"yes to {prompt}", "stop", prompt_tokens=10, completion_tokens=2)


def failing(kind: Any, detail: str = "scripted", retry_after: float | None = None) -> Act:
    """Always the same error."""

    async def act(number: int, prompt: str) -> Reply:
        raise JudgeCallError(kind, detail, retry_after)

    return act


def slow(seconds: float) -> Act:
    """A yes after a wait."""

    async def act(number: int, prompt: str) -> Reply:
        await asyncio.sleep(seconds)
        return await yes(number, prompt)

    return act


def rate_limited(rate: float, retry_after: float | None, latency_s: float = 0.01) -> Act:
    """A token bucket of one second's burst; past it 429 at once."""
    bucket = {"tokens": rate, "at": time.monotonic()}

    async def act(number: int, prompt: str) -> Reply:
        now = time.monotonic()
        bucket["tokens"] = min(rate, bucket["tokens"] + (now - bucket["at"]) * rate)
        bucket["at"] = now
        if bucket["tokens"] < 1:
            raise JudgeCallError("rate_limit", "too many", retry_after)
        bucket["tokens"] -= 1
        await asyncio.sleep(latency_s)
        return await yes(number, prompt)

    return act


def make_calls(n: int, start: int = 0, repeat: int = 0) -> list[Call]:
    """Calls with prompts "claim 0", "claim 1", …"""
    identity = FakeJudge().identity
    requests = (
        Request((Message("user", f"claim {number}"),), max_tokens=8, repeat=repeat)
        for number in range(start, start + n)
    )
    return [Call(call_key(identity, request), request) for request in requests]


def quick(**changes: Any) -> Limits:
    """Limits with short pauses."""
    return Limits(**{"backoff_s": 0.001, "grace_s": 0.2, "deadline_s": 5.0, **changes})
