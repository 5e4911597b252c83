"""LangSmith: examples of a dataset, and runs with the feedback on them.

Shapes as `langsmith` 0.15.1 models them (`schemas.Example`, `schemas.Run`, `schemas.Feedback`): an
example has `inputs`, `outputs` and `metadata`; feedback has `run_id`, `key`, `score`, `value`,
`comment` and a `feedback_source` whose `type` is `app` (given in the page by a person), `model`,
`auto_eval` or `evaluator`, or `api`, which does not say who. Feedback may stand in a list
`feedback` of its run, or in rows of its own, in the same file or another of the folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from metajudge.gold.importing.fields import (
    Record,
    each_once,
    mappings,
    records,
    rooted,
    structured,
    texts_of,
    value_at,
)
from metajudge.gold.importing.given import settled, stated_label
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut
from metajudge.gold.importing.judgements import Judgement, Maker, judged, step_left, without_texts
from metajudge.gold.importing.source import Source
from metajudge.gold.importing.words import identifier, person

FORMAT = Format(
    name="langsmith",
    title="LangSmith",
    kind="framework",
    holds="examples, runs and feedback as JSON, JSON Lines or CSV: a file, or a folder of them",
    label_space="ternary",
    mapping=(
        "On runs: feedback of people (source `app`) under the key that asks for the label; "
        "feedback of models is left out, and that of the API unless `annotator` is mapped to a "
        "field that names a person. In examples: a field `label`, `gold_label` or `human_label`, "
        "or the mapped one, as the dataset's authors state it."
    ),
    url="https://docs.langchain.com/langsmith/feedback-data-format",
    marks=("inputs", "outputs", "dataset_id"),
    other_marks=(
        ("run_type", "inputs", "outputs", "trace_id"),
        ("run_id", "key", "feedback_source"),
    ),
)
_MAKERS: dict[str, Maker] = {
    "app": "person",
    "model": "model",
    "auto_eval": "model",
    "evaluator": "model",
}
_RUN_MARKS = ("run_type", "trace_id", "dotted_order", "session_id")
_MODEL_PATHS = ("extra.metadata.ls_model_name", "metadata.ls_model_name")


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Claims of examples and runs, and what is left out of them.

    Raises:
        GoldError: The files cannot be read.
    """
    subjects: list[Record] = []
    feedback: dict[str, list[Judgement]] = {}
    for record in records(source, "*.jsonl", "*.json", "*.csv", lists=("examples", "runs", "data")):
        if "key" in record.fields and "run_id" in record.fields:
            _add(feedback, record, record.fields, record.fields.get("run_id"))
            continue
        subjects.append(record)
        for row in mappings(record.fields.get("feedback")):
            _add(feedback, record, row, record.fields.get("id"))
    for subject in each_once(subjects):
        own = feedback.pop(str(subject.fields.get("id")), [])
        yield from _claim(subject, source, own)
    for judgements in feedback.values():
        yield from without_texts(judgements)


def _add(
    feedback: dict[str, list[Judgement]], record: Record, row: Mapping[str, Any], run: Any
) -> None:
    place = Record(record.where, record.line, row)
    origin = structured(row.get("feedback_source"))
    origin = origin if isinstance(origin, Mapping) else {}
    who = next((origin[name] for name in ("user_name", "user_id") if origin.get(name)), None)
    value = row.get("value")
    judgement = Judgement(
        place,
        str(row.get("key")),
        row.get("score") if value in (None, "") else value,
        _MAKERS.get(str(origin.get("type")), "unsaid"),
        person(who),
        identifier(row.get("id")) or "",
        row.get("modified_at") or row.get("created_at"),
        row.get("comment"),
    )
    feedback.setdefault(str(run), []).append(judgement)


def _claim(
    record: Record, source: Source, feedback: list[Judgement]
) -> Iterator[ImportedClaim | LeftOut]:
    fields = record.fields
    if fields.get("parent_run_id") and not feedback:
        yield step_left(record, fields.get("id"))
        return
    place = rooted(record, "outputs", "inputs", "metadata")
    texts = texts_of(place, source)
    if isinstance(texts, LeftOut):
        yield texts
        yield from without_texts(feedback)
    elif any(name in fields for name in _RUN_MARKS) or feedback:
        found = (value_at(fields, path) for path in _MODEL_PATHS)
        generator = next((name for name in found if name), None)
        claim_id = fields.get("id")
        yield from judged(place, texts, source, feedback, claim_id=claim_id, generator=generator)
    else:
        stated = stated_label(place, source)
        yield from settled(place, texts, source, stated=stated, claim_id=fields.get("id"))
