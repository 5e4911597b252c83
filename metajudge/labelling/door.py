"""Who may come in: the start token, the session cookie, and the mark that every form carries."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
import socket
import time
from collections import deque
from collections.abc import Callable, Iterable

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
SHORTEST_TOKEN = 16
MOST_WRONG = 10
"""Wrong tokens in a minute after which none is looked at."""
_WHILE_S = 60


class Door:
    """Who may come in.

    Attributes:
        cookie: Name of the session cookie; each annotator at each folder has a name of its own.
        session: Its value.
        form_mark: What every form carries against forms of other sites.
        start_token: What lets a browser in.
        is_open: Whether the server listens beyond this machine.
    """

    def __init__(
        self,
        secret: bytes,
        name: str,
        *,
        token: str | None = None,
        hosts: Iterable[str] = LOOPBACK,
        used: Callable[[str], None] = lambda token: None,
    ) -> None:
        """Opens a door.

        Args:
            secret: Behind cookie and form mark.
            name: Of this annotator at this folder.
            token: That people type; None makes tokens that work once each.
            hosts: Names under which the server answers.
            used: Told the next token when one was used up.
        """
        # A new token shuts out whoever came in by the one before.
        secret = hmac.new(secret, f"token:{token or ''}".encode(), hashlib.sha256).digest()
        self.cookie = f"metajudge_{hashlib.sha256(name.encode()).hexdigest()[:10]}"
        self.session = _derived(secret, "session")
        self.form_mark = _derived(secret, "form")
        self.start_token = token or secrets.token_urlsafe(18)
        self._hosts = frozenset(host.lower() for host in hosts)
        self._used = None if token else used
        self.is_open = not all(map(is_loopback, self._hosts))
        self._wrong: deque[float] = deque(maxlen=MOST_WRONG)

    @property
    def asks_for_token(self) -> bool:
        """Whether people type the token, instead of opening an address that holds it."""
        return self._used is None

    @property
    def is_tried(self) -> bool:
        """Whether somebody is trying out tokens: no token is looked at for a while."""
        return len(self._wrong) == MOST_WRONG and time.monotonic() - self._wrong[0] < _WHILE_S

    def admits(self, token: str) -> bool:
        """Whether a token lets a browser in; one that works once is then replaced."""
        if self.asks_for_token and self.is_tried:
            return False
        if not hmac.compare_digest(token.encode(), self.start_token.encode()):
            self._wrong.append(time.monotonic())
            return False
        if self._used is not None:
            self.start_token = secrets.token_urlsafe(18)
            self._used(self.start_token)
        return True

    def knows(self, cookies: str) -> bool:
        """Whether the cookies of a request hold the session."""
        return hmac.compare_digest(
            read_cookie(cookies, self.cookie).encode(), self.session.encode()
        )

    def is_form(self, mark: str) -> bool:
        """Whether a form is one of this server's."""
        return hmac.compare_digest(mark.encode("utf-8", "replace"), self.form_mark.encode())

    def answers_to(self, host: str) -> bool:
        """Whether the server answers to a Host header; a name that leads here by DNS is refused.

        Beyond this machine an address in numbers is as good as the name that was given.
        """
        name = host_name(host)
        if name in self._hosts:
            return True
        return self.is_open and (_is_address(name) or name == socket.gethostname().lower())


def is_loopback(host: str) -> bool:
    """Whether a host is this machine alone.

    >>> is_loopback("127.0.0.1"), is_loopback("0.0.0.0")
    (True, False)
    """
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def host_name(host: str) -> str:
    """The name in a Host header, without port and brackets.

    >>> host_name("[::1]:8321"), host_name("LocalHost:8321")
    ('::1', 'localhost')
    """
    name = host.strip().lower()
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name.partition(":")[0]


def read_cookie(header: str, name: str) -> str:
    """The value of a cookie; empty where there is none. Odd cookies of other servers do no harm.

    >>> read_cookie('a={"b": 1}; metajudge_x=77', "metajudge_x")
    '77'
    """
    for part in header.split(";"):
        key, _, value = part.strip().partition("=")
        if key == name:
            return value
    return ""


def _derived(secret: bytes, purpose: str) -> str:
    return hmac.new(secret, purpose.encode(), hashlib.sha256).hexdigest()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True
