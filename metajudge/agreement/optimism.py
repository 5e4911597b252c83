"""Winner's curse: how much of the best candidate's number is the luck of being chosen.

The whole selection is repeated on each resample: choose there, then look the chosen one up on the
original sample. What it looked better there than here is the optimism of choosing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks, Numbers, as_floats

NOBODY = -1


@dataclass(frozen=True, slots=True)
class Optimism:
    """The winner's number, as it looks and with the luck of the choice taken out.

    Attributes:
        winner: Index of the candidate chosen on the sample; None when nobody qualifies.
        apparent: Its value on the sample that chose it; None without a winner.
        corrected: `apparent` minus the mean optimism; None when undefined.
        optimism: Mean gain of the chosen one's resampled value over its value on the sample,
            positive when better looks are luck; in units of the value, in the direction chosen.
        win_shares: Shape (S,), share of resamples that choose each candidate.
        no_winner_share: Share of resamples in which nobody qualifies.
        reason: Why a number is None.
    """

    winner: int | None
    apparent: float | None
    corrected: float | None
    optimism: float | None
    win_shares: Floats
    no_winner_share: float
    reason: str | None = None


def choose_best(
    values: Numbers, allowed: Masks | None = None, higher_is_better: bool = True
) -> Ints:
    """Index of the best allowed candidate of each row; NOBODY where none is allowed.

    Undefined values are never chosen. Ties go to the first candidate.

    Args:
        values: Shape (…, S).
        allowed: Shape (…, S), candidates that keep the guardrails in that row; None is all.
        higher_is_better: False for shares to be minimised.

    >>> choose_best([[0.2, 0.1, np.nan]], higher_is_better=False).tolist()
    [1]
    """
    numbers = as_floats(values)
    open_to = ~np.isnan(numbers)
    if allowed is not None:
        open_to &= np.asarray(allowed, np.bool_)
    signed = numbers if higher_is_better else -numbers
    best = np.where(open_to, signed, -np.inf).argmax(-1)
    return np.where(open_to.any(-1), best, NOBODY).astype(np.int64)


def selection_optimism(
    observed: Numbers,
    resampled: Numbers,
    *,
    allowed: Masks | None = None,
    allowed_resampled: Masks | None = None,
    higher_is_better: bool = True,
) -> Optimism:
    """Optimism of the best of S by bootstrap of the whole selection, guardrails included.

    Args:
        observed: Shape (S,), values on the sample.
        resampled: Shape (B, S), values on resamples (`bootstrap_values`), paired.
        allowed: Shape (S,), candidates that keep the guardrails on the sample.
        allowed_resampled: Shape (B, S), the same rule applied to each resample.
        higher_is_better: False for shares to be minimised.

    Source: Efron (1983), JASA 78 (bootstrap optimism); Harrell (2015), Regression Modeling
    Strategies, ch. 5, with the choice repeated in every resample.

    >>> found = selection_optimism([0.5, 0.5], [[0.6, 0.4], [0.4, 0.6]])
    >>> round(found.optimism, 12), found.corrected
    (0.1, 0.4)
    """
    seen, drawn = as_floats(observed), as_floats(resampled)
    chosen = choose_best(drawn, allowed_resampled, higher_is_better)
    winner = int(choose_best(seen, allowed, higher_is_better))
    rows = np.flatnonzero(chosen != NOBODY)
    shares = np.bincount(chosen[rows], minlength=len(seen)) / max(len(drawn), 1)
    lost = 1.0 - len(rows) / max(len(drawn), 1)
    if winner == NOBODY:
        return Optimism(None, None, None, None, shares, lost, "no candidate qualifies")
    apparent = float(seen[winner])
    gains = drawn[rows, chosen[rows]] - seen[chosen[rows]]
    gains = gains[~np.isnan(gains)]
    if len(gains) == 0:
        reason = "no resample has a candidate that qualifies"
        return Optimism(winner, apparent, None, None, shares, lost, reason)
    shift = float(gains.mean())
    optimism = shift if higher_is_better else -shift
    return Optimism(winner, apparent, apparent - shift, optimism, shares, lost)
