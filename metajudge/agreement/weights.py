"""How far two labels are apart, for weighted coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from metajudge.agreement.arrays import Floats, as_floats

Weighting = Literal["unweighted", "linear", "quadratic", "ordinal"]


def disagreement_weights(
    n_labels: int, weighting: Weighting, positions: Sequence[float] | None = None
) -> Floats:
    """Weights 0 (same label) to 1 (furthest apart), shape (K, K + 1); a failure always weighs 1.

    Args:
        n_labels: K.
        weighting: `unweighted` (all differences weigh 1), `linear` or `quadratic` in distance, or
            `ordinal`, which uses the order of the labels alone: m (m + 1) / 2 for labels m ranks
            apart.
        positions: Place of each label on its scale, K numbers; None is 0 … K - 1. For yes, no,
            idk use `LABEL_POSITIONS`, the order no < idk < yes.

    Raises:
        ValueError: `positions` has not K finite numbers, or they are all equal.

    Source: Cicchetti and Allison (1971), linear; Fleiss and Cohen (1973), quadratic; Gwet (2014),
    Handbook of Inter-Rater Reliability, 4th ed., ch. 3, ordinal.

    >>> disagreement_weights(3, "linear").tolist()
    [[0.0, 0.5, 1.0, 1.0], [0.5, 0.0, 0.5, 1.0], [1.0, 0.5, 0.0, 1.0]]
    """
    places = np.arange(n_labels, dtype=np.float64) if positions is None else as_floats(positions)
    if places.shape != (n_labels,) or not np.isfinite(places).all() or np.ptp(places) == 0:
        raise ValueError(f"positions must be {n_labels} finite, unequal numbers, got {positions!r}")
    if weighting == "unweighted":
        between = 1.0 - np.eye(n_labels)
    elif weighting == "ordinal":
        ranks = np.unique(places, return_inverse=True)[1]
        steps = as_floats(np.abs(ranks[:, None] - ranks[None, :]))
        between = steps * (steps + 1.0)
        between /= between.max()
    else:
        between = np.abs(places[:, None] - places[None, :]) / np.ptp(places)
        if weighting == "quadratic":
            between = between**2
    return np.concatenate([between, np.ones((n_labels, 1))], axis=1)
