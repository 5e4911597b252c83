"""Context relevance and precision: which passages help, and whether they come first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from metajudge.metrics.judged.shares import Wording, share, share_sentence
from metajudge.metrics.judged.unit import Found, JudgedMetric, Listed, Said, Unit
from metajudge.metrics.judged.words import Because, because, sentence
from metajudge.metrics.row import MetricRow

_WORDING = Wording(
    (
        "{yes} of {n} passages help to answer the question",
        "{n} 个段落中有 {yes} 个有助于回答问题",
    ),
    ("of no help", "没有帮助的："),
)


def average_precision(relevant: Sequence[bool]) -> float:
    """Mean of precision@k over the ranks k that hold a relevant passage; 0 where none does.

    sum over k of (precision@k x relevant_k) / number of relevant passages, as Ragas defines context
    precision (Es et al. 2024); in retrieval it is average precision over what was retrieved.

    >>> average_precision([True, False, True]), average_precision([False, True, True])
    (0.8333333333333333, 0.5833333333333333)
    >>> average_precision([False, False])
    0.0
    """
    found, total = 0, 0.0
    for rank, hit in enumerate(relevant, 1):
        if hit:
            found += 1
            total += found / rank
    return total / found if found else 0.0


def _missing(row: MetricRow) -> Because | None:
    if row.question is None:
        return "no_question"
    return "no_context" if row.passages is None else None


def _units(row: MetricRow, listed: Listed) -> tuple[Unit, ...]:
    return tuple(
        Unit("context_relevance", row.question or "", (passage,), row.question, passage=place)
        for place, passage in enumerate(row.passages or ())
    )


def _relevance(said: Said) -> Found:
    found = share(said.verdicts, said.policy)
    pairs = zip(said.units, said.verdicts, strict=True)
    # The reason names passages: the unit itself is the question, the same for all of them.
    shown = tuple(replace(verdict, unit=unit.evidence[0]) for unit, verdict in pairs)
    unhelpful = found._replace(costly=tuple(v for v in shown if v.label != "yes"))
    return Found(found.score, share_sentence(unhelpful, shown, _WORDING, said.row.chinese))


def _precision(said: Said) -> Found:
    chinese = said.row.chinese
    if all(verdict.label is None for verdict in said.verdicts):
        return Found(None, because("no_verdict", chinese))
    relevant = [verdict.label == "yes" for verdict in said.verdicts]
    score = average_precision(relevant)
    ranks = [str(rank) for rank, hit in enumerate(relevant, 1) if hit]
    lost = _without_verdict(said)
    if not ranks:
        none = (
            "none of {n} passages helps to answer the question.",
            "{n} 个段落都无助于回答问题。",
        )
        return Found(score, sentence(*none, chinese, n=len(relevant)) + lost)
    told = sentence(
        "passages that help stand at rank {ranks} of {n}.",
        "有帮助的段落排在第 {ranks} 位（共 {n} 个）。",
        chinese,
        ranks=("、" if chinese else ", ").join(ranks),
        n=len(relevant),
    )
    return Found(score, told + lost)


def _without_verdict(said: Said) -> str:
    lost = sum(verdict.label is None for verdict in said.verdicts)
    words = (" Passages without a verdict, worth nothing: {n}.", "没有裁决、不得分的段落：{n} 个。")
    return sentence(*words, said.row.chinese, n=lost) if lost else ""


CONTEXT_RELEVANCE = JudgedMetric(
    name="context_relevance",
    parts=("context_relevance",),
    units=_units,
    score=_relevance,
    missing=_missing,
    nothing="no_passage",
)
CONTEXT_PRECISION = JudgedMetric(
    name="context_precision",
    parts=("context_relevance",),
    units=_units,
    score=_precision,
    missing=_missing,
    nothing="no_passage",
)
