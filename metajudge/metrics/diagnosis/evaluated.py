"""Evaluated rows as readings: each score with the interval that its units, or the answers, give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from metajudge.agreement.bootstrap import cluster_weights
from metajudge.agreement.intervals import wilson_interval
from metajudge.counted import counted
from metajudge.errors import InputError, Problem, short_repr
from metajudge.metrics.diagnosis.causes import Facts
from metajudge.metrics.diagnosis.matrix import Reading
from metajudge.metrics.diagnosis.units import n_units, with_both_policies
from metajudge.metrics.inputs import read_rows_for_metrics
from metajudge.metrics.row import MetricRow
from metajudge.release.answers_file import AnswersSource
from metajudge.release.consult.units import Units, codes_by_name
from metajudge.release.resampling import RESAMPLES, SEED
from metajudge.report.figure import rounded

ALIASES = {
    "correctness": "answer_correctness",
    "answer_relevancy": "answer_relevance",
    "relevance": "answer_relevance",
}
"""Names of other frameworks for columns of scores."""
FEWEST = 10
"""Contexts under which no interval of a mean is given: too few for a bootstrap."""
MOST_DRAWS = 20_000_000
"""Contexts times resamples: of very many contexts fewer resamples do, and memory stays bounded."""
_TRUE, _FALSE = ("true", "yes", "1", "是"), ("false", "no", "0", "否")


@dataclass(frozen=True)
class EvaluatedRow:
    """One answer with its scores.

    Attributes:
        row: The answer.
        readings: By metric; its interval is Wilson's of the units behind it.
        facts: What its columns say.
    """

    row: MetricRow
    readings: Mapping[str, Reading]
    facts: Facts


class Sample(NamedTuple):
    """All answers, and the means over them.

    Attributes:
        rows: In file order.
        means: By metric; intervals are of the cluster bootstrap by context.
        facts: What holds for the whole: median passages; what every row says alike.
        without_units: Scores that came without verdicts, so that they stand alone.
    """

    rows: tuple[EvaluatedRow, ...]
    means: Mapping[str, Reading]
    facts: Facts
    without_units: int


def read_sample(
    source: AnswersSource, metrics: Sequence[str], *, level: float, answer_level: float
) -> Sample:
    """Rows that `metajudge evaluate` wrote, or any rows with scores under the metrics' names.

    Args:
        source: As `read_rows_for_metrics` takes it.
        metrics: Metrics that some table reads.
        level: Of the intervals of means.
        answer_level: Of the intervals of single answers.

    Raises:
        InputError: The rows are faulty, a score is no number from 0 to 1, or there is none at all.
    """
    read = read_rows_for_metrics(source)
    problems: list[Problem] = []
    rows = tuple(_evaluated(row, metrics, answer_level, problems) for row in read.rows)
    known = [name for name in metrics if any(name in row.readings for row in rows)]
    if not known and not problems:
        law = f"rows to diagnose have scores: {', '.join(metrics)}"
        mend = "Write them with: metajudge evaluate ANSWERS --metrics faithfulness,context_relevance,answer_relevance --judge SPEC --out evaluated.jsonl"  # noqa: E501
        problems.append(Problem(read.rows[0].where, law, mend))
    if problems:
        raise InputError(problems)
    units = resampled(rows, level)
    means = {name: mean_of(rows, name, units) for name in known}
    alone = sum(
        reading.score is not None and reading.low is None
        for row in rows
        for reading in row.readings.values()
    )
    return Sample(rows, means, _of_all(rows), alone)


def _evaluated(
    row: MetricRow, metrics: Sequence[str], level: float, problems: list[Problem]
) -> EvaluatedRow:
    fields = with_both_policies({ALIASES.get(name, name): v for name, v in row.fields.items()})
    readings = {
        name: reading
        for name in metrics
        if name in fields
        for reading in [_reading(name, fields, level, row, problems)]
    }
    return EvaluatedRow(row, readings, _facts(row, fields, problems))


def _reading(
    name: str, fields: Mapping[str, Any], level: float, row: MetricRow, problems: list[Problem]
) -> Reading:
    score = _number(fields[name], name, row, problems)
    reason = fields.get(f"{name}_reason")
    if score is None:
        return Reading(None, reason=None if reason is None else str(reason))
    if not 0 <= score <= 1:
        problems.append(_fault(row, name, "a score is from 0 to 1", score))
        return Reading(None)
    n = n_units(name, fields.get(f"{name}_verdicts"), row)
    if not n:
        return Reading(score, reason="no units: the score stands alone")
    limits = wilson_interval(score * n, n, level)
    return Reading(score, float(limits.low), float(limits.high), int(n))


def _facts(row: MetricRow, fields: Mapping[str, Any], problems: list[Problem]) -> Facts:
    passages = _number(fields.get("n_passages"), "n_passages", row, problems)
    if passages is None and row.passages is not None:
        passages = float(len(row.passages))
    temperature = _number(fields.get("temperature"), "temperature", row, problems)
    rule = fields.get("hard_rule")
    told = str(rule).strip().casefold()
    if rule in (None, ""):
        return Facts(passages=passages, temperature=temperature)
    if told not in (*_TRUE, *_FALSE):
        problems.append(_fault(row, "hard_rule", "hard_rule is true or false", rule))
    return Facts(passages=passages, temperature=temperature, hard_rule=told in _TRUE)


def _number(value: Any, name: str, row: MetricRow, problems: list[Problem]) -> float | None:
    if value is None or value == "":
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if isinstance(value, bool) or not np.isfinite(number):
        problems.append(_fault(row, name, f"{name} is a number", value))
        return None
    return number


def _fault(row: MetricRow, name: str, law: str, value: Any) -> Problem:
    return Problem(row.where, law, "Correct it.", row.line, name, short_repr(value))


def values_of(rows: Sequence[EvaluatedRow], name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Scores of a metric, shape (n,); nan where there is none."""
    none = Reading(None)
    scores = [row.readings.get(name, none).score for row in rows]
    return np.asarray([np.nan if s is None else s for s in scores], np.float64)


def resampled(rows: Sequence[EvaluatedRow], level: float) -> Units:
    """Rows as units of the cluster bootstrap by context."""
    groups = codes_by_name([row.row.context_id for row in rows])
    rng = np.random.default_rng(SEED)
    resamples = min(RESAMPLES, max(200, MOST_DRAWS // groups.n_clusters))
    return Units(groups.codes, cluster_weights(groups.n_clusters, resamples, rng), level)


def mean_of(rows: Sequence[EvaluatedRow], name: str, units: Units) -> Reading:
    """The mean of a metric; without an interval on under `FEWEST` contexts.

    A mean without an interval has the widest one: nothing is decided by it.
    """
    values = values_of(rows, name)
    known = np.isfinite(values)
    if not known.any():
        return Reading(None, n=0, reason="no answer has a score")
    found = units.mean(np.nan_to_num(values), known, "scored")
    n = int(known.sum())
    groups = len({row.row.context_id for row, k in zip(rows, known, strict=True) if k})
    if groups < FEWEST or found.low is None or found.high is None:
        reason = f"{counted(groups, 'contexts')}: an interval of the mean needs {FEWEST}"
        return Reading(rounded(found.value or 0.0), 0.0, 1.0, n, reason)
    limits = (max(rounded(found.low), 0.0), min(rounded(found.high), 1.0))
    return Reading(rounded(found.value or 0.0), *limits, n)


def _of_all(rows: Sequence[EvaluatedRow]) -> Facts:
    counts = [row.facts.passages for row in rows if row.facts.passages is not None]
    rules = {row.facts.hard_rule for row in rows}
    degrees = {row.facts.temperature for row in rows}
    return Facts(
        passages=float(np.median(counts)) if counts else None,
        hard_rule=next(iter(rules)) if len(rules) == 1 else None,
        temperature=next(iter(degrees)) if len(degrees) == 1 else None,
    )
