"""From an HTTP answer that is no reply to the `JudgeCallError` the runner acts on."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any

from metajudge.judges.judge import CallErrorKind, JudgeCallError
from metajudge.judges.scrub import scrub

_FILTER_CODES = {
    "content_filter",
    "content_policy_violation",
    "responsibleaipolicyviolation",
    "data_inspection_failed",
}
_FILTER_TEXT = re.compile(
    r"content[_ ](management )?(filter|policy)|content management|responsible ?ai|"
    r"data_inspection_failed|inappropriate content|safety system",
    re.IGNORECASE,
)
_LENGTH_CODES = {"context_length_exceeded", "exceed_context_size_error", "string_above_max_length"}
_LENGTH_TEXT = re.compile(
    r"context (length|window|size)|max_model_len|prompt is too long|input is too long|"
    r"too many (input )?tokens|maximum (input|prompt) length|request too large",
    re.IGNORECASE,
)
_QUOTA_CODES = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"}
_KIND_BY_STATUS: dict[int, CallErrorKind] = {
    401: "access",
    402: "access",
    403: "access",
    407: "access",
    408: "timeout",
    409: "server",
    413: "context_too_long",
    425: "server",
    429: "rate_limit",
    504: "timeout",
}
_HINTS: dict[int, str] = {
    401: " (check the key in the provider's environment variable)",
    404: " (check the model's name and that the address ends with /v1)",
}
_HEAD_OF_MESSAGE = 300


class SettingRefused(JudgeCallError):
    """The server refuses a request because of one decoding setting, which `setting` names."""

    def __init__(self, setting: str, detail: str) -> None:
        super().__init__("bad_request", detail)
        self.setting = setting


@dataclass(frozen=True, slots=True)
class ServerMessage:
    """What an error body says: text for people, and code, type and parameter where given."""

    text: str
    code: str = ""
    kind: str = ""
    param: str = ""
    is_page: bool = False


def server_message(body: bytes | str | Mapping[str, Any]) -> ServerMessage:
    """The message inside an error body of any of the usual shapes.

    >>> server_message(b'{"error": {"message": "no", "code": "model_not_found"}}').code
    'model_not_found'
    >>> server_message("<html>Bad Gateway</html>").is_page
    True
    """
    if not isinstance(body, Mapping):
        text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
        if text.lstrip()[:1] == "<":
            return ServerMessage("a web page, not JSON", is_page=True)
        try:
            body = json.loads(text)
        except ValueError:
            return ServerMessage(text)
    if not isinstance(body, Mapping):
        return ServerMessage(json.dumps(body, ensure_ascii=False))
    inner = body.get("error", body)
    if not isinstance(inner, Mapping):
        inner = {"message": inner}
    found = next((inner[k] for k in ("message", "detail", "error") if inner.get(k)), None)
    text = found if isinstance(found, str) else json.dumps(found or dict(inner), default=str)
    code, kind, param = (str(inner.get(k) or "") for k in ("code", "type", "param"))
    return ServerMessage(text, code.lower(), kind.lower(), param)


def call_error(
    status: int,
    body: bytes | str | Mapping[str, Any],
    headers: Mapping[str, str],
    sent: Collection[str] = (),
) -> JudgeCallError:
    """The error for an answer with an error status.

    Args:
        status: HTTP status.
        body: Response body, raw or read.
        headers: Response headers, any case.
        sent: Decoding settings in the request; one of them being refused gives `SettingRefused`.
    """
    said = server_message(body)
    wait = retry_after(headers)
    hint = "" if said.is_page else _HINTS.get(status, "")
    detail = scrub(f"HTTP {status}: {said.text}{hint}")
    if said.is_page and (300 <= status < 400 or status in (400, 404, 405)):
        return JudgeCallError("not_a_judge", f"{detail}; check that the address ends with /v1")
    if status == 429 and said.code in _QUOTA_CODES | {said.kind} & _QUOTA_CODES:
        return JudgeCallError("access", detail)
    if (400 <= status < 500 and status not in _KIND_BY_STATUS) or status in (403, 413):
        kind = _refusal(said)
        if kind is not None:
            return JudgeCallError(kind, detail)
    if status in (400, 422):
        setting = _refused_setting(said, sent)
        if setting is not None:
            return SettingRefused(setting, detail)
    return JudgeCallError(kind_of_status(status), detail, wait)


def kind_of_status(status: int) -> CallErrorKind:
    """The class of an HTTP status alone.

    >>> [kind_of_status(s) for s in (302, 400, 429, 503)]
    ['not_a_judge', 'bad_request', 'rate_limit', 'server']
    """
    if status >= 500:
        return _KIND_BY_STATUS.get(status, "server")
    return _KIND_BY_STATUS.get(status, "bad_request" if status >= 400 else "not_a_judge")


def _refusal(said: ServerMessage) -> CallErrorKind | None:
    marks = {said.code, said.kind}
    if marks & _FILTER_CODES or _FILTER_TEXT.search(said.text[:_HEAD_OF_MESSAGE]):
        return "content_filter"
    if marks & _LENGTH_CODES or _LENGTH_TEXT.search(said.text[:_HEAD_OF_MESSAGE]):
        return "context_too_long"
    return None


def _refused_setting(said: ServerMessage, sent: Collection[str]) -> str | None:
    if said.param in sent:
        return said.param
    text = said.text[:_HEAD_OF_MESSAGE]
    places = {name: re.search(rf"\b{name}\b", text) for name in sent}
    named = {name: place.start() for name, place in places.items() if place is not None}
    return min(named, key=lambda name: named[name]) if named else None


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds to wait that the server asks for, at least 0; None when it does not say.

    Reads `Retry-After` in seconds or as an HTTP date, and `retry-after-ms`.

    >>> retry_after({"Retry-After": "1.5"}), retry_after({"retry-after-ms": "20"}), retry_after({})
    (1.5, 0.02, None)
    """
    found = {name.lower(): text.strip() for name, text in headers.items()}
    seconds = _number(found.get("retry-after-ms"))
    if seconds is not None:
        return max(0.0, seconds / 1000)
    text = found.get("retry-after")
    seconds = _number(text)
    if seconds is not None:
        return max(0.0, seconds)
    try:
        moment = parsedate_to_datetime(text or "")
    except (TypeError, ValueError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    return max(0.0, (moment - (now or datetime.now(timezone.utc))).total_seconds())


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if number - number == 0 else None
