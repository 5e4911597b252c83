"""A database opened by URL or path; what goes wrong is told with its mend and without secrets."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from metajudge.errors import StoreError
from metajudge.extras import install_command
from metajudge.judges.scrub import scrub
from metajudge.runner.opening import (
    CONNECT_SECONDS,
    LOCK_SECONDS,
    SERVER_MEND,
    parsed_url,
    shown_url,
    told_without_secrets,
)

if TYPE_CHECKING:
    from sqlalchemy import URL, Engine

_EXAMPLES = "monitor.sqlite, sqlite:///monitor.sqlite or postgresql+psycopg://user@host/base"
_TOO_LONG = "character varying(200)"
_WIDEN = (
    "The table was made when ids had at most 200 characters. "
    "Run: ALTER TABLE monitor_scores ALTER COLUMN answer_id TYPE text"
)


def parsed(database: str) -> URL:
    """The URL of a database; a path is a SQLite file.

    Raises:
        StoreError: It is no URL, or of another kind than SQLite and PostgreSQL.

    >>> str(parsed("scores.sqlite")), parsed("postgresql+psycopg://me@host/base").database
    ('sqlite:///scores.sqlite', 'base')
    """
    from sqlalchemy import URL

    if "://" not in database:
        return URL.create("sqlite", database=database)
    url = parsed_url(database)
    if url is None:
        raise StoreError(f"{shown_url(database)}: is no URL. Write {_EXAMPLES}.")
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise StoreError(f"{shown_url(database)}: scores are kept in SQLite or PostgreSQL. "
                         f"Write {_EXAMPLES}.")  # fmt: skip
    return url


def shown(database: str) -> str:
    """A database as messages name it, without password and query."""
    return shown_url(database) if "://" in database else database


def engine_of(database: str) -> Engine:
    """An engine that waits for other writers; folders of a SQLite file are made.

    Raises:
        StoreError: The URL is none, or its driver is not installed.
    """
    import sqlalchemy.exc
    from sqlalchemy import create_engine
    from sqlalchemy.pool import NullPool

    url = parsed(database)
    try:
        if url.get_backend_name() == "sqlite":
            _make_folder(url.database, database)
            made = create_engine(url, poolclass=NullPool, connect_args={"timeout": LOCK_SECONDS})
            _begin_by_hand(made)
            return made
        return create_engine(
            url, pool_pre_ping=True, connect_args={"connect_timeout": CONNECT_SECONDS}
        )
    except (ImportError, sqlalchemy.exc.NoSuchModuleError) as error:
        raise StoreError(
            f"{shown(database)}: {scrub(str(error))}. "
            f"Install its driver: {install_command('postgres')}."
        ) from None


def _make_folder(path: str | None, database: str) -> None:
    if path is None or path in ("", ":memory:"):
        return
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        mend = "Name a path in a folder that can be written."
        raise StoreError(f"{shown(database)}: its folder cannot be made ({error.strerror}). "
                         f"{mend}") from error  # fmt: skip


def _begin_by_hand(engine: Engine) -> None:
    """Every SQLite transaction takes the write lock at once, so that none has to be given up."""
    from sqlalchemy import event

    @event.listens_for(engine, "connect")
    def _connect(connection: object, _record: object) -> None:
        connection.isolation_level = None  # type: ignore[attr-defined]

    @event.listens_for(engine, "begin")
    def _begin(connection: object) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # type: ignore[attr-defined]


@contextmanager
def database_faults(database: str) -> Iterator[None]:
    """What the database raises inside becomes `StoreError`, without secrets."""
    import sqlalchemy.exc

    try:
        yield
    except (sqlalchemy.exc.SQLAlchemyError, sqlite3.Error) as error:
        raise StoreError(_told(error, database)) from None


def _told(error: Exception, database: str) -> str:
    url = parsed(database)
    if url.get_backend_name() == "sqlite":
        mend = "See that it can be written, and that the file is a table of scores."
    elif _TOO_LONG in str(error):
        mend = _WIDEN
    else:
        mend = SERVER_MEND
    return f"{shown(database)}: {told_without_secrets(error, url)}. {mend}"
