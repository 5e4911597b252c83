"""Judgements on a run, a trace or a span: which are of people, and which answer the question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

from metajudge.gold.importing.fields import Record, Texts, mapped
from metajudge.gold.importing.given import Given, settled
from metajudge.gold.importing.imported import ImportedClaim, LeftOut
from metajudge.gold.importing.source import Source
from metajudge.gold.importing.words import ASKED_NAMES, person, question_named

Maker = Literal["person", "model", "program", "unsaid"]
"""Who made a judgement; `unsaid` where the tool does not tell people from programs."""
_UNSAID = "came through the API; map `annotator` to the field that names the person who gave it"


class Judgement(NamedTuple):
    """One judgement as a tool exports it.

    Attributes:
        record: Where it stands.
        name: Of the question that it answers.
        value: In the tool's words.
        maker: Who made it.
        annotator: None where the tool does not say who.
        what: The tool's id of it.
        time: As `moment` reads it.
        note: What was written with it.
    """

    record: Record
    name: str
    value: Any
    maker: Maker
    annotator: str | None = None
    what: str = ""
    time: Any = None
    note: Any = None


def judged(
    record: Record,
    texts: Texts,
    source: Source,
    judgements: Sequence[Judgement],
    *,
    left: Sequence[LeftOut] = (),
    claim_id: Any = None,
    generator: Any = None,
) -> Iterator[ImportedClaim | LeftOut]:
    """The claim of a record with the judgements that people gave on it, and what is left out.

    Judgements that answer another question than the one that asks for the label are not read.
    """
    named = [_with_person(judgement, source) for judgement in judgements]
    people = [judgement for judgement in named if judgement.maker == "person"]
    question, detail = question_named([judgement.name for judgement in people], source)
    out = list(left)
    if question is None and people:
        out.append(record.left("unlabelled", claim_id or "", detail))
    given = []
    for judgement in named:
        if judgement.maker != "person":
            out += [_not_of_people(judgement)] if _asks(judgement.name, source) else []
        elif judgement.name == question:
            given.append(_given(judgement))
    yield from settled(
        record, texts, source, given, left=out, claim_id=claim_id, generator=generator
    )


def without_texts(judgements: Sequence[Judgement]) -> Iterator[LeftOut]:
    """Judgements on something that the export does not hold."""
    for judgement in judgements:
        detail = "what it judges is not in the export"
        yield judgement.record.left("missing_text", judgement.what, detail)


def step_left(record: Record, what: Any) -> LeftOut:
    """That a step inside a run or trace is no claim, since nobody judged it."""
    return record.left("no_claim", what or "", "a step of a trace that nobody judged")


def _with_person(judgement: Judgement, source: Source) -> Judgement:
    """The person that the column map names, who also vouches for a judgement without a source."""
    name = person(mapped(judgement.record, source, "annotator"))
    if name is None:
        return judgement
    maker: Maker = "person" if judgement.maker == "unsaid" else judgement.maker
    return judgement._replace(annotator=name, maker=maker)


def _asks(name: str, source: Source) -> bool:
    wanted = source.columns.get("label")
    return name == wanted if wanted else name.casefold() in ASKED_NAMES


def _not_of_people(judgement: Judgement) -> LeftOut:
    if judgement.maker == "unsaid":
        return judgement.record.left("unsettled", judgement.what, _UNSAID)
    detail = judgement.name if judgement.maker == "model" else f"{judgement.name}, by a program"
    return judgement.record.left("model_made", judgement.what, detail)


def _given(judgement: Judgement) -> Given:
    return Given(
        annotator=judgement.annotator,
        value=judgement.value,
        what=judgement.what,
        question=judgement.name,
        time=judgement.time,
        note=judgement.note,
    )
