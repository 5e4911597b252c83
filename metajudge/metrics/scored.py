"""What a metric makes of one answer: a score with the verdicts that it follows from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class UnitVerdict:
    """What was said of one unit: a claim, a sentence, a passage, an aspect, a step.

    Attributes:
        unit: Its text.
        label: `yes`, `no` or `idk`; None where the call failed.
        failure: Class of the failure; None where there is a label.
        detail: The judge's reason, or what is known about the failure.
        passage: 0-based passage that the unit is, or that it was traced to; None elsewhere.
        side: Which of a metric's questions it belongs to, such as `aspect` or `sentence`; "" where
            there is one question.
    """

    unit: str
    label: str | None
    failure: str | None = None
    detail: str | None = None
    passage: int | None = None
    side: str = ""


@dataclass(frozen=True, slots=True)
class MetricScore:
    """One metric's score of one answer.

    Attributes:
        metric: Name of the metric.
        score: 0 to 1 (counts of turns: 0 and more); None where it is undefined.
        reason: Why it is undefined; else one sentence made from the same verdicts, in the answer's
            language.
        policy: How verdicts became the score; None where there is no choice.
        units: Verdicts in the order of the units; a unit whose call failed is one of them.
        calls: Calls that the score rests on, those served from the store among them.
        tokens: Tokens of prompts and replies of those calls, as far as servers told.
        usd: Sum of the known prices of those calls; None where none is known.
        details: What the metric finds beside its score, as JSON has it: `grounded`, `missing`, …
    """

    metric: str
    score: float | None
    reason: str | None
    policy: str | None = None
    units: tuple[UnitVerdict, ...] = ()
    calls: int = 0
    tokens: int = 0
    usd: float | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def failures(self) -> tuple[UnitVerdict, ...]:
        """Units without a label."""
        return tuple(unit for unit in self.units if unit.failure is not None)


@dataclass(frozen=True, slots=True)
class ScoredRow:
    """One answer with the scores of all metrics asked for.

    Attributes:
        answer_id: Unique among the answers.
        scores: By name of the metric, in the order asked for.
        fields: Whatever else its row held, question and texts included.
    """

    answer_id: str
    scores: Mapping[str, MetricScore]
    fields: Mapping[str, Any]
