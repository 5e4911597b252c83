"""Whether a mean loss is under a rate: tests that need no assumption on how losses are spread.

Each context gives one loss between 0 and 1 and is one independent draw, however many claims it has.

Sources: Hoeffding (1963), JASA 58, Theorem 1 (the bound by relative entropy); Bentkus (2004), Ann.
Probab. 32; both as one p-value: Bates et al. (2021), J. ACM 68, Theorem 2 (RCPS), and Angelopoulos
et al. (2021), Learn then Test, Proposition 1. One loss that is 0 or 1: the exact binomial tail
(Clopper and Pearson, 1934).
"""

from __future__ import annotations

import math
from typing import Literal

from metajudge.agreement.tails import incomplete_beta

Test = Literal["binomial", "hoeffding-bentkus"]
"""`binomial` where each context has one claim that can be missed, so that its loss is 0 or 1."""
ROUND = 1e-9
"""Sums of equal shares may miss a whole number by this much."""
_MOST_CONTEXTS = 10**7
_HALVINGS = 60


def at_most(hits: int, n: int, share: float) -> float:
    """P(X <= hits) of n draws that each count with probability `share`.

    >>> at_most(0, 59, 0.05) <= 0.05 < at_most(0, 58, 0.05)
    True
    """
    if hits >= n:
        return 1.0
    return 0.0 if hits < 0 else incomplete_beta(1 - share, n - hits, hits + 1)


def p_value(mean: float, n: int, rate: float, test: Test = "hoeffding-bentkus") -> float:
    """Tail of the hypothesis that the true mean loss is `rate` or more; small says it is less.

    Args:
        mean: Mean of the losses, 0 to 1.
        n: Contexts, 0 or more.
        rate: The miss rate that has to be kept, above 0 and under 1.
        test: `binomial` for losses that are 0 or 1.

    Returns:
        0 to 1; 1 where there is no context.

    >>> round(p_value(0.0, 59, 0.05), 4), p_value(0.2, 59, 0.05)
    (0.0485, 1.0)
    """
    if n < 1 or mean >= rate:
        return 1.0
    hits = math.ceil(n * mean - ROUND)
    if test == "binomial":
        return at_most(hits, n, rate)
    hoeffding = math.exp(-n * _relative_entropy(mean, rate))
    return min(1.0, hoeffding, math.e * at_most(hits, n, rate))


def _relative_entropy(mean: float, rate: float) -> float:
    low = mean * math.log(mean / rate) if mean > 0 else 0.0
    return low + (1 - mean) * math.log((1 - mean) / (1 - rate))


def upper_limit(mean: float, n: int, delta: float, test: Test = "hoeffding-bentkus") -> float:
    """The smallest rate that a sample tells apart from the truth with error `delta` at most.

    Args:
        mean: Mean of the losses, 0 to 1.
        n: Contexts.
        delta: Error allowed, above 0 and under 1.
        test: As in `p_value`.

    Returns:
        `mean` to 1; 1 where nothing is told apart.

    >>> round(upper_limit(0.0, 59, 0.05), 4)
    0.0495
    """
    low, high = mean, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle < 1 and p_value(mean, n, middle, test) <= delta:
            high = middle
        else:
            low = middle
    return high


def contexts_needed(
    rate: float, delta: float, mean: float = 0.0, test: Test = "hoeffding-bentkus"
) -> int | None:
    """Contexts with an unsupported claim that a guarantee needs, were the mean loss `mean`.

    With no miss at all: n >= ln(delta) / ln(1 - rate).

    Args:
        rate: The miss rate that has to be kept.
        delta: Error allowed.
        mean: Mean loss to be expected.
        test: As in `p_value`.

    Returns:
        None where no number is enough, since the mean is not under the rate, or ten million is not.

    >>> contexts_needed(0.05, 0.05), contexts_needed(0.05, 0.05, mean=0.05)
    (59, None)
    """
    if mean >= rate:
        return None
    if mean <= 0:
        return math.ceil(math.log(delta) / math.log1p(-rate) - ROUND)
    high = 1
    while p_value(mean, high, rate, test) > delta:
        high *= 2
        if high > _MOST_CONTEXTS:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if p_value(mean, middle, rate, test) <= delta else (middle, high)
    return high
