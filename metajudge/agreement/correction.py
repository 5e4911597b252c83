"""Share of supported claims in unlabelled answers, corrected for the judge's errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metajudge.agreement.arrays import Floats, Numbers, as_floats, divide
from metajudge.agreement.intervals import critical_z, percentile_interval
from metajudge.agreement.table import margins

SMALLEST_SINGULAR_VALUE = 0.15
"""Below it the judge's verdicts hardly tell the gold labels apart and errors blow up."""


@dataclass(frozen=True, slots=True)
class CorrectedShares:
    """Shares of gold labels behind a judge's verdicts on unlabelled claims.

    Attributes:
        value: Shape (K,), shares that sum to 1; None when refused.
        low: Shape (K,), lower limits; None when refused.
        high: Shape (K,), upper limits; None when refused.
        raw: Shape (K + 1,), shares of the verdicts themselves, failures last.
        singular_value: The smallest of the error matrix, 0 (useless judge) to 1 (perfect).
        reason: Why the correction is refused.
    """

    value: Floats | None
    low: Floats | None
    high: Floats | None
    raw: Floats
    singular_value: float | None
    reason: str | None = None


def _error_matrix(table: Floats) -> Floats:
    return divide(table, table.sum(-1, keepdims=True))


def _solve(matrix: Floats, shares: Floats) -> Floats:
    """Least squares of shares = p @ matrix with p summing to 1, then cut to 0 … 1."""
    base = matrix[..., -1, :]
    contrast = matrix[..., :-1, :] - base[..., None, :]
    free = (shares - base)[..., None, :] @ np.linalg.pinv(contrast)
    first = free[..., 0, :]
    full = np.concatenate([first, 1.0 - first.sum(-1, keepdims=True)], axis=-1)
    kept = np.clip(full, 0.0, 1.0)
    return divide(kept, kept.sum(-1, keepdims=True))


def corrected_shares(table: Numbers, verdict_counts: Numbers) -> Floats:
    """The point estimate of `rogan_gladen` on many samples at once, nothing refused.

    For what is compared over resamples, such as two judges on the same claims.

    Args:
        table: Shape (…, K, K + 1), labelled claims.
        verdict_counts: Shape (…, K + 1), verdicts on unlabelled claims, failures last.

    Returns:
        Shape (…, K), shares that sum to 1; nan where a gold label or every verdict is missing.

    >>> corrected_shares([[8, 2, 0], [2, 8, 0]], [50, 50, 0]).round(3).tolist()
    [0.5, 0.5]
    """
    counts, seen = as_floats(table), as_floats(verdict_counts)
    usable = (counts.sum(-1) > 0).all(-1) & (seen.sum(-1) > 0)
    matrix = np.nan_to_num(_error_matrix(counts))
    shares = np.nan_to_num(divide(seen, seen.sum(-1, keepdims=True)))
    return np.where(usable[..., None], _solve(matrix, shares), np.nan)


def rogan_gladen(
    table: Numbers,
    verdict_counts: Numbers,
    resampled_tables: Numbers,
    resampled_counts: Numbers,
    level: float = 0.95,
) -> CorrectedShares:
    """Label shares corrected by the judge's error rates on labelled claims.

    Holds when P(verdict | gold label) is the same in the labelled and the unlabelled claims.
    Failures are one more verdict, so they need not be independent of the label.

    Args:
        table: Shape (K, K + 1), labelled claims.
        verdict_counts: Shape (K + 1,), verdicts on unlabelled claims, failures last.
        resampled_tables: Shape (B, K, K + 1), cluster bootstrap of the labelled claims.
        resampled_counts: Shape (B, K + 1), cluster bootstrap of the unlabelled claims.
        level: Coverage aimed at.

    Returns:
        Shares with percentile intervals through both samples, or a refusal with its reason.

    Source: Rogan and Gladen (1978), Am. J. Epidemiol. 107, eq. 1; K labels: Buonaccorsi (2010),
    Measurement Error, ch. 2 (matrix method); that both samples must enter the interval: Lang and
    Reiczigel (2014), Prev. Vet. Med. 113.
    """
    counts, seen = as_floats(table), as_floats(verdict_counts)
    raw = divide(seen, seen.sum())
    gold = margins(counts).gold
    if (gold == 0).any() or seen.sum() == 0:
        reason = "a label has no gold claim" if seen.sum() else "there is no unlabelled verdict"
        return CorrectedShares(None, None, None, raw, None, reason)
    matrix = _error_matrix(counts)
    smallest = float(np.linalg.svd(matrix, compute_uv=False)[-1])
    if smallest < SMALLEST_SINGULAR_VALUE:
        reason = (
            f"the error matrix is near singular (smallest singular value {smallest:.3f}, "
            f"under {SMALLEST_SINGULAR_VALUE}): the verdicts hardly tell the labels apart"
        )
        return CorrectedShares(None, None, None, raw, smallest, reason)
    drawn, drawn_counts = as_floats(resampled_tables), as_floats(resampled_counts)
    usable = (drawn.sum(-1) > 0).all(-1) & (drawn_counts.sum(-1) > 0)
    if usable.mean() < 0.95:
        reason = "a label is missing from over 5 % of the resamples of the labelled claims"
        return CorrectedShares(_solve(matrix, raw), None, None, raw, smallest, reason)
    shares = divide(drawn_counts[usable], drawn_counts[usable].sum(-1, keepdims=True))
    values = _solve(_error_matrix(drawn[usable]), shares)
    interval = percentile_interval(values, level)
    return CorrectedShares(_solve(matrix, raw), interval.low, interval.high, raw, smallest)


@dataclass(frozen=True, slots=True)
class PredictionPowered:
    """A mean from few labelled and many judged claims.

    Attributes:
        value: The estimate; None when refused.
        low: Lower limit.
        high: Upper limit.
        power: Lambda, the weight of the judge, 0 (ignored) to 1.
        labelled_only: The mean of the labelled claims alone.
        reason: Why it is refused.
    """

    value: float | None
    low: float | None
    high: float | None
    power: float | None
    labelled_only: float | None
    reason: str | None = None


def _cluster_totals(numbers: Floats, cluster: Numbers | None) -> Floats:
    if cluster is None:
        return numbers
    codes = np.asarray(cluster, np.int64)
    return as_floats(np.bincount(codes, weights=numbers))


def _mean_covariance(left: Floats, right: Floats, cluster: Numbers | None) -> float:
    """Covariance of two means, with clusters as the units."""
    one = _cluster_totals(left - left.mean(), cluster)
    other = _cluster_totals(right - right.mean(), cluster)
    groups = len(one) if cluster is None else len(np.unique(np.asarray(cluster)))
    return float((one * other).sum() * groups / (groups - 1) / len(left) ** 2)


def prediction_powered_mean(
    labelled: Numbers,
    judged_labelled: Numbers,
    judged_unlabelled: Numbers,
    *,
    cluster_labelled: Numbers | None = None,
    cluster_unlabelled: Numbers | None = None,
    power: float | None = None,
    level: float = 0.95,
) -> PredictionPowered:
    """Mean of gold values from labelled claims and judge values on many more.

    Holds when labelled and unlabelled claims are drawn alike; the judge may be as wrong as it
    likes, it only widens the interval.

    Args:
        labelled: Shape (n,), gold values (1 for supported).
        judged_labelled: Shape (n,), the judge's values on the same claims; 0 for a failure.
        judged_unlabelled: Shape (N,), the judge's values on the others.
        cluster_labelled: Shape (n,), cluster codes; None makes every claim its own.
        cluster_unlabelled: Shape (N,), likewise.
        power: Weight of the judge; None finds the one with the smallest variance, kept within 0
            to 1. 1 is prediction-powered inference without tuning, 0 the labelled mean alone.
        level: Coverage aimed at.

    Source: Angelopoulos, Duchi and Zrnic (2023), PPI++, the power-tuned mean;
    Angelopoulos et al. (2023), Science 382, for weight 1. Variances have clusters as units, and
    that of the judge is taken from each sample by itself rather than pooled.

    >>> round(prediction_powered_mean([1, 0, 1, 1], [1, 0, 1, 1], [1, 0] * 50).power, 3)
    0.961
    """
    truth, paired, rest = map(as_floats, (labelled, judged_labelled, judged_unlabelled))
    few = _too_few(truth, cluster_labelled) or _too_few(rest, cluster_unlabelled)
    if few:
        return PredictionPowered(None, None, None, None, None, few)
    far = _mean_covariance(rest, rest, cluster_unlabelled)
    near = _mean_covariance(paired, paired, cluster_labelled)
    shared = _mean_covariance(truth, paired, cluster_labelled)
    if power is None:
        power = min(max(float(np.nan_to_num(divide(shared, near + far))), 0.0), 1.0)
    own = _mean_covariance(truth, truth, cluster_labelled)
    variance = own + power**2 * (near + far) - 2 * power * shared
    value = float(truth.mean() + power * (rest.mean() - paired.mean()))
    half = critical_z(level) * max(variance, 0.0) ** 0.5
    return PredictionPowered(value, value - half, value + half, power, float(truth.mean()))


def _too_few(numbers: Floats, cluster: Numbers | None) -> str | None:
    groups = len(numbers) if cluster is None else len(np.unique(np.asarray(cluster)))
    return None if groups >= 2 else f"needs two clusters in each sample, got {groups}"
