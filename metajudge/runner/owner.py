"""Which process took something on, and whether it is gone, so that its work can be taken over."""

from __future__ import annotations

import itertools
import os
import socket
import subprocess
from functools import lru_cache
from pathlib import Path

_PROC = Path("/proc")
_SERIALS = itertools.count(1)
_AT_WORK: set[str] = set()


def take_on() -> str:
    """A new owner: host (and process namespace), process, its start, and a number of its own."""
    owner = f"{_host()} {os.getpid()} {_start(os.getpid())} {next(_SERIALS)}"
    _AT_WORK.add(owner)
    return owner


def let_go(owner: str) -> None:
    """An owner of this process stops; what it held may be taken over."""
    _AT_WORK.discard(owner)


def is_gone(owner: str) -> bool:
    """Whether an owner is known not to work any more.

    False for owners on other hosts and in other process namespaces, and wherever the system does
    not tell when a process began: what cannot be known is not taken away from anybody. An empty
    owner is nobody.
    """
    if not owner:
        return True
    host, _, rest = owner.partition(" ")
    if host != _host():
        return False
    pid, start, _ = rest.split(" ")
    if int(pid) == os.getpid() and start == _start(os.getpid()):
        return owner not in _AT_WORK
    now = _start(int(pid))
    return "?" not in (start, now) and now != start


def at_work(owner: str) -> bool:
    """Whether an owner is known to be working: on this host, and not gone."""
    return owner.partition(" ")[0] == _host() and not is_gone(owner)


@lru_cache(maxsize=1)
def _host() -> str:
    try:
        namespace = os.readlink(_PROC / "self/ns/pid").strip("pid:[]")
    except OSError:
        namespace = ""
    return f"{socket.gethostname().replace(' ', '-')}/{namespace}"


def _start(pid: int) -> str:
    """When a process began; empty where there is none, `?` where the system does not tell.

    A process that ended and was not waited for by its parent is none.
    """
    if (_PROC / "self/stat").exists():
        try:
            fields = (_PROC / f"{pid}/stat").read_text("ascii", "replace").rpartition(")")[2]
        except OSError:
            return ""
        state, *others = fields.split()
        return "" if state in "ZX" else others[18]
    if os.name != "posix":
        return "?"
    command = ["ps", "-o", "lstart=", "-p", str(pid)]
    try:
        told = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return "?"
    return "-".join(told.stdout.split())
