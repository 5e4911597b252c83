"""Rows of the table from what releases and metrics say of answers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from metajudge.errors import InputError, Problem, short_repr
from metajudge.metrics.judged import JUDGED
from metajudge.metrics.judged.words import because
from metajudge.metrics.monitor.bad_scores import is_bad
from metajudge.metrics.monitor.labelled_units import row_of, units_of
from metajudge.metrics.monitor.row import ALL, FAITHFULNESS, MonitorRow
from metajudge.metrics.monitor.table import ScoreTable, too_long
from metajudge.metrics.monitor.traffic import time_of
from metajudge.metrics.scored import MetricScore, ScoredRow
from metajudge.release.answers import Answer
from metajudge.release.judged import NOT_YET, Judged

MOST_WEIGHT = 1e12
_NOT_YET = tuple(because("not_yet", chinese) for chinese in (False, True))
_LIST_FAILED = tuple(because("list_failed", chinese) for chinese in (False, True))
TEXT_FIELDS = ("question", "answer", "context", "context_id", "lang", "claims")


def judged_to_rows(
    judged: Judged, *, texts: bool = False, time: str = "time", metric: str = FAITHFULNESS
) -> tuple[MonitorRow, ...]:
    """Rows of answers that a release was applied to; what was not judged yet is left out.

    Args:
        judged: With the fields that sampling added, or with a time at least; without a weight an
            answer stands for itself alone.
        texts: Keep question, answer, context and claims, for labelling.
        time: Field with the time where there is no `sample_time`.
        metric: What the release measures.

    Raises:
        InputError: Times or weights are faulty; with every fault.
    """
    problems: list[Problem] = []
    rows = []
    for entry in judged.rows:
        if entry["reason"] == NOT_YET:
            continue
        kept = {name: entry[name] for name in TEXT_FIELDS} if texts else None
        row = MonitorRow(
            answer_id=entry["answer_id"],
            release=entry["release"],
            metric=metric,
            score=entry["score"],
            reason=entry["reason"],
            passed=entry["passed"],
            yes=_a_draw(entry, "yes"),
            no=_a_draw(entry, "no"),
            idk=_a_draw(entry, "idk"),
            failures=_failures(entry),
            release_sha256=entry["release_sha256"],
            judge=entry["judge"],
            judge_is_pinned=entry["judge_is_pinned"],
            texts=kept,
            **_sampled(entry["answer_id"], entry, time, problems),
        )
        rows.append(row)
    if problems:
        raise InputError(problems)
    return tuple(rows)


def check_sampled(answers: Sequence[Answer], time: str = "time") -> None:
    """Refuses answers whose times or weights are faulty, before anything is asked.

    Raises:
        InputError: With every fault.
    """
    problems: list[Problem] = []
    for answer in answers:
        _sampled(answer.answer_id, answer.fields, time, problems)
    if problems:
        raise InputError(problems)


def record(
    database: str,
    rows: Iterable[ScoredRow],
    *,
    release: str,
    threshold: float = 0.5,
    time: str = "time",
    texts: bool = False,
) -> int:
    """Write the scores of any metrics into the table; how many rows are new.

    Args:
        database: Path of a SQLite file, or a URL.
        rows: From `metajudge.evaluate` or made by hand; `fields` hold what sampling added, or the
            time at least. Scores over 1, such as counts of turns, are refused; what an early end
            left open is passed over.
        release: What names how the scores were made; a release, or judge and template.
        threshold: Least score that passes; the greatest one where less of the metric is better.
        time: Field with the time where there is no `sample_time`.
        texts: Keep what was judged with its evidence, for labelling.

    Raises:
        InputError: Times, weights or scores are faulty; with every fault.
        StoreError: The database cannot be written.
    """
    problems: list[Problem] = []
    made = [
        replace(
            _scored(
                row, score, release, threshold, _sampled(row.answer_id, row.fields, time, problems)
            ),
            texts=_units(row, score) if texts else None,
        )
        for row in rows
        for score in row.scores.values()
        if score.reason not in _NOT_YET
    ]
    problems += _out_of_range(made)
    if problems:
        raise InputError(dict.fromkeys(problems))
    with ScoreTable(database) as table:
        return table.write(made)


def _scored(
    row: ScoredRow, score: MetricScore, release: str, threshold: float, sampled: dict[str, Any]
) -> MonitorRow:
    labels = [unit.label for unit in score.units]
    yes, no, idk = (labels.count(name) if labels else None for name in ("yes", "no", "idk"))
    return MonitorRow(
        answer_id=row.answer_id,
        release=release,
        metric=score.metric,
        score=score.score,
        reason=score.reason if score.score is None else None,
        passed=None if score.score is None else not is_bad(score.score, score.metric, threshold),
        failures=len(score.failures) or int(_list_failed(score)),
        yes=yes,
        no=no,
        idk=idk,
        **sampled,
    )


def _list_failed(score: MetricScore) -> bool:
    """Whether what was to be judged could not be had, so that another run may have a score."""
    told = score.reason or ""
    return score.score is None and any(told.startswith(head) for head in _LIST_FAILED)


def _units(row: ScoredRow, score: MetricScore) -> dict[str, Any] | None:
    if score.metric not in JUDGED:
        return None
    told = row_of(row.answer_id, row.fields, {score.metric: [asdict(one) for one in score.units]})
    return {"units": units_of(told, score.metric)}


def _out_of_range(rows: Sequence[MonitorRow]) -> Iterator[Problem]:
    for row in rows:
        if row.score is not None and not 0 <= row.score <= 1:
            law = f"a monitored score of {row.metric} lies from 0 to 1"
            mend = "Leave counts out, or scale them."
            yield Problem("scores", law, mend, field=row.answer_id, got=repr(row.score))


def _sampled(
    answer_id: str, fields: Mapping[str, Any], time: str, problems: list[Problem]
) -> dict[str, Any]:
    problems += too_long("answer_id", answer_id)
    name = "sample_time" if "sample_time" in fields else time
    found: dict[str, Any] = {"time": "", "weight": 1.0}
    try:
        found["time"] = time_of(fields, name)
    except (ValueError, OverflowError):
        law = f"answer {answer_id!r} needs the time when it was given, in ISO 8601"
        mend = "Sample it with `metajudge monitor sample`, or name the field with --time."
        problems.append(Problem("answers", law, mend, None, name, short_repr(fields.get(name))))
    weight = _of_cell(fields.get("sample_weight", 1.0))
    if not _is_weight(weight):
        law, mend = "a weight is a number of 1 or more", "Sample the traffic again."
        problems.append(Problem("answers", law, mend, None, "sample_weight", short_repr(weight)))
    else:
        found["weight"] = float(weight)
    slices = _of_cell(fields.get("sample_slices")) or {}
    if not isinstance(slices, Mapping):
        law, mend = "slices are fields with their values", "Sample the traffic again."
        got = short_repr(slices)
        problems.append(Problem("answers", law, mend, None, "sample_slices", got))
        slices = {}
    ref = fields.get("ref") or fields.get("source")
    return {
        **found,
        "stratum": str(fields.get("sample_stratum") or ALL),
        "unit": str(fields.get("sample_unit") or ""),
        "slices": {str(name): str(value) for name, value in slices.items()},
        "ref": None if ref is None else str(ref),
    }


def _of_cell(value: Any) -> Any:
    """A number or mapping that a spreadsheet or a table holds as its JSON text."""
    try:
        return json.loads(value) if isinstance(value, str) and value else value
    except ValueError:
        return value


def _is_weight(value: Any) -> bool:
    return (
        isinstance(value, int | float) and not isinstance(value, bool) and 1 <= value <= MOST_WEIGHT
    )


def _a_draw(entry: Mapping[str, Any], name: str) -> int | None:
    """Claims with a verdict; over several draws, of the first."""
    if entry["n_claims"] is None:
        return None
    return sum(bool(verdict["verdict"] == name) for verdict in entry["verdicts"])


def _failures(entry: Mapping[str, Any]) -> int:
    """Claims without a verdict, or 1 where the claims themselves could not be had."""
    if entry["n_claims"] is None:
        return 1
    return sum(verdict["failure"] is not None for verdict in entry["verdicts"])
