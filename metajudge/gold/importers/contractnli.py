"""ContractNLI: the same hypotheses about every contract, with the clauses that decide.

The hypotheses of all documents are the same, so one claim text has many labels: a claim is known by
its document and hypothesis together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from metajudge.errors import GoldError, short_repr
from metajudge.gold.claim import GoldLabel
from metajudge.gold.importers.control import nli_claims
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut
from metajudge.gold.importing.records import (
    UnusableError,
    as_text,
    bounded,
    claims_of_each,
    folded_word,
    known_words,
    left_out,
    malformed,
    optional_text,
    records,
    text_in,
)
from metajudge.gold.importing.source import Source
from metajudge.gold.rows import SourceRow

FORMAT = Format(
    name="contractnli",
    title="ContractNLI",
    kind="public",
    holds="train.json, dev.json or test.json, or the folder of them; rows with premise, hypothesis"
    " and label are read too",
    label_space="ternary",
    mapping="Entailment is yes, Contradiction no, NotMentioned idk.",
    licence="CC BY 4.0 (Hitachi America, Ltd.); contracts from EDGAR filings and public web pages",
    citation=(
        "Yuta Koreeda and Christopher Manning (2021). ContractNLI: A Dataset for Document-level "
        "Natural Language Inference for Contracts. Findings of EMNLP 2021, 1907-1919."
    ),
    url="https://stanfordnlp.github.io/contract-nli",
    marks=("documents", "labels"),
    languages=("en",),
)
_LABELS: dict[str, GoldLabel] = {
    "Entailment": "yes",
    "Contradiction": "no",
    "NotMentioned": "idk",
}

_TABLES = (".parquet", ".jsonl", ".csv")


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Claims by document and hypothesis, in file order.

    Raises:
        GoldError: There is no such file.
    """
    if source.is_dataset or source.path.suffix.lower() in _TABLES:
        return nli_claims(source, records(source, FORMAT), FORMAT.name)
    labels = known_words(source, _LABELS)
    return claims_of_each(_documents(source), lambda row: _claims(row, labels))


def _documents(source: Source) -> Iterator[SourceRow]:
    """Contracts of every file, each with the hypotheses of its file."""
    for path in source.find("train.json", "dev.json", "test.json"):
        try:
            content = source.document(path)
        except GoldError as error:
            source.problems += error.problems
            continue
        yield from _documents_of(source, path, content if isinstance(content, dict) else {})


def _documents_of(source: Source, path: Path, content: Mapping[str, Any]) -> Iterator[SourceRow]:
    documents, hypotheses = content.get("documents"), content.get("labels")
    if not isinstance(documents, list) or not isinstance(hypotheses, dict):
        law = 'a file must be {"documents": […], "labels": {…}}'
        source.fault(str(path), law, "Name a file of ContractNLI.", got=content)
        return
    for number, document in enumerate(documents, 1):
        where = f"{path} row {number}"
        if isinstance(document, dict):
            yield SourceRow(where, None, document | {"hypotheses": hypotheses})
        else:
            source.fault(where, "a document must be an object", "Remove it.", got=document)


def _claims(row: SourceRow, labels: Mapping[str, GoldLabel]) -> Iterator[ImportedClaim | LeftOut]:
    clauses = _clauses(row)
    name = optional_text(row, "id")
    answer_id = name and bounded(f"contractnli-{name}")
    annotations = _annotations(row)
    more = len(row.fields["annotation_sets"]) - 1
    if more:
        yield left_out(
            row, "set_aside", name or "a contract", f"annotation sets after the first: {more}"
        )
    for key, given in annotations.items():
        what = f"{name}-{key}"
        try:
            claim, label = _hypothesis(row, key), _label(row, what, given, labels)
            spans = _spans(row, given, clauses)
        except UnusableError as unusable:
            yield unusable.left_out
            continue
        yield ImportedClaim(
            where=row.where,
            line=row.line,
            claim=claim,
            passages=tuple(clause for clause in clauses if clause.strip()),
            label=label,
            claim_id=answer_id and bounded(f"{answer_id}-{key}"),
            answer_id=answer_id,
            lang="en",
            slice="summary" if len(spans) > 1 else None,
            spans=spans,
        )


def _clauses(row: SourceRow) -> tuple[str, ...]:
    """The contract in upstream's spans, blank ones kept so that the evidence's numbers hold."""
    text, spans = text_in(row, "text", "missing_context"), row.fields.get("spans")
    if not isinstance(spans, list) or not spans:
        raise UnusableError(malformed(row, "spans", spans))
    if not all(_is_span(span, len(text)) for span in spans):
        raise UnusableError(left_out(row, "malformed", "spans", "a span outside the text"))
    return tuple(text[start:end] for start, end in spans)


def _is_span(span: Any, length: int) -> bool:
    return (
        isinstance(span, list)
        and len(span) == 2
        and all(isinstance(at, int) and not isinstance(at, bool) for at in span)
        and 0 <= span[0] <= span[1] <= length
    )


def _annotations(row: SourceRow) -> Mapping[str, Any]:
    sets = row.fields.get("annotation_sets")
    first = sets[0] if isinstance(sets, list) and sets else None
    annotations = first.get("annotations") if isinstance(first, Mapping) else None
    if not isinstance(annotations, Mapping):
        raise UnusableError(malformed(row, "annotation_sets", sets))
    return annotations


def _hypothesis(row: SourceRow, key: str) -> str:
    about = row.fields["hypotheses"].get(key)
    value = about.get("hypothesis") if isinstance(about, Mapping) else None
    return as_text(row, f"labels.{key}.hypothesis", value)


def _label(row: SourceRow, what: str, given: Any, labels: Mapping[str, GoldLabel]) -> GoldLabel:
    choice = given.get("choice") if isinstance(given, Mapping) else None
    label = labels.get(folded_word(choice))
    if label is None:
        detail = f"choice is {short_repr(choice, 40)}"
        raise UnusableError(left_out(row, "unknown_label", what, detail))
    return label


def _spans(row: SourceRow, given: Mapping[str, Any], clauses: Sequence[str]) -> tuple[str, ...]:
    numbers = given.get("spans") or []
    if not isinstance(numbers, list) or not all(
        isinstance(number, int) and 0 <= number < len(clauses) for number in numbers
    ):
        raise UnusableError(malformed(row, "spans of an annotation", numbers))
    marked = (clauses[number] for number in numbers)
    return tuple(dict.fromkeys(clause for clause in marked if clause.strip()))
