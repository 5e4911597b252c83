"""A small gold set in memory that several people labelled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metajudge.gold import Claim, Context, GoldManifest, GoldSet, LabellingPolicy
from metajudge.gold.claim import PendingClaim


def note(annotator: str, label: str, **more: Any) -> dict[str, Any]:
    return {"annotator": annotator, "label": label} | more


CLAIMS: list[dict[str, Any]] = [
    {
        "claim_id": "c1",
        "context_id": "x1",
        "label": "yes",
        "slice": "summary",
        "annotations": [
            note("ana", "yes", time="2025-03-01T09:00:00Z", seconds=4.5),
            note("小李", "yes"),
            note("bob", "no"),
        ],
    },
    {
        "claim_id": "c2",
        "context_id": "x1",
        "label": "no",
        "annotations": [
            note("ana", "no", time="2025-03-01T10:01:00+01:00"),
            note("小李", "yes"),
            note("bob", "no", flagged=True),
        ],
    },
    {
        "claim_id": "c3",
        "context_id": "x2",
        "label": "yes",
        "label_source": "model",
        "lang": "zh",
        "annotations": [note("ana", "idk")],
    },
    {
        "claim_id": "p1",
        "context_id": "x2",
        "lang": "zh",
        "annotations": [note("ana", "yes"), note("小李", "no")],
    },
]


def panel(claims: Sequence[dict[str, Any]] = CLAIMS, **manifest: Any) -> GoldSet:
    """Rows with a label are claims, rows without one wait for theirs."""
    made: list[Claim] = []
    waiting: list[PendingClaim] = []
    for fields in claims:
        whole = {"answer_id": "a", "claim": "Tea is hot. 茶是热的。"} | fields
        if "label" in whole:
            made.append(Claim.model_validate(whole))
        else:
            waiting.append(PendingClaim.model_validate(whole))
    contexts = {fields["context_id"]: None for fields in claims}
    about: dict[str, Any] = {
        "name": "tea",
        "version": "1",
        "languages": ("en", "zh"),
        "labelling_policy": LabellingPolicy(version="1"),
        "licence": "none",
        "provenance": "tests",
        "label_source": "human",
        "annotators": ("ana", "小李"),
    }
    return GoldSet(
        GoldManifest(**(about | manifest)),
        tuple(made),
        {name: Context(context_id=name, passages=("Tea.",)) for name in contexts},
        pending=tuple(waiting),
    )
