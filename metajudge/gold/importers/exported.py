"""What `gold export` writes as a table: JSON Lines, CSV, Parquet, or a saved data set.

Everything that an import can bring comes back: labels and who made them, annotations with all their
fields, spans, groups, policy versions. A whole set, with its policy and its split, moves as a gold
folder.
"""

from __future__ import annotations

from collections.abc import Iterator

from metajudge.gold.claim import Claim, PendingClaim
from metajudge.gold.goldset import GoldSet, read_table
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut
from metajudge.gold.importing.source import Source

FORMAT = Format(
    name="metajudge",
    title="a table of `metajudge gold export`",
    kind="table",
    holds="the .jsonl, .csv or .parquet file, or the folder of `--as datasets`",
    label_space="ternary",
    mapping=(
        "Labels are our own and stand as they are; those that a model made wait for people, and "
        "claims that are marked exclude are left out."
    ),
    marks=("claim_id", "answer_id", "context_id", "passages", "label_source"),
)


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Claims of an export, labelled ones first.

    Raises:
        GoldError: With every fault of the table.
    """
    place = source.place if source.is_dataset else str(source.find("*.jsonl", "*.csv")[0])
    goldset = read_table(place, allow_empty_context=True)
    for claim in goldset.every_claim:
        if claim.exclude:
            yield LeftOut("set_aside", place, None, claim.claim_id, "marked exclude")
        else:
            yield _imported(goldset, claim, place)


def _imported(goldset: GoldSet, claim: Claim | PendingClaim, place: str) -> ImportedClaim:
    context = goldset.contexts[claim.context_id]
    return ImportedClaim(
        where=place,
        line=None,
        claim=claim.claim,
        passages=context.passages,
        label=claim.label if isinstance(claim, Claim) else None,
        claim_id=claim.claim_id,
        answer_id=claim.answer_id,
        context_id=claim.context_id,
        group=context.group,
        question=claim.question,
        lang=claim.lang,
        slice=claim.slice,
        title=context.title,
        annotations=claim.annotations,
        spans=claim.spans,
        note=claim.note,
        unlabelled="unsettled" if claim.annotations else "unlabelled",
        detail="" if isinstance(claim, Claim) else claim.why,
        label_source=claim.label_source,
        label_policy=claim.label_policy if isinstance(claim, Claim) else None,
        generator=claim.generator,
    )
