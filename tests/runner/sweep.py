"""A small sweep in a process of its own: `python -m tests.runner.sweep <store> <port> <first> <n>`.

A fifth argument is `lease_s`, for runs that keep their calls from each other. Prints the report's
counts as JSON at the end.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping

from metajudge.judges.judge import Request, Scalar
from metajudge.runner import Limits, Store, run_sync
from metajudge.verdicts.verdict import Reply
from tests.runner.fakes import make_calls


class SocketJudge:
    """Asks the loopback server over a plain socket; the same identity as the fake judge."""

    gives_logprobs = False
    label_in_one_token = False
    max_in_flight: int | None = None
    spec = "socket"

    def __init__(self, port: int) -> None:
        self.identity: Mapping[str, Scalar] = {"model": "fake", "temperature": 0.0}
        self._port = port

    async def ask(self, request: Request) -> Reply:
        messages = [{"role": m.role, "content": m.content} for m in request.messages]
        body = json.dumps({"messages": messages}).encode()
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            head = f"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body)
            answer = await reader.readuntil(b"\r\n\r\n")
            length = int(answer.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
            choice = json.loads(await reader.readexactly(length))["choices"][0]
        finally:
            writer.close()
        return Reply(choice["message"]["content"], choice["finish_reason"])

    async def close(self) -> None:
        """Each call has a connection of its own."""


def main() -> None:
    path, port, first, n = sys.argv[1], *map(int, sys.argv[2:5])
    lease_s = float(sys.argv[5]) if sys.argv[5:] else None
    limits = Limits(max_in_flight=8, lease_s=lease_s)
    with Store(path) as store:
        report = run_sync(make_calls(n, first), SocketJudge(port), store, limits).report
    print(json.dumps([report.asked, report.cache_hits, report.answered, report.failed]))


if __name__ == "__main__":
    main()
