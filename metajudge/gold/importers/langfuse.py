"""Langfuse: traces and observations with the scores on them, and items of a dataset.

Shapes as `langfuse` 5.0.4 models them (`api/commons/types`: `score.py`, `observation_v2.py`,
`dataset_item.py`; `api/scores/types/score_v3.py`), in the camelCase of the API and of exports from
the page and in the snake_case of exports to blob storage: a score has `traceId`, `observationId`
or a `subject`, `name`, `value`, `stringValue`, `dataType`, `comment`, `authorUserId`, and a
`source`, which is ANNOTATION (a person in the page), EVAL (a model), or API, which does not say
who. Scores stand in a list `scores` of their trace, or in rows of their own; the trace that the
page downloads is one object with `trace`, `observations` and `scores`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from metajudge.gold.importing.fields import (
    Record,
    Texts,
    each_once,
    mappings,
    records,
    rooted,
    structured,
    texts_of,
)
from metajudge.gold.importing.given import settled, stated_label
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut
from metajudge.gold.importing.judgements import Judgement, Maker, judged, step_left, without_texts
from metajudge.gold.importing.source import Source
from metajudge.gold.importing.words import identifier, person

FORMAT = Format(
    name="langfuse",
    title="Langfuse",
    kind="framework",
    holds="traces, observations, scores, dataset items as JSON, JSON Lines or CSV, or a folder",
    label_space="ternary",
    mapping=(
        "Scores of people (source ANNOTATION) under the name that asks for the label, the text of "
        "a categorical score, the words true and false of a boolean one; scores of models (EVAL) "
        "are left out, and those of the API unless `annotator` is mapped to a field that names a "
        "person. In dataset items: a field `label`, `gold_label` or `human_label`, or the mapped "
        "one, as the dataset's authors state it."
    ),
    url="https://langfuse.com/docs/api-and-data-platform/features/export-from-ui",
    marks=("traceId", "source", "name"),
    other_marks=(
        ("scores", "input", "output", "observations"),
        ("trace", "observations", "scores"),
        ("trace_id", "source", "name", "data_type"),
        ("datasetId", "input", "expectedOutput"),
        ("dataset_id", "input", "expected_output"),
        ("timestamp", "userId", "input", "output"),
    ),
)
_MAKERS: dict[str, Maker] = {"ANNOTATION": "person", "EVAL": "model"}
_Claim = tuple[str, tuple[str, ...], str | None]
_SNAKE = re.compile(r"_([a-z])")
_TEXT_TYPES = ("CATEGORICAL", "BOOLEAN")


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Claims of traces, observations and dataset items, and what is left out of them.

    Raises:
        GoldError: The files cannot be read.
    """
    subjects: list[Record] = []
    scores: dict[str, list[Judgement]] = {}
    for record in records(source, "*.jsonl", "*.json", "*.csv"):
        for part in _parts(record):
            if _is_score(part.fields):
                _add(scores, part)
            else:
                subjects.append(part)
    for subject in each_once(subjects):
        yield from _claim(subject, source, scores.pop(str(subject.fields.get("id")), []))
    for judgements in scores.values():
        yield from _alone(judgements, source)


def _parts(record: Record) -> Iterator[Record]:
    """The record, in camelCase too, then the observations and scores that it holds."""
    camel = {
        _SNAKE.sub(lambda match: match[1].upper(), name): value
        for name, value in record.fields.items()
    }
    fields = {**record.fields, **camel}
    trace = fields.get("trace")
    if isinstance(trace, Mapping) and not _is_score(fields):
        fields = {**fields, **trace}
    yield Record(record.where, record.line, fields)
    for name in ("observations", "scores"):
        for part in mappings(fields.get(name)):
            within = {"traceId": fields.get("id"), **part}
            yield from _parts(Record(record.where, record.line, within))


def _is_score(fields: Mapping[str, Any]) -> bool:
    named = "name" in fields and "source" in fields
    return named and ("value" in fields or "stringValue" in fields)


def _add(scores: dict[str, list[Judgement]], record: Record) -> None:
    fields = record.fields
    subject = structured(fields.get("subject"))
    subject = subject if isinstance(subject, Mapping) else {}
    target = subject.get("id") or fields.get("observationId") or fields.get("traceId")
    worded = fields.get("dataType") in _TEXT_TYPES and fields.get("stringValue") not in (None, "")
    judgement = Judgement(
        record,
        str(fields.get("name")),
        fields["stringValue"] if worded else fields.get("value"),
        _MAKERS.get(str(fields.get("source")).upper(), "unsaid"),
        person(fields.get("authorUserId")),
        identifier(fields.get("id")) or "",
        fields.get("updatedAt") or fields.get("timestamp"),
        fields.get("comment"),
    )
    scores.setdefault(str(target), []).append(judgement)


def _place(record: Record) -> Record:
    """The record with its texts: those of output, input and metadata first."""
    return rooted(record, "output", "expectedOutput", "input", "metadata")


def _alone(judgements: list[Judgement], source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Scores whose trace is not there: a claim for each text that they hold themselves."""
    with_texts: dict[_Claim, tuple[Record, Texts, list[Judgement]]] = {}
    for judgement in judgements:
        place = _place(judgement.record)
        texts = texts_of(place, source)
        if isinstance(texts, LeftOut):
            yield from without_texts([judgement])
            continue
        key = (texts.claim, texts.passages, texts.question)
        with_texts.setdefault(key, (place, texts, []))[2].append(judgement)
    for place, texts, own in with_texts.values():
        yield from judged(place, texts, source, own)


def _claim(
    record: Record, source: Source, scores: list[Judgement]
) -> Iterator[ImportedClaim | LeftOut]:
    place = _place(record)
    claim_id = record.fields.get("id")
    if record.fields.get("parentObservationId") and not scores:
        yield step_left(record, claim_id)
        return
    texts = texts_of(place, source)
    if isinstance(texts, LeftOut):
        yield texts
        yield from without_texts(scores)
    elif record.fields.get("status") == "ARCHIVED":
        yield record.left("set_aside", claim_id or "", "archived")
    elif "datasetId" in record.fields or "expectedOutput" in record.fields:
        stated = stated_label(place, source)
        yield from settled(place, texts, source, stated=stated, claim_id=claim_id)
    else:
        generator = record.fields.get("model")
        yield from judged(place, texts, source, scores, claim_id=claim_id, generator=generator)
