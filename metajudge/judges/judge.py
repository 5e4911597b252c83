"""Who answers: the protocol that every judge keeps, and the request it gets.

A judge turns one `Request` into one `Reply`. It never retries, never caches and never parses:
retries, budget and concurrency belong to `metajudge.runner`, reading to `metajudge.verdicts`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from metajudge.templates.message import Message
from metajudge.templates.source import PromptSource
from metajudge.verdicts.verdict import Reply

Scalar = str | int | float | bool | None
_canonical = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class Subject:
    """What a request is about, for judges that compute and read no prose (`baseline:`).

    Attributes:
        passages: The context's passages.
        claims: The claims of this call, in the order of the prompt.
        prompt: The template: its dialect and answer form say how the reply must look.
    """

    passages: tuple[str, ...]
    claims: tuple[str, ...]
    prompt: PromptSource


@dataclass(frozen=True, slots=True)
class Request:
    """One call to a judge: everything that decides the answer, and nothing else.

    Attributes:
        messages: The rendered chat messages.
        max_tokens: Most tokens the judge may write.
        top_logprobs: Candidate tokens wanted at the first position; 0 for none.
        repeat: 0-based draw number. Each draw is a call of its own.
        subject: What the messages were rendered from. The messages hold all of it, so it is no
            part of the key nor of equality; None is fine for every judge that reads prose.
    """

    messages: tuple[Message, ...]
    max_tokens: int
    top_logprobs: int = 0
    repeat: int = 0
    subject: Subject | None = field(default=None, compare=False, repr=False)


CallErrorKind = Literal[
    "rate_limit",  # 429: retried after `retry_after`
    "server",  # 5xx: retried
    "timeout",  # no answer within the deadline: retried
    "connection",  # refused, reset, DNS: retried
    "bad_request",  # 400, 404, 422: not retried
    "access",  # 401, 403: not retried, ends the run when nothing ever succeeded
    "content_filter",  # the provider refused the content: not retried
    "context_too_long",  # not retried
    "not_a_judge",  # the server answered something that is no chat reply (HTML, …): not retried
    "missing",  # a recorded judge holds no reply for this request: not retried
]


class JudgeCallError(Exception):
    """One attempt failed. `detail` is one line without secrets; `retry_after` is in seconds."""

    def __init__(self, kind: CallErrorKind, detail: str, retry_after: float | None = None) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind: CallErrorKind = kind
        self.detail = detail
        self.retry_after = retry_after


class Judge(Protocol):
    """What the runner needs from a judge.

    Attributes:
        spec: The judge spec string as the user wrote it.
        identity: What of the judge decides the answer: model, decoding, backend and its version.
            It enters the key. No API key, no time-out, no concurrency, no transport.
        max_in_flight: Calls that may be under way at once; None lets the runner adapt.
        gives_logprobs: Whether first-token probabilities are asked for. Requests and so keys follow
            from it: it stays as it is while the judge is open, whatever its server gives.
        label_in_one_token: Whether they always come, so that a label needs one token written.
    """

    spec: str
    identity: Mapping[str, Scalar]
    max_in_flight: int | None
    gives_logprobs: bool
    label_in_one_token: bool

    async def ask(self, request: Request) -> Reply:
        """Answer one request; raises `JudgeCallError` when this attempt failed."""
        ...

    async def close(self) -> None:
        """Give back connections and memory; safe to call twice."""
        ...


def call_key(identity: Mapping[str, Scalar], request: Request) -> str:
    """Content key of a call: SHA-256 in hex over judge identity, messages, decoding and repeat.

    >>> request = Request((Message("user", "hi"),), max_tokens=1)
    >>> len(call_key({"model": "m"}, request))
    64
    """
    body = {
        "judge": dict(sorted(identity.items())),
        "messages": request.messages,
        "max_tokens": request.max_tokens,
        "top_logprobs": request.top_logprobs,
        "repeat": request.repeat,
    }
    return hashlib.sha256(_canonical(body).encode("utf-8", "surrogatepass")).hexdigest()
