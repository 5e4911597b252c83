"""Claims as rows of a table, each with its context, such as `read_table` reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from metajudge.gold.claim import Annotation, Claim, PendingClaim
from metajudge.gold.columns import CONTEXT_LANG
from metajudge.gold.goldset import GoldSet

COLUMNS = (
    *("claim_id", "answer_id", "context_id", "claim", "label", "slice", "lang", "question"),
    *("passages", "title", "domain", "group", CONTEXT_LANG),
    *("annotations", "spans", "note", "label_source", "label_policy", "generator", "exclude"),
    "why",
)
"""Fields of a row in the order in which they are written."""
TYPES: dict[str, Any] = dict.fromkeys(COLUMNS, "string") | {
    "passages": ["string"],
    "annotations": [
        dict.fromkeys(Annotation.model_fields, "string")
        | {"seconds": "float64", "spans": ["string"], "flagged": "bool"}
    ],
    "spans": ["string"],
    "exclude": "bool",
}
"""Types of the fields, for forms that have any."""
NOT_IN_A_TABLE = (
    "a table holds claims and contexts; licence, provenance, labelling policy and split stay in "
    "goldset.yaml: --as folder carries all"
)
"""What an export as a table says of the rest of the set."""
_OF_CONTEXT = ("title", "domain", "group")


def table_rows(goldset: GoldSet) -> Iterator[dict[str, Any]]:
    """One row a claim, labelled ones first; fields without a value are left out."""
    for claim in goldset.every_claim:
        yield _row(goldset, claim)


def full_rows(goldset: GoldSet) -> Iterator[dict[str, Any]]:
    """The same rows with every field in each, and every field in each annotation."""
    for claim, row in zip(goldset.every_claim, table_rows(goldset), strict=True):
        notes = [note.model_dump(mode="json") for note in claim.annotations]
        more = {"annotations": notes, "spans": list(claim.spans), "exclude": claim.exclude}
        yield {name: (row | more).get(name) for name in COLUMNS}


def _row(goldset: GoldSet, claim: Claim | PendingClaim) -> dict[str, Any]:
    context = goldset.contexts[claim.context_id]
    fields = claim.model_dump(mode="json", exclude_defaults=True)
    fields |= {"lang": claim.lang, "label_source": claim.label_source}
    fields |= {"passages": list(context.passages), CONTEXT_LANG: context.lang}
    fields |= {name: getattr(context, name) for name in _OF_CONTEXT}
    if isinstance(claim, PendingClaim):
        fields["why"] = claim.why
    return {name: fields[name] for name in COLUMNS if fields.get(name) is not None}
