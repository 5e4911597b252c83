"""Annotations of a gold set as arrays, and the shares of the votes of each claim."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks, divide
from metajudge.agreement.ceiling import MISSING
from metajudge.agreement.fleiss import rating_counts
from metajudge.agreement.table import cluster_codes
from metajudge.gold.annotators import annotation_matrix, moment_of
from metajudge.gold.claim import Claim, GoldLabel, PendingClaim
from metajudge.gold.goldset import GoldSet
from metajudge.gold.metric_checks import metric_labels
from metajudge.labelling.same_policy import comparable

WORDS_A_MINUTE = 300
"""Upper end of what most adults read of English non-fiction (Brysbaert 2019)."""
CHARACTERS_A_WORD = 1.5
"""Chinese characters that stand for an English word."""
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff]")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


@dataclass(frozen=True)
class Votes:
    """What R annotators said about N claims, those with a gold label and pending ones alike.

    Attributes:
        claims: Those that are not marked `exclude`: labelled ones, then pending ones; with the
            annotations that count.
        labels: The label space, in the order of the codes.
        annotators: Names, in the order of the rows: who gave at least one label.
        ratings: Shape (R, N), label codes; MISSING where there is none.
        times: Shape (R, N), seconds since 1970; nan where unknown.
        seconds: Shape (R, N), from sight to label; nan where unknown.
        flagged: Shape (R, N).
        gold: Shape (N,), codes; MISSING where a claim waits for its label, a model made it, or it
            was given before a change of the policy that the annotations came after.
        cluster: Shape (N,), codes of contexts.
        set_aside: Annotations that do not count: given before a change of the labelling policy
            that concerns the claim, which has a later label of a person.
    """

    claims: tuple[Claim | PendingClaim, ...]
    labels: tuple[GoldLabel, ...]
    annotators: tuple[str, ...]
    ratings: Ints
    times: Floats
    seconds: Floats
    flagged: Masks
    gold: Ints
    cluster: Ints
    set_aside: int

    @cached_property
    def counts(self) -> Floats:
        """Votes of each claim by code, shape (N, K)."""
        return rating_counts(self.ratings, len(self.labels)).reshape(-1, len(self.labels))

    @cached_property
    def shares(self) -> Floats:
        """Soft labels: share of the votes by code, shape (N, K); nan without a vote."""
        counts = self.counts
        return divide(counts, counts.sum(-1, keepdims=True))

    @cached_property
    def majority(self) -> Ints:
        """Code with the most votes, shape (N,); MISSING on a tie and without votes."""
        return leading(self.counts)


def leading(weights: Floats) -> Ints:
    """Column of each row's greatest weight; MISSING where it is shared, nan or 0.

    >>> leading(np.array([[2.0, 1.0], [1.0, 1.0], [0.0, 0.0], [np.nan, np.nan]])).tolist()
    [0, -1, -1, -1]
    """
    known = np.nan_to_num(weights)
    most = known.max(-1, keepdims=True, initial=0.0)
    alone = ((known == most).sum(-1) == 1) & (most[:, 0] > 0)
    return np.where(alone, known.argmax(-1), MISSING).astype(np.int64)


def votes_of(goldset: GoldSet) -> Votes:
    """The annotations of a gold set; an annotator's last annotation of a claim stands.

    What was labelled before a change of the labelling policy is not held against what was labelled
    after it (`comparable`).
    """
    stated = tuple(claim for claim in goldset.every_claim if not claim.exclude)
    found = [comparable(goldset.manifest.labelling_policy, claim) for claim in stated]
    claims = tuple(
        claim.model_copy(update={"annotations": kept.annotations})
        for claim, kept in zip(stated, found, strict=True)
    )
    labels = metric_labels(goldset.manifest.metric, goldset.manifest.label_space)
    matrix = annotation_matrix(replace(goldset, claims=cast(tuple[Claim, ...], claims)))
    ratings = matrix.labels.T.astype(np.int64)
    taking_part = (ratings != MISSING).any(1)
    names = [name for name, took in zip(matrix.annotators, taking_part, strict=True) if took]
    times, seconds = (np.full((len(names), len(claims)), np.nan) for _ in range(2))
    flagged = np.zeros(times.shape, np.bool_)
    row = {name: index for index, name in enumerate(names)}
    for column, claim in enumerate(claims):
        for note in claim.annotations:
            place = row[note.annotator], column
            when = moment_of(note.time)
            times[place] = np.nan if when is None else when
            seconds[place] = np.nan if note.seconds is None else note.seconds
            flagged[place] = note.flagged
    code = {label: index for index, label in enumerate(labels)}
    return Votes(
        claims=claims,
        labels=labels,
        annotators=tuple(names),
        ratings=ratings[taking_part],
        times=times,
        seconds=seconds,
        flagged=flagged,
        gold=np.array(
            [
                code[claim.label] if isinstance(claim, Claim) and kept.gold_holds else MISSING
                for claim, kept in zip(claims, found, strict=True)
            ],
            np.int64,
        ),
        cluster=cluster_codes([claim.context_id for claim in claims]).codes,
        set_aside=sum(len(one.annotations) for one in stated)
        - sum(len(one.annotations) for one in claims),
    )


def reading_seconds(text: str) -> float:
    """Seconds that a fast reader needs for a text: 300 words, or 450 Chinese characters, a minute.

    The claim alone is meant; its context may have been read for an earlier claim.

    >>> reading_seconds("one two three four five")
    1.0
    """
    words = len(_HAN.findall(text)) / CHARACTERS_A_WORD + len(_WORD.findall(_HAN.sub(" ", text)))
    return words * 60 / WORDS_A_MINUTE


def soft_labels(votes: Votes) -> Iterator[dict[str, Any]]:
    """One row for each claim with a vote: votes, their shares, and the gold label where there is.

    >>> from metajudge.gold import load_goldset
    >>> from metajudge.shipped import shipped_gold
    >>> rows = soft_labels(votes_of(load_goldset(shipped_gold())))
    >>> next(rows)["shares"]
    {'yes': 1.0, 'no': 0.0, 'idk': 0.0}
    """
    for claim, counts, code in zip(votes.claims, votes.counts, votes.gold.tolist(), strict=True):
        total = int(counts.sum())
        if total:
            yield {
                "claim_id": claim.claim_id,
                "n": total,
                "votes": {k: int(n) for k, n in zip(votes.labels, counts, strict=True)},
                "shares": {k: float(n) / total for k, n in zip(votes.labels, counts, strict=True)},
                "gold": None if code == MISSING else votes.labels[code],
            }
