"""How much verdicts and scores move between runs that should not differ."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, Numbers, as_floats, divide
from metajudge.agreement.fleiss import rating_counts
from metajudge.agreement.table import FAILURE


def flips(verdicts: Numbers) -> Floats:
    """Share of pairs of runs that disagree, for each claim, 0 to 1.

    A failure in one run and a label in another is a disagreement.

    Args:
        verdicts: Shape (R, n), label codes of R >= 2 runs, failures included.

    Returns:
        Shape (n,); its mean is the flip rate, and it can be added up by cluster.

    Raises:
        ValueError: Fewer than two runs.

    >>> flips([[0, 0], [0, 2], [0, 2]]).round(3).tolist()
    [0.0, 0.667]
    """
    codes = np.asarray(verdicts, np.int64)
    if codes.ndim != 2 or len(codes) < 2:
        raise ValueError(f"flips need verdicts of shape (runs >= 2, n), got {codes.shape}")
    counts = rating_counts(codes, FAILURE + 1)
    runs = len(codes)
    return as_floats(1.0 - (counts * (counts - 1)).sum(-1) / (runs * (runs - 1)))


def flip_rate(verdicts: Numbers) -> Floats:
    """Mean share of disagreeing pairs of runs; nan without claims.

    >>> float(flip_rate([[0, 1], [0, 2]]))
    0.5
    """
    each = flips(verdicts)
    return divide(each.sum(), len(each))


def score_spread(scores: Numbers) -> Floats:
    """Standard deviation (n - 1) over runs of each answer's score.

    Args:
        scores: Shape (A, R), nan where a score is undefined.

    Returns:
        Shape (A,); nan for an answer with fewer than two scores.
    """
    values = as_floats(scores)
    known = ~np.isnan(values)
    count = known.sum(1)
    mean = divide(np.where(known, values, 0).sum(1), count)
    squares = np.where(known, (values - mean[:, None]) ** 2, 0.0).sum(1)
    return np.sqrt(divide(squares, np.where(count > 1, count - 1, 0)))


class Icc(NamedTuple):
    """Intraclass correlations of single scores, at most 1; nan where scores do not vary.

    `one_way` when runs are interchangeable (repeats), `agreement` when runs are a random sample of
    conditions, `consistency` when a shift common to a run does not matter.
    """

    one_way: float
    agreement: float
    consistency: float


def intraclass_correlation(scores: Numbers) -> Icc:
    """Share of the variance of single scores that lies between answers.

    Args:
        scores: Shape (A, R); answers with an undefined score are left out.

    Raises:
        ValueError: Fewer than two runs.

    Source: Shrout and Fleiss (1979), Psychol. Bull. 86: ICC(1,1), ICC(2,1), ICC(3,1).

    >>> round(intraclass_correlation([[1, 1], [0, 0], [1, 1]]).one_way, 12)
    1.0
    """
    values = as_floats(scores)
    if values.ndim != 2 or values.shape[1] < 2:
        raise ValueError(f"scores must have shape (answers, runs >= 2), got {values.shape}")
    values = values[~np.isnan(values).any(1)]
    n, runs = values.shape
    if n < 2:
        return Icc(np.nan, np.nan, np.nan)
    centre = values.mean()
    between = runs * ((values.mean(1) - centre) ** 2).sum() / (n - 1)
    run = n * ((values.mean(0) - centre) ** 2).sum() / (runs - 1)
    within = ((values - values.mean(1, keepdims=True)) ** 2).sum() / (n * (runs - 1))
    rest = values - values.mean(1, keepdims=True) - values.mean(0, keepdims=True) + centre
    error = (rest**2).sum() / ((n - 1) * (runs - 1))
    shared = between - error
    return Icc(
        float(divide(between - within, between + (runs - 1) * within)),
        float(divide(shared, between + (runs - 1) * error + runs * (run - error) / n)),
        float(divide(shared, between + (runs - 1) * error)),
    )


def kendall_tau(first: Numbers, second: Numbers) -> Floats:
    """Rank agreement tau-b of two score lists, -1 to 1, ties allowed.

    Pairs with an undefined score are left out; nan when either list is all ties.

    Args:
        first: Shape (n,).
        second: Shape (n,).

    Source: Kendall (1945), Biometrika 33.

    >>> float(kendall_tau([1, 2, 3], [1, 3, 2])) == 1 / 3
    True
    """
    left, right = as_floats(first), as_floats(second)
    known = ~(np.isnan(left) | np.isnan(right))
    left, right = left[known], right[known]
    upper = np.triu_indices(len(left), 1)
    ahead = np.sign(left[:, None] - left)[upper]
    behind = np.sign(right[:, None] - right)[upper]
    return divide((ahead * behind).sum(), np.sqrt((ahead**2).sum() * (behind**2).sum()))
