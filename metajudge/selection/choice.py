"""Winner's curse: the whole selection done again on resamples of answers or contexts.

On each resample every figure and every guardrail that rests on verdicts is computed anew, a
candidate is chosen by the rules of `rank`, and what it looked better there than on the sample is
the luck of being chosen.

Two limits that `rank` takes from resamples are normal here, as `rule` says. The sample's own winner
is the one that `rank` found. Flip rates and insensitivity rest on other calls than these verdicts;
they stay as found.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks, as_floats
from metajudge.agreement.bootstrap import cluster_weights, weighted_sums
from metajudge.agreement.optimism import Optimism, selection_optimism
from metajudge.selection.guardrails import Bounds
from metajudge.selection.measure import Measurer
from metajudge.selection.ranking import LOWER_IS_BETTER, Ranked
from metajudge.selection.rule import Guardrails, name_order
from metajudge.selection.ties import figure_sums

HELD = frozenset({"flip_rate", "insensitive"})
"""Guardrails that do not rest on the verdicts resampled."""
BLOCK = 250
"""Resamples worked on together; bounds memory."""
EQUAL = 1e-9
"""Targets nearer than this are equal, and kappa decides."""


def selection_luck(
    measurer: Measurer,
    ranked: Sequence[Ranked],
    *,
    target: str,
    bounds: Bounds,
    baseline: int | None,
    rng: np.random.Generator,
    outer: int = 500,
) -> Optimism:
    """How much of the winner's target is the luck of being chosen, by repeating the choice.

    Args:
        measurer: The sweep; its own resamples are not used.
        ranked: What `rank` made of it: the winner, and who breaks a guardrail that stays as found.
        target: Name of the figure that decides.
        bounds: Guardrails.
        baseline: Row of today's practice; None leaves its guardrails out.
        rng: Source of randomness.
        outer: Resamples.

    Returns:
        Apparent and corrected target of the winner, and how often each candidate is chosen. Without
        a safe winner the numbers are None; the shares still say who would be chosen elsewhere.

    Source: Efron (1983), JASA 78; Harrell (2015), Regression Modeling Strategies, ch. 5.
    """
    n = len(measurer.candidates.keys)
    if not ranked:
        return Optimism(None, None, None, None, np.zeros(n), 1.0, "nothing was measured")
    observed, winner, held = np.full(n, np.nan), np.zeros(n, np.bool_), np.ones(n, np.bool_)
    for row in ranked:
        observed[row.index] = np.nan if row.target.value is None else row.target.value
        held[row.index] = not any(broken.guardrail in HELD for broken in row.broken)
    winner[ranked[0].index] = ranked[0].safe
    keeps = Guardrails(measurer, bounds, baseline)
    figure, order = figure_sums(measurer, target), name_order(measurer.candidates.keys)
    sign = 1.0 if target in LOWER_IS_BETTER else -1.0
    groups = measurer.columns.clusters(measurer.cluster).n_clusters
    targets, chosen = [], []
    for start in range(0, outer, BLOCK):
        weights = cluster_weights(groups, min(BLOCK, outer - start), rng)
        values = as_floats(figure.coefficient(weighted_sums(weights, figure.sums.sums)))
        kept = keeps.on(weights)
        targets.append(values)
        chosen.append(_chosen(sign * values, kept.allowed & held, kept.kappa, order))
    return selection_optimism(
        observed,
        np.concatenate(targets),
        allowed=winner,
        allowed_resampled=np.concatenate(chosen),
        higher_is_better=sign < 0,
    )


def _chosen(losses: Floats, allowed: Masks, kappa: Floats, order: Ints) -> Masks:
    """The one candidate chosen in each row, as a mask (R, S); none where none is allowed."""
    loss = np.where(allowed & ~np.isnan(losses), losses, np.inf)[:, order]
    near = (loss <= loss.min(1, keepdims=True) + EQUAL) & np.isfinite(loss)
    second = np.where(near, np.nan_to_num(kappa[:, order], nan=-2.0), -np.inf)
    second = np.where(second >= second.max(1, keepdims=True) - EQUAL, 1.0, 0.0) * near
    place = order[second.argmax(1)]
    chosen = np.zeros(losses.shape, np.bool_)
    chosen[np.arange(len(losses)), place] = near.any(1)
    return chosen
