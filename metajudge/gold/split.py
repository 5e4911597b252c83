"""Dev and test: contexts dealt by hash, so that new claims never move old ones.

A context group goes to dev where SHA-256 of salt and group, read as a share, is below `dev_share`.
The salt is chosen once, among many, so that labels and slices are spread evenly; then it is frozen
in `goldset.yaml`. Contexts with nearly the same text form one group, so that no text leaks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metajudge.gold.claim import Claim, Context, Split, SplitRule
from metajudge.gold.near import near_pairs

if TYPE_CHECKING:
    from metajudge.gold.goldset import GoldSet

CANDIDATES = 2000
_MOST_HASHES = 500_000
_FEWEST_CANDIDATES = 50


class CellBalance(NamedTuple):
    """How one label or slice of one language is dealt.

    Attributes:
        axis: `label` or `slice`.
        value: The label or slice; `all` for every claim of the language.
        lang: The language.
        claims: Claims in both splits.
        dev: Claims in dev.
    """

    axis: str
    value: str
    lang: str
    claims: int
    dev: int


@dataclass(frozen=True, slots=True)
class SplitBalance:
    """How evenly a rule deals labels and slices.

    Attributes:
        dev: Claims in dev.
        test: Claims in test.
        dev_share: Share of claims in dev, 0 to 1; None without claims.
        imbalance: Mean squared distance of the cells' dev counts from the wanted share, in units of
            the binomial variance: 1 is what chance gives, 0 is even. None without claims.
        cells: Counts per label and slice of each language.
        candidates: Salts that were tried; 1 where the salt was given.
    """

    dev: int
    test: int
    dev_share: float | None
    imbalance: float | None
    cells: tuple[CellBalance, ...]
    candidates: int


class SaltChoice(NamedTuple):
    """A rule and how evenly it deals."""

    rule: SplitRule
    balance: SplitBalance


class FrozenSplit(NamedTuple):
    """A gold set with its split declared and near-identical contexts grouped.

    Attributes:
        goldset: The set, to be written by `writer.record_split`.
        balance: How evenly labels and slices are dealt.
        moved: Ids of contexts that changed their split by joining an earlier group. A set whose
            split was frozen here has none among its old contexts.
    """

    goldset: GoldSet
    balance: SplitBalance
    moved: tuple[str, ...] = ()


class _Design(NamedTuple):
    groups: list[str]
    cells: list[tuple[str, str, str]]
    counts: NDArray[np.float64]


def assign(group: str, rule: SplitRule) -> Split:
    """The split of a context group.

    >>> rule = SplitRule(salt="faithfulness/7", dev_share=0.5)
    >>> assign("contract-7", rule), assign("contract-8", rule)
    ('dev', 'test')
    """
    return "dev" if group_share(group, rule.salt) < rule.dev_share else "test"


def group_share(group: str, salt: str) -> float:
    """The group's place in [0, 1): the first 53 bits of SHA-256 of `salt`, NUL and `group`."""
    digest = hashlib.sha256(f"{salt}\0{group}".encode("utf-8", "surrogatepass")).digest()
    return (int.from_bytes(digest[:8], "big") >> 11) / 2**53


def _shares(groups: Sequence[str], salts: Sequence[str]) -> NDArray[np.float64]:
    """`group_share` of every salt and group, (n_salts, n_groups)."""
    names = [group.encode("utf-8", "surrogatepass") for group in groups]
    digests = b"".join(
        hashlib.sha256(prefix + name).digest()[:8]
        for prefix in (f"{salt}\0".encode("utf-8", "surrogatepass") for salt in salts)
        for name in names
    )
    numbers = np.frombuffer(digests, dtype=">u8").astype(np.uint64) >> np.uint64(11)
    return (numbers / 2.0**53).reshape(len(salts), len(groups))


def split_group(context: Context) -> str:
    """The group that a context is dealt with: its declared group, or itself alone."""
    return context.group or context.context_id


def choose_salt(
    goldset: GoldSet, dev_share: float = 0.67, candidates: int = CANDIDATES
) -> SaltChoice:
    """The salt, of `candidates` numbered ones, that deals labels and slices most evenly.

    Large sets try fewer salts (groups x salts <= 500,000, at least 50): they are even anyway. Of
    equally good salts the first is taken, so the choice repeats.

    Args:
        goldset: Its judged claims are counted; contexts are dealt by `split_group`.
        dev_share: Wanted share of dev, between 0 and 1.
        candidates: Salts to try.
    """
    design = _design(goldset)
    most = max(_MOST_HASHES // max(len(design.groups), 1), _FEWEST_CANDIDATES)
    tried = max(1, min(candidates, most))
    salts = [f"{goldset.manifest.name}/{number}" for number in range(tried)]
    dev = (_shares(design.groups, salts) < dev_share) @ design.counts
    best = int(np.argmin(_imbalance(dev, design.counts.sum(axis=0), dev_share)))
    rule = SplitRule(salt=salts[best], dev_share=dev_share)
    return SaltChoice(rule, replace(balance_of(goldset, rule), candidates=tried))


def balance_of(goldset: GoldSet, rule: SplitRule) -> SplitBalance:
    """How evenly a rule deals the judged claims of a gold set."""
    design = _design(goldset)
    in_dev = np.array([assign(group, rule) == "dev" for group in design.groups], dtype=bool)
    dev = in_dev @ design.counts
    totals = design.counts.sum(axis=0)
    cells = tuple(
        CellBalance(*cell, int(total), int(count))
        for cell, total, count in zip(design.cells, totals, dev, strict=True)
    )
    every = [cell for cell in cells if cell.value == "all"]
    claims, in_both = sum(cell.claims for cell in every), sum(cell.dev for cell in every)
    uneven = float(_imbalance(dev[None], totals, rule.dev_share)[0]) if claims else None
    share = in_both / claims if claims else None
    return SplitBalance(in_both, claims - in_both, share, uneven, cells, 1)


def freeze_split(
    goldset: GoldSet, dev_share: float = 0.67, candidates: int = CANDIDATES
) -> FrozenSplit:
    """The gold set with its split declared; one declared already is kept.

    Args:
        goldset: A gold set, with or without a split.
        dev_share: Wanted share of dev where none is declared.
        candidates: Salts to try where none is declared.
    """
    grouped = join_near_contexts(goldset)
    declared = goldset.manifest.split
    if declared is not None:
        moved = tuple(
            name
            for name, context in grouped.contexts.items()
            if assign(split_group(context), declared)
            != assign(split_group(goldset.contexts[name]), declared)
        )
        return FrozenSplit(grouped, balance_of(grouped, declared), moved)
    rule, balance = choose_salt(grouped, dev_share, candidates)
    manifest = grouped.manifest.model_copy(update={"split": rule})
    return FrozenSplit(replace(grouped, manifest=manifest), balance)


def join_near_contexts(goldset: GoldSet) -> GoldSet:
    """The gold set with each context in the group of the first one of nearly the same text.

    While no split is declared, chains of near texts form one group, with the declared groups in
    them. After that a declared group stays and a context only ever joins an earlier one, so none
    that was dealt moves; two old groups that a new text links stay apart, and the check names them.
    """
    contexts = list(goldset.contexts.values())
    groups = [split_group(context) for context in contexts]
    pairs = near_pairs(["\n".join(context.passages) for context in contexts])
    pairs = [pair for pair in pairs if contexts[pair.first].passages]
    for pair in sorted(pairs, key=lambda pair: (pair.second, pair.first)):
        old, new = groups[pair.first], groups[pair.second]
        if goldset.manifest.split is None:
            groups = [old if group == new else group for group in groups]
        elif new == contexts[pair.second].context_id and groups.count(new) == 1:
            groups[pair.second] = old
    joined = {
        context.context_id: context
        if split_group(context) == group
        else context.model_copy(update={"group": group})
        for context, group in zip(contexts, groups, strict=True)
    }
    return replace(goldset, contexts=joined)


def _design(goldset: GoldSet) -> _Design:
    """Claims per group and cell, (n_groups, n_cells)."""
    claims = goldset.judged().claims
    rows = [
        (split_group(goldset.contexts[claim.context_id]), cell)
        for claim in claims
        for cell in _cells(claim)
    ]
    groups = sorted({group for group, _ in rows})
    cells = sorted({cell for _, cell in rows})
    counts = np.zeros((len(groups), len(cells)))
    row_of = {group: index for index, group in enumerate(groups)}
    column_of = {cell: index for index, cell in enumerate(cells)}
    for group, cell in rows:
        counts[row_of[group], column_of[cell]] += 1
    return _Design(groups, cells, counts)


def _cells(claim: Claim) -> Sequence[tuple[str, str, str]]:
    label = [("label", "all", claim.lang), ("label", claim.label, claim.lang)]
    return label if claim.slice is None else [*label, ("slice", claim.slice, claim.lang)]


def _imbalance(
    dev: NDArray[np.float64], totals: NDArray[np.float64], share: float
) -> NDArray[np.float64]:
    """Mean over cells of (dev - share n)^2 / (n share (1 - share)), per row of `dev`; (n_rows,)."""
    if not len(totals):
        return np.zeros(len(dev))
    variance = totals * share * (1 - share)
    means: NDArray[np.float64] = ((dev - share * totals) ** 2 / variance).mean(axis=-1)
    return means
