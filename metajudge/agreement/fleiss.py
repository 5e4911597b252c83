"""Fleiss' kappa for a fixed number of ratings per unit (annotators, or repeats of a judge)."""

from __future__ import annotations

import numpy as np

from metajudge.agreement.arrays import Floats, Numbers, as_floats, divide


def rating_counts(ratings: Numbers, n_categories: int) -> Floats:
    """Count the ratings of each unit by category.

    Args:
        ratings: Shape (R, N), codes; a negative code is a missing rating.
        n_categories: Categories counted, 0 … n_categories - 1.

    Returns:
        Shape (N, n_categories).

    Raises:
        ValueError: A code is n_categories or more.

    >>> rating_counts([[0, 1], [0, -1]], 2).tolist()
    [[2.0, 0.0], [0.0, 1.0]]
    """
    codes = np.atleast_2d(np.asarray(ratings, np.int64))
    if codes.size and codes.max() >= n_categories:
        raise ValueError(f"rating codes must be under {n_categories}, got {int(codes.max())}")
    return as_floats((codes[..., None] == np.arange(n_categories)).sum(0))


def fleiss_sums(counts: Numbers) -> Floats:
    """What each unit adds to Fleiss' kappa: (1, its pair agreement, its counts).

    Args:
        counts: Shape (N, C), every row with the same sum m >= 2.

    Returns:
        Shape (N, C + 2); sums over units (or resamples of units) go to `fleiss_of_sums`.

    Raises:
        ValueError: Units have different numbers of ratings, or under two.
    """
    ratings = as_floats(counts)
    raters = ratings.sum(-1)
    if raters.size and (np.ptp(raters) != 0 or raters[0] < 2):
        raise ValueError(
            "Fleiss' kappa needs the same number (2 or more) of ratings for each unit, "
            f"got {int(raters.min())} to {int(raters.max())}; use Krippendorff's alpha"
        )
    pairs = divide((ratings * (ratings - 1)).sum(-1), raters * (raters - 1))
    return np.concatenate([np.ones((len(ratings), 1)), pairs[:, None], ratings], axis=1)


def fleiss_of_sums(sums: Numbers) -> Floats:
    """Fleiss' kappa from added `fleiss_sums`, shape (…, C + 2) to (…).

    nan when nothing was rated or every rating is one category.
    """
    parts = as_floats(sums)
    agreement = divide(parts[..., 1], parts[..., 0])
    shares = divide(parts[..., 2:], parts[..., 2:].sum(-1, keepdims=True))
    chance = (shares**2).sum(-1)
    return divide(agreement - chance, np.where(chance < 1.0 - 1e-12, 1.0 - chance, 0.0))


def fleiss_kappa(counts: Numbers) -> Floats:
    """Agreement of m ratings a unit beyond chance: 1 perfect, 0 as by chance.

    Args:
        counts: Shape (N, C), ratings of each unit by category, all rows with one sum.

    Returns:
        A scalar array; nan when every rating is one category.

    Source: Fleiss (1971), Psychol. Bull. 76, eq. 3 to 9.

    >>> float(fleiss_kappa([[2, 0], [0, 2]]))
    1.0
    """
    return fleiss_of_sums(fleiss_sums(counts).sum(0))
