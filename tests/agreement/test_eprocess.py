"""Evidence that may be read at any time: its error rate, its growth, and what it is made of."""

from __future__ import annotations

import math
from itertools import combinations, pairwise

import numpy as np
import pytest

from metajudge.agreement.eprocess import (
    BETS,
    EVEN_BETS,
    begun,
    best_growth,
    least_delay,
    log_combined,
    log_evidence,
    unbet,
    updated,
)

BAR = -math.log(0.05)


def paths(outcomes, null_mean, bets=BETS):
    """Log evidence after each batch; outcomes of shape (worlds, batches, k)."""
    process, logs = begun(bets, outcomes.shape[:1]), []
    for batch in range(outcomes.shape[1]):
        process = updated(process, outcomes[:, batch], null_mean)
        logs.append(log_evidence(process))
    return np.stack(logs, 1)


def test_the_sum_over_starts_and_bets_by_hand():
    """Each start has its own money behind each bet from its batch on; the rest stays as it is."""
    outcomes, null_mean = [[0.0, 1.0], [0.5], [], [1.0]], 0.2
    process = begun()
    for batch in outcomes:
        process = updated(process, batch, null_mean)
    money = unbet(4)
    for start in range(4):
        entering = unbet(start) - unbet(start + 1)
        for bet in BETS:
            gain = math.prod(
                1 + bet * (value / null_mean - 1) for batch in outcomes[start:] for value in batch
            )
            money += entering * gain / len(BETS)
    assert float(log_evidence(process)) == pytest.approx(math.log(money), abs=1e-12)


def test_money_that_is_not_bet_falls_for_ever_and_never_runs_out():
    left = [unbet(batches) for batches in range(5000)]
    assert left[0] == 1.0
    assert all(a > b > 0 for a, b in pairwise(left))


@pytest.mark.parametrize("null_mean", [0.01, 0.05, 0.5])
def test_nobody_can_expect_to_gain_while_the_null_hypothesis_holds(null_mean):
    """The mean over all outcomes of a batch is 1 for any law with that mean."""
    for low, high in ((0.0, 1.0), (0.0, 2 * null_mean), (null_mean / 2, min(1.0, 3 * null_mean))):
        chance = (null_mean - low) / (high - low)
        grown = [
            np.exp(log_evidence(updated(begun(), [value], null_mean))) for value in (low, high)
        ]
        assert (1 - chance) * grown[0] + chance * grown[1] == pytest.approx(1.0, abs=1e-12)


def test_a_random_part_of_unequal_contexts_gains_nothing_either():
    """Maclaurin: only the mean over all contexts is bounded, and a run asks some of them."""
    means = [0.0, 0.0, 0.01, 0.19]
    for size in (1, 2, 3, 4):
        expected = np.mean(
            [
                np.exp(log_evidence(updated(begun(), part, 0.05)))
                for part in combinations(means, size)
            ]
        )
        assert expected <= 1 + 1e-12


def test_evidence_reaches_the_bar_in_at_most_five_percent_of_worlds_that_are_always_read():
    rng = np.random.default_rng(1)
    logs = paths(rng.binomial(4, 0.05, (1000, 365, 6)) / 4, 0.05)
    assert (logs >= BAR).any(1).mean() <= 0.05


@pytest.mark.parametrize(
    ("change_at", "starts"), [(0, 1), (180, 365)], ids=["at the start", "in the middle"]
)
@pytest.mark.parametrize(("limit", "share"), [(0.02, 0.06), (0.05, 0.1), (0.05, 0.2)])
def test_a_change_is_found_within_twice_the_theoretical_delay(limit, share, change_at, starts):
    rng = np.random.default_rng(2)
    changed = rng.random((600, change_at + 120, 5)) < share
    changed[:, :change_at] = rng.random((600, change_at, 5)) < limit / 2
    late = paths(changed.astype(float), limit)[:, change_at:] >= BAR
    runs = np.where(late.any(1), late.argmax(1) + 1, 121)
    growth = 5 * best_growth([0, 1], [1 - share, share], limit)
    assert np.median(runs) <= 2 * math.ceil(least_delay(growth, 0.05, starts))


def test_equal_draws_cost_nothing_where_the_null_mean_is_one_half():
    process = begun(EVEN_BETS)
    for _ in range(1000):
        process = updated(process, [0.5] * 10, 0.5)
    assert float(log_evidence(process)) == pytest.approx(0.0, abs=1e-9)


def test_growth_is_the_divergence_and_nothing_within_the_null_hypothesis():
    for share, limit in ((0.1, 0.02), (0.5, 0.3)):
        divergence = share * math.log(share / limit) + (1 - share) * math.log(
            (1 - share) / (1 - limit)
        )
        assert best_growth([0, 1], [1 - share, share], limit) == pytest.approx(divergence, abs=1e-9)
    assert best_growth([0, 1], [0.98, 0.02], 0.02) == 0.0
    assert least_delay(0.0, 0.05) == math.inf


def test_the_mean_of_evidence_is_weighted_and_survives_huge_values():
    assert float(log_combined([math.log(4), 0.0], [1, 3])) == pytest.approx(math.log(1.75))
    assert float(log_combined([2000.0, 0.0], [0.5, 0.5])) == pytest.approx(2000 + math.log(0.5))


@pytest.mark.parametrize("outcomes", [[1.2], [-0.1], [math.nan]])
def test_outcomes_out_of_range_are_refused(outcomes):
    with pytest.raises(ValueError, match="from 0 to 1"):
        updated(begun(), outcomes, 0.1)


@pytest.mark.parametrize("null_mean", [0.0, 1.0, math.nan])
def test_a_null_mean_out_of_range_is_refused(null_mean):
    with pytest.raises(ValueError, match="null_mean"):
        updated(begun(), [0.0], null_mean)
