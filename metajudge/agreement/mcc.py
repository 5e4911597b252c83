"""Matthews' correlation for K labels."""

from __future__ import annotations

import numpy as np

from metajudge.agreement.arrays import Floats, Numbers, divide
from metajudge.agreement.table import margins


def mcc(table: Numbers) -> Floats:
    """Correlation R_K of gold and verdict indicators, -1 to 1, 0 for a useless judge.

    Failures form one more verdict label that gold never has. nan when gold or the verdicts hold
    one label only (scikit-learn says 0 there).

    Args:
        table: Shape (…, K, K + 1).

    Source: Gorodkin (2004), Comput. Biol. Chem. 28 (R_K); Matthews (1975) for K = 2.

    >>> float(mcc([[5, 0, 0], [0, 5, 0]]))
    1.0
    """
    sums = margins(table)
    squared = sums.n**2
    joint = (sums.gold * sums.verdict[..., :-1]).sum(-1)
    spread = (squared - (sums.gold**2).sum(-1)) * (squared - (sums.verdict**2).sum(-1))
    return divide(sums.agreed * sums.n - joint, np.sqrt(np.maximum(spread, 0.0)))
