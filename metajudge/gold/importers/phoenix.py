"""Phoenix: spans with the annotations on them, and examples of a dataset.

Shapes as `arize-phoenix-client` 3.5.0 gives them (`resources/spans`, `resources/datasets`,
`helpers/spans/rag.py`), of the REST API or of a data frame saved as JSON, JSON Lines, CSV or
Parquet: an annotation has `span_id`, `name` (in a frame `annotation_name`), `annotator_kind`
(HUMAN, LLM or CODE), `result` with `label`, `score` and `explanation` (in a frame `result.label`),
`user_id`, `identifier` and `updated_at`; a span has `context.span_id`, `parent_id` and
`attributes.input.value`, `attributes.output.value`, `attributes.retrieval.documents`. A frame may
hold both in one row. A root span without passages is judged against what the retriever spans of
its trace found, as `get_input_output_context` puts them together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from metajudge.gold.importing.fields import (
    USUAL_NAMES,
    Record,
    Texts,
    each_once,
    passages_of,
    records,
    rooted,
    texts_of,
    value_at,
)
from metajudge.gold.importing.given import settled, stated_label
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut
from metajudge.gold.importing.judgements import (
    Judgement,
    Maker,
    judged,
    step_left,
    without_texts,
)
from metajudge.gold.importing.source import Source
from metajudge.gold.importing.words import identifier, person

FORMAT = Format(
    name="phoenix",
    title="Arize Phoenix",
    kind="framework",
    holds="spans, annotations or examples as JSON, JSON Lines, CSV or Parquet: file or folder",
    label_space="ternary",
    mapping=(
        "Annotations of people (HUMAN) under the name that asks for the label: the label, or the "
        "score where there is none; those of models (LLM) and programs (CODE) are left out, as "
        "are annotations of single documents. In examples: a field `label`, `gold_label` or "
        "`human_label`, or the mapped one, as the dataset's authors state it."
    ),
    url="https://arize.com/docs/phoenix/tracing/how-to-tracing/importing-and-exporting-traces",
    marks=("annotator_kind",),
    other_marks=(
        ("context", "attributes", "span_kind"),
        ("context.span_id", "attributes.*"),
        ("example_id", "input", "output", "metadata"),
    ),
)
_NAMES = {
    "claim": (*USUAL_NAMES["claim"][:-1], ("attributes.output.value",)),
    "passages": (
        *USUAL_NAMES["passages"][:2],
        ("attributes.retrieval.documents", "documents", "reference"),
    ),
    "question": (*USUAL_NAMES["question"], ("attributes.input.value",)),
}
_MAKERS: dict[str, Maker] = {"HUMAN": "person", "LLM": "model", "CODE": "program"}
_SPAN_ID = ("context.span_id", "span_id")
_TRACE_ID = ("context.trace_id", "trace_id")


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Claims of spans and examples, and what is left out of them.

    Raises:
        GoldError: The files cannot be read.
    """
    subjects: dict[str, Record] = {}
    examples: list[Record] = []
    annotations: dict[str, list[Judgement]] = {}
    found: dict[str, list[str]] = {}
    for record in records(source, "*.jsonl", "*.json", "*.csv", "*.parquet"):
        span_id = _at(record, _SPAN_ID)
        if "annotator_kind" not in record.fields and not span_id:
            examples.append(record)
            continue
        if record.fields.get("annotator_kind"):
            annotations.setdefault(span_id, []).append(_annotation(record))
        if span_id not in subjects or "annotator_kind" not in record.fields:
            subjects[span_id] = record
        documents = passages_of(value_at(record.fields, "attributes.retrieval.documents"))
        found.setdefault(_at(record, _TRACE_ID), []).extend(documents or ())
    spans = list(subjects.items())
    subjects.clear()
    for span_id, subject in each_once(spans):
        documents = tuple(dict.fromkeys(found[_at(subject, _TRACE_ID)]))
        own = annotations.pop(span_id, [])
        yield from _claim(subject, source, own, span_id, documents)
    for example in examples:
        yield from _example(example, source)


def _at(record: Record, paths: tuple[str, ...]) -> str:
    return next((str(id) for path in paths if (id := value_at(record.fields, path))), "")


def _annotation(record: Record) -> Judgement:
    fields = record.fields

    def given(name: str) -> Any:
        return value_at(fields, f"result.{name}")

    label = given("label")
    return Judgement(
        record,
        str(fields.get("annotation_name") or fields.get("name")),
        given("score") if label in (None, "") else label,
        _MAKERS.get(str(fields.get("annotator_kind")).upper(), "unsaid"),
        person(fields.get("user_id") or fields.get("identifier")),
        identifier(fields.get("id")) or "",
        fields.get("updated_at") or fields.get("created_at"),
        given("explanation"),
    )


def _claim(
    record: Record,
    source: Source,
    annotations: list[Judgement],
    span_id: str,
    documents: tuple[str, ...],
) -> Iterator[ImportedClaim | LeftOut]:
    if value_at(record.fields, "parent_id") and not annotations:
        yield step_left(record, span_id)
        return
    of_documents = [note for note in annotations if _is_of_document(note.record)]
    left = [note.record.left("no_claim", note.what, "of one document") for note in of_documents]
    annotations = [note for note in annotations if note not in of_documents]
    texts = _texts(record, source, documents)
    if isinstance(texts, Texts):
        yield from judged(record, texts, source, annotations, left=left, claim_id=span_id)
    else:
        if "annotator_kind" not in record.fields:
            yield texts
        yield from left
        yield from without_texts(annotations)


def _is_of_document(note: Record) -> bool:
    """Whether it is on one document; in a frame the others have None or NaN there."""
    return identifier(note.fields.get("document_position")) is not None


def _texts(record: Record, source: Source, documents: tuple[str, ...]) -> Texts | LeftOut:
    """Texts of a span; without passages of its own, against those that its trace retrieved."""
    texts = texts_of(record, source, _NAMES)
    if isinstance(texts, Texts) or texts.reason != "missing_context" or not documents:
        return texts
    fields = {**record.fields, "passages": list(documents)}
    return texts_of(Record(record.where, record.line, fields), source, _NAMES)


def _example(record: Record, source: Source) -> Iterator[ImportedClaim | LeftOut]:
    place = rooted(record, "output", "input", "metadata")
    texts = texts_of(place, source)
    if isinstance(texts, LeftOut):
        yield texts
        return
    claim_id = record.fields.get("example_id") or record.fields.get("id")
    yield from settled(place, texts, source, stated=stated_label(place, source), claim_id=claim_id)
