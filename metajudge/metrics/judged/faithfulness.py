"""Faithfulness: claims of the answer against the retrieved passages, by a policy."""

from __future__ import annotations

from metajudge.metrics.judged.shares import Wording, share, share_sentence, unsaid_note
from metajudge.metrics.judged.unit import Found, JudgedMetric, Listed, Said, Unit
from metajudge.metrics.judged.words import Because
from metajudge.metrics.row import MetricRow

_WORDING = Wording(
    (
        "{yes} of {n} claims are supported by the context",
        "{n}条陈述中有{yes}条得到材料支持",
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


def _score(said: Said) -> Found:
    found = share(said.verdicts, said.policy)
    chinese = said.row.chinese
    told = share_sentence(found, said.verdicts, _WORDING, chinese)
    return Found(found.score, told + unsaid_note(found, said, chinese))


FAITHFULNESS = JudgedMetric(
    name="faithfulness",
    parts=("faithfulness",),
    units=_units,
    score=_score,
    missing=missing_context_or_answer,
    nothing="states_nothing",
    lists=("claims",),
    takes_policy=True,
)
