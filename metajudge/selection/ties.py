"""Swap test: whether two candidates differ by more than chance, exact where clusters are few.

If two candidates are equally good, it is a matter of chance which of the two gave which verdicts
of a cluster. So the verdicts are swapped cluster by cluster, in every way there is, and the share
of ways that set the two at least as far apart is the p-value. With one claim a cluster and
accuracy as the figure this is McNemar's exact test.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from metajudge.agreement.adjust import holm
from metajudge.agreement.arrays import Floats, Ints, Numbers, as_floats
from metajudge.agreement.bootstrap import ClusterSums
from metajudge.agreement.coefficients import COEFFICIENTS, Coefficient
from metajudge.agreement.estimate import Estimate
from metajudge.agreement.intervals import NORMAL
from metajudge.agreement.rates import share_coefficient
from metajudge.selection.measure import TABLE_FIGURES, Measurer
from metajudge.selection.shares import SHARES

FINE = 4096
"""Steps that a figure which is no share is cut into; also the greatest exact reach."""
MANY = 64
"""Clusters above which a sum of uneven parts is as good as normal."""


class FigureSums(NamedTuple):
    """A figure by name: per-cluster sums of all candidates, and the coefficient of such sums."""

    sums: ClusterSums
    coefficient: Coefficient


def figure_sums(measurer: Measurer, name: str) -> FigureSums:
    """The sums behind a figure that can be compared: a share, or an agreement coefficient."""
    if name in SHARES:
        return FigureSums(measurer.share_sums(name), share_coefficient(name, SHARES[name].kind))
    return FigureSums(measurer.table_sums(), COEFFICIENTS[TABLE_FIGURES[name]])


def swap_effects(figure: FigureSums, first: int, second: int) -> Floats:
    """Half of what swapping each cluster does to the difference, shape (G,); they add up to it.

    Exact for shares, and to third order for coefficients: the effect is taken halfway between the
    two candidates. nan where the figure is undefined.
    """
    one, other = figure.sums.sums[:, first], figure.sums.sums[:, second]
    middle, half = (one.sum(0) + other.sum(0)) / 2, (other - one) / 2
    return as_floats(figure.coefficient(middle + half) - figure.coefficient(middle - half))


def sign_flip_p(effects: Numbers) -> float:
    """Two-sided p of a sum among the sums with all signs: P(|Σ ±e| >= |Σ e|), 0 to 1.

    Exact where the effects are whole multiples of one number (every share), and to one part in
    4,096 of the greatest sum otherwise; beyond 64 uneven effects or that reach, normal. 1 without
    an effect, nan where one is nan.

    Args:
        effects: Shape (G,).

    Source: Fisher (1935), The Design of Experiments, section 21; Edgington and Onghena (2007),
    Randomization Tests, ch. 5. The distribution comes from the characteristic function.

    >>> sign_flip_p([1, 1, 1, 1, 0])
    0.125
    """
    parts = as_floats(effects)
    if np.isnan(parts).any():
        return float("nan")
    size = np.abs(parts)
    parts = parts[size > 1e-12 * max(float(size.max(initial=0.0)), 1e-300)]
    if len(parts) == 0:
        return 1.0
    steps = _whole(parts)
    if steps is None:
        spread = float(np.sqrt((parts**2).sum()))
        return min(1.0, 2 * NORMAL.cdf(-abs(float(parts.sum())) / spread))
    return _exact(steps)


def _whole(parts: Floats) -> Ints | None:
    """The parts in whole steps; None where they are too many to be counted out."""
    size = np.abs(parts)
    unit = _common_unit(size)
    if unit is not None:
        whole: Ints = np.rint(parts / unit).astype(np.int64)
        return whole
    if len(parts) > MANY:
        return None
    rounded: Ints = np.rint(parts * (FINE / float(size.sum()))).astype(np.int64)
    return rounded


def _common_unit(size: Floats) -> float | None:
    """The greatest number of which all sizes are whole multiples, `FINE` in sum at most.

    Euclid's algorithm with a remainder nearest to 0, so that rounding stays rounding.
    """
    least, noise = float(size.sum()) / FINE, 1e-9 * float(size.max())
    unit = float(size[0])
    for value in np.unique(size).tolist():
        rest = value
        while abs(rest) > noise:
            unit, rest = abs(rest), unit - round(unit / abs(rest)) * abs(rest)
        if unit < least:
            return None
    return unit


def _exact(steps: Ints) -> float:
    counts = np.bincount(np.abs(steps))
    reach, seen = int(np.abs(steps).sum()), abs(int(steps.sum()))
    period = 2 * reach + 1
    wave = np.cos(2 * np.pi * np.arange(period) / period)
    turned = np.ones(period)
    for step in np.flatnonzero(counts[1:]) + 1:
        turned *= wave[step * np.arange(period) % period] ** int(counts[step])
    chances = np.fft.ifft(turned).real
    sums = np.arange(period)
    far = np.minimum(sums, period - sums) >= seen
    least = 2.0 ** (1 - min(len(steps), 1000))
    return min(1.0, max(round(float(chances[far].sum()), 12), least))


def swap_test(figure: FigureSums, first: int, second: int) -> float:
    """Two-sided p of a figure's difference between two candidates; nan where it is undefined."""
    return sign_flip_p(swap_effects(figure, first, second))


def adjusted_p(
    measurer: Measurer, name: str, first: int, others: Sequence[int]
) -> dict[int, float | None]:
    """Each candidate's p of its difference to the first one, adjusted for their number (Holm).

    Args:
        measurer: The sweep.
        name: The figure.
        first: Row that the others are compared with.
        others: Rows compared; an undefined difference is None and is not counted.
    """
    figure = figure_sums(measurer, name)
    adjusted = holm([swap_test(figure, first, other) for other in others])
    return {
        other: None if np.isnan(p) else float(p)
        for other, p in zip(others, adjusted.tolist(), strict=True)
    }


def told_apart(gap: Estimate, p: float | None, alpha: float) -> bool:
    """Whether a difference is more than chance: its interval leaves 0 out and p <= alpha.

    Both are asked: with few claims changed the bootstrap interval is too bold, since 4 claims that
    all change one way leave it clear of 0, while chance does that in 1 of 8 cases.
    """
    return gap.excludes_zero and p is not None and p <= alpha
