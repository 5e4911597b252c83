"""MLflow: traces with the assessments on them, and records of an evaluation dataset.

Shapes as `mlflow` 3.17.2 writes them (`entities/trace.py`, `assessment.py`, `span.py`,
`dataset_record.py`): a trace as `Trace.to_dict` gives it (`info.assessments`, `data.spans`), or a
row of `search_traces` (`request`, `response`, `spans`, `assessments`); an assessment has
`assessment_name`, `source.source_type` (HUMAN, LLM_JUDGE, CODE; once AI_JUDGE), `feedback.value`
or `expectation.value`, `rationale`, `span_id`, `overrides` and `valid`. Inputs and outputs are
those of the root span, or of the span that the assessment names; the previews in `info` are cut
and not read. Passages are inputs or outputs under a usual name, else what the spans of type
RETRIEVER gave.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from metajudge.gold.importing.fields import (
    Record,
    Texts,
    mappings,
    passages_of,
    records,
    rooted,
    structured,
    texts_of,
    value_at,
)
from metajudge.gold.importing.given import settled, stated_label
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut
from metajudge.gold.importing.judgements import Judgement, Maker, judged
from metajudge.gold.importing.source import Source
from metajudge.gold.importing.words import identifier, person

FORMAT = Format(
    name="mlflow",
    title="MLflow",
    kind="framework",
    holds="traces or dataset records as JSON, JSON Lines, CSV or Parquet: a file or a folder",
    label_space="ternary",
    mapping=(
        "Feedback and expectations of people (HUMAN) under the name that asks for the label; an "
        "assessment that another overrides, or that is not valid, is superseded; those of LLM "
        "judges and code are left out. In dataset records: an expectation `label`, `gold_label` or "
        "`human_label`, or the mapped field, as the dataset's authors state it."
    ),
    url="https://mlflow.org/docs/latest/genai/assessments/feedback/",
    marks=("info", "data"),
    other_marks=(
        ("trace_id", "assessments", "spans"),
        ("request", "response", "assessments"),
        ("dataset_record_id", "inputs", "expectations"),
    ),
)
_MAKERS: dict[str, Maker] = {
    "HUMAN": "person",
    "LLM_JUDGE": "model",
    "AI_JUDGE": "model",
    "CODE": "program",
}
_SPAN_ID_BYTES = 8
_INPUTS, _OUTPUTS, _TYPE = "mlflow.spanInputs", "mlflow.spanOutputs", "mlflow.spanType"


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Claims of traces and dataset records, and what is left out of them.

    Raises:
        GoldError: The files cannot be read.
    """
    patterns = ("*.jsonl", "*.json", "*.csv", "*.parquet")
    for record in records(source, *patterns, lists=("traces", "records")):
        fields = record.fields
        whole = structured(fields.get("trace"))
        if isinstance(whole, Mapping):
            fields = {**fields, **whole}
        if "info" in fields or "assessments" in fields:
            yield from _trace(Record(record.where, record.line, fields), source)
        elif "inputs" in fields:
            yield from _dataset_record(record, source)
        else:
            yield record.left("malformed", "", "neither a trace nor a record of a dataset")


def _trace(record: Record, source: Source) -> Iterator[ImportedClaim | LeftOut]:
    fields = record.fields
    trace_id = value_at(fields, "info.trace_id") or fields.get("trace_id")
    spans = {
        _span_id(span): span
        for span in mappings(value_at(fields, "data.spans") or fields.get("spans"))
    }
    roots = (name for name, span in spans.items() if not _parent_id(span))
    root_id = next(roots, "")
    held = mappings(value_at(fields, "info.assessments") or fields.get("assessments"))
    left, by_span = _by_span(record, held, root_id)
    yield from left
    for span_id, judgements in by_span.items():
        place = _place(record, spans.get(span_id, {}), span_id == root_id)
        texts = _texts(place, source, list(spans.values()))
        if isinstance(texts, LeftOut):
            yield texts
            continue
        claim_id = trace_id if span_id == root_id else f"{trace_id}:{span_id}"
        yield from judged(place, texts, source, judgements, claim_id=claim_id)


def _span_id(span: Mapping[str, Any]) -> str:
    return _hexadecimal(span.get("span_id") or value_at(span, "context.span_id"))


def _parent_id(span: Mapping[str, Any]) -> str:
    return _hexadecimal(span.get("parent_span_id") or span.get("parent_id"))


def _hexadecimal(span_id: Any) -> str:
    """A span's id as assessments write it; spans have the same bytes in base 64.

    >>> _hexadecimal("q83vEjRWeJA="), _hexadecimal("abcdef1234567890")
    ('abcdef1234567890', 'abcdef1234567890')
    """
    text = str(span_id or "").removeprefix("0x")
    try:
        raw = base64.b64decode(text, validate=True)
    except ValueError:
        return text
    return raw.hex() if len(raw) == _SPAN_ID_BYTES else text


def _by_span(
    record: Record, held: Sequence[Mapping[str, Any]], root_id: str
) -> tuple[list[LeftOut], dict[str, list[Judgement]]]:
    """Assessments that do not stand, and the others by the span they are on, the root first."""
    overridden = {str(row["overrides"]) for row in held if row.get("overrides")}
    left: list[LeftOut] = []
    by_span: dict[str, list[Judgement]] = {root_id: []}
    for row in held:
        judgement = _assessment(record, row)
        if row.get("valid") is False or str(row.get("assessment_id")) in overridden:
            left.append(record.left("superseded", judgement.what, "overridden"))
            continue
        by_span.setdefault(_hexadecimal(row.get("span_id")) or root_id, []).append(judgement)
    return left, by_span


def _assessment(record: Record, row: Mapping[str, Any]) -> Judgement:
    kind = "feedback" if "feedback" in row else "expectation"
    value = value_at(row, f"{kind}.value")
    if value is None:
        value = structured(value_at(row, f"{kind}.serialized_value.value"))
    maker = str(value_at(row, "source.source_type")).upper()
    return Judgement(
        Record(record.where, record.line, row),
        str(row.get("assessment_name") or row.get("name")),
        value,
        _MAKERS.get(maker, "unsaid"),
        person(value_at(row, "source.source_id")),
        identifier(row.get("assessment_id")) or "",
        row.get("last_update_time") or row.get("create_time"),
        row.get("rationale"),
    )


def _place(record: Record, span: Mapping[str, Any], is_root: bool) -> Record:
    """The record with the texts of a span; of the root also as the whole trace has them."""
    inputs, outputs = (_attribute(span, name) for name in (_INPUTS, _OUTPUTS))
    fields = record.fields
    if is_root:
        inputs = _either(
            inputs, structured(fields.get("request")), value_at(fields, "data.request")
        )
        outputs = _either(
            outputs, structured(fields.get("response")), value_at(fields, "data.response")
        )
    roots = tuple(part for part in (outputs, inputs) if isinstance(part, Mapping))
    return Record(
        record.where, record.line, fields, (*roots, {"answer": outputs, "question": inputs})
    )


def _attribute(span: Mapping[str, Any], name: str) -> Any:
    return _decoded(value_at(structured(span.get("attributes")), name))


def _either(*values: Any) -> Any:
    return _decoded(next((value for value in values if value is not None), None))


def _decoded(value: Any) -> Any:
    """A value that was stored as JSON; a text that is none stays as it is."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value


def _texts(place: Record, source: Source, spans: Sequence[Mapping[str, Any]]) -> Texts | LeftOut:
    texts = texts_of(place, source)
    if isinstance(texts, Texts) or texts.reason != "missing_context":
        return texts
    retrieved = (span for span in spans if _attribute(span, _TYPE) == "RETRIEVER")
    documents = [
        text for span in retrieved for text in passages_of(_attribute(span, _OUTPUTS)) or ()
    ]
    if not documents or "passages" in source.columns:
        return texts
    roots = (*place.roots, {"passages": documents})
    return texts_of(Record(place.where, place.line, place.fields, roots), source)


def _dataset_record(record: Record, source: Source) -> Iterator[ImportedClaim | LeftOut]:
    place = rooted(record, "outputs", "inputs", "expectations")
    texts = texts_of(place, source)
    if isinstance(texts, LeftOut):
        yield texts
        return
    expected = rooted(record, "expectations")
    asked = expected if "label" not in source.columns else place
    yield from settled(
        place,
        texts,
        source,
        stated=stated_label(asked, source),
        claim_id=record.fields.get("dataset_record_id"),
    )
