"""What a split is made of and what speaks against it: groups of contexts, and parts that lack."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from metajudge.gold.split import FrozenSplit, SplitBalance, split_group

if TYPE_CHECKING:
    from metajudge.gold.goldset import GoldSet

MOST_SHARE_OFF = 0.1
"""Distance of the share of dev from the wanted one up to which nothing is said."""
MOST_IMBALANCE = 3.0
"""Imbalance up to which nothing is said; 1 is what chance gives."""
MEND = (
    "Add contexts with other texts, or take near copies out: a group is dealt as one. To part near "
    "texts on purpose, give each context its `group` by hand and write `split` (salt, dev_share) "
    "into goldset.yaml yourself: declared groups then stay, and `metajudge gold check` names what "
    "dev and test share."
)
"""What to do about a split that is uneven."""


class ContextGroups(NamedTuple):
    """The groups of two contexts or more that a split deals as one.

    Attributes:
        groups: How many there are.
        formed: How many of them nearly equal texts made or made larger, beyond declared groups.
        largest: The one with most judged claims; None where there is no group.
        contexts: Contexts in the largest one.
        claims: Judged claims in the largest one.
        share: These of all judged claims, 0 to 1; None without a group or without claims.
    """

    groups: int
    formed: int
    largest: str | None
    contexts: int
    claims: int
    share: float | None


def context_groups(before: GoldSet, frozen: FrozenSplit) -> ContextGroups:
    """The groups of contexts in a split.

    Args:
        before: The set as it was read.
        frozen: What `freeze_split` made of it.
    """
    contexts = frozen.goldset.contexts
    sizes = Counter(split_group(context) for context in contexts.values())
    several = [group for group, size in sizes.items() if size > 1]
    joined = {
        split_group(context)
        for name, context in contexts.items()
        if split_group(context) != split_group(before.contexts[name])
    }
    claims = frozen.goldset.judged().claims
    counts = Counter(split_group(contexts[claim.context_id]) for claim in claims)
    if not several:
        return ContextGroups(0, 0, None, 0, 0, None)
    largest = max(several, key=lambda group: counts[group])
    share = counts[largest] / len(claims) if claims else None
    formed = len(joined.intersection(several))
    return ContextGroups(len(several), formed, largest, sizes[largest], counts[largest], share)


def split_doubts(frozen: FrozenSplit) -> tuple[str, ...]:
    """What speaks against a split, a sentence each; () where nothing does.

    A part lacks a language or a label of the set, the share of dev is more than `MOST_SHARE_OFF`
    from the wanted one, or labels and slices are dealt with more than `MOST_IMBALANCE`.
    """
    balance, rule = frozen.balance, frozen.goldset.manifest.split
    doubts = [
        f"{part} has no claim {told}, which the set has"
        for part, lacks in _lacking(balance).items()
        for told in lacks
    ]
    if rule is not None and balance.dev_share is not None:
        off = abs(balance.dev_share - rule.dev_share)
        if off > MOST_SHARE_OFF:
            doubts.append(
                f"{balance.dev_share:.0%} of the claims are in dev, {rule.dev_share:.0%} were asked"
            )
    if balance.imbalance is not None and balance.imbalance > MOST_IMBALANCE:
        doubts.append(
            f"labels and slices are dealt unevenly: imbalance {balance.imbalance:.1f}, "
            f"{MOST_IMBALANCE:g} is much and 1 is chance"
        )
    return tuple(doubts)


def _lacking(balance: SplitBalance) -> dict[str, list[str]]:
    """Languages and labels of the set that a part has no claim of, in words, by part."""
    claims: Counter[str] = Counter()
    dev: Counter[str] = Counter()
    for cell in balance.cells:
        if cell.axis == "label":
            told = f"in {cell.lang!r}" if cell.value == "all" else f"labelled {cell.value!r}"
            claims[told] += cell.claims
            dev[told] += cell.dev
    return {
        "dev": [told for told in claims if not dev[told]],
        "test": [told for told in claims if dev[told] == claims[told]],
    }
