"""Opening the storage of a study by its URL; what goes wrong is told without secrets."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from metajudge.errors import StoreError
from metajudge.runner.opening import (
    CONNECT_SECONDS,
    LOCK_SECONDS,
    SERVER_MEND,
    driver_reason,
    parsed_url,
    shown_url,
    told_without_secrets,
)

_TRIES = 8
_RACES = ("already exists", "duplicate key", "unique constraint", "locked")
_PYMYSQL = "Its driver is not installed: pip install PyMySQL, and write {}+pymysql://."
_DRIVERS = {
    "postgresql": "Its driver is not installed: pip install 'psycopg[binary]'.",
    "mysql": _PYMYSQL.format("mysql"),
    "mariadb": _PYMYSQL.format("mariadb"),
}
_EXAMPLES = "sqlite:///search.db or postgresql+psycopg://user@host/base"


def opened(optuna: Any, url: str | None) -> tuple[Any, Callable[[], None]]:
    """The storage behind a URL, its tables made where there are none, and what closes it.

    Processes that make the tables at once get in each other's way; the later ones try again.

    Args:
        optuna: The library.
        url: None keeps everything in memory.

    Raises:
        StoreError: The URL is none.
    """
    if url is None:
        return optuna.storages.InMemoryStorage(), lambda: None
    base = _with_tables(optuna, url, _options(_needed_parts(url)))
    return optuna.storages.get_storage(base), base.engine.dispose


def reach(url: str) -> None:
    """Connect to what is behind a URL and read from it; nothing is made, no file either.

    Raises:
        StoreError: The URL is none.
    """
    import sqlalchemy

    parts = _needed_parts(url)
    engine = sqlalchemy.create_engine(url, **_options(parts))
    try:
        if not _is_new_file(parts):
            with engine.connect() as connection:
                sqlalchemy.inspect(connection).get_table_names()
    finally:
        engine.dispose()


def _is_new_file(parts: Any) -> bool:
    """Whether a connection would make a file, in a folder that is there."""
    if parts.get_backend_name() != "sqlite" or not parts.database:
        return False
    file = Path(parts.database)
    return not file.exists() and file.parent.is_dir() and os.access(file.parent, os.W_OK)


def _needed_parts(url: str) -> Any:
    parts = parsed_url(url)
    if parts is None:
        raise StoreError(f"study storage {shown_url(url)}: is no URL. Write {_EXAMPLES}.")
    return parts


def _options(parts: Any) -> dict[str, Any]:
    """How the engine behind a URL is to be made."""
    kind = parts.get_backend_name()
    if kind == "sqlite":
        return {"connect_args": {"timeout": LOCK_SECONDS}}
    if kind != "postgresql":
        return {}
    options: dict[str, Any] = {"pool_pre_ping": True}
    if parts.drivername.partition("+")[2] in ("", "psycopg", "psycopg2"):
        options["connect_args"] = {"connect_timeout": CONNECT_SECONDS}
    return options


@contextmanager
def storage_faults(url: str | None) -> Iterator[None]:
    """What the libraries of a storage raise becomes StoreError, with a mend, without secrets."""
    import sqlalchemy.exc
    from optuna.exceptions import StorageInternalError

    try:
        yield
    except (sqlalchemy.exc.SQLAlchemyError, StorageInternalError, ImportError) as error:
        raise StoreError(_told(error, url or "")) from None


def _with_tables(optuna: Any, url: str, options: dict[str, Any]) -> Any:
    import sqlalchemy.exc

    for attempt in range(_TRIES):
        try:
            return optuna.storages.RDBStorage(url, engine_kwargs=dict(options))
        except (sqlalchemy.exc.SQLAlchemyError, optuna.exceptions.StorageInternalError) as error:
            lost_race = any(sign in driver_reason(error).casefold() for sign in _RACES)
            if not lost_race or attempt == _TRIES - 1:
                raise
        time.sleep(random.uniform(0.05, 0.2) * (attempt + 1))
    raise AssertionError("the last try returns or raises")


def _told(error: BaseException, url: str) -> str:
    import sqlalchemy.exc

    parts = parsed_url(url)
    kind = url if parts is None else parts.get_backend_name()
    if isinstance(error, ImportError):
        mend = _DRIVERS.get(kind, "Its driver is not installed: install it with pip.")
    elif isinstance(error, sqlalchemy.exc.NoSuchModuleError):
        mend = f"No storage of this kind is known: write {_EXAMPLES}."
    elif kind == "sqlite":
        mend = "See that its folder is there, can be written, and that the file is a study's."
    else:
        mend = SERVER_MEND
    return f"study storage {shown_url(url)}: {told_without_secrets(error, parts)}. {mend}"
