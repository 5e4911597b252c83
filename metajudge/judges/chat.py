"""The general transport: any provider that litellm knows."""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import ModuleType
from typing import Any

from metajudge.judges.completion import Tokens, read_completion
from metajudge.judges.endpoint import OPENAI_STYLE, Endpoint, chat_identity, is_loopback
from metajudge.judges.failures import SettingRefused, call_error
from metajudge.judges.judge import JudgeCallError, Request, Scalar
from metajudge.judges.options import JudgeOptions
from metajudge.judges.prices import cost_of
from metajudge.judges.scrub import scrub, without_environment_secrets
from metajudge.judges.settings import DecodingSettings, Fields
from metajudge.verdicts.verdict import Reply

_WRAPPING = re.compile(r"^(?:(?:litellm\.)?\w+(?:Error|Exception|Timeout)\s*[:-]\s*)+")
_NO_REPLY = ("Empty or invalid response", "Expecting value", "no 'choices'", "Invalid response obj")
_NO_CONNECTION = ("Connection error", "Cannot connect to host", "Server disconnected")
_LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "::1")


class ChatJudge:
    """A chat model through litellm: the same messages, replies and keys as the direct transport.

    litellm's own retries are off and no parameter is dropped behind the user's back. litellm is
    imported at the first call.
    """

    max_in_flight: int | None = None
    gives_logprobs = True
    label_in_one_token = False

    def __init__(
        self, spec: str, model: str, endpoint: Endpoint | None, options: JudgeOptions
    ) -> None:
        self.spec = spec
        own = options.api_base is not None if endpoint is None else endpoint.own
        self.identity: Mapping[str, Scalar] = chat_identity(model, own, options)
        self._model = model
        self._endpoint = endpoint
        self._base = options.api_base if endpoint is None else endpoint.base
        self._timeout_s = options.timeout_s
        self._settings = DecodingSettings(options)
        self._open = False

    def __repr__(self) -> str:
        return f"ChatJudge({self.spec!r})"

    async def ask(self, request: Request) -> Reply:
        """One call; raises `JudgeCallError` when it failed."""
        litellm = self._opened()
        messages = [{"role": m.role, "content": m.content} for m in request.messages]

        async def attempt(fields: Fields) -> Reply:
            return await self._call(litellm, messages, fields)

        return await self._settings.ask(request, attempt)

    def _opened(self) -> ModuleType:
        litellm = import_litellm(self._base)
        if not self._open:
            self._open = True
            _Open.judges += 1
        return litellm

    async def _call(
        self, litellm: ModuleType, messages: list[dict[str, str]], fields: Fields
    ) -> Reply:
        started = time.perf_counter()
        try:
            completion = await asyncio.wait_for(
                litellm.acompletion(
                    model=self._model,
                    messages=messages,
                    timeout=self._timeout_s,
                    num_retries=0,
                    max_retries=0,
                    drop_params=False,
                    **self._address(),
                    **fields,
                ),
                self._timeout_s,
            )
        except (asyncio.TimeoutError, litellm.exceptions.Timeout):
            detail = f"no answer within {self._timeout_s:g} s"
            raise JudgeCallError("timeout", detail) from None
        except tuple(litellm.exceptions.LITELLM_EXCEPTION_TYPES) as error:
            raise litellm_error(error, fields) from None
        body = completion.model_dump(warnings=False)
        reply = read_completion(body, (time.perf_counter() - started) * 1000)
        reply = replace(reply, text=without_environment_secrets(reply.text))
        return self._priced(reply, completion)

    def _address(self) -> dict[str, Any]:
        if self._endpoint is None:
            return {} if self._base is None else {"api_base": self._base}
        # Servers of one's own often take no key, but litellm insists on one.
        key = self._endpoint.key or ("none" if self._endpoint.own else None)
        return {"api_base": self._endpoint.base, "api_key": key}

    def _priced(self, reply: Reply, completion: Any) -> Reply:
        if not reply.prompt_tokens and not reply.completion_tokens:
            # litellm writes zeros where the server gave no usage.
            return replace(reply, prompt_tokens=None, completion_tokens=None, cached_tokens=None)
        tokens = Tokens(reply.prompt_tokens, reply.cached_tokens, reply.completion_tokens)
        cost = cost_of(self._model, tokens)
        if self._model.partition("/")[0] not in OPENAI_STYLE:
            # Other providers bill cache writes and tiers that only litellm's own sum knows.
            cost = completion._hidden_params.get("response_cost", cost)
        return replace(reply, cost_usd=cost)

    async def close(self) -> None:
        """Close litellm's connections with the last open judge; safe to call twice."""
        if not self._open:
            return
        self._open = False
        _Open.judges -= 1
        if _Open.judges == 0:
            litellm = import_litellm(None)
            await litellm.close_litellm_async_clients()
            litellm.in_memory_llm_clients_cache.flush_cache()


class _Open:
    """Judges with connections: litellm keeps one pool for the whole process."""

    judges = 0


def import_litellm(address: str | None) -> ModuleType:
    """Litellm with its network habits off: no price list fetched, no telemetry, no advice printed.

    For a loopback `address` the loopback hosts are added to NO_PROXY, as litellm would otherwise
    send such calls to the environment's proxy.
    """
    if address is not None and is_loopback(address):
        _spare_loopback_the_proxy()
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    module: ModuleType = litellm
    return module


def _spare_loopback_the_proxy() -> None:
    for name in ("NO_PROXY", "no_proxy"):
        listed = [host for host in os.environ.get(name, "").split(",") if host]
        if "*" not in listed:
            missing = [host for host in _LOOPBACK_HOSTS if host not in listed]
            os.environ[name] = ",".join([*listed, *missing])


def provider_of(model: str) -> str | None:
    """The provider litellm finds for a model string; None when it knows none."""
    litellm = import_litellm(None)
    try:
        _, provider, _, _ = litellm.get_llm_provider(model=model)
    except litellm.exceptions.BadRequestError:
        return None
    return str(provider)


def litellm_error(error: Exception, sent: Fields) -> JudgeCallError:
    """The classed error behind one of litellm's exceptions."""
    name = type(error).__name__
    text = _WRAPPING.sub("", str(getattr(error, "message", error))).partition(" Traceback")[0]
    if name == "UnsupportedParamsError":
        listed = re.search(r"parameters: (\[[^\]]*\])", text)
        named = listed[1] if listed else text
        for setting in sent:
            if re.search(rf"\b{setting}\b", named):
                return SettingRefused(setting, scrub(text))
    if name == "ContextWindowExceededError":
        return JudgeCallError("context_too_long", scrub(text))
    if name == "ContentPolicyViolationError":
        return JudgeCallError("content_filter", scrub(text))
    if any(mark in text for mark in _NO_REPLY):
        detail = f"the server's answer is no chat reply; check the address: {text}"
        return JudgeCallError("not_a_judge", scrub(detail))
    if name == "APIConnectionError" or any(mark in text for mark in _NO_CONNECTION):
        return JudgeCallError("connection", scrub(text))
    body = getattr(error, "body", None)
    status = getattr(error, "status_code", None)
    said = body if isinstance(body, Mapping) else _unwrapped(text)
    return call_error(status if isinstance(status, int) else 500, said, dict(_headers(error)), sent)


def _unwrapped(text: str) -> str:
    return text[text.index("<") :] if "<html" in text.lower() else text


def _headers(error: Exception) -> Iterator[tuple[str, str]]:
    response = getattr(error, "response", None)
    for source in (getattr(error, "litellm_response_headers", None), response):
        headers = getattr(source, "headers", source)
        if isinstance(headers, Mapping):
            yield from ((str(name), str(text)) for name, text in headers.items())
