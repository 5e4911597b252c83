"""Where summary-as-idk and over-credit come from: wording, context form or batching.

Cells of a factorial are asked about the same claims; what a factor does is a contrast of cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks, as_floats
from metajudge.agreement.bootstrap import ClusterSums, bootstrap_values
from metajudge.agreement.estimate import Estimate, to_estimates
from metajudge.agreement.intervals import percentile_interval
from metajudge.agreement.rates import ratio
from metajudge.selection.columns import CandidateCodes, CandidateKey, ClaimColumns
from metajudge.selection.measure import Measurer
from metajudge.selection.shares import SHARES

FIGURES = ("summary_as_idk", "over_credit")


class Combination(NamedTuple):
    """One level of each factor."""

    template: str
    context_form: str
    claims_per_call: int


FACTORS = Combination._fields


@dataclass(frozen=True, slots=True)
class FactorRuns:
    """Verdicts of one cell.

    Attributes:
        cell: Its levels.
        codes: Shape (n,), verdict codes on the claims that all cells share.
    """

    cell: Combination
    codes: Ints


@dataclass(frozen=True, slots=True)
class CellEstimates:
    """One cell: its levels, claims and figures by name."""

    cell: Combination
    n: int
    figures: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class Effect:
    """A main effect or an interaction on one figure.

    Attributes:
        name: Such as `context_form: truths - raw`.
        order: 1 for a main effect, 2 for an interaction of two factors.
        figure: The figure.
        cells: Cells that the contrast rests on.
        difference: Of shares, -1 to 1, and -2 to 2 for an interaction.
    """

    name: str
    order: int
    figure: str
    cells: int
    difference: Estimate


class Factors(NamedTuple):
    """Cells in their order, and effects by order, factor and level."""

    cells: tuple[CellEstimates, ...]
    effects: tuple[Effect, ...]


class Contrast(NamedTuple):
    """Weights of cells, shape (S,); all nan where the cells needed are missing."""

    name: str
    order: int
    weights: Floats


def measure_factors(
    runs: Sequence[FactorRuns],
    columns: ClaimColumns,
    weights: np.ndarray[tuple[int, int], np.dtype[np.float32]],
    cluster: str,
    level: float = 0.95,
) -> Factors:
    """Cells, main effects and two-factor interactions on summary-as-idk and over-credit.

    An effect is a weighted sum of the cells' shares on the same claims, so its interval is the
    percentile interval of that sum over one set of resamples: paired, clustered.

    Args:
        runs: S cells, in any number of the possible combinations.
        columns: The claims, one entry each.
        weights: Shape (B, G), resamples of `cluster`.
        cluster: `answer` or `context`.
        level: Coverage of intervals.

    Raises:
        ValueError: A cell is there twice, or there is none.
    """
    cells = [run.cell for run in runs]
    if not cells or len(set(cells)) < len(cells):
        raise ValueError(f"a factorial has each cell once and at least one, got {cells}")
    keys = tuple(CandidateKey(str(place), "top") for place in range(len(cells)))
    codes = np.stack([run.codes for run in runs])
    unknown = np.full((*codes.shape, 3), np.nan, np.float32)
    measurer = Measurer(columns, CandidateCodes(keys, codes, unknown), weights, cluster, level)
    shares = {name: measurer.shares(name) for name in FIGURES}
    return Factors(
        tuple(
            CellEstimates(cell, codes.shape[1], {name: row[i] for name, row in shares.items()})
            for i, cell in enumerate(cells)
        ),
        tuple(effect for name in FIGURES for effect in _effects(measurer, name, contrasts(cells))),
    )


def contrasts(cells: Sequence[Combination]) -> tuple[Contrast, ...]:
    """The main effects and two-factor interactions that the cells' levels name.

    The first level of a factor that occurs is the one that others are compared with. With y the
    share in a cell, and a' the first level of A:

    - main effect of A at level a: mean of y(a, r) - y(a', r) over those combinations r of the other
      factors that have both cells;
    - interaction of A and B: mean of [y(a, b, r) - y(a', b, r)] - [y(a, b', r) - y(a', b', r)] over
      the levels r of the third factor that have all four cells.

    Weights of a contrast add up to 0. In an incomplete factorial only common cells count, so that
    no effect is mixed with another factor's; without common cells the weights are nan.

    Source: Montgomery (2017), Design and Analysis of Experiments, 9th ed., sections 3.5 (contrasts)
    and 5.1 (main effects, interaction); here without the factor 1/2 of a two-level interaction.

    >>> cells = [Combination("t", "raw", 1), Combination("t", "truths", 1)]
    >>> [(c.name, c.weights.tolist()) for c in contrasts(cells)]
    [('context_form: truths - raw', [-1.0, 1.0])]
    """
    levels = [list(dict.fromkeys(cell[factor] for cell in cells)) for factor in range(3)]
    steps = [
        [Step(factor, level, found[0]) for level in found[1:]]
        for factor, found in enumerate(levels)
    ]
    mains = [((step,), str(step)) for factor in steps for step in factor]
    pairs = [
        ((one, other), f"({one}) x ({other})")
        for first, second in combinations(range(3), 2)
        for one in steps[first]
        for other in steps[second]
    ]
    return tuple(
        Contrast(name, len(moved), _weights(cells, moved)) for moved, name in mains + pairs
    )


class Step(NamedTuple):
    """From the first level of a factor to another."""

    factor: int
    level: str | int
    first: str | int

    def __str__(self) -> str:
        return f"{FACTORS[self.factor]}: {self.level} - {self.first}"


def _weights(cells: Sequence[Combination], moved: Sequence[Step]) -> Floats:
    """Mean over the other factors' common combinations of the product of differences."""
    place = {tuple(cell): index for index, cell in enumerate(cells)}
    rows: dict[tuple[object, ...], Floats] = {}
    for cell in cells:
        corners = [(1.0, list(cell))]
        for step in moved:
            corners = [
                (sign * turn, [*at[: step.factor], level, *at[step.factor + 1 :]])
                for sign, at in corners
                for turn, level in ((1.0, step.level), (-1.0, step.first))
            ]
        if not all(tuple(at) in place for _, at in corners):
            continue
        row = np.zeros(len(cells))
        for sign, at in corners:
            row[place[tuple(at)]] = sign
        fixed = {step.factor for step in moved}
        rows[tuple(x for factor, x in enumerate(cell) if factor not in fixed)] = row
    return as_floats(np.mean(list(rows.values()), axis=0)) if rows else np.full(len(cells), np.nan)


def _effects(measurer: Measurer, figure: str, found: Sequence[Contrast]) -> list[Effect]:
    if not found:
        return []
    sums = measurer.share_sums(figure)
    weights = np.stack([contrast.weights for contrast in found])
    known: Masks = np.asarray(~np.isnan(weights).any(1), np.bool_)

    def contrasted(resampled: Floats) -> Floats:
        return as_floats(ratio(resampled) @ weights[known].T)

    drawn = bootstrap_values(sums.sums, contrasted, measurer.weights)
    size = np.full(int(known.sum()), sums.n[0])
    groups = np.full(int(known.sum()), sums.n_clusters[0])
    estimates = iter(
        to_estimates(
            contrasted(sums.totals),
            percentile_interval(drawn, measurer.level),
            ClusterSums(sums.sums, size, groups),
            undefined=f"no claim is {SHARES[figure].kind}",
            method=f"paired cluster bootstrap, percentile, {len(measurer.weights)} resamples",
            level=measurer.level,
            undefined_share=np.isnan(drawn).mean(0),
        )
    )
    missing = Estimate(
        None,
        None,
        None,
        0,
        0,
        "none",
        "no cells differ in these levels alone",
        None,
        measurer.level,
    )
    return [
        Effect(
            name=contrast.name,
            order=contrast.order,
            figure=figure,
            cells=int(np.count_nonzero(contrast.weights)) if there else 0,
            difference=next(estimates) if there else missing,
        )
        for contrast, there in zip(found, known, strict=True)
    ]
