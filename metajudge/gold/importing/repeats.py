"""One claim that an import brings twice: what both copies say together, whatever their order."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from metajudge.gold.annotators import adjudicate, moment_of
from metajudge.gold.claim import Annotation, Claim, GoldLabel, PendingClaim
from metajudge.gold.importing.imported import Reason
from metajudge.gold.near import folded

_DISAGREED: tuple[Reason, ...] = ("tied", "unsettled", "policy_gap")
"""Reasons to wait that a label of another copy does not settle."""


class Copy(NamedTuple):
    """A claim, and why it waits; `reason` means nothing where it has a label.

    Attributes:
        entry: The claim.
        reason: Why it waits.
        detail: What the other copy changed, in words; "" for nothing.
    """

    entry: Claim | PendingClaim
    reason: Reason = "unlabelled"
    detail: str = ""

    @property
    def label(self) -> GoldLabel | None:
        """Of the claim, if it has one."""
        return self.entry.label if isinstance(self.entry, Claim) else None


def joined(first: Copy, second: Copy) -> Copy:
    """What two copies of one claim say together.

    Where annotations decide both, the votes of all people decide. A label that was stated stands
    against a copy that nobody has labelled; two labels settle nothing.
    """
    notes = _both(first.entry.annotations, second.entry.annotations)
    if notes and _is_by_votes(first) and _is_by_votes(second):
        return _voted(first, second, notes)
    notes = notes or first.entry.annotations
    labelled = next((copy for copy in (first, second) if copy.label is not None), None)
    if first.label is not None and second.label is not None and first.label != second.label:
        why = f"it stands there twice, as {first.label} and as {second.label}"
        told = f" with the label {first.label}, here with {second.label}: neither stands"
        return Copy(_waiting(first.entry, notes, why), "unsettled", told)
    open_one = next((copy for copy in (first, second) if _is_disagreed(copy)), None)
    if labelled is not None and open_one is not None:
        told = f"; one of the two has the label {labelled.label}, which does not settle the other"
        why = getattr(open_one.entry, "why", "")
        return Copy(_waiting(open_one.entry, notes, why), open_one.reason, told)
    if labelled is second:
        entry = second.entry.model_copy(update={"annotations": notes})
        return Copy(entry, detail=" without a label, which stands here")
    return first._replace(entry=first.entry.model_copy(update={"annotations": notes}))


def _voted(first: Copy, second: Copy, notes: tuple[Annotation, ...]) -> Copy:
    votes = adjudicate(notes)
    told = "; the votes of both count" if notes != first.entry.annotations else ""
    if votes.label is None:
        return Copy(_waiting(first.entry, notes, votes.reason or ""), "tied", told)
    labelled = next((copy for copy in (first, second) if copy.label == votes.label), first)
    fields = _fields(labelled.entry) | {"annotations": notes, "label": votes.label}
    return Copy(Claim(**fields), detail=told)


def _is_by_votes(copy: Copy) -> bool:
    """Whether annotations alone decide a copy, or nobody has labelled it."""
    notes = copy.entry.annotations
    if copy.label is not None:
        return adjudicate(notes).label == copy.label
    return copy.reason == "unlabelled" or (copy.reason == "tied" and bool(notes))


def _is_disagreed(copy: Copy) -> bool:
    return copy.label is None and copy.reason in _DISAGREED


def _both(
    first: Sequence[Annotation], second: Sequence[Annotation]
) -> tuple[Annotation, ...] | None:
    """One annotation a person, the later one; None where one says two things at no known time."""
    of_person = {note.annotator: note for note in first}
    for note in second:
        before = of_person.setdefault(note.annotator, note)
        if before.label == note.label:
            continue
        times = moment_of(before.time), moment_of(note.time)
        if times[0] is None or times[1] is None or times[0] == times[1]:
            return None
        of_person[note.annotator] = note if times[1] > times[0] else before
    return tuple(of_person.values())


def _waiting(entry: Claim | PendingClaim, notes: tuple[Annotation, ...], why: str) -> PendingClaim:
    return PendingClaim(**_fields(entry) | {"annotations": notes} | ({"why": why} if why else {}))


def _fields(entry: Claim | PendingClaim) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in PendingClaim.model_fields if name != "why"}


def contradictions(claims: Sequence[Claim]) -> int:
    """How many claims say the same of the same context as another one with another label."""
    asked = Counter((claim.context_id, claim.question) for claim in claims)
    same: dict[tuple[str, str | None, str], list[GoldLabel]] = defaultdict(list)
    for claim in claims:
        if asked[claim.context_id, claim.question] > 1:
            same[claim.context_id, claim.question, folded(claim.claim)].append(claim.label)
    return sum(len(labels) for labels in same.values() if len(set(labels)) > 1)
