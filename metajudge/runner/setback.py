"""What an attempt without an answer means, and which replies are no answer."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import PurePath

from metajudge.runner.call import FailureClass
from metajudge.verdicts.verdict import Failure, Reply

FAILURE_OF: Mapping[FailureClass, Failure] = {
    "rate_limit": "transport",
    "server": "transport",
    "connection": "transport",
    "bad_request": "transport",
    "access": "transport",
    "not_a_judge": "transport",
    "context_too_long": "transport",
    "unexpected": "transport",
    "timeout": "timeout",
    "content_filter": "refused",
    "missing": "missing",
    "empty": "empty",
}
"""The verdict failure that a call ends with when its last error is of this class."""

_CLASS_OF: Mapping[Failure, FailureClass] = {
    "refused": "content_filter",
    "empty": "empty",
    "missing": "missing",
    "timeout": "timeout",
    "transport": "server",
}
_DETAIL_OF: Mapping[FailureClass, str] = {
    "content_filter": "the provider refused the content",
    "empty": "the reply has no text",
}


@dataclass(frozen=True, slots=True)
class Setback:
    """An attempt that brought no answer.

    Attributes:
        kind: Class of the error.
        detail: One line for people, without secrets.
        retry_after: Wait that the server asks for, in s; None where it asks for none.
        reply: What came back all the same (an empty or refused reply); None for nothing.
    """

    kind: FailureClass
    detail: str
    retry_after: float | None = None
    reply: Reply | None = None

    def as_reply(self) -> Reply:
        """The reply that ends the call for good.

        >>> Setback("context_too_long", "9000 tokens, 8192 fit").as_reply().failure
        'transport'
        """
        came = Reply("", created=_now()) if self.reply is None else self.reply
        return replace(
            came,
            failure=came.failure or FAILURE_OF[self.kind],
            failure_detail=came.failure_detail or self.detail,
        )


def weigh(reply: Reply, latency_ms: float) -> Reply | Setback:
    """The reply as an answer with latency and time, or the setback that it is.

    Latency and time that the reply brings stay: a replayed reply keeps the original ones.
    """
    if reply.latency_ms is None or reply.created is None:
        reply = replace(
            reply,
            latency_ms=latency_ms if reply.latency_ms is None else reply.latency_ms,
            created=reply.created or _now(),
        )
    failure = reply.failure
    if failure is None and not reply.text.strip():
        failure = "refused" if reply.finish_reason == "content_filter" else "empty"
    if failure is None or failure not in _CLASS_OF:
        return reply
    kind = _CLASS_OF[failure]
    return Setback(kind, _DETAIL_OF.get(kind, failure), reply=reply)


def unexpected(error: Exception) -> Setback:
    """An error that no judge should raise: its type and place, not its text, which may hold a key.

    >>> unexpected(KeyError("sk-secret")).detail
    'unexpected KeyError in the judge'
    """
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {PurePath(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return Setback("unexpected", f"unexpected {type(error).__name__} in the judge{place}")


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")
