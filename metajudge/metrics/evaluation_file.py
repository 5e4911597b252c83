"""Evaluated rows as flat files: JSON, CSV for a spreadsheet, Parquet, or a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metajudge.metrics.scored import MetricScore, ScoredRow
from metajudge.release.judged_file import write_rows

if TYPE_CHECKING:
    from metajudge.metrics.evaluation import Evaluation

SAID = ("label", "probability")
"""What gold says of a score, as columns of their own, where it was calibrated."""
PARTS = ("policy", "reason", "calls", "tokens", "usd", "details", "failures", "verdicts")
"""What stands beside a score, as `<metric>_<part>`."""


def flat_rows(rows: Sequence[ScoredRow]) -> tuple[dict[str, Any], ...]:
    """One mapping a row, all with the same fields.

    `answer_id`, the scores, what they rest on, and what the row held, as `input_<name>` where a
    name is taken.
    """
    own = list(dict.fromkeys(name for row in rows for name in row.fields))
    taken = {"answer_id"} | {
        name for metric in (rows[0].scores if rows else ()) for name in _names(metric)
    }
    shown = {name: name if name not in taken else f"input_{name}" for name in own}
    return tuple(_flat(row, shown) for row in rows)


def write_evaluation(evaluation: Evaluation, path: str | Path) -> Path:
    """Writes one row an answer, in input order; the file is whole or not there.

    Raises:
        InputError: The place cannot be written to, or its ending says no form.
    """
    records = evaluation.records
    return write_rows(records, path, _nested(records))


def _names(metric: str) -> tuple[str, ...]:
    return (metric, *(f"{metric}_{part}" for part in (*SAID, *PARTS)))


def _flat(row: ScoredRow, shown: Mapping[str, str]) -> dict[str, Any]:
    flat: dict[str, Any] = {"answer_id": row.answer_id}
    flat |= {name: score.score for name, score in row.scores.items()}
    for name, score in row.scores.items():
        flat |= {f"{name}_{part}": value for part, value in _parts(score).items()}
    return flat | {free: row.fields.get(name) for name, free in shown.items()}


def _parts(score: MetricScore) -> dict[str, Any]:
    verdicts = [asdict(unit) for unit in score.units]
    details = dict(score.details)
    said = {name: details.pop(name) for name in SAID} if set(SAID) <= details.keys() else {}
    return {
        **said,
        "policy": score.policy,
        "reason": score.reason,
        "calls": score.calls,
        "tokens": score.tokens,
        "usd": score.usd,
        "details": details,
        "failures": [verdict for verdict in verdicts if verdict["failure"] is not None],
        "verdicts": verdicts,
    }


def _nested(records: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Fields that hold lists of mappings of one shape, or of texts, in every row."""
    if not records:
        return ()
    return tuple(
        name
        for name in records[0]
        if name.endswith("_verdicts") or _holds_texts([record[name] for record in records])
    )


def _holds_texts(values: Sequence[Any]) -> bool:
    """Whether every value there is is a list of texts, and one of them holds a text."""
    lists = [value for value in values if value is not None]
    return any(lists) and all(
        isinstance(entries, list) and all(isinstance(entry, str) for entry in entries)
        for entries in lists
    )
