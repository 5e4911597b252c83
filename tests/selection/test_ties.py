from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metajudge.agreement.coefficients import COEFFICIENTS
from metajudge.agreement.estimate import Estimate
from metajudge.agreement.paired import mcnemar
from metajudge.selection import adjusted_p, sign_flip_p, swap_test, told_apart
from metajudge.selection.ties import figure_sums, swap_effects
from tests.selection.worlds import world


def counted_out(effects: list[float]) -> float:
    total = abs(sum(effects))
    sums = [abs(sum(s * e for s, e in zip(signs, effects, strict=True)))
            for signs in itertools.product((1, -1), repeat=len(effects))]  # fmt: skip
    return sum(found >= total - 1e-9 for found in sums) / len(sums)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=10))
def test_sign_flips_equal_counting_every_way(effects: list[int]) -> None:
    assert sign_flip_p(effects) == pytest.approx(counted_out(list(map(float, effects))), abs=1e-9)


def test_uneven_effects_equal_counting_to_a_grid() -> None:
    effects = np.random.default_rng(1).normal(0.3, 1, 11)
    assert sign_flip_p(effects) == pytest.approx(counted_out(effects.tolist()), abs=0.01)


def test_many_effects_agree_with_the_normal_limit() -> None:
    source = np.random.default_rng(2)
    whole = source.choice([-1, 1], 900, p=[0.46, 0.54])
    uneven = whole * source.uniform(0.999, 1.001, 900)
    assert sign_flip_p(whole) == pytest.approx(sign_flip_p(uneven), abs=0.01)


def test_the_scale_does_not_matter_and_nothing_is_certain() -> None:
    assert sign_flip_p(np.asarray([1, 2, -1, 3, 2]) / 77) == sign_flip_p([1, 2, -1, 3, 2])
    assert sign_flip_p([]) == sign_flip_p([0, 0]) == 1
    assert np.isnan(sign_flip_p([1, np.nan]))
    assert 0 < sign_flip_p([1] * 1500) < 1e-200


def random_world(seed: int, n: int = 60, answers: int | None = None):  # type: ignore[no-untyped-def]
    source = np.random.default_rng(seed)
    words = np.asarray(["yes", "no", "idk"])
    gold = source.integers(0, 3, n)
    said = {
        name: words[np.where(source.random(n) < share, gold, source.integers(0, 3, n))].tolist()
        for name, share in (("a", 0.9), ("b", 0.6))
    }
    groups = [f"a{i % (answers or n)}" for i in range(n)]
    return world(words[gold].tolist(), said, slices=["summary"] * n, answers=groups)


def test_with_one_claim_a_cluster_accuracy_gives_mcnemars_exact_p() -> None:
    for seed in range(8):
        measurer = random_world(seed)
        right = measurer.candidates.codes == measurer.columns.gold
        expected = mcnemar(right[0], right[1]).exact
        assert swap_test(figure_sums(measurer, "accuracy"), 0, 1) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["accuracy", "summary_as_idk", "over_credit", "coverage"])
def test_effects_of_shares_add_up_to_the_difference(name: str) -> None:
    measurer = random_world(3, answers=12)
    effects = swap_effects(figure_sums(measurer, name), 0, 1)
    gap = measurer.differences(name, 0)[1]
    assert effects.sum() == pytest.approx(gap.value)
    assert len(effects) == 12


@pytest.mark.parametrize("name", ["kappa", "balanced_accuracy", "mcc"])
def test_effects_of_coefficients_add_up_nearly(name: str) -> None:
    measurer = random_world(4, n=200, answers=50)
    effects = swap_effects(figure_sums(measurer, name), 0, 1)
    assert effects.sum() == pytest.approx(measurer.differences(name, 0)[1].value, abs=0.01)


def test_kappa_agrees_with_swapping_the_tables_themselves() -> None:
    measurer = random_world(5, n=48, answers=12)
    sums, kappa = measurer.table_sums().sums, COEFFICIENTS["cohen_kappa"]
    gaps = []
    for turned in itertools.product((0, 1), repeat=12):
        pick = np.asarray(turned)
        one = sums[np.arange(12), pick].sum(0)
        other = sums[np.arange(12), 1 - pick].sum(0)
        gaps.append(abs(float(kappa(other) - kappa(one))))
    expected = np.mean(np.asarray(gaps) >= gaps[0] - 1e-12)
    assert swap_test(figure_sums(measurer, "kappa"), 0, 1) == pytest.approx(expected, abs=0.02)


def test_swapping_sides_changes_no_p_and_equal_verdicts_give_one() -> None:
    measurer = random_world(6, answers=20)
    figure = figure_sums(measurer, "kappa")
    assert swap_test(figure, 0, 1) == pytest.approx(swap_test(figure, 1, 0))
    assert swap_test(figure, 0, 0) == 1


def test_an_undefined_figure_has_no_p() -> None:
    measurer = world(["no"] * 6, {"a": ["no"] * 6, "b": ["idk"] * 6})
    assert adjusted_p(measurer, "summary_as_idk", 0, [1]) == {1: None}


def test_told_apart_asks_for_both() -> None:
    clear = Estimate(0.2, 0.1, 0.3, 50, 50, "test")
    held = Estimate(0.2, -0.1, 0.3, 50, 50, "test")
    assert told_apart(clear, 0.05, 0.05)
    assert not told_apart(clear, 0.051, 0.05)
    assert not told_apart(held, 0.001, 0.05)
    assert not told_apart(clear, None, 0.05)
