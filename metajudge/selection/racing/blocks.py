"""Claims in blocks for a race: every block a small picture of the whole set."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from metajudge.agreement.arrays import Floats, Ints
from metajudge.agreement.table import Clusters
from metajudge.selection.columns import CandidateCodes, CandidateKey, ClaimColumns
from metajudge.selection.measure import Measurer

Unit = Literal["claim", "context"]


def stratified_blocks(
    columns: ClaimColumns, size: int, seed: int, unit: Unit = "claim"
) -> tuple[Ints, ...]:
    """Every entry once, in blocks in which slices, languages and gold labels have their share.

    Each stratum (slice and language) is put in random order and spread evenly over the race from a
    random start, so that its share of any first blocks is its share of the set, up to rounding.
    Within a stratum gold labels are spread in the same way. Draws of one claim stay together.

    Args:
        columns: The claims.
        size: Entries a block, at least 1; the last one has what is left.
        seed: Which order.
        unit: What is drawn: `claim`, or `context`, which keeps the claims of a context in one
            block; its stratum is that of most of its claims.

    Returns:
        Places of entries; blocks of contexts hold `size` entries or somewhat more.

    Raises:
        ValueError: The size is under 1.

    Source: systematic sampling of proportional strata from random starts, Cochran (1977), Sampling
    Techniques, ch. 5 and 8.
    """
    if size < 1:
        raise ValueError(f"a block has 1 entry or more, got {size!r}")
    rng = np.random.default_rng(seed)
    units = race_units(columns, unit)
    strata, labels = _strata(columns, units)
    order = rng.permutation(units.n_clusters)
    spread = _spread(np.stack([strata, labels], 1)[order], rng)
    inside = order[np.argsort(spread, kind="stable")]
    order = inside[np.argsort(_spread(strata[inside][:, None], rng), kind="stable")]
    entries = np.argsort(units.codes, kind="stable")
    starts = np.searchsorted(units.codes[entries], np.arange(units.n_clusters + 1))
    return _filled([entries[starts[one] : starts[one + 1]] for one in order.tolist()], size)


def race_units(columns: ClaimColumns, unit: Unit) -> Clusters:
    """What is drawn: contexts, or claims with all their draws."""
    if unit == "context":
        return columns.contexts
    return Clusters(np.arange(len(columns.gold)) // columns.repeats, columns.n_claims)


def some_claims(columns: ClaimColumns, places: Ints) -> ClaimColumns:
    """The entries at some places, in that order; clusters are numbered anew."""
    return replace(
        columns,
        gold=columns.gold[places],
        slices=columns.slices[places],
        langs=columns.langs[places],
        answers=_renumbered(columns.answers, places),
        contexts=_renumbered(columns.contexts, places),
        n_claims=len(places) // columns.repeats,
    )


def bare_measurer(
    columns: ClaimColumns, keys: tuple[CandidateKey, ...], codes: Ints, cluster: str, level: float
) -> Measurer:
    """Verdicts alone, (S, N), without label probabilities or resamples."""
    unknown = np.broadcast_to(np.float32(np.nan), (*codes.shape, 3))
    none = np.zeros((0, columns.clusters(cluster).n_clusters), np.float32)
    return Measurer(columns, CandidateCodes(keys, codes, unknown), none, cluster, level)


def _renumbered(clusters: Clusters, places: Ints) -> Clusters:
    groups, codes = np.unique(clusters.codes[places], return_inverse=True)
    return Clusters(codes.astype(np.int64), len(groups))


def _strata(columns: ClaimColumns, units: Clusters) -> tuple[Ints, Ints]:
    """Stratum and gold label of each unit: those of most of its entries, as codes."""
    names = [
        f"{slice_}\n{lang}" for slice_, lang in zip(columns.slices, columns.langs, strict=True)
    ]
    codes = np.unique(names, return_inverse=True)[1].astype(np.int64)
    return _mostly(codes, units), _mostly(columns.gold, units)


def _mostly(codes: Ints, units: Clusters) -> Ints:
    counts = np.zeros((units.n_clusters, int(codes.max(initial=0)) + 1), np.int64)
    np.add.at(counts, (units.codes, codes), 1)
    return np.asarray(counts.argmax(1), np.int64)


def _spread(groups: Ints, rng: np.random.Generator) -> Floats:
    """Times of 0 to 1, even within each group of equal rows, from a random start."""
    _, group, sizes = np.unique(groups, axis=0, return_inverse=True, return_counts=True)
    group = group.reshape(-1)
    order = np.argsort(group, kind="stable")
    first = np.concatenate([[0], sizes.cumsum()[:-1]])
    rank = np.empty(len(group), np.int64)
    rank[order] = np.arange(len(group)) - first[group[order]]
    times: Floats = (rank + rng.random(len(sizes))[group]) / sizes[group]
    return times


def _filled(parts: list[Ints], size: int) -> tuple[Ints, ...]:
    blocks: list[list[int]] = []
    for part in parts:
        if not blocks or len(blocks[-1]) >= size:
            blocks.append([])
        blocks[-1] += part.tolist()
    return tuple(np.asarray(block, np.int64) for block in blocks)
