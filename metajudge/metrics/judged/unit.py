"""What a judged metric asks of a row, and what it makes of the verdicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from metajudge.gold.claim import MetricName
from metajudge.metrics.judged.words import Because
from metajudge.metrics.row import ListName, MetricRow
from metajudge.metrics.scored import UnitVerdict
from metajudge.scoring.policies import Policy

Listed = Mapping[ListName, tuple[str, ...]]
"""Lists of a row: given ones, and those that a judge made."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One question to the judge.

    Attributes:
        part: Whose templates ask it, by name of the metric that gold is labelled for.
        text: The unit: a claim, a sentence, a question, an aspect, a step.
        evidence: What it is judged against.
        question: The user's question, for templates that show it.
        passage: 0-based passage that the evidence is; None where it is all of them.
        side: Which of a metric's questions it belongs to, where it asks several.
        known: Its verdict where no judge has to be asked.
    """

    part: MetricName
    text: str
    evidence: tuple[str, ...]
    question: str | None = None
    passage: int | None = None
    side: str = ""
    known: UnitVerdict | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """The verdicts on a row's units.

    Attributes:
        row: The row.
        units: What was asked.
        verdicts: What was said, in the order of the units.
        policy: How labels earn credit.
    """

    row: MetricRow
    units: tuple[Unit, ...]
    verdicts: tuple[UnitVerdict, ...]
    policy: Policy

    def of_side(self, side: str) -> tuple[UnitVerdict, ...]:
        """Verdicts on the units of one side."""
        pairs = zip(self.units, self.verdicts, strict=True)
        return tuple(verdict for unit, verdict in pairs if unit.side == side)


class Found(NamedTuple):
    """A score with its sentence, or why there is none.

    Attributes:
        score: 0 to 1; None where undefined.
        reason: One sentence in the row's language.
        details: What is found beside the score, as JSON has it.
        verdicts: The verdicts with what the metric adds to them; None leaves them as they are.
    """

    score: float | None
    reason: str
    details: Mapping[str, Any] = {}
    verdicts: tuple[UnitVerdict, ...] | None = None


@dataclass(frozen=True)
class JudgedMetric:
    """A metric that a judge answers, unit by unit.

    Attributes:
        name: As it is asked for.
        parts: Whose templates it asks with; the first one is the one that its score rests on.
        units: What it asks of a row. Calls nothing.
        score: What follows from the verdicts.
        missing: Why a row cannot have a score, seen before anything is asked; None where it can.
        lists: Lists that it needs of a row.
        nothing: Why there is no score where there is no unit.
        takes_policy: Whether labels earn credit by a policy; else yes alone earns one.
    """

    name: str
    parts: tuple[MetricName, ...]
    units: Callable[[MetricRow, Listed], tuple[Unit, ...]]
    score: Callable[[Said], Found]
    missing: Callable[[MetricRow], Because | None]
    nothing: Because
    lists: tuple[ListName, ...] = field(default=())
    takes_policy: bool = False
