"""The table of scores: SQLite in one file, or PostgreSQL by URL; several writers at once.

`monitor_scores` has one row for each answer, release and metric; `monitor_facts` the version of the
format and what was acknowledged. A row is written once: a later one takes its place only where it
has fewer failures, as when a judge was down before. Batches are written in one transaction each, so
that a killed process leaves whole batches.
"""

from __future__ import annotations

import json
import math
import random
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import cache
from itertools import islice
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from metajudge.errors import InputError, Problem, StoreError, short_repr
from metajudge.metrics.monitor.opening import database_faults, engine_of, shown
from metajudge.metrics.monitor.row import MonitorRow

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table

FORMAT = "1"
BATCH = 200
_FORMAT_NAME = "format"
_JSON = ("slices", "texts")
_TRIES = 8
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")
_STAMP = re.compile(r"2[01]\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\dZ")
_RACES = ("already exists", "duplicate key", "unique constraint", "locked")


LONGEST = {"answer_id": 500, "release": 300, "metric": 100}
"""Characters that the names of a row may have, so that every database can find it by them."""


def too_long(name: str, value: str) -> Iterator[Problem]:
    """The fault of a name that is longer than every database takes, if it is.

    Args:
        name: One of `LONGEST`.
        value: The name itself.
    """
    if len(value) > LONGEST[name]:
        law = f"{name} has at most {LONGEST[name]} characters, and this one has {len(value)}"
        mend = "Give a shorter one, such as a hash of it."
        yield Problem("scores", law, mend, field=name, got=short_repr(value))


class Tables(NamedTuple):
    """The tables' definitions."""

    scores: Table
    facts: Table


@cache
def tables() -> Tables:
    """The tables' definitions."""
    from sqlalchemy import Boolean, Column, Float, Index, Integer, MetaData, String, Table, Text

    schema = MetaData()
    scores = Table(
        "monitor_scores",
        schema,
        Column("answer_id", Text, primary_key=True),
        Column("release", String(300), primary_key=True),
        Column("metric", String(100), primary_key=True),
        Column("time", String(20), nullable=False),
        Column("score", Float),
        Column("reason", Text),
        Column("passed", Boolean),
        Column("stratum", Text, nullable=False),
        Column("unit", Text, nullable=False),
        Column("weight", Float, nullable=False),
        Column("yes", Integer),
        Column("no", Integer),
        Column("idk", Integer),
        Column("failures", Integer, nullable=False),
        Column("slices", Text, nullable=False),
        Column("release_sha256", String(64)),
        Column("judge", Text),
        Column("judge_is_pinned", Boolean),
        Column("ref", Text),
        Column("texts", Text),
    )
    Index("monitor_scores_by_time", scores.c.metric, scores.c.release, scores.c.time)
    facts = Table(
        "monitor_facts",
        schema,
        Column("name", String(200), primary_key=True),
        Column("value", Text, nullable=False),
    )
    return Tables(scores, facts)


class ScoreTable:
    """The open table of scores.

    >>> with ScoreTable("sqlite://") as table:
    ...     row = MonitorRow("a", "m@1.0.0", "faithfulness", "2026-11-30T01:30:00Z", 1.0)
    ...     table.write([row]), table.write([row]), table.rows()[0].score
    (1, 0, 1.0)

    Args:
        database: Path of a SQLite file, or a URL; tables are made where there are none.

    Raises:
        StoreError: It cannot be opened or written, or has another format.
    """

    def __init__(self, database: str) -> None:
        self.database, self.shown = database, shown(database)
        self._engine = engine_of(database)
        with database_faults(database):
            self._connection = self._engine.connect()
        try:
            self._make()
        except StoreError:
            self.close()
            raise

    def __enter__(self) -> ScoreTable:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def write(self, rows: Iterable[MonitorRow]) -> int:
        """Write rows in batches; how many are new or have fewer failures than before.

        Raises:
            InputError: A row is faulty, or a name longer than every database takes; earlier batches
                stay.
            StoreError: The database cannot be written; earlier batches stay.
        """
        left, changed = iter(rows), 0
        while batch := list(islice(left, BATCH)):
            problems = [problem for row in batch for problem in _faults(row)]
            if problems:
                raise InputError(problems)
            with self._begin() as connection:
                for row in sorted(batch, key=lambda one: (one.answer_id, one.release, one.metric)):
                    changed += self._put(connection, row)
        return changed

    def rows(
        self,
        *,
        metric: str | None = None,
        release: str | None = None,
        since: str | None = None,
        texts: bool = True,
    ) -> tuple[MonitorRow, ...]:
        """Rows by time, then answer.

        Args:
            metric: Only of this metric.
            release: Only under this release.
            since: Only from this stamp on.
            texts: Read kept texts too; figures need none.
        """
        from sqlalchemy import select

        scores = tables().scores
        columns = [column for column in scores.columns if texts or column.name != "texts"]
        wanted = select(*columns).order_by(scores.c.time, scores.c.answer_id, scores.c.metric)
        for column, value in ((scores.c.metric, metric), (scores.c.release, release)):
            wanted = wanted if value is None else wanted.where(column == value)
        wanted = wanted if since is None else wanted.where(scores.c.time >= since)
        with self._begin() as connection:
            found = connection.execute(wanted).all()
        return tuple(self._row(dict(entry._mapping)) for entry in found)

    def known(self, release: str, metric: str) -> set[str]:
        """Answers that have a row without failures under a release."""
        from sqlalchemy import select

        scores = tables().scores
        wanted = select(scores.c.answer_id).where(
            scores.c.release == release, scores.c.metric == metric, scores.c.failures == 0
        )
        with self._begin() as connection:
            return set(connection.scalars(wanted))

    def facts(self, prefix: str) -> dict[str, str]:
        """What was noted under names that begin with a prefix."""
        from sqlalchemy import select

        table = tables().facts
        with self._begin() as connection:
            found = connection.execute(select(table.c.name, table.c.value)).all()
        return {name: value for name, value in found if name.startswith(prefix)}

    def note(self, name: str, value: str) -> None:
        """Note something once; what stands there stays."""
        with self._begin() as connection:
            insert = self._insert()
            statement = insert(tables().facts).values(name=name, value=value)
            connection.execute(statement.on_conflict_do_nothing())

    def close(self) -> None:
        """Give the connection back; safe to call twice."""
        self._connection.close()
        self._engine.dispose()

    def _put(self, connection: Connection, row: MonitorRow) -> int:
        scores, insert = tables().scores, self._insert()
        statement = insert(scores).values(**_columns(row))
        keys = ("answer_id", "release", "metric")
        later = {
            column.name: statement.excluded[column.name]
            for column in scores.columns
            if column.name not in keys
        }
        fewer = statement.excluded.failures < scores.c.failures
        found = connection.execute(
            statement.on_conflict_do_update(index_elements=keys, set_=later, where=fewer),
            execution_options={"preserve_rowcount": True},
        )
        return max(0, found.rowcount)

    def _insert(self) -> Any:
        from sqlalchemy.dialects import postgresql, sqlite

        is_sqlite = self._engine.dialect.name == "sqlite"
        return sqlite.insert if is_sqlite else postgresql.insert

    def _make(self) -> None:
        """Make the tables; of processes that do so at once the later ones try again."""
        for attempt in range(_TRIES):
            try:
                with database_faults(self.database):
                    self._set_up()
                break
            except StoreError as error:
                lost_race = any(sign in str(error).casefold() for sign in _RACES)
                if not lost_race or attempt == _TRIES - 1:
                    raise
            time.sleep(random.uniform(0.05, 0.2) * (attempt + 1))
        self.note(_FORMAT_NAME, FORMAT)
        version = self.facts(_FORMAT_NAME).get(_FORMAT_NAME)
        if version != FORMAT:
            raise StoreError(
                f"{self.shown}: the table has format {version!r}, and this version reads "
                f"{FORMAT!r}. Use the metajudge that wrote it, or name another database."
            )

    def _set_up(self) -> None:
        if self._engine.dialect.name == "sqlite":
            raw = self._connection.connection.driver_connection
            raw.execute("PRAGMA journal_mode = WAL")  # type: ignore[union-attr]
        with self._connection.begin():
            tables().scores.metadata.create_all(self._connection)

    @contextmanager
    def _begin(self) -> Iterator[Connection]:
        with database_faults(self.database), self._connection.begin():
            yield self._connection

    def _row(self, told: dict[str, Any]) -> MonitorRow:
        try:
            for name in _JSON:
                told[name] = None if told.get(name) is None else json.loads(told[name])
        except ValueError as error:
            raise StoreError(
                f"{self.shown}: the row of answer {told['answer_id']!r} is damaged ({error}). "
                "Delete that row and score the answer again."
            ) from error
        return MonitorRow(**told)


def _faults(row: MonitorRow) -> Iterator[Problem]:
    """What would break a report on the table later."""
    for name in LONGEST:
        yield from too_long(name, getattr(row, name))
    rules = (
        ("time", _STAMP.fullmatch(row.time) is not None, "as `times.stamp` writes it", row.time),
        ("weight", 0 < row.weight < math.inf, "a number over 0", row.weight),
        ("score", row.score is None or 0 <= row.score <= 1, "from 0 to 1, or None", row.score),
    )
    for name, holds, law, got in rules:
        if not holds:
            told = f"the {name} of answer {row.answer_id!r} is {law}"
            yield Problem("scores", told, "Correct it.", field=name, got=short_repr(got))


def _columns(row: MonitorRow) -> dict[str, Any]:
    told = {field.name: _storable(getattr(row, field.name)) for field in fields(row)}
    for name in _JSON:
        value = told[name]
        told[name] = None if value is None else _storable(json.dumps(value, ensure_ascii=False))
    return told


def _storable(value: Any) -> Any:
    """A text without NUL and halves of surrogate pairs, which no database takes; others as is."""
    return _NO_TEXT.sub("\ufffd", value) if isinstance(value, str) else value
