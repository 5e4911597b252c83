"""What several annotators said: adjudication by a written rule, and the matrix of their labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metajudge.gold.claim import SPACE_LABELS, Adjudication, Annotation, Claim, GoldLabel

if TYPE_CHECKING:
    from metajudge.gold.goldset import GoldSet

_ORDER = (*SPACE_LABELS["ternary"], *SPACE_LABELS["binary"])
RULE_WORDS: dict[Adjudication, str] = {
    "majority": "the label with most votes; a tie is settled by people",
    "majority_then_latest": "the label with most votes; a tie goes to the label given last",
}


class Adjudicated(NamedTuple):
    """The label that a rule makes of annotations.

    Attributes:
        label: None when the rule cannot decide.
        votes: Votes per label, most first, equal ones in the order of the label space.
        reason: Why there is no label; None when there is one.
    """

    label: GoldLabel | None
    votes: tuple[tuple[GoldLabel, int], ...]
    reason: str | None = None


class AnnotationMatrix(NamedTuple):
    """Labels by claim and annotator.

    Attributes:
        labels: (n_claims, n_annotators) int8 codes in the order of the label space, -1 where the
            annotator did not label the claim.
        annotators: Names of the columns: those of the manifest first, then others by name.
    """

    labels: NDArray[np.int8]
    annotators: tuple[str, ...]


def adjudicate(annotations: Sequence[Annotation], rule: Adjudication = "majority") -> Adjudicated:
    """One label from several annotations.

    >>> votes = [Annotation(annotator=who, label=what) for who, what in zip("abcd", ["yes"] * 3 +
    ...     ["no"])]
    >>> adjudicate(votes).label
    'yes'
    >>> adjudicate([votes[0], votes[3]]).reason
    'a tie: 1 yes, 1 no'
    """
    counts = Counter(annotation.label for annotation in annotations)
    votes = tuple(sorted(counts.items(), key=lambda vote: (-vote[1], _ORDER.index(vote[0]))))
    if not votes:
        return Adjudicated(None, (), "there are no annotations")
    tied = [label for label, count in votes if count == votes[0][1]]
    if len(tied) == 1:
        return Adjudicated(tied[0], votes)
    tie = "a tie: " + ", ".join(f"{count} {label}" for label, count in votes)
    if rule == "majority":
        return Adjudicated(None, votes, tie)
    return _latest(annotations, tied, votes, tie)


def _latest(
    annotations: Sequence[Annotation],
    tied: Sequence[GoldLabel],
    votes: tuple[tuple[GoldLabel, int], ...],
    tie: str,
) -> Adjudicated:
    dated = [annotation for annotation in annotations if annotation.label in tied]
    times = [moment_of(annotation.time) for annotation in dated]
    known = [moment for moment in times if moment is not None]
    if len(known) < len(times):
        return Adjudicated(None, votes, f"{tie}; not every annotation has an ISO 8601 time")
    last = {
        annotation.label
        for annotation, moment in zip(dated, known, strict=True)
        if moment == max(known)
    }
    if len(last) > 1:
        return Adjudicated(None, votes, f"{tie}, given at the same time")
    return Adjudicated(last.pop(), votes)


def moment_of(time: str | None) -> float | None:
    """Seconds since 1970 of an ISO 8601 time; a time without a zone is taken as UTC."""
    from datetime import datetime, timezone

    try:
        moment = datetime.fromisoformat((time or "").replace("Z", "+00:00"))
    except ValueError:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
    return aware.timestamp()


def in_conflict(claim: Claim) -> bool:
    """Whether the claim's annotators gave more than one label."""
    return len({annotation.label for annotation in claim.annotations}) > 1


def annotation_matrix(goldset: GoldSet) -> AnnotationMatrix:
    """Labels by claim and annotator, rows in the order of `goldset.claims`.

    An annotator's last annotation of a claim stands.
    """
    named = dict.fromkeys(goldset.manifest.annotators)
    others = {note.annotator for claim in goldset.claims for note in claim.annotations}
    annotators = (*named, *sorted(others - named.keys()))
    column = {name: index for index, name in enumerate(annotators)}
    code = {label: index for index, label in enumerate(SPACE_LABELS[goldset.manifest.label_space])}
    labels = np.full((len(goldset.claims), len(annotators)), -1, dtype=np.int8)
    for row, claim in enumerate(goldset.claims):
        for note in claim.annotations:
            labels[row, column[note.annotator]] = code[note.label]
    return AnnotationMatrix(labels, annotators)
