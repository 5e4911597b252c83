"""What every request has to pass, and what every answer carries, whatever lies behind."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from metajudge.labelling.door import Door

LARGEST_BODY = 128 * 1024
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = (
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    # With no-referrer a browser sends `Origin: null` along with this server's own forms.
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), microphone=(), geolocation=()"),
    ("cache-control", "no-store"),
)
_A_SIZE = re.compile(r"[0-9]{1,9}")
_FREE = ("/start", "/static/")
"""Paths that need no session."""

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]
Refusal = Callable[[str, int, str], bytes]
"""Reason, status and Cookie header -> a page."""


class Gate:
    """Wraps the site: host, origin, size and session are checked before anything is looked up."""

    def __init__(self, site: Application, door: Door, refusal: Refusal) -> None:
        self._site = site
        self._door = door
        self._refusal = refusal

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            return
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        guarded = _with_headers(send)
        refused = self._refused(scope, headers)
        body = None if refused else await _whole_body(receive, headers)
        if refused is None and body is None:
            refused = ("size", 413)
        if refused is not None or body is None:
            await self._refuse(refused or ("size", 413), headers.get("cookie", ""), guarded)
            return
        await self._site(scope, _once(body, receive), guarded)

    def _refused(self, scope: Message, headers: dict[str, str]) -> tuple[str, int] | None:
        host = headers.get("host", "")
        if not self._door.answers_to(host):
            return ("host", 421)
        if scope["method"] not in ("GET", "HEAD") and not _is_own(headers, host):
            return ("origin", 403)
        free = scope["path"] == _FREE[0] or scope["path"].startswith(_FREE[1])
        if not free and not self._door.knows(headers.get("cookie", "")):
            came_by_link = headers.get("sec-fetch-site") == "cross-site"
            return ("elsewhere" if came_by_link else "session", 403)
        return None

    async def _refuse(self, refused: tuple[str, int], cookies: str, send: Send) -> None:
        reason, status = refused
        page = self._refusal(reason, status, cookies)
        kind = (b"content-type", b"text/html; charset=utf-8")
        size = (b"content-length", str(len(page)).encode())
        await send({"type": "http.response.start", "status": status, "headers": [kind, size]})
        await send({"type": "http.response.body", "body": page})


def _is_own(headers: dict[str, str], host: str) -> bool:
    """Whether a form was sent by a page of this server, as far as the browser tells."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    return origin is None or origin.partition("://")[2].lower() == host.lower()


def _with_headers(send: Send) -> Send:
    extra = [(name.encode(), value.encode()) for name, value in HEADERS]

    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = list(message.get("headers", ()))
            own = {bytes(name).lower() for name, _ in given}
            message["headers"] = [*given, *(pair for pair in extra if pair[0] not in own)]
        await send(message)

    return guarded


async def _whole_body(receive: Receive, headers: dict[str, str]) -> bytes | None:
    """The body of a request; None where it is too large."""
    stated = headers.get("content-length", "0")
    if not _A_SIZE.fullmatch(stated) or int(stated) > LARGEST_BODY:
        return None
    body = b""
    while True:
        message = await receive()
        body += bytes(message.get("body", b""))
        if len(body) > LARGEST_BODY:
            return None
        if message["type"] != "http.request" or not message.get("more_body", False):
            return body


def _once(body: bytes, receive: Receive) -> Receive:
    told = False

    async def again() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again
