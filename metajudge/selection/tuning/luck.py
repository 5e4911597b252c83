"""How much of the best setting's target is the luck of being the best of many."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metajudge.agreement.arrays import Floats, Masks
from metajudge.agreement.bootstrap import cluster_weights
from metajudge.agreement.optimism import Optimism, selection_optimism
from metajudge.selection.ranking import LOWER_IS_BETTER
from metajudge.selection.tuning.tune import Evaluated, Tunables
from metajudge.selection.tuning.verdicts import Tuning

CELLS = 400_000
"""Settings times resamples worked on together; bounds memory."""


def tuning_luck(
    tunables: Tunables,
    settings: Sequence[Tuning],
    target: str,
    *,
    winner: int | None,
    rng: np.random.Generator,
    resamples: int = 200,
) -> Optimism:
    """The choice among settings repeated on resamples of the claims' clusters.

    On each resample every figure and guardrail is computed anew and the first safe setting is
    chosen; what it looked better there than on the sample is the luck of being chosen.

    Args:
        tunables: The stored verdicts.
        settings: All that were looked at, or the better ones: who stands far behind is chosen on
            no resample.
        target: A figure of `Evaluated.values`.
        winner: Place of the setting chosen on the sample; None for nobody.
        rng: Source of randomness.
        resamples: How many.

    Source: Efron (1983), JASA 78; Harrell (2015), Regression Modeling Strategies, ch. 5.
    """
    groups = tunables.everybody.shape[1]
    observed = tunables.evaluate(settings).values[target][0]
    allowed = np.zeros(len(settings), np.bool_)
    if winner is not None:
        allowed[winner] = True
    step = max(1, CELLS // len(settings))
    values: list[Floats] = []
    chosen: list[Masks] = []
    for start in range(0, resamples, step):
        weights = cluster_weights(groups, min(step, resamples - start), rng)
        found = tunables.evaluate(settings, weights)
        values.append(found.values[target])
        chosen.append(_chosen(found, target))
    return selection_optimism(
        observed,
        np.concatenate(values),
        allowed=allowed,
        allowed_resampled=np.concatenate(chosen),
        higher_is_better=target not in LOWER_IS_BETTER,
    )


def _chosen(found: Evaluated, target: str) -> Masks:
    """The first safe setting of each resample as a mask (R, T); none where none is safe."""
    values = found.values[target]
    chosen = np.zeros(values.shape, np.bool_)
    for row in range(len(values)):
        first = int(found.best_first(target, row)[0])
        safe = all(broken[row, first] == 0 for broken in found.constraints.values())
        chosen[row, first] = safe and bool(np.isfinite(values[row, first]))
    return chosen
