from __future__ import annotations

import math
from fractions import Fraction

import pytest

from metajudge.metrics.cascade.risk import at_most, contexts_needed, p_value, upper_limit


def exactly(hits: int, n: int, share: Fraction) -> Fraction:
    return sum(
        (math.comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(hits + 1)),
        Fraction(0),
    )


@pytest.mark.parametrize("n", [1, 7, 59, 200])
@pytest.mark.parametrize("percent", [1, 5, 30])
def test_the_binomial_tail_is_the_sum_of_its_terms(n, percent):
    for hits in range(0, min(n, 12)):
        wanted = float(exactly(hits, n, Fraction(percent, 100)))
        assert at_most(hits, n, percent / 100) == pytest.approx(wanted, rel=1e-9)
    assert at_most(n, n, percent / 100) == 1.0
    assert at_most(-1, n, percent / 100) == 0.0


def test_59_contexts_without_a_miss_are_needed_for_five_per_cent():
    assert contexts_needed(0.05, 0.05) == 59
    assert p_value(0.0, 59, 0.05) <= 0.05 < p_value(0.0, 58, 0.05)
    assert p_value(0.0, 59, 0.05, "binomial") == pytest.approx(0.95**59)


def test_without_a_miss_both_tests_agree():
    for n in (5, 25, 100):
        assert p_value(0, n, 0.1) == pytest.approx(p_value(0, n, 0.1, "binomial"))


def test_the_general_test_is_never_bolder_than_the_exact_one():
    for n in (10, 40, 150):
        for hits in range(0, n // 3):
            assert p_value(hits / n, n, 0.3) >= p_value(hits / n, n, 0.3, "binomial") - 1e-12


def test_hoeffding_bentkus_by_hand():
    """n = 100, one miss, rate 0.1: Bentkus e P(Bin <= 1) = 8.7e-4, entropy bound 6.9e-4."""
    entropy = math.exp(-100 * (0.01 * math.log(0.1) + 0.99 * math.log(0.99 / 0.9)))
    bentkus = math.e * (0.9**100 + 100 * 0.1 * 0.9**99)
    assert p_value(0.01, 100, 0.1) == pytest.approx(min(entropy, bentkus))


def test_no_contexts_and_losses_at_the_rate_say_nothing():
    assert p_value(0.0, 0, 0.1) == 1.0
    assert p_value(0.1, 10**6, 0.1) == 1.0
    assert upper_limit(0.0, 0, 0.05) == 1.0


@pytest.mark.parametrize("test", ["binomial", "hoeffding-bentkus"])
def test_the_upper_limit_is_where_p_reaches_delta(test):
    limit = upper_limit(0.02, 150, 0.1, test)
    assert p_value(0.02, 150, limit, test) <= 0.1
    assert p_value(0.02, 150, limit - 1e-6, test) > 0.1


def test_contexts_needed_grow_with_the_misses_and_are_enough():
    numbers = [contexts_needed(0.1, 0.05, mean) for mean in (0.0, 0.01, 0.05, 0.09)]
    assert numbers == sorted(numbers)
    for mean, n in zip((0.01, 0.05, 0.09), numbers[1:], strict=True):
        assert p_value(mean, n, 0.1) <= 0.05
    assert contexts_needed(0.1, 0.05, 0.1) is None
    assert contexts_needed(0.1, 0.05, 0.1 - 1e-9) is None, "ten million are not enough"
