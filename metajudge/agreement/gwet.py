"""Gwet's AC1 and AC2: agreement beyond chance that keeps its sense under skewed prevalence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metajudge.agreement.arrays import Floats, Numbers, as_floats, divide
from metajudge.agreement.table import margins
from metajudge.agreement.weights import Weighting, disagreement_weights


def gwet_ac(
    table: Numbers,
    weighting: Weighting = "unweighted",
    positions: Sequence[float] | None = None,
) -> Floats:
    """AC1 (unweighted) or AC2 (linear, quadratic) of verdicts and gold, at most 1.

    A failure is a disagreement of full weight. The label shares behind chance agreement are those
    of the ratings that exist, as Gwet does for missing ratings, so failures buy no chance
    agreement. nan for an empty table.

    Args:
        table: Shape (…, K, K + 1).
        weighting: See `disagreement_weights`; AC2 only where the labels are meant as ordered.
        positions: Places of the labels on that order.

    Source: Gwet (2008), Br. J. Math. Stat. Psychol. 61 (AC1); Gwet (2014), Handbook of
    Inter-Rater Reliability, 4th ed., ch. 4 (AC2).

    >>> round(float(gwet_ac([[118, 5, 0], [2, 0, 0]])), 3)
    0.941
    """
    counts, sums = as_floats(table), margins(table)
    n_labels = counts.shape[-2]
    apart = disagreement_weights(n_labels, weighting, positions)
    agreement = 1.0 - divide((counts * apart).sum((-2, -1)), sums.n)
    gold = divide(sums.gold, sums.n[..., None])
    read = sums.verdict[..., :-1]
    given = divide(read, read.sum(-1, keepdims=True))
    share = np.where(np.isnan(given), gold, (gold + given) / 2)
    return _beyond_chance(agreement, share, apart[:, :-1])


def gwet_sums(
    counts: Numbers,
    weighting: Weighting = "unweighted",
    positions: Sequence[float] | None = None,
) -> Floats:
    """What each unit adds to AC1 or AC2: (paired, its agreement, rated, its label shares).

    Args:
        counts: Shape (…, K): how many raters gave each label to each unit.
        weighting: As in `gwet_ac`.
        positions: As in `gwet_ac`.

    Returns:
        Shape (…, K + 3); sums over units (or resamples of units) go to `gwet_of_sums`.

    >>> gwet_sums([[2, 1], [1, 0]]).round(3).tolist()
    [[1.0, 0.333, 1.0, 0.667, 0.333], [0.0, 0.0, 1.0, 1.0, 0.0]]
    """
    ratings = as_floats(counts)
    alike = 1.0 - disagreement_weights(ratings.shape[-1], weighting, positions)[:, :-1]
    raters = ratings.sum(-1)
    rated = (ratings * (ratings @ alike - 1.0)).sum(-1)
    paired, known = raters >= 2, raters > 0
    agreed = np.where(paired, divide(rated, raters * (raters - 1.0)), 0.0)
    shares = np.where(known[..., None], divide(ratings, raters[..., None]), 0.0)
    return np.concatenate([np.stack([paired, agreed, known], axis=-1), shares], axis=-1)


def gwet_of_sums(
    sums: Numbers,
    weighting: Weighting = "unweighted",
    positions: Sequence[float] | None = None,
) -> Floats:
    """AC1 or AC2 from added `gwet_sums` of the same weighting, shape (…, K + 3) to (…).

    nan when no unit has two ratings.
    """
    parts = as_floats(sums)
    agreement = divide(parts[..., 1], parts[..., 0])
    share = divide(parts[..., 3:], parts[..., 2, None])
    apart = disagreement_weights(parts.shape[-1] - 3, weighting, positions)
    return _beyond_chance(agreement, share, apart[:, :-1])


def gwet_ac_of_counts(
    counts: Numbers,
    weighting: Weighting = "unweighted",
    positions: Sequence[float] | None = None,
) -> Floats:
    """AC1 or AC2 of any number of raters, gaps allowed.

    Args:
        counts: Shape (…, N, K): how many raters gave each label to each unit.
        weighting: As in `gwet_ac`.
        positions: As in `gwet_ac`.

    Returns:
        Shape (…), at most 1; nan when no unit has two ratings.

    Source: Gwet (2014), ch. 2 and 4, for r raters and missing ratings.

    >>> float(gwet_ac_of_counts([[3, 0], [0, 2]]))
    1.0
    """
    return gwet_of_sums(gwet_sums(counts, weighting, positions).sum(-2), weighting, positions)


def _beyond_chance(agreement: Floats, share: Floats, apart: Floats) -> Floats:
    n_labels = len(apart)
    spread = (share * (1.0 - share)).sum(-1)
    chance = (1.0 - apart).sum() / (n_labels * (n_labels - 1)) * spread
    return divide(agreement - chance, 1.0 - chance)
