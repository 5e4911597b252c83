"""What the annotators' logs hold beside labels: settled labels, skips and flags on skips."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from metajudge.gold.claim import Claim, LabellingPolicy, PendingClaim
from metajudge.gold.events import Event, SettleEvent, SkipEvent, read_events, standing
from metajudge.gold.goldset import GoldSet
from metajudge.labelling.contested import why_contested
from metajudge.labelling.same_policy import comparable


class LogCounts(NamedTuple):
    """Acts that stand, of claims that are in the set.

    Attributes:
        settled: Claims that somebody settled and that nothing has reopened since, nor people's
            labels under a policy that changed for the claim.
        asked: Annotator and claim of every skip that was flagged.
        skipped: By annotator: claims skipped and not labelled; None where no log is kept.
    """

    settled: frozenset[str]
    asked: frozenset[tuple[str, str]]
    skipped: Mapping[str, int] | None


def log_counts(goldset: GoldSet) -> LogCounts:
    """Counts from the logs in the folder of a gold set; a set of one table has none.

    Raises:
        GoldError: A log cannot be read.
    """
    events = standing(read_events(goldset.path)) if goldset.path is not None else ()
    if not events:
        return LogCounts(frozenset(), frozenset(), None)
    acts: defaultdict[str, list[Event]] = defaultdict(list)
    for event in events:
        acts[event.claim_id].append(event)
    policy = goldset.manifest.labelling_policy
    closed = {
        claim.claim_id
        for claim in goldset.every_claim
        if _is_settled(claim, acts[claim.claim_id], policy)
        and why_contested(claim, acts[claim.claim_id]) is None
    }
    labelled = {
        (note.annotator, claim.claim_id)
        for claim in goldset.every_claim
        for note in claim.annotations
    }
    skips = [event for event in events if isinstance(event, SkipEvent)]
    passed = {(skip.annotator, skip.claim_id) for skip in skips} - labelled
    return LogCounts(
        frozenset(closed),
        frozenset((skip.annotator, skip.claim_id) for skip in skips if skip.flagged),
        Counter(name for name, _ in passed),
    )


def _is_settled(
    claim: Claim | PendingClaim, acts: Sequence[Event], policy: LabellingPolicy
) -> bool:
    """Whether somebody settled the gold label that stands, and no later policy overtook it."""
    given = {act.policy for act in acts if isinstance(act, SettleEvent)}
    stands = isinstance(claim, Claim) and claim.label_policy in given
    return stands and comparable(policy, claim).gold_holds
