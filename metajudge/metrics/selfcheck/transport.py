"""The quick transport: chat completions over kept-alive connections, at a third of the CPU.

What costs most of a call at answer time is the HTTP client: of 200 checks that begin at once the
last one waits for the work on all others, and by aiohttp alone that is 20 ms and more
(`benchmarks/selfcheck.md`). One request form to one address needs little of HTTP, so that little is
written out here. Everything else (settings, errors, reading, prices, secrets) is the direct
transport's own. Servers behind a proxy are asked by that one.
"""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from metajudge.judges.direct import Answer, DirectJudge, encode_body
from metajudge.judges.endpoint import Endpoint
from metajudge.judges.failures import SettingRefused
from metajudge.judges.judge import JudgeCallError, Request
from metajudge.judges.options import JudgeOptions
from metajudge.judges.settings import Fields
from metajudge.metrics.selfcheck.connection import Connection, Heard, NoAnswerError
from metajudge.metrics.selfcheck.passages import LongPassages, quoted
from metajudge.verdicts.verdict import Reply

if TYPE_CHECKING:
    import ssl

CONNECT_S = 15.0
IDLE_S = 20.0
"""Connections that rested longer are closed: many servers drop them after some time."""


class Sent(NamedTuple):
    """A request under way: its connection, the fields in it, and when it was sent."""

    connection: Connection
    fields: Fields
    at: float


class QuickJudge(DirectJudge):
    """A chat model behind an OpenAI-compatible address, for many short calls of one event loop.

    Not for use from several event loops at once. How many calls are under way is the caller's
    business, and so is their deadline: a cancelled call closes its connection.
    """

    def __init__(self, spec: str, model: str, endpoint: Endpoint, options: JudgeOptions) -> None:
        super().__init__(spec, model, endpoint, options)
        parts = urlsplit(endpoint.base)
        self._host = parts.hostname or ""
        self._tls = parts.scheme == "https"
        self._port = parts.port or (443 if self._tls else 80)
        self._head = _request_head(parts.netloc, f"{parts.path}/chat/completions", endpoint.key)
        # The request body is this, the messages, and a tail for each shape of request.
        self._front = encode_body({"model": self._name})[:-1] + b', "messages": '
        self._unrefused: dict[tuple[int, int, int], tuple[Fields, bytes]] = {}
        self._context: ssl.SSLContext | None = None
        self._idle: list[Connection] = []
        self._home: asyncio.AbstractEventLoop | None = None

    async def ask(self, request: Request) -> Reply:
        """One call; raises `JudgeCallError` when it failed.

        Fields that went through once unrefused are not worked out again for requests alike.
        """
        shape = (request.max_tokens, request.top_logprobs, request.repeat)
        known = self._unrefused.get(shape)
        if known is None:
            reply = await super().ask(request)
            fields = self._settings.fields(request)
            # Another call may have been refused a setting while this one was under way.
            whole = len(fields) == len(self._settings.fields(request, ()))
            if whole and not reply.settings and reply.failure is None:
                self._unrefused[shape] = (fields, b", %b" % encode_body(fields)[1:])
            return reply
        fields, tail = known
        try:
            return await self._call(self._body(request, tail), fields)
        except SettingRefused:
            self._unrefused.pop(shape, None)  # another call may have been faster
            return await super().ask(request)
        except UnicodeEncodeError:
            return await super().ask(request)

    def begin(self, request: Request, heard: Heard) -> Sent | None:
        """Send a request at once, where its fields are known and a connection rests.

        Args:
            request: The request.
            heard: Is given what `read` takes; whoever gives the call up aborts the connection.

        Returns:
            None where nothing was sent and `ask` has to be used.
        """
        known = self._unrefused.get((request.max_tokens, request.top_logprobs, request.repeat))
        if known is None:
            return None
        connection = self._rested()
        if connection is None:
            return None
        fields, tail = known
        try:
            body = self._body(request, tail)
        except UnicodeEncodeError:
            self._rest(connection)
            return None
        connection.send(b"%b%d\r\n\r\n%b" % (self._head, len(body), body), heard)
        return Sent(connection, fields, time.perf_counter())

    def read(self, sent: Sent, answer: Answer | NoAnswerError) -> Reply | None:
        """The reply to a request that `begin` sent.

        Returns:
            None where it has to be asked anew by `ask`: the server had closed the connection before
            the request came, or refuses a setting.

        Raises:
            JudgeCallError: The call failed.
        """
        if isinstance(answer, NoAnswerError):
            if answer.nothing:
                return None
            raise self._unreachable(answer)
        self._rest(sent.connection)
        try:
            return self._reply_in(answer, sent.fields, sent.at)
        except SettingRefused:
            self._unrefused.clear()
            return None

    def _body(self, request: Request, tail: bytes) -> bytes:
        subject = request.subject
        if subject is not None and isinstance(subject.passages, LongPassages):
            passages = subject.passages
            parts = [
                b'{"role": "%b", "content": %b}' % (m.role.encode(), passages.quoted(m.content))
                for m in request.messages
            ]
            return b"%b[%b]%b" % (self._front, b", ".join(parts), tail)
        told = ", ".join(
            [f'{{"role": "{m.role}", "content": {quoted(m.content)}}}' for m in request.messages]
        )
        return b"%b[%b]%b" % (self._front, told.encode(), tail)

    @classmethod
    def in_place_of(cls, judge: DirectJudge, options: JudgeOptions) -> DirectJudge:
        """A judge of the same identity by this transport; the same where a proxy is between."""
        if judge._proxy is not None:
            return judge
        return cls(judge.spec, judge._model, judge._endpoint, options)

    async def _post(self, body: bytes) -> Answer:
        request = b"%b%d\r\n\r\n%b" % (self._head, len(body), body)
        try:
            connection = self._rested()
            if connection is not None:
                try:
                    return await self._exchange(connection, request)
                except NoAnswerError as error:
                    # The server closed it while it rested, and has not seen the request.
                    if not error.nothing:
                        raise
            return await self._exchange(await self._connected(), request)
        except asyncio.TimeoutError:
            detail = f"no connection within {CONNECT_S:g} s"
            raise JudgeCallError("connection", detail) from None
        except (NoAnswerError, OSError) as error:
            raise self._unreachable(error) from None

    async def _exchange(self, connection: Connection, request: bytes) -> Answer:
        came: asyncio.Future[Answer | NoAnswerError] = asyncio.get_running_loop().create_future()
        connection.send(request, partial(_settle, came))
        try:
            answer = await came
        except BaseException:
            connection.abort()
            raise
        if isinstance(answer, NoAnswerError):
            raise answer
        self._rest(connection)
        return answer

    def _rest(self, connection: Connection) -> None:
        """Keep a connection for the next request, if it can take one."""
        if connection.is_open:
            connection.rests_since = time.monotonic()
            self._idle.append(connection)

    def _rested(self) -> Connection | None:
        """A connection of this event loop that still stands; the one used last."""
        loop = asyncio.get_running_loop()
        if loop is not self._home:
            self._idle, self._home = [], loop
        oldest = time.monotonic() - IDLE_S
        while self._idle:
            connection = self._idle.pop()
            if connection.is_open and connection.rests_since > oldest:
                return connection
            connection.abort()
        return None

    async def _connected(self) -> Connection:
        if self._tls and self._context is None:
            import ssl

            self._context = ssl.create_default_context()
        loop = asyncio.get_running_loop()
        made = loop.create_connection(
            Connection, self._host, self._port, ssl=self._context if self._tls else None
        )
        _, connection = await asyncio.wait_for(made, CONNECT_S)
        return connection

    async def close(self) -> None:
        """Close the connections; safe to call twice."""
        idle, self._idle = self._idle, []
        for connection in idle:
            if self._home is asyncio.get_running_loop():
                connection.abort()
            elif self._home is not None and not self._home.is_closed():
                self._home.call_soon_threadsafe(connection.abort)
        await super().close()


def _request_head(host: str, path: str, key: str | None) -> bytes:
    """The request up to the number of its content's bytes."""
    lines = [
        f"POST {path} HTTP/1.1",
        f"Host: {host}",
        "Content-Type: application/json",
        "Accept: application/json",
        "Accept-Encoding: identity",
        "User-Agent: metajudge",
    ]
    if key is not None:
        lines.append(f"Authorization: Bearer {key}")
    return ("\r\n".join(lines) + "\r\nContent-Length: ").encode("utf-8")


def _settle(came: asyncio.Future[Answer | NoAnswerError], answer: Answer | NoAnswerError) -> None:
    if not came.done():
        came.set_result(answer)
