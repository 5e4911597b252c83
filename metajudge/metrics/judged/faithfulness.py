"""Faithfulness: claims of the answer against the retrieved passages, by a policy."""

from __future__ import annotations

from metajudge.metrics.judged.shares import Wording, share_of_units
from metajudge.metrics.judged.unit import JudgedMetric, Listed, Unit
from metajudge.metrics.judged.words import Because
from metajudge.metrics.row import MetricRow

_WORDING = Wording(
    (
        "{yes} of {n} claims are supported by the context",
        "{n} 条陈述中有 {yes} 条得到材料支持",
    )
)


def missing_context_or_answer(row: MetricRow) -> Because | None:
    """What an answer needs to be held against its passages."""
    if row.passages is None:
        return "no_context"
    return "no_answer" if row.answer is None and "claims" not in row.lists else None


def _units(row: MetricRow, listed: Listed) -> tuple[Unit, ...]:
    return tuple(
        Unit("faithfulness", claim, row.passages or (), row.question) for claim in listed["claims"]
    )


FAITHFULNESS = JudgedMetric(
    name="faithfulness",
    parts=("faithfulness",),
    units=_units,
    score=lambda said: share_of_units(said, _WORDING),
    missing=missing_context_or_answer,
    nothing="states_nothing",
    lists=("claims",),
    takes_policy=True,
)
