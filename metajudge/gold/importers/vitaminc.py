"""VitaminC: claims against single sentences of Wikipedia, in contrastive sets of one case.

Texts are tokenised upstream (spaces before punctuation) and stay so: people judged them like that.
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
)
from metajudge.gold.importing.source import Source
from metajudge.gold.rows import SourceRow

FORMAT = Format(
    name="vitaminc",
    title="VitaminC",
    kind="public",
    holds="a .jsonl file, or a folder of them (train, dev, test)",
    label_space="ternary",
    mapping="SUPPORTS -> yes, REFUTES -> no, NOT ENOUGH INFO -> idk.",
    licence="CC BY-SA 3.0 (labels and Wikipedia texts)",
    citation=(
        "Tal Schuster, Adam Fisch and Regina Barzilay (2021): Get Your Vitamin C! Robust Fact "
        "Verification with Contrastive Evidence. NAACL 2021."
    ),
    url="https://github.com/TalSchuster/VitaminC",
    hub=("tals/vitaminc",),
    marks=("unique_id", "case_id", "claim", "evidence", "label"),
    files=("vitaminc*.jsonl",),
    languages=("en",),
)
_LABELS: dict[str, GoldLabel] = {"SUPPORTS": "yes", "REFUTES": "no", "NOT ENOUGH INFO": "idk"}


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Claims of each record, in file order; the claims and sentences of a case are one group."""
    labels = known_words(source, _LABELS)
    return claims_of_each(records(source, FORMAT, "*.jsonl"), partial(_claims, labels=labels))


def _claims(row: SourceRow, labels: Mapping[str, GoldLabel]) -> Iterator[ImportedClaim]:
    claim, evidence = text_in(row, "claim"), text_in(row, "evidence", "missing_context")
    unique, case = optional_text(row, "unique_id"), optional_text(row, "case_id")
    title = _title(row)
    yield ImportedClaim(
        where=row.where,
        line=row.line,
        claim=claim,
        passages=(evidence,),
        label=label_in(row, "label", labels),
        claim_id=unique and bounded(f"vitaminc-{unique}"),
        group=case and bounded(f"vitaminc-{case}"),
        lang="en",
        title=title,
    )


def _title(row: SourceRow) -> str | None:
    """Page and revision of the sentence, where the record has them."""
    page, revision = optional_text(row, "page"), optional_text(row, "wiki_revision_id")
    if page is None:
        return None
    return page if revision is None else f"{page} (revision {revision})"
