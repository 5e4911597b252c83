"""Small gold sets, and a desk at which people label, settle and take back."""

from __future__ import annotations

from typing import Any

from metajudge.gold import Claim, GoldSet, LabellingPolicy
from metajudge.gold.claim import Context, GoldManifest, PendingClaim, PolicyChange
from metajudge.gold.events import (
    Event,
    LabelEvent,
    SettleEvent,
    UndoEvent,
)

FIRST = LabellingPolicy(version="1.0.0")
CHANGED = LabellingPolicy(
    version="2.0.0",
    support={"inference": False},
    changes=(PolicyChange(version="2.0.0", support={"inference": False}),),
)


def made(claims: list[dict[str, Any]], **manifest: Any) -> GoldSet:
    """A gold set from claim fields; those without a label are pending."""
    fields: dict[str, Any] = {
        "name": "tea",
        "version": "1.0.0",
        "languages": ("en",),
        "labelling_policy": FIRST,
        "licence": "none",
        "provenance": "tests",
        "label_source": "human",
    }
    whole = [
        {"claim_id": f"c{n}", "answer_id": "a", "context_id": "x", "claim": f"Claim {n}."} | one
        for n, one in enumerate(claims)
    ]
    return GoldSet(
        GoldManifest.model_validate(fields | manifest),
        tuple(Claim.model_validate(one) for one in whole if "label" in one),
        {"x": Context(context_id="x", passages=("Tea is hot.",))},
        pending=tuple(PendingClaim.model_validate(one) for one in whole if "label" not in one),
    )


class Desk:
    """Writes acts, each with its own save id and a time one minute after the last."""

    def __init__(self) -> None:
        self.acts: list[Event] = []

    def _common(self, who: str, claim: str, minute: int | None) -> dict[str, Any]:
        number = len(self.acts)
        minute = number if minute is None else minute
        time = f"2025-03-01T{9 + minute // 60:02}:{minute % 60:02}:00+00:00"
        return {
            "claim_id": claim,
            "annotator": who,
            "time": time,
            "save_id": f"save-{number:04}",
        }

    def label(
        self, who: str, what: str, claim: str = "c0", minute: int | None = None, **more: Any
    ) -> str:
        common = self._common(who, claim, minute)
        self.acts.append(LabelEvent.model_validate(common | {"label": what} | more))
        return self.acts[-1].save_id

    def settle(
        self, who: str, what: str, claim: str = "c0", minute: int | None = None, **more: Any
    ) -> str:
        common = self._common(who, claim, minute) | {"label": what, "why": f"{who} says"}
        self.acts.append(SettleEvent.model_validate(common | more))
        return self.acts[-1].save_id

    def undo(self, who: str, save: str, claim: str = "c0") -> str:
        self.acts.append(
            UndoEvent.model_validate(self._common(who, claim, None) | {"undoes": save})
        )
        return self.acts[-1].save_id


def only(gold: GoldSet) -> Claim | PendingClaim:
    (claim,) = gold.every_claim
    return claim


def told(gold: GoldSet) -> str:
    claim = only(gold)
    return claim.label if isinstance(claim, Claim) else f"pending: {claim.why}"


# The labelling policy.


def inferred(**more: Any) -> dict[str, Any]:
    return {"slice": "inference"} | more
