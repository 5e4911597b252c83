"""The claims to label next, and how much surer of the choice between candidates they make one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Ints
from metajudge.agreement.expected_information import entropy
from metajudge.experiment.next_claims import Weighed
from metajudge.experiment.waiting_claims import ClaimsAtHand
from metajudge.labelling.next_claims import NextClaim, next_claims, told_by
from metajudge.selection.columns import CandidateKey
from metajudge.selection.label_worlds import LabelWorlds


class Standing(NamedTuple):
    """A decision that labels may lead to.

    Attributes:
        key: The candidate that comes first.
        safe: Whether it keeps every guardrail; one that does not is the nearest.
        share: Share of worlds in which all labels lead to it.
    """

    key: CandidateKey
    safe: bool
    share: float


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is expected of the labels chosen.

    Attributes:
        now: The decision on the claims labelled so far.
        standings: Decisions that all labels may lead to, the likeliest first.
        unchanged: Share of worlds in which all labels leave the decision as it is.
        after: Share of worlds in which the decision after the claims chosen is that of all labels.
        at_random: The same for as many claims at random.
        uncertainty: Entropy of the decision, bits.
        information: Bits that the labels chosen tell, each by itself, added up; what they tell
            together is not their sum.
    """

    now: Standing
    standings: tuple[Standing, ...]
    unchanged: float
    after: float
    at_random: float
    uncertainty: float
    information: float


@dataclass(frozen=True, slots=True)
class NextLabels:
    """The claims to label next.

    Attributes:
        at_hand: The claims that they were chosen from.
        weighed: What the candidates' verdicts tell; None where no experiment was named.
        picks: The claims, in order.
        outlook: What is expected of them; None where nothing could be weighed.
    """

    at_hand: ClaimsAtHand
    weighed: Weighed | None
    picks: tuple[NextClaim, ...]
    outlook: Outlook | None


def next_labels(
    at_hand: ClaimsAtHand, weighed: Weighed | None = None, *, n: int = 30, seed: int = 1
) -> NextLabels:
    """Claims in the order in which to label them, and what is expected of that.

    Args:
        at_hand: The claims there are.
        weighed: From `weigh`; None, or one without worlds, gives an order for cover alone.
        n: Claims wanted.
        seed: Settles what is equal, and draws the batches that the order is held against.
    """
    worlds = None if weighed is None else weighed.worlds
    judged = np.zeros(0, np.int64) if weighed is None else weighed.judged
    told = None if worlds is None else told_by(worlds, judged, len(at_hand.waiting))
    again = {claim.claim_id for claim in at_hand.waiting}
    picks = next_claims(
        at_hand.waiting,
        [claim for claim in at_hand.labelled if claim.claim_id not in again],
        n=n,
        seed=seed,
        min_slice_n=at_hand.gold.manifest.min_slice_n,
        told=told,
    )
    outlook = None
    if worlds is not None and weighed is not None:
        outlook = _outlook(worlds, weighed.keys, _judged_places(picks, judged), picks, seed)
    return NextLabels(at_hand, weighed, picks, outlook)


def _judged_places(picks: Sequence[NextClaim], judged: Ints) -> Ints:
    """Places of the claims chosen among those judged; what was not judged is not in any world."""
    chosen = [pick.place for pick in picks]
    return np.flatnonzero(np.isin(judged, chosen)).astype(np.int64)


def _outlook(
    worlds: LabelWorlds,
    keys: Sequence[CandidateKey],
    chosen: Ints,
    picks: Sequence[NextClaim],
    seed: int,
) -> Outlook:
    standings = tuple(
        Standing(keys[row], safe, share) for (row, safe), share in worlds.standings().items()
    )
    unchanged = worlds.unchanged()
    return Outlook(
        now=Standing(keys[worlds.now.row[0]], bool(worlds.now.safe[0]), unchanged),
        standings=standings,
        unchanged=unchanged,
        after=worlds.right_after(chosen, np.random.default_rng([seed, 1])),
        at_random=worlds.right_at_random(len(chosen), np.random.default_rng([seed, 2])),
        uncertainty=float(entropy([standing.share for standing in standings])),
        information=sum(max(pick.information or 0.0, 0.0) for pick in picks),
    )
