"""Units of answers as people label them: what a judged metric asked of a row, with its evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from metajudge.metrics.diagnosis.units import verdicts_of
from metajudge.metrics.inputs import read_rows_for_metrics
from metajudge.metrics.judged import JUDGED
from metajudge.metrics.judged.answer_correctness import ANSWER, REFERENCE
from metajudge.metrics.judged.answer_relevance import ASPECT
from metajudge.metrics.judged.goal_achievement import STEP
from metajudge.metrics.judged.unit import JudgedMetric, Listed
from metajudge.metrics.row import ListName, MetricRow
from metajudge.release.answers_file import AnswersSource

_SIDES: dict[tuple[str, ListName], str] = {
    ("answer_relevance", "aspects"): ASPECT,
    ("answer_correctness", "claims"): ANSWER,
    ("answer_correctness", "statements"): REFERENCE,
    ("goal_achievement", "steps"): STEP,
}
"""Side of the verdicts that a list was judged as; every verdict where a metric has no sides."""


def units_of(row: MetricRow, metric: str) -> list[dict[str, Any]]:
    """What was judged of a row; none where the row does not hold it.

    Lists that the judge made are taken from the verdicts beside the score.

    Args:
        row: A row that `metajudge evaluate` wrote, or one that gives the lists itself.
        metric: One of `JUDGED`.

    Returns:
        Of each unit `claim`, `evidence`, `question` and `lang`, as a gold set has them.
    """
    judged = JUDGED[metric]
    listed = _listed(row, judged)
    if listed is None or judged.missing(replace(row, lists={**row.lists, **listed})) is not None:
        return []
    return [
        {
            "claim": unit.text,
            "evidence": list(unit.evidence),
            "question": None if unit.question == unit.text else unit.question,
            "lang": row.lang,
        }
        for unit in judged.units(row, listed)
        if unit.part == judged.parts[0] and unit.text.strip()
    ]


def _listed(row: MetricRow, judged: JudgedMetric) -> Listed | None:
    """The lists that a metric needs; None where one of them is not known."""
    verdicts = verdicts_of(row.fields.get(f"{judged.name}_verdicts"))
    found: dict[ListName, tuple[str, ...]] = {}
    for name in judged.lists:
        side = _SIDES.get((judged.name, name), "")
        told = tuple(str(v.get("unit")) for v in verdicts if str(v.get("side") or "") == side)
        texts = row.lists.get(name) or told
        if not texts and name not in row.lists and not verdicts:
            return None
        found[name] = texts
    return found


def texts_of(source: AnswersSource, metric: str) -> dict[str, dict[str, Any]]:
    """Units of answers by id, for answers that come with them.

    Args:
        source: What `metajudge evaluate` wrote, or answers with the lists that the metric needs.
        metric: One of `JUDGED`.

    Raises:
        InputError: The answers are faulty.
    """
    return {
        row.answer_id: {"units": units}
        for row in read_rows_for_metrics(source).rows
        if (units := units_of(row, metric))
    }


def row_of(answer_id: str, fields: Mapping[str, Any], verdicts: Mapping[str, Any]) -> MetricRow:
    """The row of a scored answer, with verdicts by metric.

    Raises:
        InputError: A field is not of its form.
    """
    told = {f"{metric}_verdicts": said for metric, said in verdicts.items()}
    return read_rows_for_metrics([{**fields, "answer_id": answer_id, **told}]).rows[0]
