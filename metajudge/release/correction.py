"""Support rate of unlabelled answers: as the judge has it, and corrected for the judge's errors."""

from __future__ import annotations

import numpy as np

from metajudge.agreement.arrays import Floats, Numbers, as_floats
from metajudge.agreement.bootstrap import ClusterSums, weight_blocks, weighted_sums
from metajudge.agreement.correction import CorrectedShares, rogan_gladen
from metajudge.agreement.estimate import (
    Estimate,
    estimate_share,
    few_clusters_warning,
    told_apart,
)
from metajudge.agreement.rates import share_coefficient
from metajudge.agreement.table import NO, YES
from metajudge.report.figure import figure, number
from metajudge.report.part import Figure, Part

RESAMPLES = 2000
METHOD = "Rogan-Gladen, cluster bootstrap of labelled and unlabelled claims"
_NO_CLAIMS = "no claim was asked"
_NO_GOLD = "there is no labelled claim to take the judge's errors from"


class CorrectedSupport(Part):
    """Support rate of a sample, before and after the correction."""

    raw: Figure
    """Share of claims asked with verdict yes; a failure counts as asked."""
    corrected: Figure
    """Share of claims that are supported, by the judge's errors on gold claims."""
    singular_value: float | None = None
    """The smallest of the error matrix, 0 (verdicts say nothing) to 1 (no errors)."""
    labelled: int = 0
    """Gold claims that the errors were measured on."""
    labelled_clusters: int = 0
    """Contexts that they come from."""


def corrected_support(
    tables: Numbers,
    counts: Numbers,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    level: float = 0.95,
) -> CorrectedSupport:
    """Share of supported claims in unlabelled answers, raw and corrected.

    Both samples are resampled by cluster. Two calls with the same seed and the same numbers of
    clusters use the same resamples.

    Args:
        tables: Shape (G, K, 4), per cluster of labelled claims: gold label (yes, no, idk for K = 3;
            supported, unsupported for K = 2) by verdict yes, no, idk, failure.
        counts: Shape (A, 4), per cluster of unlabelled claims: verdicts yes, no, idk, failure. May
            be means over draws. Clusters without a claim do not count.
        resamples: Bootstrap resamples.
        seed: Of the resamples.
        level: Coverage of the intervals.

    Returns:
        Shares 0 to 1 with intervals. The corrected one is null, with the reason, where a gold label
        has no claim, where verdicts hardly tell the gold labels apart, or where there is no claim;
        it holds as far as the judge errs on these answers as it does on the gold claims.

    Raises:
        ValueError: Shapes other than these.

    Source: Rogan and Gladen (1978), see `agreement.correction.rogan_gladen`. Binary gold takes no
    and idk together as unsupported. The raw share: Wilson's interval at the effective sample size.

    >>> gold = [[[8, 1, 1, 0], [1, 8, 1, 0], [1, 1, 8, 0]]] * 40
    >>> support = corrected_support(gold, [[8, 1, 1, 0]] * 40)
    >>> support.raw.value, support.corrected.value
    (0.8, 1.0)
    """
    labelled, seen = _projected(as_floats(tables), as_floats(counts))
    seen = seen[seen.sum(1) > 0]
    labelled = labelled[labelled.sum((1, 2)) > 0]
    raw = _raw(seen, level)
    if not len(seen) or not len(labelled):
        reason = _NO_GOLD if len(seen) else _NO_CLAIMS
        return CorrectedSupport(raw=raw, corrected=Figure(value=None, n=raw.n, reason=reason))
    of_gold, of_answers = np.random.SeedSequence(seed).spawn(2)
    shares = rogan_gladen(
        labelled.sum(0),
        seen.sum(0),
        _resampled(labelled, resamples, of_gold),
        _resampled(seen, resamples, of_answers),
        level,
    )
    return CorrectedSupport(
        raw=raw,
        corrected=_corrected(shares, raw, level),
        singular_value=number(shares.singular_value),
        labelled=round(float(labelled.sum())),
        labelled_clusters=len(labelled),
    )


def _projected(tables: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Tables (G, K, K + 1) and counts (A, K + 1) in the gold labels' own space."""
    if tables.ndim != 3 or tables.shape[1] not in (2, 3) or tables.shape[2] != 4:
        raise ValueError(f"tables must have shape (G, 2 or 3, 4), got {tables.shape}")
    if counts.ndim != 2 or counts.shape[1] != 4:
        raise ValueError(f"counts must have shape (A, 4), got {counts.shape}")
    if tables.shape[1] == 3:
        return tables, counts
    return _binary(tables), _binary(counts)


def _binary(counts: Floats) -> Floats:
    """Verdict columns yes, no, idk, failure as supported, unsupported, failure."""
    return np.stack([counts[..., YES], counts[..., NO:-1].sum(-1), counts[..., -1]], axis=-1)


def _raw(seen: Floats, level: float) -> Figure:
    claims = seen.sum(1)
    if not len(seen):
        return Figure(value=None, n=0, clusters=0, reason=_NO_CLAIMS)
    sums = ClusterSums(
        np.stack([seen[:, YES], claims], axis=-1)[:, None, :],
        np.array([round(float(claims.sum()))], np.int64),
        np.array([len(seen)], np.int64),
    )
    return figure(estimate_share(sums, share_coefficient("support", "asked"), level)[0])


def _resampled(sums: Floats, resamples: int, stream: np.random.SeedSequence) -> Floats:
    rng = np.random.default_rng(stream)
    blocks = weight_blocks(len(sums), resamples, rng)
    return np.concatenate([weighted_sums(block, sums) for block in blocks])


def _corrected(shares: CorrectedShares, raw: Figure, level: float) -> Figure:
    value, low, high = (
        None if part is None else float(part[YES])
        for part in (shares.value, shares.low, shares.high)
    )
    clusters = raw.clusters or 0
    found = Estimate(
        value=value,
        low=low,
        high=high,
        n=raw.n,
        n_clusters=clusters,
        method=METHOD,
        reason=shares.reason,
        warning=few_clusters_warning(clusters),
        level=level,
    )
    return figure(told_apart(found))
