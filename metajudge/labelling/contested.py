"""Claims that people have to settle: annotators disagree or ask for it, or a judge differs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from metajudge.gold.claim import Claim, GoldLabel, PendingClaim
from metajudge.gold.events import Event, LabelEvent, ReviewEvent, SettleEvent, SkipEvent
from metajudge.labelling.sitting import ShownVerdict

if TYPE_CHECKING:
    from metajudge.labelling.disputed import Why


def why_contested(claim: Claim | PendingClaim, acts: Sequence[Event]) -> Why | None:
    """The most pressing reason to settle a claim; None where there is none.

    What came after a label was settled reopens the claim only where it is another label, or a flag;
    of an annotator's labels the last one counts.

    Args:
        claim: With the acts in it.
        acts: The acts about it that stand.
    """
    settled = [act for act in acts if isinstance(act, SettleEvent)]
    if settled:
        last = max(settled, key=moment)
        later = [act for act in acts if moment(act) > moment(last)]
        if _asked(later):
            return "flagged"
        given = {act.annotator: act.label for act in later if isinstance(act, LabelEvent)}
        return "gold_against_votes" if {*given.values()} - {last.label} else None
    labels = {note.label for note in claim.annotations}
    if isinstance(claim, PendingClaim) and len(labels) > 1:
        return "tie"
    if _asked(acts) or any(note.flagged for note in claim.annotations):
        return "flagged"
    if len(labels) > 1:
        return "split"
    against = isinstance(claim, Claim) and labels and claim.label not in labels
    return "gold_against_votes" if against else None


def moment(act: Event) -> datetime:
    """When an act was done; as texts, times do not compare: one can be written in many ways."""
    return datetime.fromisoformat(act.time.replace("Z", "+00:00"))


def agrees(verdict: str, gold: GoldLabel) -> bool:
    """Whether a verdict is the gold label; with two labels, no and idk are `unsupported`.

    >>> agrees("idk", "unsupported"), agrees("idk", "no")
    (True, False)
    """
    if gold in ("supported", "unsupported"):
        return (verdict in ("yes", "supported")) == (gold == "supported")
    return verdict == gold


def open_verdicts(
    claim: Claim | PendingClaim, verdicts: Sequence[ShownVerdict], acts: Sequence[Event]
) -> tuple[ShownVerdict, ...]:
    """Verdicts that differ from the gold label and that nobody has looked at.

    A review stands as long as verdict and gold label are what they were, also in another sweep, or
    while the gold label is the one that the review gave.
    """
    if not isinstance(claim, Claim):
        return ()
    given = {
        (act.annotator, act.save_id): act.label for act in acts if isinstance(act, SettleEvent)
    }
    reviews = [act for act in acts if isinstance(act, ReviewEvent)]
    seen = {(act.trial, act.verdict, act.gold) for act in reviews}
    corrections = [given.get((act.annotator, settling(act.save_id))) for act in reviews]
    seen |= {
        (act.trial, act.verdict, label)
        for act, label in zip(reviews, corrections, strict=True)
        if label is not None
    }
    return tuple(
        verdict
        for verdict in verdicts
        if not agrees(verdict.label, claim.label)
        and (verdict.trial, verdict.label, claim.label) not in seen
    )


def settling(save_id: str) -> str:
    """The id of the correction that belongs to a review."""
    return f"{save_id}-settle"


def _asked(acts: Sequence[Event]) -> bool:
    return any(isinstance(act, LabelEvent | SkipEvent) and act.flagged for act in acts)
