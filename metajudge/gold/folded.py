"""A gold set with what annotators did since: their labels, and the gold labels that follow.

The gold label of a claim is, in this order: what somebody settled last; the label that stands in
the claims file, unless a model made it or the labelling policy changed under it and people have
labelled the claim again; what the rule of adjudication makes of the annotations. Where none of
these gives one, the claim is pending.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from metajudge.errors import GoldError, Problem
from metajudge.gold.annotators import adjudicate
from metajudge.gold.claim import (
    SPACE_LABELS,
    Annotation,
    Claim,
    GoldLabel,
    GoldManifest,
    PendingClaim,
    Slice,
)
from metajudge.gold.events import Event, LabelEvent, SettleEvent, events_file, standing
from metajudge.gold.policy import changed_since, given_under_now

if TYPE_CHECKING:
    from metajudge.gold.goldset import GoldSet


class Correction(NamedTuple):
    """A gold label that stood and was changed.

    Attributes:
        claim_id: The claim.
        was: The label that stood.
        label: The label from then on.
        annotator: Who settled it; None where annotations under a changed policy did.
        time: ISO 8601; None with `annotator`.
        why: The reason given.
    """

    claim_id: str
    was: GoldLabel
    label: GoldLabel
    annotator: str | None
    time: str | None
    why: str


@dataclass(frozen=True, slots=True)
class _Acts:
    labels: dict[str, Annotation]
    settled: SettleEvent | None


class _Decided(NamedTuple):
    label: GoldLabel | None
    by_people: bool
    why: str


def fold(goldset: GoldSet, events: Iterable[Event]) -> GoldSet:
    """The set with the annotators' acts in it; its version says how many labels were corrected.

    Args:
        goldset: As its files state it.
        events: As `read_events` gives them.

    Raises:
        GoldError: A label is not of the set's label space.
    """
    acts, strangers = _acts(goldset, standing(events))
    if not acts and not strangers:
        return goldset
    claims: list[Claim] = []
    pending: list[PendingClaim] = []
    corrections: list[Correction] = []
    for claim in goldset.every_claim:
        done = acts.get(claim.claim_id)
        if done is None:
            (claims if isinstance(claim, Claim) else pending).append(claim)  # type: ignore[arg-type]
            continue
        folded, correction = _folded(claim, done, goldset.manifest)
        (claims if isinstance(folded, Claim) else pending).append(folded)  # type: ignore[arg-type]
        corrections += [correction] if correction else []
    notes = [f"annotators' acts about claims that are not there are left out ({strangers} acts)"]
    return replace(
        goldset,
        manifest=_with_version(goldset.manifest, len(corrections)),
        claims=tuple(claims),
        pending=tuple(pending),
        corrections=tuple(corrections),
        notes=(*goldset.notes, *(notes if strangers else ())),
    )


def base_version(version: str) -> str:
    """A gold version without the count of corrections.

    >>> base_version("1.0.0+c3")
    '1.0.0'
    """
    head, mark, count = version.rpartition("+c")
    return head if mark and count.isdigit() else version


def _with_version(manifest: GoldManifest, corrections: int) -> GoldManifest:
    if not corrections:
        return manifest
    version = f"{base_version(manifest.version)}+c{corrections}"
    return manifest.model_copy(update={"version": version})


def _acts(goldset: GoldSet, events: Sequence[Event]) -> tuple[dict[str, _Acts], int]:
    known = {claim.claim_id for claim in goldset.every_claim}
    labels: dict[str, dict[str, Annotation]] = defaultdict(dict)
    settled: dict[str, SettleEvent] = {}
    problems, strangers = [], 0
    for event in events:
        if not isinstance(event, LabelEvent | SettleEvent):
            continue
        if event.claim_id not in known:
            strangers += 1
            continue
        problems += _out_of_space(goldset, event)
        if isinstance(event, LabelEvent):
            labels[event.claim_id].pop(event.annotator, None)
            labels[event.claim_id][event.annotator] = annotation_of(event)
        elif event.time >= (last := settled.get(event.claim_id, event)).time or last is event:
            settled[event.claim_id] = event
    if problems:
        raise GoldError(problems)
    return {
        name: _Acts(labels.get(name, {}), settled.get(name)) for name in {*labels, *settled}
    }, strangers


def _out_of_space(goldset: GoldSet, event: LabelEvent | SettleEvent) -> list[Problem]:
    space = SPACE_LABELS[goldset.manifest.label_space]
    if event.label in space:
        return []
    where = str(events_file(goldset.path, event.annotator)) if goldset.path else event.annotator
    law = f"a {goldset.manifest.label_space} gold set has the labels {', '.join(space)}"
    mend = f"Label {event.claim_id!r} again, or change label_space in goldset.yaml."
    return [Problem(where, law, mend, field="label", got=repr(event.label))]


def annotation_of(event: LabelEvent) -> Annotation:
    """An act of labelling as the annotation of a claim."""
    return Annotation(
        annotator=event.annotator,
        label=event.label,
        time=event.time,
        note=event.note,
        seconds=event.seconds,
        slice=event.slice,
        spans=event.spans,
        policy=event.policy,
        flagged=event.flagged,
    )


def _folded(
    claim: Claim | PendingClaim, done: _Acts, manifest: GoldManifest
) -> tuple[Claim | PendingClaim, Correction | None]:
    kept = [note for note in claim.annotations if note.annotator not in done.labels]
    annotations = (*kept, *done.labels.values())
    stated = claim.label if isinstance(claim, Claim) else None
    kind = claim.slice or _slice_of(done)
    decided = _decide(claim, kind, annotations, done.settled, manifest)
    more: dict[str, Any] = {
        "annotations": annotations,
        "slice": kind,
        "spans": claim.spans or _spans_of(done, decided.label),
    }
    fields = claim.model_dump(exclude={"why", "label", *more})
    if decided.by_people:
        fields["label_source"] = "human"
    if decided.label is None:
        return PendingClaim(**fields, **more, why=decided.why), None
    return (
        Claim(**fields, **more, label=decided.label),
        _correction(claim.claim_id, stated, decided, done.settled),
    )


def _decide(
    claim: Claim | PendingClaim,
    kind: Slice | None,
    annotations: tuple[Annotation, ...],
    settled: SettleEvent | None,
    manifest: GoldManifest,
) -> _Decided:
    stated = claim.label if isinstance(claim, Claim) else None
    policy = manifest.labelling_policy
    if settled is not None and not changed_since(policy, kind, settled.policy):
        return _Decided(settled.label, True, settled.why)
    before = stated if settled is None else settled.label
    stale = changed_since(policy, kind, None if settled is None else settled.policy)
    now = given_under_now(policy, kind, annotations) if stale else annotations
    votes = adjudicate(now, manifest.adjudication)
    by_model = stated is not None and settled is None and claim.label_source == "model"
    if before is not None and not (votes.label is not None and (stale or by_model)):
        return _Decided(before, settled is not None, "")
    why = "labelled again after a change of the policy" if stale else "labelled by people"
    return _Decided(votes.label, True, votes.reason or why)


def _slice_of(done: _Acts) -> Slice | None:
    """The slice that was settled, or else the one that most annotators chose; None on a tie."""
    if done.settled is not None and done.settled.slice is not None:
        return done.settled.slice
    chosen = Counter(note.slice for note in done.labels.values() if note.slice).most_common(2)
    if not chosen or (len(chosen) > 1 and chosen[0][1] == chosen[1][1]):
        return None
    return chosen[0][0]


def _spans_of(done: _Acts, label: GoldLabel | None) -> tuple[str, ...]:
    marked = (span for note in done.labels.values() if note.label == label for span in note.spans)
    return tuple(dict.fromkeys(marked))


def _correction(
    claim_id: str, stated: GoldLabel | None, decided: _Decided, settled: SettleEvent | None
) -> Correction | None:
    was = stated if stated is not None else settled.was if settled is not None else None
    if was is None or decided.label is None or was == decided.label:
        return None
    if settled is not None and settled.label == decided.label:
        return Correction(
            claim_id, was, decided.label, settled.annotator, settled.time, settled.why
        )
    return Correction(claim_id, was, decided.label, None, None, decided.why)
