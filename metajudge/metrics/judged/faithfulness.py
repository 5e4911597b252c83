"""Faithfulness: claims of the answer against the retrieved passages, by a policy."""

from __future__ import annotations

from metajudge.metrics.judged.shares import Wording, share, share_sentence
from metajudge.metrics.judged.unit import Found, JudgedMetric, Listed, Said, Unit
from metajudge.metrics.judged.words import Because, sentence
from metajudge.metrics.row import MetricRow

_WORDING = Wording(
    (
        "{yes} of {n} claims are supported by the context",
        "{n}条陈述中有{yes}条得到上下文支持",
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
    free = said.policy.credit[2] == 1.0 and not said.policy.from_probabilities
    unsaid = sum(verdict.label == "idk" for verdict in said.verdicts)
    if free and unsaid and found.score is not None:
        told += sentence(
            " {n} of them the context does not mention at all, which costs nothing under {policy}: "
            "the score says that nothing is contradicted, not that it is supported.",
            "其中{n}条上下文根本没有提到，而{policy}不为此扣分：这个分数只表示没有矛盾，不表示有依据。",
            chinese,
            n=unsaid,
            policy=said.policy.name,
        )
    return Found(found.score, told)


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
