"""The units of answers that a cascade routes: given, counted off, or listed by the judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from metajudge.errors import InputError, Problem
from metajudge.gold.claim import MetricName
from metajudge.judges.baseline import compares_wording
from metajudge.judges.judge import Judge
from metajudge.metrics.judged.groundedness import stating_sentences
from metajudge.metrics.lists import Lists, Wanted, plan_lists
from metajudge.metrics.row import ListName, MetricRow
from metajudge.release.answers import Answer
from metajudge.release.extraction import (
    Extracted,
    plan_extractions,
    read_extractions,
    with_claims,
)
from metajudge.runner.call import Call
from metajudge.verdicts.verdict import Reply

LISTED: dict[MetricName, ListName] = {
    "context_recall": "statements",
    "context_entity_recall": "entities",
}
"""Metrics whose units are lists drawn from the reference, held against the context."""
EXTRACTED: tuple[MetricName, ...] = ("faithfulness", "groundedness", *LISTED)
"""Metrics whose units need not be given; those of others are held against another text."""
AskAll = Callable[[Sequence[Call]], Mapping[str, Reply]]


class Known(NamedTuple):
    """Answers with their units.

    Attributes:
        answers: In their order.
        lost: By place, answers whose units are not known, and whether a next run goes on there.
    """

    answers: list[Answer]
    lost: dict[int, bool]


def with_units(
    answers: Sequence[Answer], metric: MetricName, judge_of: Callable[[], Judge], ask: AskAll
) -> Known:
    """Answers with units: claims and reference lists by the judge, sentences without it.

    Args:
        answers: Those with claims keep them.
        metric: What the cascade was fitted for.
        judge_of: Opens the judge.
        ask: Asks calls, each once.

    Raises:
        InputError: The metric's units have to be given, the judge writes nothing, or an answer has
            no reference to list; with every fault.
    """
    if all(answer.claims is not None for answer in answers):
        return Known(list(answers), {})
    if metric not in EXTRACTED:
        law = f"units of {metric} are not drawn from an answer and its context alone"
        mend = "Give them as `claims`, and as `context` what they are held against."
        raise InputError(Problem("cascade", law, mend, field="claims"))
    if metric == "groundedness":
        return Known([_with_sentences(answer) for answer in answers], {})
    judge = judge_of()
    if compares_wording(judge):
        law = f"{judge.spec} compares texts and writes nothing, so it cannot extract claims"
        raise InputError(Problem("cascade", law, "Give claims.", field="claims"))
    if metric == "faithfulness":
        planned = plan_extractions(answers, judge)
        replies = ask([entry.call for entry in planned])
        drawn = {place: draws[0] for place, draws in read_extractions(planned, replies).items()}
        return _known(answers, drawn)
    return _listed(answers, LISTED[metric], judge, ask)


def _with_sentences(answer: Answer) -> Answer:
    if answer.claims is not None:
        return answer
    found = stating_sentences(MetricRow(answer.answer_id, answer.answer, lang=answer.lang))
    return with_claims(answer, Extracted(found))


def _listed(answers: Sequence[Answer], name: ListName, judge: Judge, ask: AskAll) -> Known:
    rows = [_row(answer, name) for answer in answers]
    problems = [
        Problem(
            "answers",
            f"answer {row.answer_id!r} has a reference, from which {name} are listed",
            f"Add the field reference, or {name} themselves.",
            answer.line,
            "reference",
        )
        for row, answer in zip(rows, answers, strict=True)
        if answer.claims is None and row.reference is None and name not in row.lists
    ]
    if problems:
        raise InputError(problems)
    wanted = [
        Wanted(place, name, "judge")
        for place, answer in enumerate(answers)
        if answer.claims is None
    ]
    lists: Lists = plan_lists(rows, wanted, {"judge": judge})
    lists.replies |= ask(lists.calls("judge"))
    return _known(answers, {want.row: lists.read(want) for want in wanted})


def _row(answer: Answer, name: ListName) -> MetricRow:
    reference, given = answer.fields.get("reference"), answer.fields.get(name)
    is_list = isinstance(given, list | tuple) and all(isinstance(text, str) for text in given)
    return MetricRow(
        answer.answer_id,
        question=answer.question,
        reference=reference if isinstance(reference, str) else None,
        lists={name: tuple(given)} if is_list and given is not None else {},
        lang=answer.lang,
    )


def _known(answers: Sequence[Answer], drawn: Mapping[int, Extracted]) -> Known:
    known, lost = list(answers), {}
    for place, extracted in drawn.items():
        if extracted.known:
            known[place] = with_claims(answers[place], extracted)
        else:
            lost[place] = extracted.open
            known[place] = replace(answers[place], claims=())
    return Known(known, lost)
