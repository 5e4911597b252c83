"""Replies, requests and judge identities as the JSON text that store and recordings hold."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from metajudge.judges.judge import Request, Scalar
from metajudge.verdicts.verdict import Failure, Reply, TokenLogprob

_NOT_LASTING: frozenset[Failure] = frozenset({"timeout", "transport", "missing", "empty"})
_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_OPTIONAL = (
    "finish_reason",
    "failure",
    "failure_detail",
    "prompt_tokens",
    "cached_tokens",
    "completion_tokens",
    "cost_usd",
    "latency_ms",
    "model",
    "created",
)


def is_lasting(reply: Reply) -> bool:
    """Whether a reply is an answer to keep: a text or a refusal, not a failed or empty call.

    >>> is_lasting(Reply("yes")), is_lasting(Reply("")), is_lasting(Reply("", failure="refused"))
    (True, False, True)
    >>> is_lasting(Reply("", failure="timeout"))
    False
    """
    if reply.failure is not None:
        return reply.failure not in _NOT_LASTING
    return bool(reply.text.strip())


def to_json(value: object) -> str:
    """Compact JSON with characters as they are; lone surrogates alone are escaped.

    >>> to_json({"文": "é"})
    '{"文":"é"}'
    """
    text = _compact(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text


def reply_to_json(reply: Reply) -> str:
    """JSON object with the fields that are set; a log-probability of minus infinity is null.

    >>> reply_to_json(Reply("yes", prompt_tokens=7))
    '{"text":"yes","prompt_tokens":7}'
    """
    fields: dict[str, Any] = {"text": reply.text}
    for name in _OPTIONAL:
        value = getattr(reply, name)
        if value is not None:
            fields[name] = value
    if reply.first_token:
        fields["first_token"] = [
            (token, logprob if math.isfinite(logprob) else None)
            for token, logprob in reply.first_token
        ]
    if reply.settings:
        fields["settings"] = reply.settings
    return to_json(fields)


def reply_from_fields(fields: Mapping[str, Any]) -> Reply:
    """The reply that `reply_to_json` wrote; fields of later versions are passed over.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: The object is no stored reply.
    """
    text = fields["text"]
    if not isinstance(text, str):
        raise TypeError(f"text must be a string, got {type(text).__name__}")
    get = fields.get
    candidates = get("first_token")
    return Reply(
        text,
        get("finish_reason"),
        tuple(
            [
                TokenLogprob(token, -math.inf if logprob is None else logprob)
                for token, logprob in candidates
            ]
        )
        if candidates
        else (),
        get("failure"),
        get("failure_detail"),
        get("prompt_tokens"),
        get("cached_tokens"),
        get("completion_tokens"),
        get("cost_usd"),
        get("latency_ms"),
        dict(get("settings") or {}),
        get("model"),
        get("created"),
    )


def request_to_json(request: Request) -> str:
    """Messages, most tokens, wanted candidates and draw number as a JSON object."""
    return to_json(
        {
            "messages": request.messages,
            "max_tokens": request.max_tokens,
            "top_logprobs": request.top_logprobs,
            "repeat": request.repeat,
        }
    )


def identity_to_json(identity: Mapping[str, Scalar]) -> str:
    """Judge identity as a JSON object with sorted names, so that equal judges have equal text."""
    return to_json(dict(sorted(identity.items())))
