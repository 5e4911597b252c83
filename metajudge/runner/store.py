"""The reply store: every reply once, under its content key, in one SQLite file.

Tables: `replies(key, judge, request, reply, created)`, JSON as readable text; `recordings(sha256,
replies)`, the recordings already loaded; `facts(name, value)`, the format version; `leases(key,
owner, until)`, the calls under way, in files that runs have shared with leases. The file is in WAL
mode: what is written outlives a killed process, and several processes may read and write at
once. The first reply under a key stays; later ones are dropped.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from metajudge.errors import StoreError
from metajudge.judges.judge import Request, Scalar
from metajudge.runner.bulk import collector_at_rest
from metajudge.runner.reply_json import (
    identity_to_json,
    is_lasting,
    reply_from_fields,
    reply_to_json,
    request_to_json,
)
from metajudge.verdicts.verdict import Reply

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from metajudge.runner.leases import Leases

FLUSH_AT_REPLIES = 200
FLUSH_AFTER_S = 0.5
BUSY_TIMEOUT_S = 30.0
KEYS_PER_QUERY = 500


class StoredCall(NamedTuple):
    """One row of the store; judge identity, request and reply are JSON text."""

    key: str
    judge: str
    request: str
    reply: str
    created: str | None


class Store:
    """Replies by content key in a SQLite file; safe for several processes and for `kill -9`.

    Opening makes the file and its folder, and proves with a write that replies can be kept, so
    that a wrong path is refused before the first request. Not for use from several threads.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "replies.db") as store:
    ...     request = Request((), max_tokens=1)
    ...     store.put("k", request, {"model": "m"}, Reply("yes"))
    ...     store.get_many(["k", "other"])["k"].text
    'yes'

    Args:
        path: The SQLite file; made when absent.

    Raises:
        StoreError: The path is a folder, cannot be written, is no database, or is another one.
    """

    def __init__(self, path: str | Path) -> None:
        from metajudge.runner.tables import open_tables

        self.path = Path(path)
        self._waiting: dict[str, StoredCall] = {}
        self._waiting_since = 0.0
        self._connection: Connection | None
        self._connection, self._tables = open_tables(self.path, BUSY_TIMEOUT_S)
        self._changes_seen = self._changes()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @collector_at_rest()
    def get_many(self, keys: Iterable[str]) -> dict[str, Reply]:
        """Replies of those keys that the store has; fresh objects at each call.

        Raises:
            StoreError: The file cannot be read, or a row is no stored reply.
        """
        self.flush()
        table = self._tables.replies
        columns = (table.c.key, table.c.reply)
        return {key: self._decode(key, text) for key, text in self._select(columns, keys)}

    def has_many(self, keys: Iterable[str]) -> set[str]:
        """Those of the keys that the store has a reply for."""
        self.flush()
        return {key for (key,) in self._select((self._tables.replies.c.key,), keys)}

    def put(self, key: str, request: Request, identity: Mapping[str, Scalar], reply: Reply) -> None:
        """Take a reply to be written with the next batch.

        Transport failures, time-outs, missing and empty replies are passed over, so that the
        next run asks again. Writing happens at 200 replies, 0.5 s after the first one waits, at
        `flush` and at `close`.
        """
        if not is_lasting(reply):
            return
        if not self._waiting:
            self._waiting_since = time.monotonic()
        self._waiting[key] = StoredCall(
            key,
            identity_to_json(identity),
            request_to_json(request),
            reply_to_json(reply),
            reply.created,
        )
        late = time.monotonic() - self._waiting_since >= FLUSH_AFTER_S
        if late or len(self._waiting) >= FLUSH_AT_REPLIES:
            self.flush()

    def flush(self) -> None:
        """Write all waiting replies in one transaction; cheap when none waits."""
        if self._waiting:
            self.insert(self._waiting.values())
            self._waiting = {}

    def count(self) -> int:
        """Replies in the store."""
        from sqlalchemy import func, select

        self.flush()
        with self._begin() as connection:
            rows = connection.execute(select(func.count()).select_from(self._tables.replies))
            return int(rows.scalar_one())

    def changed_elsewhere(self) -> bool:
        """Whether another process has written since the last time this was asked."""
        seen, self._changes_seen = self._changes_seen, self._changes()
        return seen != self._changes_seen

    def leases(self, lease_s: float) -> Leases:
        """Leases of one run on the calls that it has under way; makes their table where absent.

        Args:
            lease_s: How long one holds unless it is renewed, in s.
        """
        from metajudge.runner.leases import Leases

        return Leases(self._begin, lease_s)

    def rows(self, keys: Iterable[str]) -> Iterator[StoredCall]:
        """Stored rows of those keys that the store has, as JSON text."""
        self.flush()
        columns = tuple(self._tables.replies.c[name] for name in StoredCall._fields)
        return (StoredCall(*row) for row in self._select(columns, keys))

    def insert(self, rows: Collection[StoredCall], recording: str | None = None) -> int:
        """Write rows in one transaction; keys already there stay. Gives the number of new rows.

        Args:
            rows: What to write.
            recording: SHA-256 of the recording that the rows come from, remembered with them.
        """
        from sqlalchemy.dialects.sqlite import insert

        tables = self._tables
        new = 0
        with self._begin() as connection:
            if rows:
                statement = insert(tables.replies).on_conflict_do_nothing()
                written = connection.execute(statement, [row._asdict() for row in rows])
                new = max(0, written.rowcount)
            if recording is not None:
                connection.execute(
                    insert(tables.recordings).on_conflict_do_nothing(),
                    {"sha256": recording, "replies": len(rows)},
                )
        return new

    def has_recording(self, sha256: str) -> bool:
        """Whether a recording with this SHA-256 was loaded before."""
        from sqlalchemy import select

        recordings = self._tables.recordings
        with self._begin() as connection:
            found = connection.scalar(
                select(recordings.c.sha256).where(recordings.c.sha256 == sha256)
            )
        return found is not None

    def export(self, path: str | Path, keys: Iterable[str]) -> int:
        """Write the replies of the keys as a recording; see `export_recording`."""
        from metajudge.runner.recording import export_recording

        return export_recording(self, path, keys)

    def load(self, path: str | Path) -> int:
        """Take over a recording's replies; see `load_recording`."""
        from metajudge.runner.recording import load_recording

        return load_recording(self, path)

    def close(self) -> None:
        """Write what waits and give the file back; safe to call twice."""
        if self._connection is None:
            return
        try:
            self.flush()
        finally:
            self._connection.close()
            self._connection.engine.dispose()
            self._connection = None

    def _decode(self, key: str, text: str) -> Reply:
        try:
            return reply_from_fields(json.loads(text))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise StoreError(
                f"{self.path}: the row of key {key} holds no reply ({error}). "
                "Delete that row, or the file, and run again."
            ) from error

    def _select(self, columns: tuple[Any, ...], keys: Iterable[str]) -> Iterator[Any]:
        from sqlalchemy import select

        wanted = list(keys)
        key = self._tables.replies.c.key
        for start in range(0, len(wanted), KEYS_PER_QUERY):
            chunk = wanted[start : start + KEYS_PER_QUERY]
            with self._begin() as connection:
                found = connection.execute(select(*columns).where(key.in_(chunk))).all()
            yield from found

    def _changes(self) -> int:
        with self._begin() as connection:
            return int(connection.exec_driver_sql("PRAGMA data_version").scalar_one())

    @contextmanager
    def _begin(self) -> Iterator[Connection]:
        from metajudge.runner.tables import store_errors

        if self._connection is None:
            raise StoreError(f"{self.path}: the store is closed. Open it again.")
        with store_errors(self.path), self._connection.begin():
            yield self._connection
