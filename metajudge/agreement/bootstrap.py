"""Cluster bootstrap as matrix products: resample weights times per-cluster sums.

A resample draws G clusters with replacement out of G; it is kept as how often each was drawn.
Everything this project measures (tables, shares, mean errors, coincidence matrices) is a function
of sums over claims, so one product gives a coefficient's sums for all resamples and candidates.
Candidates measured with the same weights are compared on the same resamples.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import AnyFloats, Floats, Ints, Masks, Numbers, as_floats
from metajudge.agreement.rates import Share
from metajudge.agreement.table import selected, table_cells

Statistic = Callable[[Floats], Floats]
CHUNK_BYTES = 12 * 2**20
"""Memory that one block of resampled sums may take; larger jobs run in blocks."""


@dataclass(frozen=True, slots=True)
class ClusterSums:
    """What each cluster adds to the sums behind a coefficient, for S candidates.

    Attributes:
        sums: Shape (G, S, …): tables (G, S, K, K + 1), shares (G, S, 2), or any other sums.
        n: Shape (S,), claims counted for each candidate.
        n_clusters: Shape (S,), clusters with at least one such claim.
    """

    sums: Floats
    n: Ints
    n_clusters: Ints

    @property
    def totals(self) -> Floats:
        """Sums over all clusters, shape (S, …)."""
        return as_floats(self.sums.sum(0))


def _groups(cluster: Numbers) -> tuple[Ints, int]:
    codes = np.asarray(cluster, np.int64)
    if codes.size and codes.min() < 0:
        raise ValueError(f"cluster codes must be 0 or more, got {int(codes.min())}")
    return codes, int(codes.max()) + 1 if codes.size else 0


def cluster_tables(
    cluster: Numbers,
    gold: Numbers,
    verdicts: Numbers,
    n_labels: int = 3,
    within: Masks | None = None,
) -> ClusterSums:
    """Confusion table of each cluster and candidate.

    Args:
        cluster: Shape (n,), codes 0 … G - 1 (`cluster_codes`).
        gold: Shape (n,), codes 0 … K - 1.
        verdicts: Shape (n,) or (S, n), codes 0 … K - 1 or FAILURE.
        n_labels: K.
        within: Shape (n,), claims counted; clusters keep their numbers, so that slices share
            resamples with the whole.

    >>> cluster_tables([0, 0, 1], [0, 1, 0], [0, 1, 1]).sums.shape
    (2, 1, 3, 4)
    """
    codes, n_groups = _groups(cluster)
    cells = np.atleast_2d(table_cells(gold, verdicts, n_labels))
    chosen = selected(within, len(codes))
    size, n_candidates = n_labels * (n_labels + 1), len(cells)
    place = (codes * n_candidates)[None, :] + np.arange(n_candidates)[:, None]
    flat = (place * size + cells)[:, chosen].ravel()
    counts = np.bincount(flat, minlength=n_groups * n_candidates * size)
    n_clusters = len(np.unique(codes[chosen]))
    return ClusterSums(
        as_floats(counts.reshape(n_groups, n_candidates, n_labels, n_labels + 1)),
        np.full(n_candidates, int(chosen.sum()), np.int64),
        np.full(n_candidates, n_clusters, np.int64),
    )


def cluster_sums(cluster: Numbers, contributions: Numbers, counted: Numbers) -> ClusterSums:
    """Add up any per-claim contributions by cluster.

    Args:
        cluster: Shape (n,), codes.
        contributions: Shape (S, n, …), what each claim adds; zero where it does not count.
        counted: Shape (S, n) or (n,), bool: the claims that count, for n and n_clusters.
    """
    codes, n_groups = _groups(cluster)
    parts = as_floats(contributions)
    kind = np.broadcast_to(np.asarray(counted, np.bool_), parts.shape[:2])
    sums = np.zeros((n_groups, *parts.shape[:1], *parts.shape[2:]))
    np.add.at(sums, codes, np.moveaxis(parts, 1, 0))
    hit = np.zeros((n_groups, len(kind)), np.bool_)
    np.logical_or.at(hit, codes, kind.T)
    return ClusterSums(sums, kind.sum(1, dtype=np.int64), hit.sum(0, dtype=np.int64))


def cluster_shares(cluster: Numbers, part: Share) -> ClusterSums:
    """(numerator, denominator) of a share for each cluster and candidate, shape (G, S, 2).

    >>> from metajudge.agreement.rates import share
    >>> cluster_shares([0, 0, 1], share([1, 0, 1], [1, 1, 1])).sums[:, 0].tolist()
    [[1.0, 2.0], [1.0, 1.0]]
    """
    codes, n_groups = _groups(cluster)
    hits = np.atleast_2d(part.numerator)
    kinds = np.broadcast_to(part.denominator, hits.shape)
    place = codes * len(hits) + np.arange(len(hits))[:, None]
    size = n_groups * len(hits)
    pair = [np.bincount(place[mask], minlength=size) for mask in (hits, kinds)]
    sums = np.stack(pair, axis=-1).reshape(n_groups, len(hits), 2)
    return ClusterSums(
        as_floats(sums), sums[..., 1].sum(0).astype(np.int64), (sums[..., 1] > 0).sum(0)
    )


def cluster_weights(
    n_clusters: int, n_resamples: int, rng: np.random.Generator
) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """How often each cluster is drawn in each resample, shape (B, G); each row sums to G.

    float32 holds the counts exactly.

    Raises:
        ValueError: There is no cluster.

    >>> cluster_weights(5, 3, np.random.default_rng(1)).sum(1).tolist()
    [5.0, 5.0, 5.0]
    """
    if n_clusters < 1 or n_resamples < 1:
        raise ValueError(
            f"resampling needs clusters and resamples, got {n_clusters} and {n_resamples}"
        )
    drawn = rng.integers(0, n_clusters, size=(n_resamples, n_clusters))
    drawn += (np.arange(n_resamples) * n_clusters)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=n_resamples * n_clusters)
    return counts.astype(np.float32).reshape(n_resamples, n_clusters)


def weight_blocks(n_clusters: int, n_resamples: int, rng: np.random.Generator) -> Iterator[Floats]:
    """The rows of `cluster_weights` in blocks of bounded memory; the same rows for one seed."""
    rows = max(1, CHUNK_BYTES // (16 * max(n_clusters, 1)))
    for start in range(0, n_resamples, rows):
        block = cluster_weights(n_clusters, min(rows, n_resamples - start), rng)
        yield block  # type: ignore[misc]


def weighted_sums(weights: Numbers, sums: Floats) -> Floats:
    """Resampled sums: weights (B, G) times per-cluster sums (G, …), shape (B, …).

    Whole weights of counts are added in float32, which is exact below 2**24 and twice as fast.
    """
    draws = np.asarray(weights)
    whole = draws.dtype == np.float32 or bool((draws == np.rint(draws)).all())
    flat = _narrowed(sums) if whole else sums.reshape(len(sums), -1)
    return _product(draws, flat, sums.shape[1:])


def _narrowed(sums: Floats) -> AnyFloats:
    flat = sums.reshape(len(sums), -1)
    largest = float(np.abs(flat).max(initial=0.0))
    exact = largest * len(flat) < 2**24 and bool((flat == np.rint(flat)).all())
    return flat.astype(np.float32) if exact else flat


def _product(weights: Numbers, flat: AnyFloats, shape: tuple[int, ...]) -> Floats:
    return as_floats(np.asarray(weights, flat.dtype) @ flat).reshape(-1, *shape)


def _block_rows(shape: tuple[int, ...]) -> int:
    return max(1, CHUNK_BYTES // (8 * max(1, math.prod(shape))))


def bootstrap_values(sums: Floats, statistic: Statistic, weights: Numbers) -> Floats:
    """A statistic on every resample, shape (B, S); nan where a resample leaves it undefined.

    Args:
        sums: Shape (G, S, …), per-cluster sums.
        statistic: Maps sums (…, S, …) to values (…, S).
        weights: Shape (B, G), from `cluster_weights`; the same weights give paired candidates.

    >>> from metajudge.agreement.accuracy import accuracy
    >>> sums = cluster_tables([0, 1, 2], [0, 1, 0], [[0, 1, 1], [0, 1, 0]]).sums
    >>> bootstrap_values(sums, accuracy, cluster_weights(3, 4, np.random.default_rng(1))).shape
    (4, 2)
    """
    draws, flat, shape = np.asarray(weights), _narrowed(sums), sums.shape[1:]
    rows = _block_rows(shape)
    blocks = [
        statistic(_product(draws[start : start + rows], flat, shape))
        for start in range(0, len(draws), rows)
    ]
    return np.concatenate(blocks, axis=0)


def jackknife_values(sums: Floats, statistic: Statistic) -> Floats:
    """A statistic with each cluster left out in turn, shape (G, S)."""
    totals = sums.sum(0)
    rows = _block_rows(sums.shape[1:])
    blocks = [statistic(totals - sums[start : start + rows]) for start in range(0, len(sums), rows)]
    return np.concatenate(blocks, axis=0)


def bootstrap_tables(
    cluster: Numbers,
    gold: Numbers,
    verdicts: Numbers,
    *,
    n_resamples: int,
    rng: np.random.Generator,
    n_labels: int = 3,
) -> Floats:
    """Resampled confusion tables of S candidates, all on the same resamples.

    Args:
        cluster: Shape (n,), cluster codes.
        gold: Shape (n,).
        verdicts: Shape (S, n).
        n_resamples: B.
        rng: Source of randomness.
        n_labels: K.

    Returns:
        Shape (B, S, K, K + 1); for many candidates prefer `bootstrap_values`, which keeps
        memory bounded.
    """
    sums = cluster_tables(cluster, gold, verdicts, n_labels).sums
    return weighted_sums(cluster_weights(len(sums), n_resamples, rng), sums)


class CellJackknife(NamedTuple):
    """Tables (J, K, K + 1) with one claim left out, and how many claims each stands for (J,)."""

    tables: Floats
    multiplicity: Floats


def cell_jackknife(table: Numbers) -> CellJackknife:
    """Leave-one-claim-out tables when every claim is its own cluster: one for each filled cell.

    Args:
        table: Shape (K, K + 1), counts.

    >>> cell_jackknife([[3, 1, 0], [0, 4, 2]]).multiplicity.tolist()
    [3.0, 1.0, 4.0, 2.0]
    """
    counts = as_floats(table)
    filled = np.flatnonzero(counts.ravel() > 0)
    left_out = as_floats(np.eye(counts.size)[filled]).reshape(-1, *counts.shape)
    return CellJackknife(counts - left_out, counts.ravel()[filled])


def multinomial_tables(table: Numbers, n_resamples: int, rng: np.random.Generator) -> Floats:
    """Resampled tables when every claim is its own cluster: multinomial draws over the cells.

    Exact and fast: a table coefficient depends on the claims through the table only.

    Args:
        table: Shape (K, K + 1), counts.
        n_resamples: B.
        rng: Source of randomness.

    Returns:
        Shape (B, K, K + 1).

    >>> multinomial_tables([[3, 1, 0], [0, 4, 2]], 2, np.random.default_rng(1)).sum((1, 2)).tolist()
    [10.0, 10.0]
    """
    counts = np.asarray(table, np.int64)
    n = int(counts.sum())
    if n == 0:
        raise ValueError("an empty table cannot be resampled")
    filled = counts.ravel() > 0
    drawn = np.zeros((n_resamples, counts.size))
    drawn[:, filled] = rng.multinomial(n, counts.ravel()[filled] / n, size=n_resamples)
    return drawn.reshape(n_resamples, *counts.shape)
