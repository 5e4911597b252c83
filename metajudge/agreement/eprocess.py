"""Evidence against a bounded mean that may be read after every batch: an e-process.

The null hypothesis is that a statistic between 0 and 1, such as the share of changed verdicts in a
context, has a mean of at most `null_mean`. Evidence begins at 1 and is the money of somebody who
bets against it: at each batch part of what was not bet yet is spread evenly over several bets, and
what was bet before is bet again. While the null hypothesis holds nobody can expect to gain,
whatever was seen before, so that evidence *ever* reaches 1 / alpha with a probability of at most
alpha. Since new money enters at every batch, a change is found also when it comes late.

Sources: Ville (1939), Étude critique de la notion de collectif, for the bound; Shafer (2021), J. R.
Stat. Soc. A 184, and Ramdas, Grünwald, Vovk and Shafer (2023), Stat. Sci. 38, for testing by
betting; Waudby-Smith and Ramdas (2024), J. R. Stat. Soc. B 86, for bets against a bounded mean;
Shin, Ramdas and Rinaldo (2024), New Engl. J. Stat. Data Sci. 2, for the sum over start times.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, Numbers, as_floats

BETS = (0.03, 0.1, 0.25, 0.6)
"""Shares of the money that are at stake in one outcome: the larger, the sooner a large change is
found. Less than 1, so that no outcome takes everything."""
EVEN_BETS = (0.3, 0.95)
"""The same for a null mean of one half, where outcomes that say nothing are one half and cost
nothing."""
FIRST = 0.5
"""Share of the money that is bet from the first batch on."""
HORIZON = 100.0
"""Batches after which the rest has shrunk to about 70 %: it goes with a root, and never ends."""


class EProcess(NamedTuple):
    """What the bets have come to.

    Attributes:
        bets: Shares that are at stake in one outcome, each between 0 and 1.
        batches: Batches so far.
        log_wealth: Shape (..., bets), natural log of the money behind each bet before the even
            split; minus infinity before the first batch.
    """

    bets: tuple[float, ...]
    batches: int
    log_wealth: Floats


def unbet(batches: int) -> float:
    """Money that no bet has got after so many batches, 0 to 1.

    >>> unbet(0), unbet(1)
    (1.0, 0.5)
    """
    if batches == 0:
        return 1.0
    return (1 - FIRST) * math.sqrt(HORIZON / (HORIZON + batches - 1))


def begun(bets: tuple[float, ...] = BETS, shape: tuple[int, ...] = ()) -> EProcess:
    """Evidence before any batch, which is 1; `shape` for many series at once."""
    return EProcess(bets, 0, np.full((*shape, len(bets)), -np.inf))


def updated(process: EProcess, outcomes: Numbers, null_mean: float) -> EProcess:
    """The evidence after one more batch; an empty batch counts as one.

    Outcomes of one batch have to be independent of each other given the past, and their *average*
    mean at most `null_mean` when they are a random part of a fixed set: with bets that stay the
    same within a batch, the expected product over a random part of k means is the normalised k-th
    elementary symmetric polynomial of the factors, at most the k-th power of their average
    (Maclaurin's inequality), and so at most 1.

    Args:
        process: The evidence so far.
        outcomes: Shape (..., k), 0 to 1.
        null_mean: Highest mean under the null hypothesis, between 0 and 1.

    Raises:
        ValueError: An outcome or the mean is out of range.
    """
    values = as_floats(outcomes)
    if not 0 < null_mean < 1:
        raise ValueError(f"null_mean must lie between 0 and 1, got {null_mean!r}")
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError("outcomes must lie from 0 to 1")
    entering = math.log(unbet(process.batches) - unbet(process.batches + 1))
    gains = np.stack(
        [np.log1p(bet * (values / null_mean - 1)).sum(-1) for bet in process.bets], axis=-1
    )
    return EProcess(
        process.bets, process.batches + 1, np.logaddexp(process.log_wealth, entering) + gains
    )


def log_evidence(process: EProcess) -> Floats:
    """Natural log of the evidence, shape (...); what was not bet yet counts as it is.

    >>> float(log_evidence(begun()))
    0.0
    """
    behind_bets = np.logaddexp.reduce(process.log_wealth, axis=-1) - math.log(len(process.bets))
    return as_floats(np.logaddexp(behind_bets, math.log(unbet(process.batches))))


def log_combined(logs: Sequence[Numbers], weights: Sequence[float]) -> Floats:
    """Log of the weighted mean of several e-processes, which is one too, however they depend.

    Args:
        logs: Natural logs, each of shape (...).
        weights: Not all 0; they are made to sum to 1.

    Source: Vovk and Wang (2021), Ann. Stat. 49: the mean is the way to merge dependent e-values.

    >>> round(float(np.exp(log_combined([0.0, np.log(3.0)], [0.5, 0.5]))), 12)
    2.0
    """
    shares = as_floats(weights) / np.sum(weights)
    parts = np.stack([as_floats(log) for log in logs], axis=-1)
    return as_floats(np.logaddexp.reduce(parts + np.log(shares), axis=-1))


def best_growth(values: Numbers, chances: Numbers, null_mean: float) -> float:
    """Highest mean growth of log evidence an outcome that any bet reaches under a known law, >= 0.

    It is KL_inf, the least Kullback-Leibler divergence to a law with a mean of at most `null_mean`,
    and for outcomes of 0 and 1 the divergence of two Bernoulli laws.

    Args:
        values: Shape (v,), the outcomes that occur, 0 to 1.
        chances: Shape (v,), how often; they sum to 1.
        null_mean: As in `updated`.

    Source: Honda and Takemura (2010), COLT; Waudby-Smith and Ramdas (2024).

    >>> round(best_growth([0, 1], [0.9, 0.1], 0.02), 6) == round(
    ...     0.1 * math.log(5) + 0.9 * math.log(0.9 / 0.98), 6)
    True
    """
    odds, shares = as_floats(values) / null_mean - 1, as_floats(chances)
    low, high = 0.0, 1.0 - 1e-9
    for _ in range(60):
        bet = (low + high) / 2
        rising = (shares * odds / (1 + bet * odds)).sum() > 0
        low, high = (bet, high) if rising else (low, bet)
    return max(0.0, float((shares * np.log1p(low * odds)).sum()))


def least_delay(growth: float, alpha: float, starts: int = 1) -> float:
    """Outcomes that evidence needs to reach 1 / alpha when it grows as fast as it can.

    (log(1 / alpha) + log(starts)) / growth: the first part for a change that is there from the
    beginning; where it may have come at any of `starts` times, a test that is wrong once in
    1 / alpha series in all has to pay for not knowing when.

    Args:
        growth: From `best_growth`; infinity is returned for 0.
        alpha: Chance of a false alarm over the whole series.
        starts: Times at which the change may have come.

    Source: Lai (1998), IEEE Trans. Inf. Theory 44; Tartakovsky and Veeravalli (2005), Theory
    Probab. Appl. 49: log of prior odds over the divergence, to first order.

    >>> round(least_delay(0.5, 0.05), 3)
    5.991
    """
    needed = -math.log(alpha) + math.log(starts)
    return needed / growth if growth > 0 else math.inf
