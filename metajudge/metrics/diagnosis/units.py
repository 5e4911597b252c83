"""The units behind a score, and faithfulness under both policies that the tables speak of."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from metajudge.errors import ExperimentError
from metajudge.judges.sentences import sentences
from metajudge.metrics.judged.answer_relevance import ASPECT
from metajudge.metrics.row import MetricRow
from metajudge.scoring.policies import parse_policy

STRICT, LENIENT = "faithfulness", "lenient_faithfulness"
"""What is not in the context counts against the first, and costs nothing under the second."""


def verdicts_of(value: Any) -> tuple[Mapping[str, Any], ...]:
    """Verdicts of a cell, which a spreadsheet has as JSON; () where there are none."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return ()
    return tuple(v for v in value if isinstance(v, Mapping)) if isinstance(value, list) else ()


def n_units(metric: str, value: Any, row: MetricRow) -> float:
    """Units that a score is a share of; 0 where they are not known.

    Verdicts of answer relevance on sentences of the answer are of no aspects: they say so by their
    side, or stand at the end where files of older versions have no sides.
    Those of answer correctness are of both sides, and F1 is a share of half of them:
    TP / ((TP + FP + TP + FN) / 2).

    Args:
        metric: Whose verdicts.
        value: The cell.
        row: The answer.
    """
    verdicts = verdicts_of(value)
    if metric == "answer_correctness":
        return len(verdicts) / 2
    if metric == "answer_relevance" and any(verdict.get("side") for verdict in verdicts):
        return float(sum(bool(verdict.get("side") == ASPECT) for verdict in verdicts))
    if metric == "answer_relevance":
        said = tuple(sentences(row.answer or "", row.lang))
        tail = tuple(verdict.get("unit") for verdict in verdicts[len(verdicts) - len(said) :])
        return len(verdicts) - len(said) * (said == tail)
    return len(verdicts)


def with_both_policies(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields with strict and lenient faithfulness, as far as the row tells them.

    The tables on faithfulness take what is not in the context for unfaithful; the table beside
    groundedness asks whether anything is contradicted. With verdicts both are known. Without, a
    score is what its policy says, and one without a policy is taken as strict.
    """
    both, verdicts = dict(fields), verdicts_of(fields.get(f"{STRICT}_verdicts"))
    if fields.get(STRICT) in (None, ""):
        return both
    free = _costs_nothing(fields.get(f"{STRICT}_policy"))
    labels = [verdict.get("label") for verdict in verdicts]
    if labels:
        both.setdefault(LENIENT, _share(labels, ("yes", "idk")))
        both.setdefault(f"{LENIENT}_verdicts", list(verdicts))
        both[STRICT] = _share(labels, ("yes",)) if free else fields[STRICT]
    elif free:
        both.setdefault(LENIENT, fields[STRICT])
        both[STRICT] = None
    return both


def _share(labels: Sequence[Any], counted: Sequence[str]) -> float:
    return sum(label in counted for label in labels) / len(labels)


def _costs_nothing(policy: Any) -> bool:
    """Whether idk has full credit under a policy."""
    try:
        found = parse_policy(str(policy)) if policy else None
    except ExperimentError:
        return False
    return found is not None and found.credit[2] == 1.0 and not found.from_probabilities
