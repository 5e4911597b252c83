"""Which claims need somebody to settle them, and how far three ways to one label differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks
from metajudge.agreement.ceiling import MISSING, cross_entropy
from metajudge.gold.claim import GoldLabel
from metajudge.labelling.votes import Votes, leading

Why = Literal["tie", "flagged", "gold_against_votes", "dawid_skene", "split"]
WHYS: tuple[Why, ...] = get_args(Why)
"""Most pressing first.

`tie`: no label has most votes and there is no gold label. `flagged`: an annotator wants somebody to
look. `gold_against_votes`: most voted for another label than the gold label. `dawid_skene`: the
likeliest label of the model is not the gold label, or not the one with most votes where there is no
gold label. `split`: the annotators do not agree, nothing more.
"""
Source = Literal["majority", "dawid_skene", "gold"]
EQUALLY_LIKELY = 6
"""Decimals to which probabilities are compared: two labels may be likeliest."""


@dataclass(frozen=True, slots=True)
class Disputed:
    """A claim that somebody should look at.

    Attributes:
        claim_id: The claim.
        whys: Every reason, the most pressing one first.
        votes: Votes by label.
        entropy: Of the shares of the votes, in nats; 0 when all agree.
        gold: The gold label; None while it waits for one.
        majority: The label with most votes; None on a tie.
        dawid_skene: The likeliest label of the model; None where there is no model, or two labels
            are equally likely.
        probability: The model's probability of that label; None without one.
    """

    claim_id: str
    whys: tuple[Why, ...]
    votes: dict[str, int]
    entropy: float
    gold: GoldLabel | None
    majority: GoldLabel | None
    dawid_skene: GoldLabel | None
    probability: float | None


@dataclass(frozen=True, slots=True)
class Compared:
    """Two ways to one label, side by side.

    Attributes:
        one: How one label was made.
        other: How the other was made.
        claims: Claims on which both give a label.
        differ: Those where the labels are not equal.
        claim_ids: Their ids, in the order of the set.
    """

    one: Source
    other: Source
    claims: int
    differ: int
    claim_ids: tuple[str, ...]


def disputed(
    votes: Votes,
    posterior: Floats | None = None,
    settled: Collection[str] = (),
    asked: Collection[str] = (),
) -> tuple[Disputed, ...]:
    """Claims that need adjudication, the most pressing reason first, then by entropy of the votes.

    Args:
        votes: Of the gold set.
        posterior: Shape (N, K), from `dawid_skene`; None where there is no model.
        settled: Claims that somebody has settled by name; they are left out.
        asked: Claims that somebody flagged without labelling them.
    """
    majority, model = votes.majority, _labels(votes, posterior)
    shares = np.nan_to_num(votes.shares)
    entropy = cross_entropy(shares, shares)
    reasons = _reasons(votes, majority, model)
    named = np.array([claim.claim_id in asked for claim in votes.claims], np.bool_)
    reasons["flagged"] = reasons["flagged"] | named
    found = []
    for row, claim in enumerate(votes.claims):
        whys = tuple(why for why in WHYS if reasons[why][row])
        if not whys or claim.claim_id in settled:
            continue
        counts = zip(votes.labels, votes.counts[row].astype(int).tolist(), strict=True)
        given = int(model[row])
        sure = None if posterior is None or given == MISSING else float(posterior[row, given])
        found.append(
            Disputed(
                claim_id=claim.claim_id,
                whys=whys,
                votes={str(label): n for label, n in counts},
                entropy=max(float(entropy[row]), 0.0),
                gold=_label(votes, int(votes.gold[row])),
                majority=_label(votes, int(majority[row])),
                dawid_skene=_label(votes, given),
                probability=sure,
            )
        )
    return tuple(sorted(found, key=lambda one: (WHYS.index(one.whys[0]), -one.entropy)))


def count_whys(claims: Collection[Disputed]) -> dict[str, int]:
    """Claims by their most pressing reason; every reason is there."""
    counts = Counter(claim.whys[0] for claim in claims)
    return {why: counts[why] for why in WHYS}


def _reasons(votes: Votes, majority: Ints, model: Ints) -> dict[Why, Masks]:
    counts, gold = votes.counts, votes.gold
    labelled = counts.sum(-1) > 0
    has_gold, has_majority = gold != MISSING, majority != MISSING
    stands = np.where(has_gold, gold, majority)
    return {
        "tie": labelled & ~has_gold & ~has_majority,
        "flagged": np.asarray(votes.flagged.any(0), np.bool_),
        "gold_against_votes": has_gold & has_majority & (gold != majority),
        "dawid_skene": (model != MISSING) & (stands != MISSING) & (model != stands),
        "split": (counts > 0).sum(-1) > 1,
    }


def compared(votes: Votes, posterior: Floats | None = None) -> tuple[Compared, ...]:
    """Majority, Dawid-Skene and gold label in pairs; without a model, majority and gold alone."""
    ways: dict[Source, Ints] = {"majority": votes.majority, "gold": votes.gold}
    pairs: list[tuple[Source, Source]] = [("majority", "gold")]
    if posterior is not None:
        ways["dawid_skene"] = _labels(votes, posterior)
        pairs = [("majority", "dawid_skene"), ("majority", "gold"), ("dawid_skene", "gold")]
    voted = votes.counts.sum(-1) > 0
    found = []
    for one, other in pairs:
        both = voted & (ways[one] != MISSING) & (ways[other] != MISSING)
        apart = np.flatnonzero(both & (ways[one] != ways[other])).tolist()
        names = tuple(votes.claims[row].claim_id for row in apart)
        found.append(Compared(one, other, int(both.sum()), len(names), names))
    return tuple(found)


def _labels(votes: Votes, posterior: Floats | None) -> Ints:
    """The likeliest label of the model for each claim; MISSING where two are, or none."""
    if posterior is None:
        return np.full(len(votes.claims), MISSING, np.int64)
    return leading(np.round(posterior, EQUALLY_LIKELY))


def _label(votes: Votes, code: int) -> GoldLabel | None:
    return None if code == MISSING else votes.labels[code]
