"""p-values adjusted for looking at many candidates; nan p-values stay nan and are not counted."""

from __future__ import annotations

import numpy as np

from metajudge.agreement.arrays import Floats, Numbers, as_floats


def _known(p_values: Numbers) -> tuple[Floats, Floats]:
    given = as_floats(p_values)
    known = given[~np.isnan(given)]
    if ((known < 0) | (known > 1)).any():
        raise ValueError(f"p-values must lie between 0 and 1, got {p_values!r}")
    return given, known


def _placed(given: Floats, known: Floats, ordered: Floats) -> Floats:
    adjusted = np.empty_like(known)
    adjusted[np.argsort(known, kind="stable")] = np.minimum(ordered, 1.0)
    out = np.full(given.shape, np.nan)
    out[~np.isnan(given)] = adjusted
    return out


def holm(p_values: Numbers) -> Floats:
    """Adjusted so that rejecting below alpha keeps the chance of any false claim under alpha.

    Args:
        p_values: Shape (m,).

    Source: Holm (1979), Scand. J. Stat. 6.

    >>> holm([0.01, 0.04, 0.03]).round(12).tolist()
    [0.03, 0.06, 0.06]
    """
    given, known = _known(p_values)
    ranked = np.sort(known)
    steps = ranked * np.arange(len(ranked), 0, -1)
    return _placed(given, known, np.maximum.accumulate(steps) if len(steps) else steps)


def benjamini_hochberg(p_values: Numbers) -> Floats:
    """Adjusted so that rejecting below q keeps the expected share of false claims under q.

    Args:
        p_values: Shape (m,), independent or positively dependent.

    Source: Benjamini and Hochberg (1995), J. R. Stat. Soc. B 57.

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(12).tolist()
    [0.03, 0.04, 0.04]
    """
    given, known = _known(p_values)
    return _placed(given, known, _step_up(np.sort(known)))


def benjamini_yekutieli(p_values: Numbers) -> Floats:
    """Benjamini-Hochberg for p-values with any dependence.

    Source: Benjamini and Yekutieli (2001), Ann. Stat. 29, theorem 1.3.

    >>> benjamini_yekutieli([0.01, 0.02]).round(12).tolist()
    [0.03, 0.03]
    """
    given, known = _known(p_values)
    penalty = float((1.0 / np.arange(1, len(known) + 1)).sum())
    return _placed(given, known, _step_up(np.sort(known)) * penalty)


def _step_up(ranked: Floats) -> Floats:
    steps = ranked * len(ranked) / np.arange(1, len(ranked) + 1)
    return as_floats(np.minimum.accumulate(steps[::-1])[::-1])
