"""Tests of a mean keep the error rates that they state."""

from __future__ import annotations

import numpy as np
import pytest

from metajudge.agreement.adjust import holm
from metajudge.metrics.gate.mean_against import (
    FEW_GROUPS,
    Errors,
    cases_needed,
    mean_against,
    power,
)

MARGIN = 0.05
WORLDS = 120


def world(rng: np.random.Generator, drop: float, groups: int = 50, size: int = 2):
    """100 cases of five claims in groups that suffer alike; the mean falls by `drop`."""
    suffers = np.repeat(rng.beta(2, 2, groups), size)
    before = rng.binomial(5, 0.85, groups * size)
    lost = rng.binomial(before, np.clip(2 * suffers * drop / 0.85, 0, 1))
    noise = rng.choice([-1, 1], len(before)) * (rng.random(len(before)) < 0.1)
    change = np.clip((noise - lost) / 5, -1, 1)
    return change, np.repeat(np.arange(groups), size)


def rates(drop: float) -> tuple[float, float]:
    """How often it fails and passes."""
    rng = np.random.default_rng(7)
    found = [
        mean_against(*world(rng, drop), -MARGIN, bounds=(-1, 1), seed=seed)
        for seed in range(WORLDS)
    ]
    return (
        float(np.mean([one.p_under <= 0.05 for one in found])),
        float(np.mean([one.p_over <= 0.05 for one in found])),
    )


def test_at_the_margin_false_alarms_and_misses_keep_their_rates():
    """100 clustered cases; three binomial standard errors above 0.05."""
    fails, passes = rates(MARGIN)
    tolerance = 0.05 + 3 * (0.05 * 0.95 / WORLDS) ** 0.5
    assert fails <= tolerance
    assert passes <= tolerance


def test_several_metrics_at_their_margins_share_the_rate_of_false_alarms():
    """Three metrics of the same groups; Holm over their tests."""
    rng = np.random.default_rng(17)
    alarms = 0
    for seed in range(WORLDS):
        _, group = world(rng, MARGIN)
        told = [
            mean_against(world(rng, MARGIN)[0], group, -MARGIN, bounds=(-1, 1), seed=seed).p_under
            for _ in range(3)
        ]
        alarms += min(holm(told)) <= 0.05
    assert alarms / WORLDS <= 0.05 + 3 * (0.05 * 0.95 / WORLDS) ** 0.5


def test_a_drop_of_a_tenth_more_than_the_margin_is_found():
    fails, passes = rates(MARGIN + 0.1)
    assert fails >= 0.95
    assert passes == 0.0


def test_where_nothing_changes_it_passes():
    fails, passes = rates(0.0)
    assert passes >= 0.95
    assert fails == 0.0


def test_no_case_changed_is_counted_out():
    """59 cases without a change rule a share of 5 % out, 58 do not (Hanley and Lippman-Hand)."""
    for n, passes in ((59, True), (58, False)):
        found = mean_against(np.zeros(n), np.arange(n), -0.05, bounds=(-1, 1))
        assert found.method == "no spread"
        assert (found.p_over <= 0.05) == passes
        assert found.p_over == pytest.approx(0.95**n)
    assert cases_needed(0.05, found, 0.05, 0.8) == 59


def test_few_groups_take_the_exact_test():
    change = np.array([-1.0] * 8 + [-0.9])
    found = mean_against(change, np.arange(9), -0.05, bounds=(-1, 1))
    assert len(change) < FEW_GROUPS
    assert found.method == "exact bet"
    assert found.p_under <= 0.05
    assert found.p_over == 1.0
    assert found.low == pytest.approx(-1.0, abs=0.01)
    assert -0.97 < found.high < -0.05


def test_the_exact_test_is_right_for_any_world():
    """Mean exactly at the limit, few groups, very skewed: it never exceeds its rate by far."""
    rng = np.random.default_rng(3)
    wrong = 0
    for _ in range(300):
        values = -(rng.random(9) < 0.05).astype(float)
        found = mean_against(values, np.arange(9), -0.05, bounds=(-1, 1))
        wrong += found.p_under <= 0.05 or found.p_over <= 0.05
    assert wrong / 300 <= 0.05


def test_limits_and_p_values_say_the_same():
    rng = np.random.default_rng(5)
    change, group = world(rng, 0.05)
    for limit in (-0.2, -0.1, -0.05, 0.0, 0.1):
        found = mean_against(change, group, limit, bounds=(-1, 1))
        if abs(found.low - limit) > 0.002:
            assert (found.low > limit) == (found.p_over <= 0.05)
        if abs(found.high - limit) > 0.002:
            assert (found.high < limit) == (found.p_under <= 0.05)


def test_groups_count_and_not_cases():
    """Ten copies of every case are no more evidence."""
    rng = np.random.default_rng(5)
    change, group = world(rng, 0.05, groups=30, size=1)
    once = mean_against(change, group, -0.05, bounds=(-1, 1))
    copied = mean_against(np.tile(change, 10), np.tile(group, 10), -0.05, bounds=(-1, 1))
    assert copied.groups == 30
    assert copied.spread == pytest.approx(once.spread)
    assert copied.p_over == pytest.approx(once.p_over, abs=0.002)


def test_the_same_seed_gives_the_same_numbers():
    change, group = world(np.random.default_rng(5), 0.05)
    errors = Errors(0.1, 0.2)
    one, other = (
        mean_against(change, group, -0.05, bounds=(-1, 1), errors=errors, seed=4) for _ in range(2)
    )
    assert one == other


def test_power_and_cases_needed_agree():
    change, group = world(np.random.default_rng(5), 0.0)
    found = mean_against(change, group, -0.05, bounds=(-1, 1))
    needed = cases_needed(0.05, found, 0.05, 0.8)
    assert needed is not None
    spread = found.spread * (found.n / needed) ** 0.5
    assert power(0.05, spread, 0.05) == pytest.approx(0.8, abs=0.05)
    assert cases_needed(0.0, found, 0.05, 0.8) is None


def test_one_odd_case_among_many_does_not_hide_a_wide_gap():
    """Many resamples miss the odd one and have no spread; the exact test still decides."""
    scores = np.array([1.0] * 59 + [0.5])
    found = mean_against(scores, np.arange(60), 0.5, bounds=(0, 1))
    assert found.method == "exact bet"
    assert found.p_over <= 0.001
    assert found.low > 0.5
