"""A scripted OpenAI-compatible chat server on 127.0.0.1, for tests of judges and runner.

    with serve(chat("yes")) as server:                     # the same answer for ever
        judge = open_judge("openai/m", JudgeOptions(api_base=server.url))

    with serve([error(500), chat("yes")]) as server: ...   # in order, the last one repeats
    with serve(lambda call: chat(call.prompt)) as server: ...
    with serve(chat("yes"), latency_s=0.05, calls_per_s=20) as server: ...
    with serve(chat("yes"), together=9) as server: ...     # none before nine are under way

The server runs in a thread with a loop of its own, so both `async` tests and tests that call
`asyncio.run` can use it. `server.calls` counts every request that arrived, `server.refused` those
answered 429 by `calls_per_s`, `server.connections` the TCP connections, `server.peak_in_flight`
the most requests under way at once; `server.received` holds the requests themselves.

`python -m tests.loopback --latency-ms 50` serves in a process of its own (benchmarks) and prints
its address.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found"}


@dataclass(frozen=True)
class Answer:
    """What the server does with one request.

    Attributes:
        status: HTTP status.
        body: Raw response body.
        headers: Extra response headers.
        content_type: Media type of the body.
        latency_s: Wait before answering; None takes the server's `latency_s`.
        hang: Never answer, keep the connection open.
        drop: Close the connection without a word.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    latency_s: float | None = None
    hang: bool = False
    drop: bool = False

    def after(self, seconds: float) -> Answer:
        """The same answer after a wait of its own."""
        return replace(self, latency_s=seconds)


@dataclass(frozen=True)
class ServerCall:
    """One request as it arrived; `number` counts from 0."""

    number: int
    path: str
    headers: Mapping[str, str]
    raw: bytes

    @cached_property
    def body(self) -> dict[str, Any]:
        """The JSON body."""
        parsed: dict[str, Any] = json.loads(self.raw)
        return parsed

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The chat messages."""
        found: list[dict[str, Any]] = self.body["messages"]
        return found

    @property
    def prompt(self) -> str:
        """Content of the last message."""
        return str(self.messages[-1]["content"])


Script = Callable[[ServerCall], Answer]


def chat(
    text: Any = "yes",
    *,
    finish_reason: str | None = "stop",
    first_token: Sequence[tuple[str, float]] | None = None,
    logprobs: Any = None,
    usage: Any = (12, 1),
    cached_tokens: int | None = None,
    model: str = "loopback",
    **message: Any,
) -> Answer:
    """A chat completion.

    Args:
        text: Message content: text, None, or a list of parts.
        finish_reason: As the server names it.
        first_token: Candidate tokens and natural-log probabilities at the first position.
        logprobs: Raw `logprobs` value where `first_token` is None (for odd servers).
        usage: (prompt tokens, completion tokens), or None for no usage at all.
        cached_tokens: Prompt tokens from a warm prefix.
        model: Model name that the server reports.
        message: Further fields of the message (`reasoning_content`, `tool_calls`, `refusal`, …).
    """
    if first_token is not None:
        top = [{"token": t, "logprob": p, "bytes": list(t.encode())} for t, p in first_token]
        logprobs = {"content": [{**top[0], "top_logprobs": top}]}
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, **message},
                "logprobs": logprobs,
                "finish_reason": finish_reason,
            }
        ],
    }
    if usage is not None:
        prompt_tokens, completion_tokens = usage
        body["usage"] = {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": prompt_tokens + completion_tokens,
        }
        if cached_tokens is not None:
            body["usage"]["prompt_tokens_details"] = {"cached_tokens": cached_tokens}
    return Answer(body=json.dumps(body, ensure_ascii=False).encode())


def error(
    status: int,
    message: str = "scripted failure",
    *,
    code: str | None = None,
    param: str | None = None,
    retry_after: str | float | None = None,
) -> Answer:
    """An error in OpenAI's form; `retry_after` becomes the header."""
    body = {"error": {"message": message, "type": "scripted", "code": code, "param": param}}
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return Answer(status, json.dumps(body).encode(), headers)


def html(status: int = 200) -> Answer:
    """A web page, as a portal or a mistyped address gives."""
    page = b"<!DOCTYPE html><html><body><h1>Welcome</h1></body></html>"
    return Answer(status, page, content_type="text/html; charset=utf-8")


def raw(body: bytes, status: int = 200, content_type: str = "application/json") -> Answer:
    """Any bytes."""
    return Answer(status, body, content_type=content_type)


def hang() -> Answer:
    """No answer, ever."""
    return Answer(hang=True)


def drop() -> Answer:
    """The connection closes without an answer."""
    return Answer(drop=True)


def in_order(answers: Sequence[Answer]) -> Script:
    """The n-th answer for the n-th request; the last one repeats."""
    return lambda call: answers[min(call.number, len(answers) - 1)]


class LoopbackServer:
    """The server's counters and address; made by `serve`."""

    def __init__(
        self, script: Script, latency_s: float, calls_per_s: float | None, together: int = 1
    ) -> None:
        self.script = script
        self.latency_s = latency_s
        self.calls_per_s = calls_per_s
        self.together = together
        self.kept_back: list[Callable[[], object]] = []
        self.keep_received = True
        self.port = 0
        self.reset()

    def reset(self) -> None:
        """Set all counters to zero and forget what was received."""
        self.calls = 0
        self.refused = 0
        self.connections = 0
        self.in_flight = 0
        self.peak_in_flight = 0
        self.received: list[ServerCall] = []
        self._tokens = float(self.calls_per_s or 0)
        self._refilled = time.monotonic()

    @property
    def url(self) -> str:
        """`api_base` for a judge: `http://127.0.0.1:<port>/v1`."""
        return f"http://127.0.0.1:{self.port}/v1"

    def answer(self, call: ServerCall) -> Answer:
        """What the script says, or 429 past the rate."""
        self.calls += 1
        if self.keep_received:
            self.received.append(call)
        if self.calls_per_s is not None and not self._admit(self.calls_per_s):
            self.refused += 1
            return error(429, "Rate limit reached", code="rate_limit_exceeded", retry_after=1)
        return self.script(call)

    def _admit(self, rate: float) -> bool:
        now = time.monotonic()
        self._tokens = min(max(rate, 1.0), self._tokens + (now - self._refilled) * rate)
        self._refilled = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


class _Connection(asyncio.Protocol):
    """One keep-alive HTTP/1.1 connection."""

    def __init__(self, server: LoopbackServer, open_ones: set[asyncio.BaseTransport]) -> None:
        self.server = server
        self.open_ones = open_ones
        self.buffer = b""
        self.busy = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.server.connections += 1
        self.open_ones.add(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self.open_ones.discard(self.transport)
        if self.busy:
            self._done()

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        self._next()

    def _next(self) -> None:
        head, found, rest = self.buffer.partition(b"\r\n\r\n")
        if self.busy or not found:
            return
        lines = head.decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in lines[1:])
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        length = int(headers.get("content-length", "0"))
        if len(rest) < length:
            return
        self.buffer = rest[length:]
        self.busy = True
        server = self.server
        server.in_flight += 1
        server.peak_in_flight = max(server.peak_in_flight, server.in_flight)
        path = lines[0].split(" ")[1]
        answer = server.answer(ServerCall(server.calls, path, headers, rest[:length]))
        if answer.hang:
            return
        wait = server.latency_s if answer.latency_s is None else answer.latency_s
        loop = asyncio.get_running_loop()
        server.kept_back.append(lambda: loop.call_later(wait, self._send, answer))
        if server.peak_in_flight >= server.together:
            for give in server.kept_back:
                give()
            server.kept_back.clear()

    def _send(self, answer: Answer) -> None:
        if not self.busy or self.transport.is_closing():
            return
        self._done()
        if answer.drop:
            self.transport.abort()
            return
        head = [
            f"HTTP/1.1 {answer.status} {REASONS.get(answer.status, 'Scripted')}",
            f"Content-Type: {answer.content_type}",
            f"Content-Length: {len(answer.body)}",
            *(f"{name}: {value}" for name, value in answer.headers.items()),
        ]
        self.transport.write("\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + answer.body)
        self._next()

    def _done(self) -> None:
        self.busy = False
        self.server.in_flight -= 1


async def _run(
    server: LoopbackServer, port: int, ready: Callable[[], None], stop: asyncio.Event
) -> None:
    open_ones: set[asyncio.BaseTransport] = set()
    listener = await asyncio.get_running_loop().create_server(
        lambda: _Connection(server, open_ones), "127.0.0.1", port, backlog=4096
    )
    server.port = listener.sockets[0].getsockname()[1]
    ready()
    await stop.wait()
    listener.close()
    for transport in list(open_ones):
        transport.close()
    await asyncio.sleep(0)


@contextmanager
def serve(
    script: Script | Answer | Sequence[Answer],
    *,
    latency_s: float = 0.0,
    calls_per_s: float | None = None,
    together: int = 1,
) -> Iterator[LoopbackServer]:
    """A running server for the length of the `with` block.

    Args:
        script: An answer for every request, a list of answers, or a function of the request.
        latency_s: Wait before each answer that has no wait of its own.
        calls_per_s: Requests past this rate (token bucket, burst of the same size) get 429 with
            `Retry-After: 1`; None for no limit.
        together: Requests that must have been under way at once before any is answered.
    """
    if isinstance(script, Answer):
        script = in_order([script])
    elif not callable(script):
        script = in_order(script)
    server = LoopbackServer(script, latency_s, calls_per_s, together)
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()
    ready = threading.Event()

    def work() -> None:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(_run(server, 0, ready.set, stop))
        loop.close()

    thread = threading.Thread(target=work, name="loopback", daemon=True)
    thread.start()
    if not ready.wait(60):
        raise RuntimeError("the loopback server did not start within 60 s")
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(60)


def main() -> None:
    """Serve one fixed answer in this process until the given time has passed."""
    parser = argparse.ArgumentParser(description="loopback judge server")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency-ms", type=float, default=0.0)
    parser.add_argument("--text", default="yes")
    parser.add_argument("--calls-per-s", type=float)
    parser.add_argument("--seconds", type=float, default=600.0)
    options = parser.parse_args()
    script = in_order([chat(options.text)])
    server = LoopbackServer(script, options.latency_ms / 1000, options.calls_per_s)
    server.keep_received = False

    async def serve_until_told() -> None:
        stop = asyncio.Event()
        asyncio.get_running_loop().call_later(options.seconds, stop.set)
        await _run(server, options.port, lambda: print(server.url, flush=True), stop)

    asyncio.run(serve_until_told())


if __name__ == "__main__":
    main()
