"""The store's SQLite file: tables, opening, and what SQLite's errors mean for the user."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from metajudge.errors import StoreError

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table

FORMAT = "1"
_LOCKED = "database is locked"
_MENDS = {
    "file is not a database": "The file is something else: name another path, or delete it.",
    "file is encrypted": "The file is something else: name another path, or delete it.",
    "malformed": "The file is damaged: move it away; recordings and new calls refill it.",
    "readonly": "It can only be read: name a path that can be written.",
    "unable to open": "Name a path in a folder that can be written.",
    "disk is full": "Free some space and run again: what is written stays.",
    _LOCKED: "Another process holds it: wait for that one to end, or name another path.",
}


class Tables(NamedTuple):
    """The tables of a store; `leases` is made when a run first takes one."""

    replies: Table
    recordings: Table
    facts: Table
    leases: Table


@cache
def tables() -> Tables:
    """The tables' definitions."""
    from sqlalchemy import Column, Float, Integer, MetaData, String, Table, Text

    schema = MetaData()
    return Tables(
        Table(
            "replies",
            schema,
            Column("key", String(64), primary_key=True),
            Column("judge", Text, nullable=False),
            Column("request", Text, nullable=False),
            Column("reply", Text, nullable=False),
            Column("created", Text),
        ),
        Table(
            "recordings",
            schema,
            Column("sha256", String(64), primary_key=True),
            Column("replies", Integer, nullable=False),
        ),
        Table(
            "facts",
            schema,
            Column("name", String(64), primary_key=True),
            Column("value", Text, nullable=False),
        ),
        Table(
            "leases",
            schema,
            Column("key", String(64), primary_key=True),
            Column("owner", Text, nullable=False),
            Column("until", Float, nullable=False),
        ),
    )


@contextmanager
def store_errors(path: Path) -> Iterator[None]:
    """Turns database errors inside the block into `StoreError` with path, law and mend."""
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as error:
        cause = str(getattr(error, "orig", None) or error)
        mends = (mend for sign, mend in _MENDS.items() if sign in cause)
        mend = next(mends, "Check the path and the disk, and run again.")
        raise StoreError(f"{path}: the reply store cannot be used ({cause}). {mend}") from error


def open_tables(path: Path, busy_timeout_s: float) -> tuple[Connection, Tables]:
    """An open connection to a store file that was proven writable, made where absent.

    Raises:
        StoreError: The path is a folder, cannot be written, is no database, or is another one.
    """
    from sqlalchemy import URL, create_engine
    from sqlalchemy.pool import NullPool

    _make_folder(path)
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        poolclass=NullPool,
        connect_args={"timeout": busy_timeout_s},
    )
    with store_errors(path):
        connection = engine.connect()
    try:
        with store_errors(path):
            _set_up_patiently(connection, path, busy_timeout_s)
    except StoreError:
        connection.close()
        engine.dispose()
        raise
    return connection, tables()


def _make_folder(path: Path) -> None:
    if path.is_dir():
        raise StoreError(f"{path}: the reply store is a file, got a folder. Name a file in it.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"{path}: the folder of the reply store cannot be made ({error.strerror}). "
            "Name a path in a folder that can be written."
        ) from error


def _set_up_patiently(connection: Connection, path: Path, busy_timeout_s: float) -> None:
    """Set up, waiting for other processes: SQLite's own wait does not cover the switch to WAL."""
    from sqlalchemy.exc import OperationalError

    give_up_at = time.monotonic() + busy_timeout_s
    while True:
        try:
            _set_up(connection, path)
            return
        except OperationalError as error:
            connection.rollback()
            if _LOCKED not in str(error.orig) or time.monotonic() >= give_up_at:
                raise
            time.sleep(0.05)


def _set_up(connection: Connection, path: Path) -> None:
    from sqlalchemy import select
    from sqlalchemy.dialects.sqlite import insert
    from sqlalchemy.schema import CreateTable

    with connection.begin():
        names = connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'")
        strangers = set(names.scalars()) - {table.name for table in tables()}
    if strangers:
        raise StoreError(
            f"{path}: the file is a database of something else (tables {sorted(strangers)}). "
            "Name another path."
        )
    with connection.begin():
        connection.exec_driver_sql("PRAGMA journal_mode = WAL")
        connection.exec_driver_sql("PRAGMA synchronous = NORMAL")
    with connection.begin():
        known = tables()
        for table in (known.replies, known.recordings, known.facts):
            connection.execute(CreateTable(table, if_not_exists=True))
        facts = known.facts
        format_fact = {"name": "format", "value": FORMAT}
        connection.execute(insert(facts).on_conflict_do_nothing(), format_fact)
        found = connection.scalar(select(facts.c.value).where(facts.c.name == "format"))
    if found != FORMAT:
        raise StoreError(
            f"{path}: the store has format {found!r}; this version reads format {FORMAT!r}. "
            "Name another path, or use the metajudge that wrote it."
        )
