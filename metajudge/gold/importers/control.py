"""ConTRoL, and any other set of premise, hypothesis and the label e, c or n."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

from metajudge.gold.claim import GoldLabel, Slice
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut
from metajudge.gold.importing.records import (
    claims_of_each,
    identifier_of,
    known_words,
    label_in,
    records,
    text_in,
)
from metajudge.gold.importing.sentences import beginning
from metajudge.gold.importing.source import Source
from metajudge.gold.rows import SourceRow

FORMAT = Format(
    name="control",
    title="ConTRoL",
    kind="public",
    holds="a .jsonl file, or a folder of them",
    label_space="ternary",
    mapping="e (entailment) is yes, c (contradiction) no, n (neutral) idk.",
    licence="CC BY-NC-SA 4.0 (non-commercial, share-alike); passages come from verbal-reasoning"
    " tests",
    citation=(
        "Hanmeng Liu, Leyang Cui, Jian Liu and Yue Zhang (2021). Natural Language Inference in "
        "Context - Investigating Contextual Reasoning over Long Texts. AAAI 2021, 13388-13396."
    ),
    url="https://github.com/csitfun/ConTRoL-dataset",
    hub=("tasksource/ConTRoL-nli",),
    marks=("uid", "premise", "hypothesis", "label"),
)
NLI_LABELS: dict[str, GoldLabel] = {
    "e": "yes",
    "entailment": "yes",
    "c": "no",
    "contradiction": "no",
    "n": "idk",
    "neutral": "idk",
}
"""Words of natural language inference, as people write them."""


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Claims in file order.

    `uid` is not unique, so ids are made from premise and hypothesis; premises that begin alike are
    one group, since some are copies with a word spelt otherwise.
    """
    rows = records(source, FORMAT, "*.jsonl")
    return nli_claims(source, rows, FORMAT.name, "inference")


def nli_claims(
    source: Source, rows: Iterator[SourceRow], name: str, kind: Slice | None = None
) -> Iterator[ImportedClaim | LeftOut]:
    """Claims of rows with premise, hypothesis and label.

    Args:
        source: Whose label map is added to `NLI_LABELS`.
        rows: The rows.
        name: What ids begin with.
        kind: The slice, where the task is to judge claims of one kind.
    """
    labels = known_words(source, NLI_LABELS)
    return claims_of_each(rows, lambda row: _claims(row, labels, name, kind))


def _claims(
    row: SourceRow, labels: Mapping[str, GoldLabel], name: str, kind: Slice | None
) -> Iterator[ImportedClaim]:
    premise = text_in(row, "premise", "missing_context")
    claim = text_in(row, "hypothesis")
    made = hashlib.md5((premise + claim).encode(), usedforsecurity=False).hexdigest()[:12]
    yield ImportedClaim(
        where=row.where,
        line=row.line,
        claim=claim,
        passages=(premise,),
        label=label_in(row, "label", labels),
        claim_id=f"{name}-{made}",
        group=identifier_of(name, beginning(premise)),
        slice=kind,
    )
