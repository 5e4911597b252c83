"""Serving the labelling page: a socket on this machine, an address with a token, a quiet end."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator
from typing import TYPE_CHECKING

from metajudge.errors import InputError, MissingExtraError, Problem

if TYPE_CHECKING:
    import uvicorn

    from metajudge.labelling.gate import Application

PORTS = range(8321, 8341)
"""Tried in turn where no port was asked for."""
_PATIENCE_S = 2
_WAITING = 64


def listen(host: str, port: int | None, before: int | None = None) -> socket.socket:
    """A socket that listens.

    Args:
        host: Name or address.
        port: 0 takes any free one; None the one from `before`, or else the first free of `PORTS`.
        before: Where this annotator's server listened last time.

    Raises:
        InputError: The port is taken, or the host is none of this machine.
    """
    if port is not None:
        return _bound(host, port)
    for candidate in _candidates(before):
        try:
            return _bound(host, candidate)
        except InputError as error:
            taken = error
    raise taken


def _candidates(before: int | None) -> Iterator[int]:
    if before is not None and 0 < before < 65536:
        yield before
    yield from PORTS


def _bound(host: str, port: int) -> socket.socket:
    try:
        family, kind, proto, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        law, mend = "the host must be a name or address of this machine", "Leave --host out."
        problem = Problem("command line", law, mend, field="--host", got=repr(host))
        raise InputError(problem) from error
    made = socket.socket(family, kind, proto)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(_WAITING)
    except OSError as error:
        made.close()
        raise InputError(_not_bound(error, host, port)) from error
    return made


def _not_bound(error: OSError, host: str, port: int) -> Problem:
    if error.errno == errno.EADDRINUSE:
        law, mend = "something else listens on this port", "Take another one, or --port 0."
        return Problem("command line", law, mend, field="--port", got=str(port))
    law = f"this address cannot be listened on: {error.strerror or type(error).__name__}"
    return Problem("command line", law, "Take another one.", field="--host", got=f"{host}:{port}")


def make_server(site: Application) -> uvicorn.Server:
    """A server for the site; its `run` serves until Ctrl+C and ends requests under way first.

    Raises:
        MissingExtraError: uvicorn is not installed.
    """
    try:
        import uvicorn
    except ImportError as error:
        raise MissingExtraError("the labelling page", "label") from error

    config = uvicorn.Config(
        site,
        lifespan="off",
        ws="none",
        log_config=None,
        log_level="error",
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_PATIENCE_S,
    )
    return uvicorn.Server(config)
