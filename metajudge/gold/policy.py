"""The labelling policy as an object: what counts as support, and which labels a change concerns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from metajudge.gold.claim import Annotation, LabellingPolicy, Slice, SupportKind

if TYPE_CHECKING:
    from metajudge.gold.goldset import GoldSet

KIND_SLICES: dict[SupportKind, tuple[Slice, ...]] = {
    "paraphrase": ("paraphrase",),
    "summary": ("summary",),
    "aggregation": ("aggregation",),
    "inference": ("inference",),
    "arithmetic": ("aggregation",),
    "common_knowledge": ("outside_true", "inference"),
}
"""Slices whose labels depend on whether a kind counts as support."""


def policy_versions(policy: LabellingPolicy) -> tuple[str | None, ...]:
    """Every version the policy had, first to last; None stands for the first where it changed."""
    if not policy.changes:
        return (policy.version,)
    return (None, *(change.version for change in policy.changes))


def changed_since(
    policy: LabellingPolicy, slice_: Slice | None, version: str | None
) -> tuple[SupportKind, ...]:
    """Kinds that changed after a version and that a label of this slice depends on.

    A kind that changed and changed back has changed: what the first version said of it is not
    on record.

    Args:
        policy: The policy as it is now.
        slice_: The claim's slice; a claim without one may depend on any kind.
        version: Of the policy that the label was given under; None for the first one, as any
            version that the policy does not have.

    Returns:
        () when the label stands as given under that version.
    """
    kinds = dict.fromkeys(
        kind for change in policy.changes[_place(policy, version) :] for kind in change.support
    )
    return tuple(kind for kind in kinds if slice_ is None or slice_ in KIND_SLICES[kind])


def given_under_now(
    policy: LabellingPolicy, slice_: Slice | None, annotations: Iterable[Annotation]
) -> tuple[Annotation, ...]:
    """Those annotations that no later change of the policy concerns."""
    return tuple(note for note in annotations if not changed_since(policy, slice_, note.policy))


def oldest_version(policy: LabellingPolicy, annotations: Iterable[Annotation]) -> str | None:
    """The earliest version that any of the annotations was given under; None is the first one."""
    given = (note.policy for note in annotations)
    return min(given, key=lambda version: _place(policy, version), default=None)


def needs_relabelling(goldset: GoldSet) -> dict[str, tuple[SupportKind, ...]]:
    """Claims whose gold label rests on an earlier labelling policy, with the kinds that changed.

    A label that was given or settled under a policy that has not changed for its slice since is
    not among them, nor is a claim that is marked `exclude` or labelled by a model.

    Returns:
        Claim ids in the order of the set; of a claim without a slice, every kind that changed,
        since its label may depend on any.
    """
    policy = goldset.manifest.labelling_policy
    if not policy.changes:
        return {}
    judged = goldset.judged().claims
    found = {
        claim.claim_id: changed_since(policy, claim.slice, claim.label_policy) for claim in judged
    }
    return {name: kinds for name, kinds in found.items() if kinds}


def _place(policy: LabellingPolicy, version: str | None) -> int:
    versions = policy_versions(policy)
    return versions.index(version) if version in versions else 0
