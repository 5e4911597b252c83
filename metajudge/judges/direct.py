"""The direct transport: OpenAI-compatible servers by aiohttp, for sweeps of many calls."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from metajudge.judges.completion import Tokens, read_completion
from metajudge.judges.endpoint import Endpoint, chat_identity
from metajudge.judges.failures import call_error
from metajudge.judges.judge import JudgeCallError, Request, Scalar
from metajudge.judges.options import JudgeOptions
from metajudge.judges.prices import cost_of
from metajudge.judges.scrub import scrub, without_key
from metajudge.judges.settings import DecodingSettings, Fields
from metajudge.verdicts.verdict import Reply

if TYPE_CHECKING:
    import aiohttp

_CONNECT_S = 15.0
_KEEP_ALIVE_S = 30.0

Answer = tuple[int, Mapping[str, str], bytes]
"""Status, headers and content of an HTTP answer."""


class DirectJudge:
    """A chat model behind an OpenAI-compatible address.

    One session with kept-alive connections serves all calls of one event loop. In another loop a
    new session is made, so that several sweeps in one process work. How many calls are under way
    is the runner's business: the session itself sets no limit.
    """

    max_in_flight: int | None = None
    gives_logprobs = True
    label_in_one_token = False
    _path = "chat/completions"

    def __init__(self, spec: str, model: str, endpoint: Endpoint, options: JudgeOptions) -> None:
        self.spec = spec
        self.identity: Mapping[str, Scalar] = chat_identity(model, endpoint.own, options)
        self._model = model
        self._name = model.partition("/")[2]
        self._endpoint = endpoint
        self._proxy = endpoint.proxy
        self._timeout_s = options.timeout_s
        self._settings = DecodingSettings(options)
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def __repr__(self) -> str:
        return f"DirectJudge({self.spec!r})"

    async def ask(self, request: Request) -> Reply:
        """One call; raises `JudgeCallError` when it failed."""
        self._check_key()
        messages = [{"role": m.role, "content": m.content} for m in request.messages]

        async def attempt(fields: Fields) -> Reply:
            body = encode_body({"model": self._name, "messages": messages, **fields})
            return await self._call(body, fields)

        return await self._settings.ask(request, attempt)

    def _check_key(self) -> None:
        if self._endpoint.key is None and not self._endpoint.own:
            detail = f"no key: set the environment variable {self._endpoint.key_variable}"
            raise JudgeCallError("access", detail)

    async def _call(self, body: bytes, fields: Fields) -> Reply:
        started = time.perf_counter()
        return self._reply_in(await self._post(body), fields, started)

    def _reply_in(self, answer: Answer, fields: Fields, started: float) -> Reply:
        """The reply in an answer, with its cost and without the key.

        Raises:
            JudgeCallError: It holds none.
        """
        status, headers, content = answer
        if status != 200:
            raise call_error(status, content, headers, fields)
        reply = read_completion(read_json(content), (time.perf_counter() - started) * 1000)
        tokens = Tokens(reply.prompt_tokens, reply.cached_tokens, reply.completion_tokens)
        cost = cost_of(self._model, tokens)
        key = self._endpoint.key
        text = without_key(reply.text, key)
        model, finish = (
            told and without_key(told, key) for told in (reply.model, reply.finish_reason)
        )
        return replace(reply, text=text, model=model, finish_reason=finish, cost_usd=cost)

    async def _post(self, body: bytes) -> Answer:
        import aiohttp

        try:
            session = await self._open_session()
            async with session.post(
                f"{self._endpoint.base}/{self._path}",
                data=body,
                proxy=self._proxy,
                allow_redirects=False,
            ) as response:
                return response.status, response.headers, await response.read()
        except aiohttp.ConnectionTimeoutError as error:
            raise self._unreachable(error) from None
        except asyncio.TimeoutError:
            detail = f"no answer within {self._timeout_s:g} s"
            raise JudgeCallError("timeout", detail) from None
        except (aiohttp.ClientError, OSError) as error:
            raise self._unreachable(error) from None

    def _unreachable(self, error: Exception) -> JudgeCallError:
        hint = "" if self._proxy is None else " (through the environment's proxy; see NO_PROXY)"
        return JudgeCallError("connection", scrub(f"{type(error).__name__}: {error}{hint}"))

    async def _open_session(self) -> aiohttp.ClientSession:
        loop = asyncio.get_running_loop()
        old, old_loop = self._session, self._loop
        if old is not None and old_loop is loop and not old.closed:
            return old
        self._loop, self._session = loop, self._new_session()
        if old is not None and old_loop is not None:
            await _abandon(old, old_loop)
        return self._session

    def _new_session(self) -> aiohttp.ClientSession:
        import aiohttp

        headers = {"Content-Type": "application/json", "User-Agent": "metajudge"}
        if self._endpoint.key is not None:
            headers["Authorization"] = f"Bearer {self._endpoint.key}"
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=0, keepalive_timeout=_KEEP_ALIVE_S, ttl_dns_cache=300
            ),
            timeout=aiohttp.ClientTimeout(total=self._timeout_s, sock_connect=_CONNECT_S),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=headers,
        )

    async def close(self) -> None:
        """Close the connections; safe to call twice, and from another loop."""
        session, loop, self._session = self._session, self._loop, None
        if session is None or loop is None:
            return
        if loop is asyncio.get_running_loop():
            await session.close()
        else:
            await _abandon(session, loop)


async def _abandon(session: aiohttp.ClientSession, loop: asyncio.AbstractEventLoop) -> None:
    """Let go of a session that belongs to another loop."""
    if loop.is_closed():
        await session.close()
    elif loop.is_running():
        asyncio.run_coroutine_threadsafe(session.close(), loop)
    else:
        session.detach()


def encode_body(body: Mapping[str, Any]) -> bytes:
    """A request body as UTF-8, characters as they are.

    >>> encode_body({"content": "是"}).decode()
    '{"content": "是"}'

    Raises:
        JudgeCallError: `bad_request` where the text holds half a surrogate pair, which is no text.
    """
    try:
        return json.dumps(body, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        detail = f"the prompt is no valid Unicode text: {error.reason} at {error.start}"
        raise JudgeCallError("bad_request", detail) from None


def read_json(answer: bytes) -> object:
    """The JSON value in an answer.

    Raises:
        JudgeCallError: `not_a_judge` where it is none.
    """
    try:
        return json.loads(answer)
    except ValueError:
        text = answer[:200].decode("utf-8", "replace").lstrip()
        if text.startswith("<"):
            what = "a web page"
        elif text.startswith("data:"):
            what = "a stream"
        else:
            what = "text that is no JSON" if text else "nothing"
        detail = f"the server answered {what}; check that the address ends with /v1"
        raise JudgeCallError("not_a_judge", scrub(f"{detail} (it begins {text[:60]!r})")) from None
