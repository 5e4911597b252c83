"""Wilcoxon's signed-rank test, one-sided, with zeros split between the signs."""

from __future__ import annotations

import numpy as np

from metajudge.agreement.arrays import Numbers, as_floats
from metajudge.agreement.intervals import NORMAL


def signed_rank_p(differences: Numbers) -> float:
    """Chance of differences that lie above 0 on the whole, 0 to 1; normal, with ties and zeros.

    1 where nothing differs, nan where a difference is.

    Args:
        differences: Shape (n,).

    Source: Wilcoxon (1945), Biometrics Bull. 1; zeros ranked and split: Pratt (1959), JASA 54, and
    Conover (1973), JASA 68; variance with ties: Lehmann (1975), Nonparametrics, ch. 3.

    >>> round(signed_rank_p([1.0, 2.0, 3.0, 4.0, 0.0]), 4)
    0.0295
    """
    drawn = as_floats(differences)
    if np.isnan(drawn).any():
        return float("nan")
    if not drawn.any():
        return 1.0
    _, group, sizes = np.unique(np.abs(drawn), return_inverse=True, return_counts=True)
    last = sizes.cumsum()
    ranks = (last - (sizes - 1) / 2)[group.reshape(-1)]
    total = float(ranks[drawn > 0].sum() + ranks[drawn == 0].sum() / 2)
    n = len(drawn)
    variance = (n * (n + 1) * (2 * n + 1) - float((sizes**3 - sizes).sum()) / 2) / 24
    return NORMAL.cdf((n * (n + 1) / 4 - total) / variance**0.5)
