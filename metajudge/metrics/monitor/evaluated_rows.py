"""Rows that `metajudge evaluate` wrote, as scored rows again, for the table of the monitor."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from metajudge.errors import InputError, Problem, short_repr
from metajudge.gold.validation import suggest
from metajudge.metrics.catalogue import METRICS
from metajudge.metrics.diagnosis.units import verdicts_of
from metajudge.metrics.evaluate import row_fields
from metajudge.metrics.inputs import read_rows_for_metrics
from metajudge.metrics.row import MetricRow
from metajudge.metrics.scored import MetricScore, ScoredRow, UnitVerdict
from metajudge.release.answers_file import AnswersSource

_SHARE = "0 to 1"


def scored_rows(source: AnswersSource, metrics: Sequence[str] = ()) -> tuple[ScoredRow, ...]:
    """Scored rows of a file that `metajudge evaluate` wrote.

    Args:
        source: As `read_rows_for_metrics` takes it.
        metrics: Which scores; none takes every metric of the rows whose scores are shares.

    Raises:
        InputError: Rows or scores are faulty, or have no score of a metric; with every fault.
    """
    read = read_rows_for_metrics(source).rows
    held = [name for name in METRICS if any(name in row.fields for row in read)]
    wanted = list(metrics) or [name for name in held if METRICS[name].range == _SHARE]
    mend = "Write the rows with `metajudge evaluate`."
    problems = [
        Problem(read[0].where, f"no row has a score of {name}", suggest(name, held), field=name)
        for name in wanted
        if name not in held
    ]
    if not wanted:
        problems.append(Problem(read[0].where, "the rows have no score of any metric", mend))
    scored = tuple(
        ScoredRow(
            row.answer_id,
            {name: _score(row, name, problems) for name in wanted if name in row.fields},
            row_fields(row),
        )
        for row in read
    )
    if problems:
        raise InputError(problems)
    return scored


def _score(row: MetricRow, name: str, problems: list[Problem]) -> MetricScore:
    value, reason = row.fields.get(name), row.fields.get(f"{name}_reason")
    score = None
    if value not in (None, ""):
        try:
            score = float(str(value))
        except ValueError:
            score = math.nan
        if not 0 <= score <= 1:
            law, mend = "a score is a number from 0 to 1, or empty", "Correct it."
            got = short_repr(value)
            problems.append(Problem(row.where, law, mend, row.line, name, got))
            score = None
    units = tuple(_unit(told) for told in verdicts_of(row.fields.get(f"{name}_verdicts")))
    return MetricScore(name, score, None if reason is None else str(reason), units=units)


def _unit(told: Mapping[str, Any]) -> UnitVerdict:
    passage = told.get("passage")
    return UnitVerdict(
        unit=str(told.get("unit") or ""),
        label=_text(told.get("label")),
        failure=_text(told.get("failure")),
        detail=_text(told.get("detail")),
        passage=passage if isinstance(passage, int) else None,
        side=str(told.get("side") or ""),
    )


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
