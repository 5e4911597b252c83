"""Limits of guardrails on many resamples at once, from moments of the per-cluster sums.

A cluster drawn twice counts as two clusters, as it would in a bootstrap of the resample itself.
"""

from __future__ import annotations

import numpy as np

from metajudge.agreement.arrays import Floats, Numbers, as_floats, divide
from metajudge.agreement.bootstrap import ClusterSums, weighted_sums
from metajudge.agreement.intervals import critical_z, wilson_interval
from metajudge.agreement.kappa import cohen_kappa
from metajudge.agreement.table import margins


def ratio_moments(hits: Floats, kinds: Floats) -> Floats:
    """Moments that a ratio and its linearised variance are made of, (G, S) to (G, S, 6).

    The last axis: hits, kinds, hits², hits · kinds, kinds², and whether there is any of the kind.
    """
    any_kind = (kinds > 0).astype(np.float64)
    return np.stack([hits, kinds, hits**2, hits * kinds, kinds**2, any_kind], axis=-1)


def share_moments(sums: ClusterSums) -> Floats:
    """Moments of a share, shape (G, S, 6)."""
    return ratio_moments(sums.sums[..., 0], sums.sums[..., 1])


def gap_moments(sums: ClusterSums, reference: int) -> Floats:
    """Moments of each share minus the reference's, shape (G, S, 6); both have the same kinds."""
    hits = sums.sums[..., 0]
    return ratio_moments(hits - hits[:, [reference]], sums.sums[..., 1])


def share_upper(weights: Numbers, moments: Floats, level: float) -> Floats:
    """Upper limit of a share, Wilson at the effective n of each resample, shape (R, S).

    The same rule as `agreement.estimate_share`; nan where no claim is of the kind.

    Source: Kish (1965); Dean and Pavlou (2015), see `agreement.estimate.effective_n`.
    """
    value, variance, groups, total = _ratio(weighted_sums(weights, moments))
    size = divide(value * (1 - value), variance)
    size = np.minimum(np.where(np.isnan(size), groups, size), total)
    return wilson_interval(value * size, size, level).high


def gap_upper(weights: Numbers, moments: Floats, level: float) -> Floats:
    """Upper limit of a paired difference of shares, normal with linearised error, shape (R, S).

    nan where no claim is of the kind, or all of them stand in one cluster.

    Source: Cochran (1977), Sampling Techniques, ch. 6, with clusters as units.
    """
    value, variance, _, _ = _ratio(weighted_sums(weights, moments))
    return as_floats(value + critical_z(level) * np.sqrt(variance))


def _ratio(sums: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Value, linearised variance, clusters and claims of the kind, each (R, S)."""
    hits, total, squares, cross, kinds, groups = np.moveaxis(sums, -1, 0)
    value = divide(hits, total)
    spread = np.maximum(squares - 2 * value * cross + value**2 * kinds, 0.0)
    variance = divide(spread * divide(groups, np.maximum(groups - 1, 0.0)), total**2)
    return value, variance, groups, total


def kappa_gradient(table: Numbers) -> Floats:
    """Derivative of Cohen's kappa by each cell of a table, shape (…, K, K + 1) as the table's.

    nan where kappa is undefined. The sum of derivative times cell is 0, since kappa does not
    depend on the size of a table.

    Source: Fleiss, Cohen and Everitt (1969), Psychol. Bull. 72, delta method.

    >>> bool(abs((kappa_gradient([[3, 1, 0], [1, 4, 1]]) * [[3, 1, 0], [1, 4, 1]]).sum()) < 1e-12)
    True
    """
    counts = as_floats(table)
    sums, labels = margins(counts), counts.shape[-2]
    n = sums.n[..., None, None]
    said = sums.verdict[..., :labels, None]
    truth = np.concatenate([sums.gold, np.zeros_like(sums.gold[..., :1])], -1)[..., None, :]
    agreed = np.eye(labels, labels + 1)
    apart = n * (n - sums.agreed[..., None, None])
    chance = (sums.gold * sums.verdict[..., :labels]).sum(-1)[..., None, None]
    possible = n**2 - chance
    by_apart = 2 * n - sums.agreed[..., None, None] - n * agreed
    by_possible = 2 * n - said - truth
    kept = np.where(possible > 1e-12 * n**2, possible, 0.0)
    return divide(apart * by_possible - by_apart * possible, kept**2)


def kappa_lower(weights: Numbers, sums: ClusterSums, level: float) -> tuple[Floats, Floats]:
    """Kappa and its lower limit on each resample, normal with linearised error, (R, S) each.

    Source: see `kappa_gradient`, with clusters as units.
    """
    draws = as_floats(weights)
    resampled = weighted_sums(draws, sums.sums)
    value = cohen_kappa(resampled)
    slope = kappa_gradient(resampled)
    groups = draws.sum(1)
    spread = np.empty_like(value)
    for place in range(value.shape[1]):
        cells = slope.shape[-2] * slope.shape[-1]
        pull = slope[:, place].reshape(-1, cells) @ sums.sums[:, place].reshape(-1, cells).T
        spread[:, place] = (draws * pull**2).sum(1)
    variance = spread * divide(groups, groups - 1)[:, None]
    return value, as_floats(value - critical_z(level) * np.sqrt(variance))
