"""Label Studio: tasks with annotations (JSON), and one row per annotation (JSON-MIN, CSV).

Shapes as `label-studio-sdk` 2.1.2 writes them (`types/annotation.py`, `converter/converter.py`):
a task has `data`, `annotations`, `predictions` and `drafts`; an annotation has `completed_by` (a
number, or a user with `email`), `was_cancelled`, `ground_truth`, `updated_at`, `lead_time` in
seconds, `last_action`, and a `result` of regions, each with `from_name`, `type` and `value`.
JSON-MIN has the task's data, one field per `from_name`, `annotator` and `annotation_id`; cancelled
annotations, predictions and drafts are not in it. CSV is the same with JSON in its cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from metajudge.gold.importing.fields import (
    MAPPINGS,
    Record,
    Texts,
    listed,
    mappings,
    records,
    structured,
    texts_of,
)
from metajudge.gold.importing.given import Given, settled
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut
from metajudge.gold.importing.source import Source
from metajudge.gold.importing.words import identifier, person, question_named

FORMAT = Format(
    name="label-studio",
    title="Label Studio",
    kind="tool",
    holds="the JSON, JSON-MIN or CSV export, or a folder of such files",
    label_space="ternary",
    mapping=(
        "The choice of the control that asks for the label, in our words or by the label map; of "
        "one annotator the annotation updated last; a ground truth annotation stands above the "
        "majority; one that a person opened and submitted from a prediction is the person's; "
        "predictions, their bulk copies, drafts, skipped and rejected annotations are left out."
    ),
    url="https://labelstud.io/guide/export",
    marks=("data", "annotations"),
    other_marks=(
        ("annotator", "annotation_id", "lead_time"),
        ("data", "completions"),
    ),
)
_CHOSEN = ("choices", "taxonomy")
_HOLDING = (*_CHOSEN, "labels", "rating", "number", "text")
_Task = tuple[str, str, tuple[str, ...], str | None]
_NOTES = ("note", "notes", "comment", "comments", "reason", "explanation", "rationale")


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Claims of an export, and what is left out of it.

    Raises:
        GoldError: The files cannot be read.
    """
    minimal: dict[_Task, list[tuple[Record, Texts]]] = {}
    for record in records(source, "*.json", "*.jsonl", "*.csv", lists=("tasks",)):
        if isinstance(record.fields.get("data"), MAPPINGS):
            yield from _task(record, source)
        elif "annotation_id" in record.fields:
            texts = texts_of(record, source)
            if isinstance(texts, LeftOut):
                yield texts
            else:
                key = (str(record.fields.get("id")), texts.claim, texts.passages, texts.question)
                minimal.setdefault(key, []).append((record, texts))
        else:
            what = record.fields.get("id", "")
            yield record.left("malformed", what, "neither a task nor a row of JSON-MIN")
    tasks_with = Counter(task_id for task_id, *_ in minimal)
    for (task_id, *_), rows in minimal.items():
        yield from _minimal(rows, source, is_one=tasks_with[task_id] == 1)


def _task(record: Record, source: Source) -> Iterator[ImportedClaim | LeftOut]:
    task = record.fields
    record = Record(record.where, record.line, task, (task["data"],))
    texts = texts_of(record, source)
    if isinstance(texts, LeftOut):
        yield texts
        return
    given, left, truths = [], [], []
    for annotation in listed(task.get("annotations", task.get("completions"))):
        answer = _annotation(record, source, annotation)
        if isinstance(answer, LeftOut):
            left.append(answer)
            continue
        given.append(answer)
        if annotation.get("ground_truth"):
            truths.append(answer)
    for prediction in listed(task.get("predictions")):
        left.append(record.left("model_made", _id(prediction, "model_version"), "a prediction"))
    for draft in listed(task.get("drafts")):
        left.append(record.left("unsettled", _id(draft, "id"), "a draft, not submitted"))
    yield from settled(
        record,
        texts,
        source,
        given,
        left=left,
        stated=[answer.value for answer in truths],
        question=truths[0].question if truths else "label",
        claim_id=task.get("id"),
    )


def _annotation(record: Record, source: Source, annotation: Any) -> Given | LeftOut:
    if not isinstance(annotation, MAPPINGS) or not isinstance(annotation.get("result"), list):
        return record.left("malformed", _id(annotation, "id"), "an annotation without its result")
    what = _id(annotation, "id")
    if annotation.get("was_cancelled") or annotation.get("skipped"):
        return record.left("cancelled", what, "skipped")
    if annotation.get("last_action") == "rejected":
        return record.left("unsettled", what, "a reviewer rejected it")
    if _is_copied(annotation):
        return record.left("model_made", what, "copied from a prediction, nobody opened it")
    regions = mappings(annotation["result"])
    question, detail = question_named(_names(regions, source), source)
    if question is None:
        return record.left("unlabelled", what, detail or "submitted without a label")
    return Given(
        annotator=person(annotation.get("completed_by")),
        value=_values(regions, question),
        what=what,
        question=question,
        time=annotation.get("updated_at") or annotation.get("created_at"),
        note=_note(regions, source),
        seconds=annotation.get("lead_time"),
        spans=_spans([part.get("value") for part in regions]),
        slice=next(iter(_values(regions, "slice")), None),
    )


def _is_copied(annotation: Mapping[str, Any]) -> bool:
    """Whether the page's bulk action made it from a prediction: it has no time spent on it."""
    of_prediction = annotation.get("parent_prediction") is not None
    is_unseen = annotation.get("lead_time") is None
    return annotation.get("last_action") == "prediction" or (of_prediction and is_unseen)


def _names(regions: list[Mapping[str, Any]], source: Source) -> list[str]:
    """Controls that may ask for the label, each once: choices, and what the column map names."""
    mapped = source.columns.get("label")
    names: dict[str, None] = {}
    for region in regions:
        name = str(region.get("from_name"))
        if region.get("type") in _CHOSEN or name == mapped:
            names[name] = None
    return list(names)


def _values(regions: list[Mapping[str, Any]], name: str) -> list[Any]:
    values: list[Any] = []
    for region in regions:
        if region.get("from_name") == name:
            values += _words(region.get("value"), region.get("type"))
    return values


def _words(value: Any, kind: Any) -> list[Any]:
    """What was chosen in a region; of a taxonomy the last name of each path."""
    if not isinstance(value, MAPPINGS):
        return []
    usual = str(kind)
    words: Any = (
        value[usual]
        if usual in value
        else next((value[name] for name in _HOLDING if name in value), [])
    )
    words = words if isinstance(words, list) else [words]
    return [word[-1] if isinstance(word, list) and word else word for word in words]


def _note(regions: list[Mapping[str, Any]], source: Source) -> str | None:
    areas = [region for region in regions if region.get("type") == "textarea"]
    if not areas:
        return None
    names = (source.columns["note"],) if "note" in source.columns else _NOTES
    written = [
        text
        for region in areas
        if region.get("from_name") in names
        for text in _words(region.get("value"), "text")
        if isinstance(text, str)
    ]
    return "\n".join(written) or None


def _spans(values: Iterable[Any]) -> tuple[str, ...]:
    """Texts of regions that mark a part of a text."""
    parts = [value for value in values if isinstance(value, MAPPINGS) and "start" in value]
    return tuple(part["text"] for part in parts if isinstance(part.get("text"), str))


def _id(place: Any, name: str) -> str:
    found = place.get(name, place.get("id")) if isinstance(place, MAPPINGS) else None
    return identifier(found) or ""


def _minimal(
    rows: list[tuple[Record, Texts]], source: Source, is_one: bool
) -> Iterator[ImportedClaim | LeftOut]:
    """One task of JSON-MIN from its rows, one per annotation; its id where no other task has it."""
    first, texts = rows[0]
    given, left = [], []
    for row, _ in rows:
        fields = row.fields
        question, detail = question_named([name for name in fields if fields[name]], source)
        what = _id(fields, "annotation_id")
        if question is None:
            asked = detail if "label" in source.columns else "submitted without a label"
            left.append(row.left("unlabelled", what, asked))
            continue
        value = structured(fields[question])
        parts = value if isinstance(value, list) else [value]
        marked = (part for cell in fields.values() for part in listed(cell))
        given.append(
            Given(
                annotator=person(fields.get("annotator")),
                value=[word for part in parts for word in _minimal_words(part)],
                what=what,
                question=question,
                time=fields.get("updated_at") or fields.get("created_at"),
                note=next((fields[name] for name in _NOTES if fields.get(name)), None),
                seconds=fields.get("lead_time"),
                spans=_spans(marked),
                slice=fields.get("slice"),
            )
        )
    claim_id = first.fields.get("id") if is_one else None
    yield from settled(first, texts, source, given, left=left, claim_id=claim_id)


def _minimal_words(part: Any) -> list[Any]:
    return _words(part, "choices") if isinstance(part, Mapping) else [part]
