"""Cohen's kappa, unweighted and weighted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metajudge.agreement.arrays import TINY, Floats, Numbers, as_floats, divide
from metajudge.agreement.table import margins
from metajudge.agreement.weights import Weighting, disagreement_weights


def cohen_kappa(
    table: Numbers,
    weighting: Weighting = "unweighted",
    positions: Sequence[float] | None = None,
) -> Floats:
    """Agreement beyond chance: 1 perfect, 0 as by chance with these margins, below 0 worse.

    A failure is a verdict label of its own that gold never has: it is a disagreement of full
    weight and no chance agreement is granted for it. nan for an empty table and where no
    disagreement is possible (gold and verdicts all one and the same label).

    Args:
        table: Shape (…, K, K + 1).
        weighting: `linear` and `quadratic` only where the labels are meant as ordered.
        positions: Places of the labels on that order, see `disagreement_weights`.

    Returns:
        Shape (…).

    Source: Cohen (1960), Educ. Psychol. Meas. 20, eq. 1; Cohen (1968), Psychol. Bull. 70 (weights).

    >>> round(float(cohen_kappa([[20, 5, 0], [10, 15, 0]])), 3)
    0.4
    """
    counts, sums = as_floats(table), margins(table)
    apart = disagreement_weights(counts.shape[-2], weighting, positions)
    observed = (counts * apart).sum((-2, -1))
    expected = divide(((sums.gold @ apart) * sums.verdict).sum(-1), sums.n)
    possible = np.where(expected > TINY * sums.n, expected, 0.0)
    return 1.0 - divide(observed, possible)
