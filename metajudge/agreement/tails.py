"""Tail probabilities of the tests in this room, from the standard library alone."""

from __future__ import annotations

import math

_STEPS = 500
_CLOSE = 1e-15


def chi_square_tail(statistic: float, df: int) -> float:
    """P(X >= statistic) for a chi-square variable with whole degrees of freedom.

    nan for a nan statistic.

    Raises:
        ValueError: df under 1.

    Source: Abramowitz and Stegun (1972), 26.4.4 (odd df) and 26.4.5 (even df).

    >>> round(chi_square_tail(3.841458820694124, 1), 12)
    0.05
    """
    if df < 1:
        raise ValueError(f"degrees of freedom must be 1 or more, got {df!r}")
    if math.isnan(statistic):
        return math.nan
    half = max(statistic, 0.0) / 2
    shape = 0.5 if df % 2 else 1.0
    tail = math.erfc(math.sqrt(half)) if df % 2 else math.exp(-half)
    while shape < df / 2:
        if half > 0:
            tail += math.exp(shape * math.log(half) - half - math.lgamma(shape + 1))
        shape += 1
    return min(tail, 1.0)


def binomial_point(hits: int, n: int) -> float:
    """P(X = hits) of n fair coin throws.

    >>> binomial_point(1, 2)
    0.5
    """
    return math.exp(math.log(math.comb(n, hits)) - n * math.log(2))


def binomial_lower_tail(hits: int, n: int) -> float:
    """P(X <= hits) of n fair coin throws, in whole numbers until the last division.

    >>> binomial_lower_tail(0, 3)
    0.125
    """
    term, total = 1, 1
    for step in range(1, hits + 1):
        term = term * (n - step + 1) // step
        total += term
    return total / (1 << n) if n < 1000 else math.exp(math.log(total) - n * math.log(2))


def student_lower_tail(statistic: float, df: float) -> float:
    """P(T <= statistic) for Student's t.

    Source: Abramowitz and Stegun (1972), 26.7.1, through the incomplete beta function.

    >>> student_lower_tail(0.0, 5)
    0.5
    """
    squared = statistic**2
    if squared < df:
        inside = incomplete_beta(squared / (df + squared), 0.5, df / 2)
        return 0.5 + math.copysign(inside, statistic) / 2
    outside = incomplete_beta(df / (df + squared), df / 2, 0.5)
    return outside / 2 if statistic < 0 else 1 - outside / 2


def incomplete_beta(share: float, first: float, second: float) -> float:
    """Regularised incomplete beta function I_x(a, b), 0 to 1.

    Source: Press et al. (2007), Numerical Recipes, 3rd ed., section 6.4 (Lentz's fraction).

    >>> round(incomplete_beta(0.5, 2.0, 2.0), 12)
    0.5
    """
    if share <= 0 or share >= 1:
        return float(share >= 1)
    if share > (first + 1) / (first + second + 2):
        return 1 - incomplete_beta(1 - share, second, first)
    front = math.lgamma(first + second) - math.lgamma(first) - math.lgamma(second)
    front += first * math.log(share) + second * math.log1p(-share)
    return math.exp(front) * _beta_fraction(share, first, second) / first


def _beta_fraction(share: float, first: float, second: float) -> float:
    numerator = 1.0
    denominator = 1 / (1 - (first + second) * share / (first + 1))
    fraction = denominator
    for step in range(1, _STEPS):
        even = step * (second - step) * share / ((first + 2 * step - 1) * (first + 2 * step))
        odd = -(first + step) * (first + second + step) * share
        odd /= (first + 2 * step) * (first + 2 * step + 1)
        for coefficient in (even, odd):
            denominator = 1 / (1 + coefficient * denominator)
            numerator = 1 + coefficient / numerator
            change = denominator * numerator
            fraction *= change
        if abs(change - 1) < _CLOSE:
            break
    return fraction
