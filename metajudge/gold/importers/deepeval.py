"""DeepEval: test cases and goldens as `EvaluationDataset.save_as` writes them, and at hand.

Shapes of `deepeval` 4.3.1 (`dataset/dataset.py`, `dataset/utils.py`, `test_run/api.py`): JSON has
`retrieval_context` as a list; CSV and JSON Lines have it as one text joined by `|`, in which a
passage that holds `|` itself cannot be told from two; a source is written before a passage as
`deepeval_source=…,deepeval_context=…`. A test run has `testCases` with names in camelCase and the
scores of metrics. Conversations are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from metajudge.gold.claim import GoldLabel
from metajudge.gold.importing.fields import Record, passages_of, records, structured, texts_of
from metajudge.gold.importing.given import settled, stated_label
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut
from metajudge.gold.importing.source import Source

FORMAT = Format(
    name="deepeval",
    title="DeepEval",
    kind="framework",
    holds="a file of `EvaluationDataset.save_as` (.json, .jsonl, .csv), or a folder of them",
    label_space="ternary",
    mapping=(
        "One claim an answer: a whole `actual_output`, not one of its sentences, against "
        "`retrieval_context`, or `context` where there is none. Test cases hold no label of a "
        "person; one in the metadata comes in as `label`, `gold_label` or `human_label`, or by "
        "the column map. Scores of metrics are left out."
    ),
    url="https://deepeval.com/docs/evaluation-datasets",
    marks=("input", "actual_output", "retrieval_context"),
    other_marks=(
        ("testCases",),
        ("input", "actualOutput"),
    ),
)
_NAMES = {
    "claim": (("claim",), ("actual_output",)),
    "passages": (("retrieval_context",), ("context",)),
    "question": (("input",),),
}
_CAMEL = {
    "actualOutput": "actual_output",
    "retrievalContext": "retrieval_context",
    "additionalMetadata": "additional_metadata",
    "customColumnKeyValues": "custom_column_key_values",
    "expectedLabels": "expected_labels",
    "metricsData": "metrics_data",
}
_FIELDS = ("input", *_CAMEL.values(), "context", "comments", "metadata", "turns", "scenario")
_METADATA = ("metadata", "additional_metadata", "custom_column_key_values")
_SOURCED = re.compile(r"deepeval_source=.*?,deepeval_context=(?P<context>.*)", re.DOTALL)
_JOINT = "|"
_AMBIGUOUS = "a passage holds |, which joins passages here; save as json"


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Claims of a saved dataset, and what is left out of it.

    Raises:
        GoldError: The files cannot be read.
    """
    lists = ("testCases", "test_cases", "goldens")
    for record in records(source, "*.json", "*.jsonl", "*.csv", lists=lists):
        yield from _claim(record, source)


def read_objects(
    objects: Any,
    columns: Mapping[str, str] | None = None,
    labels: Mapping[str, GoldLabel] | None = None,
) -> Iterator[ImportedClaim | LeftOut]:
    """The same of objects at hand.

    Args:
        objects: An `EvaluationDataset` (its test cases, then its goldens), or test cases.
        columns: Our field, and the dotted path of theirs.
        labels: Their label word, and ours.
    """
    name = type(objects).__name__
    cases = [*objects.test_cases, *objects.goldens] if hasattr(objects, "goldens") else objects
    source = Source(name, columns, labels)
    for number, fields in enumerate(map(_fields_of, cases), 1):
        yield from _claim(Record(f"{name} row {number}", None, fields), source)


def _fields_of(case: Any) -> dict[str, Any]:
    """Fields of a test case or golden, as far as its model declares them."""
    if isinstance(case, Mapping):
        return dict(case)
    declared = type(case).model_fields
    fields = {name: getattr(case, name) for name in _FIELDS if name in declared}
    context = fields.get("retrieval_context") or ()
    sourced = [getattr(part, "context", part) for part in context]
    return fields | ({"retrieval_context": sourced} if context else {})


def _claim(record: Record, source: Source) -> Iterator[ImportedClaim | LeftOut]:
    fields = {_CAMEL.get(name, name): value for name, value in record.fields.items()}
    if fields.get("turns") or fields.get("scenario"):
        yield record.left("no_claim", fields.get("name", ""), "a conversation, which is not read")
        return
    for name in ("retrieval_context", "context"):
        passages = _passages(fields.get(name))
        if passages is None and fields.get(name) is not None:
            yield record.left("malformed", name, _AMBIGUOUS)
            return
        fields[name] = passages
    parts = (structured(fields.get(name)) for name in _METADATA)
    roots = tuple(part for part in parts if isinstance(part, Mapping))
    place = Record(record.where, record.line, fields, (fields, *roots))
    texts = texts_of(place, source, _NAMES)
    if isinstance(texts, LeftOut):
        yield texts
        return
    scored = fields.get("metrics_data")
    left = [place.left("model_made", fields.get("name", ""), "scores of metrics")] if scored else []
    if "note" not in texts.more and isinstance(fields.get("comments"), str):
        texts = texts._replace(more={**texts.more, "note": fields["comments"]})
    yield from settled(place, texts, source, left=left, stated=stated_label(place, source))


def _passages(value: Any) -> list[str] | None:
    """Passages of a list, or of a text in which `|` joins them; None where that is not certain."""
    parts = structured(value)
    if isinstance(parts, str):
        parts = parts.split(_JOINT) if parts else []
        inside = any(not part.strip() for part in parts) or f" {_JOINT} " in value
        parts = None if inside else parts
    texts = None if parts is None else passages_of(parts)
    if texts is None:
        return None
    sourced = (_SOURCED.fullmatch(text) for text in texts)
    return [match["context"] if match else text for match, text in zip(sourced, texts, strict=True)]
