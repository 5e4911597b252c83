"""The labelling policy as an object: what counts as support, and which labels a change concerns."""

from __future__ import annotations

from metajudge.gold.claim import Annotation, LabellingPolicy, Slice, SupportKind

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

    Args:
        policy: The policy as it is now.
        slice_: The claim's slice; a claim without one may depend on any kind.
        version: Of the policy that the label was given under; None for the first one.

    Returns:
        () when the label stands as given under that version.
    """
    versions = policy_versions(policy)
    seen = versions.index(version) if version in versions else 0
    kinds = dict.fromkeys(kind for change in policy.changes[seen:] for kind in change.support)
    return tuple(kind for kind in kinds if slice_ is None or slice_ in KIND_SLICES[kind])


def given_under_now(
    policy: LabellingPolicy, slice_: Slice | None, annotations: tuple[Annotation, ...]
) -> tuple[Annotation, ...]:
    """Those annotations that no later change of the policy concerns."""
    return tuple(note for note in annotations if not changed_since(policy, slice_, note.policy))
