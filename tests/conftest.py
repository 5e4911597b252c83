"""What holds for every test: no socket but loopback, no key from outside, telemetry off.

Property tests that draw the same examples each time (`--hypothesis-profile=ci`) draw none of the
constants that Hypothesis finds in the modules loaded so far: those differ with the tests that ran
before in the same process.
"""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

os.environ.update(
    DEEPEVAL_TELEMETRY_OPT_OUT="YES",
    RAGAS_DO_NOT_TRACK="true",
    LITELLM_LOCAL_MODEL_COST_MAP="True",
    HF_HUB_OFFLINE="1",
    DO_NOT_TRACK="1",
)
_KEYS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE", "METAJUDGE_STORE")
_connect, _connect_ex, _getaddrinfo = (
    socket.socket.connect,
    socket.socket.connect_ex,
    socket.getaddrinfo,
)

_constants_loaded, _no_constants = providers._get_local_constants, providers._local_constants


def _constants() -> Any:
    return _no_constants if settings.default.derandomize else _constants_loaded()


providers._get_local_constants = _constants


def _is_local(host: Any) -> bool:
    if host in (None, "", "localhost", b"localhost"):
        return True
    try:
        return ipaddress.ip_address(str(host).split("%")[0]).is_loopback
    except ValueError:
        return False


def _refuse(host: object) -> None:
    raise OSError(f"tests reach loopback only, not {host!r}")


def _checked(address: Any) -> None:
    if isinstance(address, tuple) and not _is_local(address[0]):
        _refuse(address[0])


@pytest.fixture(autouse=True)
def _loopback_only(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def connect(self: socket.socket, address: Any) -> None:
        _checked(address)
        _connect(self, address)

    def connect_ex(self: socket.socket, address: Any) -> int:
        _checked(address)
        return _connect_ex(self, address)

    def getaddrinfo(host: Any, *rest: Any, **named: Any) -> Any:
        if not _is_local(host):
            _refuse(host)
        return _getaddrinfo(host, *rest, **named)

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket.socket, "connect_ex", connect_ex)
    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    for name in _KEYS:
        monkeypatch.delenv(name, raising=False)
    yield
