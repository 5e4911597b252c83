"""SummEdits: whole summaries, each with small edits that people called consistent or not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from metajudge.gold.claim import GoldLabel
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut
from metajudge.gold.importing.records import (
    bounded,
    claims_of_each,
    known_words,
    label_in,
    optional_text,
    records,
    text_in,
)
from metajudge.gold.importing.source import Source
from metajudge.gold.rows import SourceRow

FORMAT = Format(
    name="summedits",
    title="SummEdits",
    kind="public",
    holds="summedits_<domain>.json, or the folder of them",
    label_space="binary",
    mapping="1 (consistent) is supported, 0 is unsupported; the machine-made edit types are not"
    " read.",
    licence="Apache-2.0 (labels; the copy on the hub says CC BY 4.0); documents have their own"
    " terms, among them SAMSum CC BY-NC-ND, news, podcasts and earnings calls of third parties",
    citation=(
        "Philippe Laban, Wojciech Kryscinski, Divyansh Agarwal, Alexander Fabbri, Caiming "
        "Xiong, Shafiq Joty and Chien-Sheng Wu (2023). SummEdits: Measuring LLM Ability at "
        "Factual Reasoning Through the Lens of Summarization. EMNLP 2023."
    ),
    url="https://github.com/salesforce/factualNLG",
    hub=("Salesforce/summedits",),
    marks=("id", "doc", "summary", "label", "edit_types"),
    files=("summedits*.json",),
    languages=("en",),
)
_LABELS: dict[str, GoldLabel] = {"1": "supported", "0": "unsupported"}


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """One claim a summary, in file order; each summary is an answer of its own."""
    labels = known_words(source, _LABELS)
    return claims_of_each(records(source, FORMAT), lambda row: _claims(row, labels))


def _claims(row: SourceRow, labels: Mapping[str, GoldLabel]) -> Iterator[ImportedClaim]:
    name = optional_text(row, "id")
    claim_id = name and bounded(f"summedits-{name}")
    yield ImportedClaim(
        where=row.where,
        line=row.line,
        claim=text_in(row, "summary"),
        passages=(text_in(row, "doc", "missing_context"),),
        label=label_in(row, "label", labels),
        claim_id=claim_id,
        answer_id=claim_id,
        lang="en",
        slice="summary",
    )
