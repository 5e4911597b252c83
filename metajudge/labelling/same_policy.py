"""Labels of a claim that may be held against each other: those given under one labelling policy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from metajudge.gold.claim import Annotation, Claim, LabellingPolicy, PendingClaim
from metajudge.gold.policy import changed_since, given_under_now, policy_versions


class Comparable(NamedTuple):
    """What of a claim was given under the latest policy that any of its labels was given under.

    Attributes:
        annotations: Those that no change between them and the latest label concerns.
        gold_holds: Whether the same is true of the gold label; False without a gold label.
    """

    annotations: tuple[Annotation, ...]
    gold_holds: bool


def comparable(policy: LabellingPolicy, claim: Claim | PendingClaim) -> Comparable:
    """The labels of a claim that can be compared; older ones answered another question.

    Where the policy changed for the claim's slice and somebody labelled or settled it since, what
    came before the change is no disagreement. Where nobody did, the labels that there are stand
    beside each other as they were given. A gold label that a model made does not count.

    Args:
        policy: As it is now, with its changes.
        claim: With the annotations that stand.
    """
    has_gold = isinstance(claim, Claim) and claim.label_source != "model"
    if not policy.changes:
        return Comparable(claim.annotations, has_gold)
    gold_version = claim.label_policy if isinstance(claim, Claim) else None
    versions = [note.policy for note in claim.annotations]
    then = _until_the_latest(policy, [*versions, gold_version] if has_gold else versions)
    return Comparable(
        given_under_now(then, claim.slice, claim.annotations),
        has_gold and not changed_since(then, claim.slice, gold_version),
    )


def _until_the_latest(policy: LabellingPolicy, given: Iterable[str | None]) -> LabellingPolicy:
    """The policy as it was when the latest of the labels was given."""
    versions = policy_versions(policy)
    places = (versions.index(version) for version in given if version in versions)
    return policy.model_copy(update={"changes": policy.changes[: max(places, default=0)]})
