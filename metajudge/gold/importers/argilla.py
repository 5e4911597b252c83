"""Argilla: records with responses of people and suggestions of models.

Shapes as `argilla` 2.8.0 writes them (`records/_io/_generic.py`, `records/_resource.py`):

- `records.to_json` and `to_list()`: `fields`, `responses` (question: list of `value`, `user_id`),
  `suggestions` (question: `value`, `agent`), `status`. It does **not** say which responses were
  submitted, drafted or discarded.
- `to_list(flatten=True)` and `to_datasets()`: fields beside `<question>.responses`, `….users`,
  `….status` and `<question>.suggestion`.

And those of 1.x: a feedback set on the hub (one column per question with `user_id`, `value` and
`status`, and `<question>-suggestion`), records of the server (`responses` as a list with `values`
and `status`), and text classification (`annotation`, `annotation_agent`, `prediction`, `status`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from metajudge.gold.importing.fields import (
    Record,
    listed,
    mappings,
    records,
    rooted,
    structured,
    texts_of,
)
from metajudge.gold.importing.given import Given, settled
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut
from metajudge.gold.importing.source import Source
from metajudge.gold.importing.words import identifier, person, question_named

FORMAT = Format(
    name="argilla",
    title="Argilla",
    kind="tool",
    holds="records as JSON, JSON Lines or Parquet, a folder saved by `datasets`, or a hub name",
    label_space="ternary",
    mapping=(
        "The submitted responses to the question that asks for the label, in our words or by the "
        "label map; drafts, discarded responses and suggestions are left out. `to_json` does not "
        "say which responses were submitted: there, responses of a completed record count where "
        "it has one, or all say the same; export with `to_list(flatten=True)` to have all."
    ),
    url="https://docs.argilla.io/latest/how_to_guides/import_export/",
    marks=("fields", "responses", "suggestions"),
    other_marks=(
        ("*.responses", "*.responses.users"),
        ("_server_id", "*.suggestion"),
        ("inputs", "prediction", "annotation", "status"),
        ("*-suggestion", "*-suggestion-metadata"),
        ("*-suggestion", "external_id"),
        ("inputs", "annotation", "annotation_agent"),
    ),
)
_NOTES = ("note", "notes", "comment", "comments", "reason", "explanation", "rationale")
_STATUS_V1 = {"Discarded": "discarded", "Default": "draft", "Edited": "draft"}
"""Of 1.x text classification: an annotation that is not validated is a draft."""
_UNSAID = "the export does not say whether it was submitted; use to_list(flatten=True)"


class _Response(NamedTuple):
    """One person's answers to a record; `status` None where the export does not say."""

    user: str | None
    status: str | None
    values: dict[str, Any]


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Claims of an export, and what is left out of it.

    Raises:
        GoldError: The files cannot be read.
    """
    for record in records(source, "*.json", "*.jsonl", "*.parquet", lists=("records", "items")):
        yield from _claim(record, source)


def _claim(record: Record, source: Source) -> Iterator[ImportedClaim | LeftOut]:
    fields = record.fields
    record = rooted(record, "fields", "inputs", "metadata")
    texts = texts_of(record, source)
    if isinstance(texts, LeftOut):
        yield texts
        return
    left = [record.left("model_made", name, "a suggestion") for name in _suggestions(fields)]
    responses = _responses(fields)
    names = [name for response in responses for name in response.values]
    question, detail = question_named(names, source)
    if question is None and names:
        left.append(record.left("unlabelled", fields.get("id", ""), detail))
    asked = [response for response in responses if question in response.values]
    given: list[Given] = []
    stated: list[Any] = []
    if question is not None:
        given, stated, dropped = _submitted(record, asked, question, source)
        left += dropped
    yield from settled(
        record,
        texts,
        source,
        given,
        left=left,
        stated=stated,
        question=question or "label",
        claim_id=fields.get("id"),
    )


def _submitted(
    record: Record, responses: list[_Response], question: str, source: Source
) -> tuple[list[Given], list[Any], list[LeftOut]]:
    """Submitted responses; what the record surely says without them; those left out."""
    completed = str(record.fields.get("status")).casefold() == "completed"
    unsaid = [response for response in responses if response.status is None]
    same = len({str(response.values[question]) for response in unsaid}) == 1
    given, stated, left = [], [], []
    for response in responses:
        status = (response.status or "").casefold()
        who = response.user or ""
        if status in ("discarded", "default"):
            left.append(record.left("cancelled", who, status))
        elif status in ("draft", "pending"):
            left.append(record.left("unsettled", who, "a draft, not submitted"))
        elif status or (completed and len(responses) == 1):
            given.append(_given(response, question, source))
        elif completed and same:
            stated.append(response.values[question])
        else:
            left.append(record.left("unsettled", who, _UNSAID))
    return given, stated, left


def _given(response: _Response, question: str, source: Source) -> Given:
    values = response.values
    names = (source.columns["note"],) if "note" in source.columns else _NOTES
    return Given(
        annotator=response.user,
        value=values[question],
        what=response.user or "",
        question=question,
        note=next((values[name] for name in names if values.get(name)), None),
        slice=values.get("slice"),
    )


def _responses(fields: Mapping[str, Any]) -> list[_Response]:
    nested = structured(fields.get("responses"))
    if isinstance(nested, Mapping):
        return _by_user(nested)
    if isinstance(nested, list):
        return [_of_server(response) for response in mappings(nested)]
    if "annotation" in fields or "prediction" in fields:
        return _of_classification(fields)
    flat = {name.removesuffix(".responses"): name for name in fields if name.endswith(".responses")}
    columns = {name: _rows_of(fields, column) for name, column in flat.items()}
    old = {name: structured(value) for name, value in fields.items() if "." not in name}
    columns |= {name: _rows_of_v1(value) for name, value in old.items() if _is_v1(value)}
    return _by_user(columns)


def _by_user(questions: Mapping[str, Any]) -> list[_Response]:
    """Responses by person, from lists by question; a second one of a person stays a second one."""
    merged: dict[tuple[str | None, str | None, int], dict[str, Any]] = {}
    for name, answers in questions.items():
        given: Counter[tuple[str | None, str | None]] = Counter()
        for answer in mappings(answers):
            who = (person(answer.get("user_id")), identifier(answer.get("status")))
            given[who] += 1
            if answer.get("value") is not None:
                merged.setdefault((*who, given[who]), {})[name] = answer["value"]
    return [_Response(user, status, values) for (user, status, _), values in merged.items()]


def _of_server(response: Mapping[str, Any]) -> _Response:
    values = response.get("values") or {}
    held = {
        name: value.get("value") if isinstance(value, Mapping) else value
        for name, value in (values.items() if isinstance(values, Mapping) else ())
    }
    answers = {name: value for name, value in held.items() if value is not None}
    status = identifier(response.get("status"))
    return _Response(person(response.get("user_id")), status, answers)


def _of_classification(fields: Mapping[str, Any]) -> list[_Response]:
    """The one annotation of a 1.x text classification record."""
    if fields.get("annotation") is None:
        return []
    status = _STATUS_V1.get(str(fields.get("status")), "submitted")
    who = person(fields.get("annotation_agent"))
    return [_Response(who, status, {"label": fields["annotation"]})]


def _rows_of(fields: Mapping[str, Any], column: str) -> list[dict[str, Any]]:
    """The three parallel lists of a flattened question as one list.

    Where one of them is missing or has another length, it does not say who or which status.
    """
    values = listed(fields.get(column))
    users, statuses = (
        held if len(held) == len(values) else [None] * len(values)
        for held in (listed(fields.get(f"{column}.{part}")) for part in ("users", "status"))
    )
    return [
        {"value": value, "user_id": user, "status": status}
        for value, user, status in zip(values, users, statuses, strict=True)
    ]


def _is_v1(value: Any) -> bool:
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, Mapping) and {"user_id", "value", "status"} <= first.keys()


def _rows_of_v1(value: Any) -> list[Any]:
    """A 1.x question: a list of answers, or (as `datasets` once stored it) a mapping of lists."""
    if isinstance(value, list):
        return value
    return [
        {"value": answer, "user_id": user, "status": status}
        for answer, user, status in zip(
            *(listed(value[name]) for name in ("value", "user_id", "status")), strict=False
        )
    ]


def _suggestions(fields: Mapping[str, Any]) -> list[str]:
    """What models proposed, by question."""
    nested = structured(fields.get("suggestions"))
    if isinstance(nested, Mapping):
        return [name for name, held in nested.items() if held]
    if isinstance(nested, list):
        return [str(held.get("question_name", "")) for held in mappings(nested)]
    marks = (".suggestion", "-suggestion", "prediction")
    return [name for name, value in fields.items() if value and name.endswith(marks)]
