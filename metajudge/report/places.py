"""Where a trial stands in the report: the row that every table calls it by, and its short name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from metajudge.report.part import Reading
from metajudge.report.ranked import RankedTrial, common_tail


class Place(NamedTuple):
    """A trial as tables name it.

    Attributes:
        row: 1-based row of the report; None for a trial that is not in it.
        head: Its name without the words that all names end with.
        trial: Its whole name.
        reading: How it is read; None where all readings are meant.
    """

    row: int | None
    head: str
    trial: str
    reading: Reading | None = None


class Places:
    """Looks trials up by name and reading."""

    def __init__(self, rows: Sequence[RankedTrial]) -> None:
        self._tail = common_tail([row.trial for row in rows])
        self._rows = {(row.trial, row.reading): row.row for row in rows}
        self._first: dict[str, int] = {}
        for row in rows:
            if row.reading == "top" or row.trial not in self._first:
                self._first[row.trial] = row.row
        self._by_label = {f"{row.trial} ({row.reading})": row for row in rows}

    def of(self, trial: str, reading: Reading | None = None) -> Place:
        """A trial's place; without a reading, that of its `top` reading or its first row.

        Without a reading, `trial` may also be `trial (reading)`.
        """
        if reading is None and trial not in self._first and trial in self._by_label:
            found = self._by_label[trial]
            return self.of(found.trial, found.reading)
        row = self._first.get(trial) if reading is None else self._rows.get((trial, reading))
        return Place(row, trial.removesuffix(self._tail), trial, reading)
