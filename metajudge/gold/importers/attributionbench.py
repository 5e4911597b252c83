"""AttributionBench: statements of answer engines against the references that they cite.

Claims keep upstream's citation marks such as `[1]`: people judged them like that, and the marks
tell which reference is meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

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
    texts_in,
)
from metajudge.gold.importing.source import Source
from metajudge.gold.rows import SourceRow

FORMAT = Format(
    name="attributionbench",
    title="AttributionBench",
    kind="public",
    holds="a .jsonl file, or a folder of them",
    label_space="binary",
    mapping=(
        "attributable -> supported, not attributable -> unsupported (contradiction and missing "
        "evidence are not told apart); citation marks stay in the claim."
    ),
    licence=(
        "Apache-2.0 by the dataset card (the repository has no licence file); parts: ExpertQA and "
        "Stanford-GenSearch MIT, HAGRID Apache-2.0, AttributedQA and LFQA see their papers; "
        "references are excerpts of web pages and Wikipedia"
    ),
    citation=(
        "Yifei Li, Xiang Yue, Zeyi Liao and Huan Sun (2024): AttributionBench: How Hard is "
        "Automatic Attribution Evaluation? Findings of ACL 2024."
    ),
    url="https://github.com/OSU-NLP-Group/AttributionBench",
    hub=("osunlp/AttributionBench",),
    marks=("claim", "references", "attribution_label", "src_dataset"),
    files=("*_all_subset_balanced*.jsonl", "*_overall_balanced.jsonl"),
    languages=("en",),
)
_LABELS: dict[str, GoldLabel] = {"attributable": "yes", "not attributable": "unsupported"}
_ID_END = 40


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Claims of each record, in file order; the references of one question are one group."""
    labels = known_words(source, _LABELS)
    return claims_of_each(records(source, FORMAT, "*.jsonl"), partial(_claims, labels=labels))


def _claims(row: SourceRow, labels: Mapping[str, GoldLabel]) -> Iterator[ImportedClaim]:
    claim, passages = text_in(row, "claim"), texts_in(row, "references")
    question, identifier = optional_text(row, "question"), optional_text(row, "id")
    yield ImportedClaim(
        where=row.where,
        line=row.line,
        claim=claim,
        passages=passages,
        label=label_in(row, "attribution_label", labels),
        claim_id=identifier and f"attrbench-{identifier[-_ID_END:]}",
        group=question and bounded(question),
        question=question,
        lang="en",
    )
