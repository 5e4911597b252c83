"""Reads a chat completion, as OpenAI-compatible servers write it, into a `Reply`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any, NamedTuple

from metajudge.judges.failures import call_error
from metajudge.judges.judge import JudgeCallError
from metajudge.judges.scrub import scrub
from metajudge.verdicts.verdict import Failure, Reply, TokenLogprob

_REASONING_FIELDS = ("reasoning_content", "reasoning")
_FILTERED = ("content_filter", "safety", "prohibited_content")


class Tokens(NamedTuple):
    """Token counts of a call; None where the server does not say."""

    prompt: int | None
    cached: int | None
    completion: int | None


def read_completion(body: object, latency_ms: float | None = None) -> Reply:
    """The reply in a completion body; the price is left to the caller.

    An empty, refused or used-up answer is a reply with `failure` set, not an error: the call
    itself went well.

    Raises:
        JudgeCallError: `not_a_judge` where the body is no completion; the body's own error where
            a server sends one with status 200.
    """
    if not isinstance(body, Mapping):
        raise JudgeCallError("not_a_judge", f"the server answered {scrub(repr(body), 80)}")
    choices = body.get("choices")
    if not isinstance(choices, Sequence) or isinstance(choices, str):
        raise _no_completion(body)
    choice: Mapping[str, Any] = choices[0] if choices and isinstance(choices[0], Mapping) else {}
    message = choice.get("message")
    message = message if isinstance(message, Mapping) else {}
    text = content_text(message.get("content"))
    finish = choice.get("finish_reason")
    tokens = read_usage(body.get("usage"))
    failure, detail = _shortfall(text, finish, message, tokens)
    model = body.get("model")
    return Reply(
        text=text,
        finish_reason=finish if isinstance(finish, str) else None,
        first_token=first_token(choice.get("logprobs")),
        failure=failure,
        failure_detail=detail,
        prompt_tokens=tokens.prompt,
        cached_tokens=tokens.cached,
        completion_tokens=tokens.completion,
        latency_ms=latency_ms,
        model=model if isinstance(model, str) else None,
        created=datetime.now(timezone.utc).isoformat(timespec="seconds"),
    )


def _no_completion(body: Mapping[str, Any]) -> JudgeCallError:
    said = body.get("error")
    if said:
        code = said.get("code") if isinstance(said, Mapping) else None
        status = code if isinstance(code, int) and 400 <= code < 600 else 500
        return call_error(status, body, {})
    keys = ", ".join(map(str, list(body)[:6])) or "nothing"
    return JudgeCallError("not_a_judge", scrub(f"the answer has no choices; it holds {keys}"))


def content_text(content: object) -> str:
    """Message content as text, whatever the server sends: parts are joined, objects are JSON.

    >>> content_text([{"type": "text", "text": "ye"}, {"type": "text", "text": "s"}])
    'yes'
    >>> content_text({"verdict": "是"})
    '{"verdict": "是"}'
    >>> content_text(None)
    ''
    """
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence) and all(_is_part(part) for part in content):
        return "".join(_part_text(part) for part in content)
    return json.dumps(content, ensure_ascii=False)


def _is_part(part: object) -> bool:
    return isinstance(part, str) or (isinstance(part, Mapping) and "type" in part)


def _part_text(part: str | Mapping[str, Any]) -> str:
    if isinstance(part, str):
        return part
    text = part.get("text")
    if isinstance(text, Mapping):
        text = text.get("value")
    return text if isinstance(text, str) and "text" in str(part["type"]) else ""


def _shortfall(
    text: str, finish: object, message: Mapping[str, Any], tokens: Tokens
) -> tuple[Failure | None, str | None]:
    """Why a well-formed completion holds no answer; (None, None) when it does."""
    if isinstance(finish, str) and finish.lower() in _FILTERED:
        return "refused", f"the provider's content filter stopped the reply ({finish})"
    if text.strip():
        return None, None
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal:
        return "refused", scrub(f"the model refused: {refusal}", 200)
    if finish == "length":
        spent = "" if tokens.completion is None else f" of {tokens.completion}"
        return "truncated", f"the token limit{spent} was spent before an answer; raise max_tokens"
    return "empty", _what_came_instead(message)


def _what_came_instead(message: Mapping[str, Any]) -> str:
    if any(message.get(field) for field in _REASONING_FIELDS):
        return "the message has reasoning but no content"
    if message.get("tool_calls") or message.get("function_call"):
        return "the judge called a tool instead of answering"
    return "the message has no content"


def first_token(logprobs: object) -> tuple[TokenLogprob, ...]:
    """Candidate tokens at the reply's first position, best first; () where there are none.

    Reads the chat form (`content[0].top_logprobs`) and the older one (`top_logprobs[0]` as a
    map). Null, missing and endless values are left out.

    >>> first_token({"content": [{"token": "no", "logprob": -0.5, "top_logprobs": None}]})
    (TokenLogprob(token='no', logprob=-0.5),)
    """
    if not isinstance(logprobs, Mapping):
        return ()
    content = logprobs.get("content")
    if isinstance(content, Sequence) and content and isinstance(content[0], Mapping):
        chosen = content[0]
        listed = [*(chosen.get("top_logprobs") or ())]
        pairs = [(c.get("token"), c.get("logprob")) for c in listed if isinstance(c, Mapping)]
        pairs = pairs or [(chosen.get("token"), chosen.get("logprob"))]
    else:
        tops = logprobs.get("top_logprobs")
        first = tops[0] if isinstance(tops, Sequence) and tops else None
        pairs = list(first.items()) if isinstance(first, Mapping) else []
    kept = [
        TokenLogprob(token, float(logprob))
        for token, logprob in pairs
        if isinstance(token, str) and isinstance(logprob, int | float) and math.isfinite(logprob)
    ]
    return tuple(sorted(kept, key=lambda candidate: -candidate.logprob))


def read_usage(usage: object) -> Tokens:
    """Token counts of a completion's usage block.

    >>> read_usage({"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 4}})
    Tokens(prompt=9, cached=4, completion=None)
    """
    if not isinstance(usage, Mapping):
        return Tokens(None, None, None)
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
    counts = (usage.get("prompt_tokens"), cached, usage.get("completion_tokens"))
    return Tokens(*(n if isinstance(n, int) and n >= 0 else None for n in counts))
