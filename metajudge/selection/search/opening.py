"""Opening the storage of a study by its URL; what goes wrong is told without secrets."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from metajudge.errors import StoreError
from metajudge.judges.scrub import scrub

_TRIES = 8
_LOCK_SECONDS = 60
_CONNECT_SECONDS = 10
_RACES = ("already exists", "duplicate key", "unique constraint", "locked")
_PYMYSQL = "Its driver is not installed: pip install PyMySQL, and write {}+pymysql://."
_DRIVERS = {
    "postgresql": "Its driver is not installed: pip install 'psycopg[binary]'.",
    "mysql": _PYMYSQL.format("mysql"),
    "mariadb": _PYMYSQL.format("mariadb"),
}
_EXAMPLES = "sqlite:///search.db or postgresql+psycopg://user@host/base"


def shown_url(url: str) -> str:
    """A storage's URL without password and query.

    >>> shown_url("postgresql+psycopg://me:secret@host:5432/base?password=secret")
    'postgresql+psycopg://me@host:5432/base'
    """
    parts = _parts(url)
    if parts is None:
        scheme, separator, _ = url.partition("://")
        return f"{scheme}://…" if separator else "…"
    return str(parts._replace(password=None, query={}).render_as_string(hide_password=True))


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
    parts = _parts(url)
    if parts is None:
        raise StoreError(f"study storage {shown_url(url)}: is no URL. Write {_EXAMPLES}.")
    kind = parts.get_backend_name()
    options: dict[str, Any] = {}
    if kind == "sqlite":
        options = {"connect_args": {"timeout": _LOCK_SECONDS}}
    elif kind == "postgresql":
        options = {"pool_pre_ping": True}
        if parts.drivername.partition("+")[2] in ("", "psycopg", "psycopg2"):
            options["connect_args"] = {"connect_timeout": _CONNECT_SECONDS}
    base = _with_tables(optuna, url, options)
    return optuna.storages.get_storage(base), base.engine.dispose


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
            lost_race = any(sign in _reason(error).casefold() for sign in _RACES)
            if not lost_race or attempt == _TRIES - 1:
                raise
        time.sleep(random.uniform(0.05, 0.2) * (attempt + 1))
    raise AssertionError("the last try returns or raises")


def _parts(url: str) -> Any:
    import sqlalchemy.exc
    from sqlalchemy.engine import make_url

    try:
        return make_url(url)
    except (sqlalchemy.exc.ArgumentError, ValueError):
        return None


def _reason(error: BaseException) -> str:
    """What the driver said, on one line."""
    inner = error.__cause__ if error.__cause__ is not None else error
    return " ".join(str(getattr(inner, "orig", None) or inner).split())


def _told(error: BaseException, url: str) -> str:
    import sqlalchemy.exc

    parts = _parts(url)
    kind = url if parts is None else parts.get_backend_name()
    reason = _reason(error)
    for secret in () if parts is None else (parts.password, *parts.query.values()):
        if secret:
            reason = reason.replace(str(secret), "[hidden]")
    if isinstance(error, ImportError):
        mend = _DRIVERS.get(kind, "Its driver is not installed: install it with pip.")
    elif isinstance(error, sqlalchemy.exc.NoSuchModuleError):
        mend = f"No storage of this kind is known: write {_EXAMPLES}."
    elif kind == "sqlite":
        mend = "See that its folder is there, can be written, and that the file is a study's."
    else:
        mend = "See that the server runs, that host, base and user are right, and the password."
    return f"study storage {shown_url(url)}: {scrub(reason).rstrip('.?! ')}. {mend}"
