"""Databases that are named by a URL: what is shown of one, and of what goes wrong there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metajudge.judges.scrub import scrub

if TYPE_CHECKING:
    from sqlalchemy import URL

LOCK_SECONDS = 60
CONNECT_SECONDS = 10
SERVER_MEND = "See that the server runs, that host, base and user are right, and the password."


def parsed_url(url: str) -> URL | None:
    """The parts of a URL; None where it is none.

    >>> parsed_url("sqlite:///search.db").database, parsed_url("search.db")
    ('search.db', None)
    """
    import sqlalchemy.exc
    from sqlalchemy.engine import make_url

    try:
        return make_url(url)
    except (sqlalchemy.exc.ArgumentError, ValueError):
        return None


def shown_url(url: str) -> str:
    """A URL without password and query.

    >>> shown_url("postgresql+psycopg://me:secret@host:5432/base?password=secret")
    'postgresql+psycopg://me@host:5432/base'
    """
    from sqlalchemy.util import immutabledict

    parts = parsed_url(url)
    if parts is None:
        scheme, separator, _ = url.partition("://")
        return f"{scheme}://…" if separator else "…"
    return parts._replace(password=None, query=immutabledict()).render_as_string()


def driver_reason(error: BaseException) -> str:
    """What the driver said, on one line; it may hold secrets."""
    inner = error.__cause__ if error.__cause__ is not None else error
    return " ".join(str(getattr(inner, "orig", None) or inner).split())


def told_without_secrets(error: BaseException, parts: URL | None) -> str:
    """What the driver said, without the password and the query's values, and without its stop."""
    reason = driver_reason(error)
    for secret in () if parts is None else (parts.password, *parts.query.values()):
        if secret:
            reason = reason.replace(str(secret), "[hidden]")
    return scrub(reason).rstrip(".?! ")
