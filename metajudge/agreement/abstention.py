"""What remains when verdicts under a confidence are left to people: coverage against risk."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, Masks, Numbers, as_floats, divide
from metajudge.agreement.table import selected


class RiskCoverage(NamedTuple):
    """The curve at thresholds of shape (T,): share of claims kept, and risk among them.

    `coverage` is nan without claims, `risk` where no kept claim is of the kind.
    """

    threshold: Floats
    coverage: Floats
    risk: Floats


def coverage_thresholds(confidence: Numbers, coverages: Numbers) -> Floats:
    """The greatest thresholds that keep at least these shares of the claims.

    Args:
        confidence: Shape (n,).
        coverages: Shape (m,), shares above 0 and up to 1.

    Returns:
        Shape (T,), T <= m, rising and distinct; (0,) without claims.

    >>> coverage_thresholds([0.9, 0.5, 0.7, 0.7], [1.0, 0.5, 0.25]).tolist()
    [0.5, 0.7, 0.9]
    """
    falling = np.sort(as_floats(confidence))[::-1]
    kept = np.ceil(as_floats(coverages) * len(falling) - 1e-9).astype(np.int64)
    return as_floats(np.unique(falling[kept - 1])) if len(falling) else np.zeros(0)


def risk_coverage(
    confidence: Numbers, bad: Numbers, thresholds: Numbers, kind: Masks | None = None
) -> RiskCoverage:
    """Coverage and risk of answering only where the confidence reaches a threshold.

    Args:
        confidence: Shape (n,), of the verdict given.
        bad: Shape (n,), bool: verdicts that are wrong, or bad in one way such as over-credit.
        thresholds: Shape (T,); a confidence equal to the threshold is kept.
        kind: Shape (n,), claims that risk is a share of; None is all. Coverage is of all claims.

    Returns:
        The curve; both numbers lie between 0 and 1.

    Source: El-Yaniv and Wiener (2010), J. Mach. Learn. Res. 11 (coverage and selective risk);
    Geifman and El-Yaniv (2017), NeurIPS, section 2 (a threshold on the confidence).

    >>> risk_coverage([0.9, 0.6], [0, 1], [0.5, 0.8]).risk.tolist()
    [0.5, 0.0]
    """
    limits = as_floats(thresholds)
    order = np.argsort(as_floats(confidence), kind="stable")
    sure = as_floats(confidence)[order]
    among = selected(kind, len(sure))[order]
    hits = np.asarray(bad, np.bool_)[order] & among
    first = np.searchsorted(sure, limits, side="left")
    return RiskCoverage(
        limits,
        divide(len(sure) - first, float(len(sure))),
        divide(_from(hits)[first], _from(among)[first]),
    )


def _from(marks: Masks) -> Floats:
    """Marks at or after each place, shape (n,) to (n + 1,)."""
    return as_floats(np.append(np.cumsum(marks[::-1])[::-1], 0))


def area_under_risk_coverage(confidence: Numbers, wrong: Numbers) -> float:
    """AURC: mean risk over thresholds set at each claim's own confidence, 0 to 1, lower is better.

    It is the share wrong when all confidences are equal, and smaller the more the wrong verdicts
    are the unsure ones. nan without claims.

    Args:
        confidence: Shape (n,).
        wrong: Shape (n,), bool.

    Source: Geifman, Uziel and El-Yaniv (2019), ICLR (AURC).

    >>> area_under_risk_coverage([0.9, 0.6], [0, 1])
    0.25
    """
    sure = as_floats(confidence)
    return float(risk_coverage(sure, wrong, sure).risk.mean()) if len(sure) else float("nan")
