"""Label probabilities: whether they mean what they say, and the label prior divided out of them."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, Numbers, as_floats, divide

Binning = Literal["width", "mass"]


class Reliability(NamedTuple):
    """Reliability table of shape (bins,): claims, mean confidence and share right of each bin.

    Means are nan in empty bins; `edges` has shape (bins + 1,).
    """

    edges: Floats
    counts: Floats
    confidence: Floats
    right: Floats


def bin_edges(confidence: Numbers, n_bins: int = 10, binning: Binning = "width") -> Floats:
    """Edges of equal width over 0 to 1, or of equal mass over the confidences given.

    >>> bin_edges([0.2, 0.8], 4).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    if n_bins < 1:
        raise ValueError(f"n_bins must be 1 or more, got {n_bins!r}")
    steps = np.linspace(0.0, 1.0, n_bins + 1)
    if binning == "width":
        return as_floats(steps)
    edges = np.quantile(as_floats(confidence), steps)
    edges[0], edges[-1] = 0.0, 1.0
    return as_floats(np.unique(edges))


def bin_sums(confidence: Numbers, right: Numbers, edges: Numbers) -> Floats:
    """What each claim adds to each bin: (1, confidence, right).

    Args:
        confidence: Shape (n,), 0 to 1; a value on an edge belongs to the bin above, 1 to the last.
        right: Shape (n,), 0 or 1.
        edges: Shape (bins + 1,).

    Returns:
        Shape (n, bins, 3); added up by cluster and resampled it gives the interval of the ECE.
    """
    sure, hit, limits = as_floats(confidence), as_floats(right), as_floats(edges)
    n_bins = len(limits) - 1
    place = np.clip(np.searchsorted(limits, sure, side="right") - 1, 0, n_bins - 1)
    inside = as_floats(np.eye(n_bins)[place])
    return inside[..., None] * np.stack([np.ones_like(sure), sure, hit], -1)[:, None, :]


def ece_of_sums(sums: Numbers) -> Floats:
    """Expected calibration error from added `bin_sums`, shape (…, bins, 3) to (…); nan if empty."""
    parts = as_floats(sums)
    gap = np.abs(parts[..., 1] - parts[..., 2]).sum(-1)
    return divide(gap, parts[..., 0].sum(-1))


def reliability(confidence: Numbers, right: Numbers, edges: Numbers) -> Reliability:
    """Reliability table of confidences against being right.

    >>> reliability([0.1, 0.9], [0, 1], [0, 0.5, 1]).right.tolist()
    [0.0, 1.0]
    """
    sums = bin_sums(confidence, right, edges).sum(0)
    counts = sums[:, 0]
    means = divide(sums, counts[:, None])
    return Reliability(as_floats(edges), counts, means[:, 1], means[:, 2])


def expected_calibration_error(
    confidence: Numbers, right: Numbers, n_bins: int = 10, binning: Binning = "width"
) -> Floats:
    """Mean distance of confidence and share right over bins, 0 to 1; biased upwards in small n.

    Args:
        confidence: Shape (n,), probability of the label given (or of any one event).
        right: Shape (n,), whether it was so.
        n_bins: Bins.
        binning: Equal `width` or equal `mass`.

    Source: Naeini, Cooper and Hauskrecht (2015), AAAI; Guo et al. (2017), ICML, eq. 3.

    >>> float(expected_calibration_error([0.75, 0.75], [1, 0]))
    0.25
    """
    edges = bin_edges(confidence, n_bins, binning)
    return ece_of_sums(bin_sums(confidence, right, edges).sum(0))


class CalibratedEce(NamedTuple):
    """Mean and standard deviation of the ECE that a perfectly calibrated judge shows."""

    mean: float
    spread: float


def calibrated_ece(confidence: Numbers, edges: Numbers) -> CalibratedEce:
    """What the ECE would be by chance alone if the confidences were true.

    It falls as 1 / sqrt(n): an ECE that is no greater says that there are few claims and nothing
    else. nan without claims. Claims count as independent; clusters make it larger.

    Args:
        confidence: Shape (n,), 0 to 1.
        edges: Shape (bins + 1,).

    Source: mean and variance of a half-normal variable for each bin's sum of right - confidence;
    that an ECE needs such a yardstick: Broecker and Smith (2007), Weather Forecast. 22.

    >>> round(calibrated_ece([0.5] * 100, [0, 1]).mean, 4)
    0.0399
    """
    sure = as_floats(confidence)
    inside = bin_sums(sure, np.zeros_like(sure), edges)[..., 0]
    variances = (sure * (1 - sure)) @ inside
    mean, spread = np.sqrt(2 / np.pi * variances).sum(), np.sqrt((1 - 2 / np.pi) * variances.sum())
    return CalibratedEce(*divide([mean, spread], float(len(sure))).tolist())


def brier_score(probabilities: Numbers, gold: Numbers) -> Floats:
    """Squared distance of the label probabilities from the gold label, per claim, 0 to 2.

    Args:
        probabilities: Shape (n, K); nan rows give nan.
        gold: Shape (n,), codes.

    Source: Brier (1950), Mon. Weather Rev. 78, eq. 2.

    >>> brier_score([[1.0, 0.0], [0.5, 0.5]], [0, 0]).tolist()
    [0.0, 0.5]
    """
    judge = as_floats(probabilities)
    truth = np.eye(judge.shape[-1])[np.asarray(gold, np.int64)]
    return as_floats(((judge - truth) ** 2).sum(-1))


class Murphy(NamedTuple):
    """Parts of the Brier score of one event: reliability - resolution + uncertainty + within.

    `within` is what binning hides; it is 0 when bins hold equal forecasts.
    """

    brier: float
    reliability: float
    resolution: float
    uncertainty: float
    within: float


def murphy_decomposition(probability: Numbers, event: Numbers, edges: Numbers) -> Murphy:
    """Brier score of one event taken apart; the parts add up exactly.

    Args:
        probability: Shape (n,), n >= 1.
        event: Shape (n,), 0 or 1.
        edges: Bin edges, from `bin_edges`.

    Source: Murphy (1973), J. Appl. Meteorol. 12; Stephenson et al. (2008), Weather Forecast.
    23, for the part within bins.
    """
    forecast, seen = as_floats(probability), as_floats(event)
    table = reliability(forecast, seen, edges)
    n, base = len(forecast), float(seen.mean())
    used = table.counts > 0
    weight = table.counts[used] / n
    gap = float((weight * (table.confidence[used] - table.right[used]) ** 2).sum())
    resolution = float((weight * (table.right[used] - base) ** 2).sum())
    uncertainty = base * (1 - base)
    brier = float(((forecast - seen) ** 2).mean())
    return Murphy(brier, gap, resolution, uncertainty, brier - (gap - resolution + uncertainty))


def divide_out_prior(probabilities: Numbers, prior: Numbers) -> Floats:
    """Label probabilities with the label prior divided out and summing to 1 again.

    Args:
        probabilities: Shape (…, K).
        prior: Shape (K,), positive; from `content_free_prior` or `batch_prior`.

    Raises:
        ValueError: A prior is not positive and finite.

    Source: Zhao et al. (2021), ICML, section 5, with W = diag(prior)^-1 and b = 0.

    >>> divide_out_prior([[0.6, 0.4]], [0.75, 0.25]).round(12).tolist()
    [[0.333333333333, 0.666666666667]]
    """
    bias = as_floats(prior)
    if not (np.isfinite(bias).all() and (bias > 0).all()):
        raise ValueError(f"every label needs a positive prior, got {bias.tolist()}")
    scaled = as_floats(probabilities) / bias
    return divide(scaled, scaled.sum(-1, keepdims=True))


def content_free_prior(probabilities: Numbers) -> Floats:
    """Label prior of a template: mean probabilities on content-free claims of the same form.

    Args:
        probabilities: Shape (m, K), one row a content-free claim; rows with nan are left out.

    Returns:
        Shape (K,); nan when no row is known.

    Source: Zhao et al. (2021), ICML, section 5.

    >>> content_free_prior([[0.5, 0.5], [1.0, 0.0]]).tolist()
    [0.75, 0.25]
    """
    rows = as_floats(probabilities)
    known = ~np.isnan(rows).any(-1)
    total = rows[known].sum(0)
    return divide(total, total.sum())


def batch_prior(probabilities: Numbers) -> Floats:
    """Label prior estimated as the mean over the batch of real claims itself.

    It takes the batch's own label shares for bias, so it flattens them when they are uneven.

    Source: Zhou et al. (2024), ICLR, Batch Calibration.
    """
    return content_free_prior(probabilities)
