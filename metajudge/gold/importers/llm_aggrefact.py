"""LLM-AggreFact: eleven sets of claims against documents in one shape, labels 1 and 0."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from metajudge.gold.claim import GoldLabel
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut
from metajudge.gold.importing.records import (
    bounded,
    claims_of_each,
    identifier_of,
    known_words,
    label_in,
    optional_text,
    records,
    text_in,
)
from metajudge.gold.importing.source import Source
from metajudge.gold.rows import SourceRow

FORMAT = Format(
    name="llm-aggrefact",
    title="LLM-AggreFact",
    kind="public",
    holds="a .jsonl, .json, .csv or .parquet file, or a folder of them",
    label_space="binary",
    mapping="1 -> supported, 0 -> unsupported; the part of the benchmark stands in the claim's id.",
    licence=(
        "CC BY-ND 4.0 by the dataset card: for evaluation only, not for training; the parts have "
        "licences of their own"
    ),
    citation=(
        "Liyan Tang, Philippe Laban and Greg Durrett (2024): MiniCheck: Efficient Fact-Checking of "
        "LLMs on Grounding Documents. EMNLP 2024."
    ),
    url="https://github.com/Liyan06/MiniCheck",
    hub=("lytang/LLM-AggreFact",),
    marks=("dataset", "doc", "claim", "label"),
    languages=("en",),
)
_LABELS: dict[str, GoldLabel] = {
    "1": "yes",
    "0": "unsupported",
    "1.0": "yes",
    "0.0": "unsupported",
    "true": "yes",
    "false": "unsupported",
}
_FILES = ("*.jsonl", "*.json", "*.csv", "*.parquet")


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Claims of each record, in file order."""
    labels = known_words(source, _LABELS)
    return claims_of_each(records(source, FORMAT, *_FILES), partial(_claims, labels=labels))


def _claims(row: SourceRow, labels: Mapping[str, GoldLabel]) -> Iterator[ImportedClaim]:
    claim, document = text_in(row, "claim"), text_in(row, "doc", "missing_context")
    part = optional_text(row, "dataset") or "aggrefact"
    yield ImportedClaim(
        where=row.where,
        line=row.line,
        claim=claim,
        passages=(document,),
        label=label_in(row, "label", labels),
        claim_id=bounded(identifier_of(part, document, claim)),
        lang="en",
    )
