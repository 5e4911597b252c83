"""Prodigy: answers as `db-out` writes them, one JSON object a line.

Shape after Prodigy's documentation (versions 1.11 to 1.18): the task's own fields, `answer`
(accept, reject or ignore), `accept` (ids of the chosen `options`), `label` of a binary task,
`spans`, `_annotator_id` or `_session_id`, `_timestamp` in seconds, `_input_hash` and `_task_hash`.
A row with `versions` comes from the `review` recipe: the reviewer's answer, and the answers that
were reviewed, each with its `sessions`. Hashes do not cover a context in a field of its own, so
rows belong together where their texts and `_input_hash` are the same. Prodigy itself could not be
run here; rows that have none of these fields are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from metajudge.gold.importing.fields import (
    USUAL_NAMES,
    Record,
    Texts,
    each_once,
    listed,
    mappings,
    records,
    texts_of,
)
from metajudge.gold.importing.given import Given, settled
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut
from metajudge.gold.importing.source import Source
from metajudge.gold.importing.words import label_of, person, word_of

FORMAT = Format(
    name="prodigy",
    title="Prodigy",
    kind="tool",
    holds="a JSON Lines file of `prodigy db-out`, or a folder of such files",
    label_space="ternary",
    mapping=(
        "The chosen option; of a binary task its label where it was accepted; of a task without "
        "labels the words accept and reject, which mean nothing until the label map says so "
        "(accept=supported); rejected labels are the words `reject LABEL`. Of one session the "
        "answer given last; ignored answers are left out; a reviewer's answer stands above the "
        "majority. A session without a name counts as a person of its own."
    ),
    url="https://prodi.gy/docs/api-interfaces",
    marks=("_input_hash", "_task_hash", "answer"),
    other_marks=(("_input_hash", "_task_hash"),),
)
_NOTES = ("note", "comment", "reason", "user_input", "field_id")
_NAMES = USUAL_NAMES | {
    "claim": tuple(
        tuple(name for name in tier if name != "answer") for tier in USUAL_NAMES["claim"]
    )
}
"""`answer` is Prodigy's own word for accept, reject or ignore."""
_SEEN = ("_timestamp", "_view_id")
"""What the page adds to a task; `db-in` accepts tasks that a model labelled without it."""
_Task = tuple[str, str, tuple[str, ...], str | None]


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Claims of the tasks, and what is left out of them.

    Raises:
        GoldError: The files cannot be read.
    """
    tasks: dict[_Task, list[tuple[Record, Texts]]] = {}
    for row in records(source, "*.jsonl", "*.json"):
        meta = row.fields.get("meta")
        roots = (row.fields, meta) if isinstance(meta, Mapping) else (row.fields,)
        record = Record(row.where, row.line, row.fields, roots)
        texts = texts_of(record, source, _NAMES)
        if isinstance(texts, LeftOut):
            yield texts
            continue
        key = (str(row.fields.get("_input_hash")), texts.claim, texts.passages, texts.question)
        tasks.setdefault(key, []).append((record, texts))
    waiting = list(tasks.values())
    tasks.clear()
    for rows in each_once(waiting):
        yield from _claim(rows, source)


def _claim(rows: list[tuple[Record, Texts]], source: Source) -> Iterator[ImportedClaim | LeftOut]:
    answers: list[Given | LeftOut] = []
    reviews: list[Given | LeftOut] = []
    for record, texts in rows:
        versions = record.fields.get("versions")
        reviewed = isinstance(versions, list)
        (reviews if reviewed else answers).append(_answer(record, record.fields, source, texts))
        for version in mappings(versions):
            sessions = [person(session) for session in listed(version.get("sessions"))] or [None]
            answers += [_answer(record, version, source, texts, who) for who in sessions]
    record, texts = rows[0]
    final = [review for review in reviews if isinstance(review, Given)]
    left = [answer for answer in (*answers, *reviews) if isinstance(answer, LeftOut)]
    left += [record.left("superseded", review.what, "reviewed again") for review in final[:-1]]
    given = [answer for answer in answers if isinstance(answer, Given)]
    stated = [review.value for review in final[-1:]]
    yield from settled(record, texts, source, given, left=left, stated=stated, in_order=True)


def _answer(
    record: Record,
    row: Mapping[str, Any],
    source: Source,
    texts: Texts,
    session: str | None = None,
) -> Given | LeftOut:
    who = session or person(row.get("_annotator_id") or row.get("_session_id"))
    answer = row.get("answer")
    if answer not in ("accept", "reject"):
        ignored = answer == "ignore"
        detail = "ignored" if ignored else "no answer"
        return record.left("cancelled" if ignored else "unlabelled", who or "", detail)
    if "llm" in row and who is None and not any(row.get(name) for name in _SEEN):
        return record.left("model_made", "llm", "saved as the model gave it, nobody opened it")
    if isinstance(row.get("accept"), list) and answer == "reject":
        return record.left("cancelled", who or "", "the task was rejected, with its options")
    names = (source.columns["note"],) if "note" in source.columns else _NOTES
    return Given(
        annotator=who,
        value=_value(row, answer, source),
        what=who or "",
        time=row.get("_timestamp"),
        note=next((row[name] for name in names if row.get(name)), None),
        spans=_spans(row),
        slice=texts.more.get("slice"),
    )


def _value(row: Mapping[str, Any], answer: str, source: Source) -> Any:
    """The label that an answer stands for, in the words of the task."""
    path = source.columns.get("label")
    if path is not None and path != "accept" and row.get(path) is not None:
        return row[path] if answer == "accept" else f"reject {word_of(row[path])}"
    chosen = row.get("accept")
    if isinstance(chosen, list):
        return [_option(row, option, source) for option in chosen]
    label = word_of(row.get("label"))
    if not label:
        return answer
    return label if answer == "accept" else f"reject {label}"


def _option(row: Mapping[str, Any], chosen: Any, source: Source) -> str:
    """The id of an option; where it is no known label and its text is one, the text."""
    word = word_of(chosen)
    options = (part for part in mappings(row.get("options")) if part.get("id") == chosen)
    texts = (word_of(part.get("text")) for part in options)
    text = next(texts, "")
    return word if label_of(word, source) or not label_of(text, source) else text


def _spans(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Parts of the task's text that were marked."""
    text = row.get("text")
    if not isinstance(text, str):
        return ()
    edges = ((span.get("start"), span.get("end")) for span in mappings(row.get("spans")))
    return tuple(text[a:b] for a, b in edges if isinstance(a, int) and isinstance(b, int) and a < b)
