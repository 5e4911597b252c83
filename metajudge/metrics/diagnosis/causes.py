"""The tree of causes, walked with the facts that are known; what is not known is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from metajudge.metrics.diagnosis.matrix import Reading, levels_of
from metajudge.metrics.diagnosis.tables import (
    ExperimentName,
    Otherwise,
    Question,
    Threshold,
    Tree,
)

Reply = Literal["yes", "no", "undecided", "unknown", "not_asked"]
End = Literal["not_low", "undecided", "unknown", "cause"]


@dataclass(frozen=True, slots=True)
class Facts:
    """What the tree asks about; None is not known, and never taken for a no.

    Attributes:
        context_recall: The score, with its interval.
        passages: Passages an answer was given.
        hard_rule: Whether the answering prompt holds it to the material.
        temperature: Of the answering model.
    """

    context_recall: Reading | None = None
    passages: float | None = None
    hard_rule: bool | None = None
    temperature: float | None = None


class Asked(NamedTuple):
    """One question with its reply."""

    question: Question
    reply: Reply


class Walk(NamedTuple):
    """How far the tree went.

    Attributes:
        end: `not_low`: faithfulness is high, so nothing is asked; `undecided`: a score's interval
            spans its threshold; `unknown`: a fact is missing; `cause`.
        asked: Every question in order; those after the end are `not_asked`.
        cause: The question that was answered yes, or what is left; None without an end in a cause.
    """

    end: End
    asked: tuple[Asked, ...]
    cause: Question | Otherwise | None = None

    @property
    def open(self) -> Question | None:
        """The question at which the walk stopped without an answer."""
        stops = (one.question for one in self.asked if one.reply in ("undecided", "unknown"))
        return next(stops, None)

    @property
    def experiments(self) -> tuple[ExperimentName, ...]:
        """What is worth trying: for the cause, or for every question still open."""
        if isinstance(self.cause, Question):
            return self.cause.experiments
        if self.open is None:
            return ()
        left = (one.question for one in self.asked if one.reply not in ("no", "yes"))
        return tuple(dict.fromkeys(name for question in left for name in question.experiments))


def walk(tree: Tree, faithfulness: Reading, facts: Facts, thresholds: dict[str, Threshold]) -> Walk:
    """The first question that is answered yes, and where the facts end.

    Args:
        tree: The questions.
        faithfulness: Of the answer or the set.
        facts: What is known.
        thresholds: Of the scores, by metric.
    """
    untouched = tuple(Asked(question, "not_asked") for question in tree.questions)
    levels = levels_of(faithfulness, thresholds["faithfulness"])
    if levels and "low" not in levels:
        return Walk("not_low", untouched)
    if levels != ("low",):
        return Walk("undecided", untouched)
    asked: list[Asked] = []
    for place, question in enumerate(tree.questions):
        reply = _reply(question, facts, thresholds)
        asked.append(Asked(question, reply))
        if reply == "no":
            continue
        rest = untouched[place + 1 :]
        if reply == "yes":
            return Walk("cause", (*asked, *rest), question)
        return Walk("undecided" if reply == "undecided" else "unknown", (*asked, *rest))
    return Walk("cause", tuple(asked), tree.otherwise)


def _reply(question: Question, facts: Facts, thresholds: dict[str, Threshold]) -> Reply:
    if question.fact == "context_recall":
        reading = facts.context_recall
        levels = () if reading is None else levels_of(reading, thresholds["context_recall"])
        if not levels:
            return "unknown"
        if len(levels) > 1 and "low" in levels:
            return "undecided"
        return "yes" if levels == ("low",) else "no"
    known = getattr(facts, question.fact)
    if known is None:
        return "unknown"
    if question.when == "absent":
        return "no" if known else "yes"
    return "yes" if known > (question.limit or 0.0) else "no"
