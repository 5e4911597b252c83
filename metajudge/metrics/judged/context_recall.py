"""Context recall and context entity recall: how much of the reference was retrieved."""

from __future__ import annotations

from metajudge.metrics.judged.shares import Wording, share_of_units
from metajudge.metrics.judged.unit import JudgedMetric, Listed, Unit
from metajudge.metrics.judged.words import Because
from metajudge.metrics.row import ListName, MetricRow

_STATEMENTS = Wording(
    (
        "{yes} of {n} statements of the reference are in the context",
        "参考答案的 {n} 条陈述中有 {yes} 条在材料中",
    ),
    ("not retrieved", "没有检索到："),
)
_ENTITIES = Wording(
    (
        "{yes} of {n} entities of the reference are named in the context",
        "参考答案的 {n} 个实体中有 {yes} 个在材料中提到",
    ),
    ("not named", "没有提到："),
)


def _missing(row: MetricRow, given: ListName) -> Because | None:
    if row.passages is None:
        return "no_context"
    return "no_reference" if row.reference is None and given not in row.lists else None


def _statements(row: MetricRow, listed: Listed) -> tuple[Unit, ...]:
    return tuple(
        Unit("context_recall", text, row.passages or (), row.question)
        for text in listed["statements"]
    )


def _entities(row: MetricRow, listed: Listed) -> tuple[Unit, ...]:
    return tuple(
        Unit("context_entity_recall", name, row.passages or (), row.question)
        for name in listed["entities"]
    )


CONTEXT_RECALL = JudgedMetric(
    name="context_recall",
    parts=("context_recall",),
    units=_statements,
    score=lambda said: share_of_units(said, _STATEMENTS),
    missing=lambda row: _missing(row, "statements"),
    nothing="reference_states_nothing",
    lists=("statements",),
    takes_policy=True,
)
CONTEXT_ENTITY_RECALL = JudgedMetric(
    name="context_entity_recall",
    parts=("context_entity_recall",),
    units=_entities,
    score=lambda said: share_of_units(said, _ENTITIES),
    missing=lambda row: _missing(row, "entities"),
    nothing="reference_names_nothing",
    lists=("entities",),
)
