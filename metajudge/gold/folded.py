"""A gold set with what annotators did since: their labels, and the gold labels that follow.

An annotator's label is the one that they gave last and did not take back; before that, the one
that the claims file has of them. The gold label of a claim is, in this order:

1. what somebody settled last: each person's last word as they wrote it, and of several people's
   the latest by time;
2. the label that the claims file states, or that the rule made of the annotations in it, unless
   a model made it;
3. what the rule of adjudication makes of the annotations; where a model made the label in the
   file, of those in the log alone, and while these do not decide, the model's label stays.

Where the labelling policy changed for the claim's slice after such a label was given, the labels
that people gave it since go before: the rule makes one of them. Where they give none, the label
stands, and the claim waits for relabelling. What was settled is never outvoted: it stands, of the
new policy where everybody who labelled since agrees with it, else of the old one until somebody
settles it again. Where nothing gives a label, the claim is pending.

The slice of a claim is the one that was settled, else that of the claims file, else the one that
most annotators chose in the log.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from metajudge.counted import counted
from metajudge.errors import GoldError, Problem
from metajudge.gold.annotators import adjudicate, moment_of
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
from metajudge.gold.policy import changed_since, given_under_now, oldest_version

if TYPE_CHECKING:
    from metajudge.gold.goldset import GoldSet


class Correction(NamedTuple):
    """A gold label that stood and was changed.

    Attributes:
        claim_id: The claim.
        was: The label that stood.
        label: The label from then on.
        annotator: Who settled it, or the names of those who gave the label under a changed policy,
            with a comma between them.
        time: ISO 8601, of several labels the last one; None where the annotations have none.
        why: The reason given.
    """

    claim_id: str
    was: GoldLabel
    label: GoldLabel
    annotator: str
    time: str | None
    why: str


@dataclass(frozen=True, slots=True)
class _Acts:
    """What stands of the acts about one claim: last label by annotator, and what was settled."""

    labels: dict[str, Annotation]
    settled: SettleEvent | None


class _Decided(NamedTuple):
    """The gold label that follows.

    Attributes:
        label: None where nothing gives one.
        policy: Version of the labelling policy it was given under.
        by_log: Whether somebody's act decided it.
        was: The gold label that it takes the place of; None where there is none.
        why: Why it is that, or why there is none.
        by: The annotations that gave it in place of a label that stood.
    """

    label: GoldLabel | None
    policy: str | None
    by_log: bool
    was: GoldLabel | None
    why: str
    by: tuple[Annotation, ...] = ()


_NO_ACTS = _Acts({}, None)


def fold(goldset: GoldSet, events: Iterable[Event]) -> GoldSet:
    """The set with the annotators' acts in it; its version says how many labels were corrected.

    Args:
        goldset: As its files state it.
        events: As `read_events` gives them.

    Raises:
        GoldError: A label that stands is not of the set's label space.
    """
    acts, strangers = _acts(goldset, standing(events))
    changed = bool(goldset.manifest.labelling_policy.changes)
    if not acts and not strangers and not changed:
        return goldset
    claims: list[Claim] = []
    pending: list[PendingClaim] = []
    corrections: list[Correction] = []
    for claim in goldset.every_claim:
        folded: Claim | PendingClaim = claim
        if claim.claim_id in acts or (changed and claim.annotations):
            done = acts.get(claim.claim_id, _NO_ACTS)
            folded, correction = _folded(claim, done, goldset.manifest)
            corrections += [correction] if correction else []
        if isinstance(folded, Claim):
            claims.append(folded)
        else:
            pending.append(folded)
    left_out = "annotators' acts about claims that are not there are left out"
    notes = [f"{left_out} ({counted(strangers, 'acts')})"]
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
    return _parted(version)[0]


def _parted(version: str) -> tuple[str, int]:
    """A gold version without the count of corrections, and that count."""
    head, mark, count = version.rpartition("+c")
    return (head, int(count)) if mark and count.isdecimal() else (version, 0)


def _with_version(manifest: GoldManifest, corrections: int) -> GoldManifest:
    """The manifest with these corrections on top of those that its files count already."""
    if not corrections:
        return manifest
    base, before = _parted(manifest.version)
    return manifest.model_copy(update={"version": f"{base}+c{before + corrections}"})


def _acts(goldset: GoldSet, events: Sequence[Event]) -> tuple[dict[str, _Acts], int]:
    """What stands by claim, and the number of labels of claims that are not there."""
    known = {claim.claim_id for claim in goldset.every_claim}
    labels: dict[str, dict[str, LabelEvent]] = defaultdict(dict)
    settled: dict[str, dict[str, SettleEvent]] = defaultdict(dict)
    strangers = 0
    for event in events:
        if not isinstance(event, LabelEvent | SettleEvent):
            continue
        if event.claim_id not in known:
            strangers += 1
            continue
        of_claim: dict[str, Any] = (labels if isinstance(event, LabelEvent) else settled)[
            event.claim_id
        ]
        of_claim.pop(event.annotator, None)
        of_claim[event.annotator] = event
    last = {name: max(by.values(), key=_moment) for name, by in settled.items()}
    stand: list[LabelEvent | SettleEvent] = [e for by in labels.values() for e in by.values()]
    stand += last.values()
    problems = [fault for event in stand for fault in _alien(goldset, event)]
    if problems:
        raise GoldError(problems)
    return {
        name: _Acts(
            {who: annotation_of(event) for who, event in labels.get(name, {}).items()},
            last.get(name),
        )
        for name in {**labels, **last}
    }, strangers


def _moment(act: SettleEvent | Annotation) -> float:
    return moment_of(act.time) or 0.0


def _alien(goldset: GoldSet, event: LabelEvent | SettleEvent) -> list[Problem]:
    space = SPACE_LABELS[goldset.manifest.label_space]
    if event.label in space:
        return []
    where = str(events_file(goldset.path, event.annotator)) if goldset.path else event.annotator
    law = f"a {goldset.manifest.label_space} gold set has the labels {', '.join(space)}"
    mend = (
        f"Change label_space in goldset.yaml, or take the line with save_id {event.save_id!r} out."
    )
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
    kind = _slice_of(claim, done)
    decided = _decide(claim, kind, annotations, done, manifest)
    more: dict[str, Any] = {
        "annotations": annotations,
        "slice": kind,
        "spans": claim.spans or _spans_of(done, decided.label),
    }
    fields = claim.model_dump(exclude={"why", "label", "label_policy", *more})
    if decided.by_log:
        fields["label_source"] = "human"
    if decided.label is None:
        waits = {"why": decided.why} if annotations else {}
        return PendingClaim(**fields, **more, **waits), None
    folded = Claim(**fields, **more, label=decided.label, label_policy=decided.policy)
    return folded, _correction(claim.claim_id, decided, done.settled)


def _decide(
    claim: Claim | PendingClaim,
    kind: Slice | None,
    annotations: tuple[Annotation, ...],
    done: _Acts,
    manifest: GoldManifest,
) -> _Decided:
    policy = manifest.labelling_policy
    stated = _standing_label(claim, done.settled)
    if stated.label is not None and not changed_since(policy, kind, stated.policy):
        return stated
    voters = tuple(done.labels.values()) if claim.label_source == "model" else annotations
    now = given_under_now(policy, kind, voters)
    before = tuple(note for note in voters if note not in now)
    new, old = (adjudicate(notes, manifest.adjudication) for notes in (now, before))
    if done.settled is not None:
        if {note.label for note in now} == {stated.label}:
            stated = stated._replace(policy=oldest_version(policy, now))
    elif new.label is not None:
        stood = _in_file(claim) or stated.label or old.label
        why = "labelled again after a change of the policy"
        by_log = any(note.annotator in done.labels for note in now)
        by = tuple(note for note in now if note.label == new.label)
        return _Decided(new.label, oldest_version(policy, now), by_log, stood, why, by)
    if stated.label is not None:
        return stated
    if old.label is not None:
        by_log = any(note.annotator in done.labels for note in before)
        return _Decided(old.label, oldest_version(policy, before), by_log, None, "")
    if isinstance(claim, Claim):
        return _Decided(claim.label, claim.label_policy, False, None, "")
    reason = new.reason if now else old.reason
    return _Decided(None, None, False, None, reason or "")


def _standing_label(claim: Claim | PendingClaim, settled: SettleEvent | None) -> _Decided:
    """What was settled, or else the label of the claims file unless a model made it."""
    stated = _in_file(claim)
    if settled is not None:
        was = stated or settled.was
        return _Decided(settled.label, settled.policy, True, was, settled.why)
    version = claim.label_policy if isinstance(claim, Claim) else None
    return _Decided(stated, version, False, None, "")


def _in_file(claim: Claim | PendingClaim) -> GoldLabel | None:
    """The gold label that the claims file states; None where a model made it."""
    if isinstance(claim, PendingClaim) or claim.label_source == "model":
        return None
    return claim.label


def _slice_of(claim: Claim | PendingClaim, done: _Acts) -> Slice | None:
    """The settled slice, the file's, or the one that most annotators chose; None on a tie."""
    if done.settled is not None and done.settled.slice is not None:
        return done.settled.slice
    if claim.slice is not None:
        return claim.slice
    chosen = Counter(note.slice for note in done.labels.values() if note.slice).most_common(2)
    if not chosen or (len(chosen) > 1 and chosen[0][1] == chosen[1][1]):
        return None
    return chosen[0][0]


def _spans_of(done: _Acts, label: GoldLabel | None) -> tuple[str, ...]:
    marked = (span for note in done.labels.values() if note.label == label for span in note.spans)
    return tuple(dict.fromkeys(marked))


def _correction(claim_id: str, decided: _Decided, settled: SettleEvent | None) -> Correction | None:
    label, was = decided.label, decided.was
    if label is None or was is None or was == label:
        return None
    if settled is not None:
        return Correction(claim_id, was, label, settled.annotator, settled.time, settled.why)
    who = ", ".join(note.annotator for note in decided.by)
    return Correction(claim_id, was, label, who, max(decided.by, key=_moment).time, decided.why)
