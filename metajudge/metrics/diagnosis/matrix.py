"""Scores read by a published table: a row of it, undecided, or a combination that it lacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Literal, NamedTuple

from metajudge.metrics.diagnosis.tables import LEVELS, Level, Matrix, MatrixRow, Threshold

Status = Literal["found", "undecided", "not_in_table", "no_score"]


class Reading(NamedTuple):
    """One score with what is known of its uncertainty.

    Attributes:
        score: 0 to 1; None where it is undefined.
        low: Lower limit; None where the score stands alone.
        high: Upper limit; likewise.
        n: Units, or answers, that it rests on; None where they are not known.
        reason: Why there is no score, or no interval.
    """

    score: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    reason: str | None = None


class Outcome(NamedTuple):
    """What a table says.

    Attributes:
        status: `found`: one row; `undecided`: an interval spans a threshold, and the combinations
            left differ; `not_in_table`: the table lacks the combination; `no_score`.
        levels: Levels that each metric may have, in the table's order; () without a score.
        row: The row that was found.
        possible: Rows that are left, where undecided.
        lacking: Whether a combination that is left is not in the table.
        nearest: Rows with the fewest steps between levels, where the table lacks the combination.
        missing: Metrics without a score.
    """

    status: Status
    levels: Mapping[str, tuple[Level, ...]]
    row: MatrixRow | None = None
    possible: tuple[MatrixRow, ...] = ()
    lacking: bool = False
    nearest: tuple[MatrixRow, ...] = ()
    missing: tuple[str, ...] = ()


def levels_of(reading: Reading, threshold: Threshold) -> tuple[Level, ...]:
    """Every level that a score may have; () without a score.

    >>> line = Threshold(low_below=0.8, high_from=0.8, source=("", ""))
    >>> levels_of(Reading(0.9, 0.7, 0.95, 9), line)
    ('low', 'high')
    """
    if reading.score is None:
        return ()
    if reading.low is None or reading.high is None:
        return (threshold.level(reading.score),)
    return threshold.levels(reading.low, reading.high)


def read_matrix(
    matrix: Matrix, readings: Mapping[str, Reading], thresholds: Mapping[str, Threshold]
) -> Outcome:
    """The row that scores fall into.

    Args:
        matrix: The table.
        readings: By metric; one that is not there has no score.
        thresholds: By metric.
    """
    none = Reading(None)
    levels = {
        name: levels_of(readings.get(name, none), thresholds[name]) for name in matrix.metrics
    }
    missing = tuple(name for name, found in levels.items() if not found)
    if missing:
        return Outcome("no_score", levels, missing=missing)
    rows = {row.levels: row for row in matrix.rows}
    left = list(product(*levels.values()))
    lacking = any(cell not in rows for cell in left)
    possible = tuple(row for row in matrix.rows if row.levels in left)
    if len(possible) == 1 and not lacking:
        return Outcome("found", levels, possible[0])
    if len(left) == 1:
        return Outcome("not_in_table", levels, lacking=True, nearest=_nearest(matrix, left[0]))
    return Outcome("undecided", levels, possible=possible, lacking=lacking)


def _nearest(matrix: Matrix, cell: Sequence[Level]) -> tuple[MatrixRow, ...]:
    steps = {
        row.name: sum(
            abs(LEVELS.index(a) - LEVELS.index(b)) for a, b in zip(row.levels, cell, strict=True)
        )
        for row in matrix.rows
    }
    least = min(steps.values())
    return tuple(row for row in matrix.rows if steps[row.name] == least)
