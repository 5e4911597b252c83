from __future__ import annotations

import numpy as np
import pytest

from metajudge.agreement.fleiss import rating_counts
from metajudge.agreement.gwet import gwet_ac, gwet_ac_of_counts, gwet_of_sums, gwet_sums
from metajudge.agreement.table import confusion_table


def test_ac1_by_hand_for_three_labels():
    table = np.array([[30, 5, 1, 0], [4, 20, 6, 0], [2, 3, 29, 0]])
    share = (table.sum(1) + table.sum(0)[:3]) / 200
    chance = (share * (1 - share)).sum() / 2
    agreed = (30 + 20 + 29) / 100
    assert gwet_ac(table) == pytest.approx((agreed - chance) / (1 - chance), abs=1e-12)


def test_ac2_by_hand_with_linear_weights():
    table = np.array([[10, 2, 1, 0], [1, 8, 2, 0], [0, 3, 13, 0]])
    alike = np.array([[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]])
    share = (table.sum(1) + table.sum(0)[:3]) / 80
    agreed = (alike * table[:, :3]).sum() / 40
    chance = 5 / 6 * (share * (1 - share)).sum()
    got = gwet_ac(table, "linear")
    assert got == pytest.approx((agreed - chance) / (1 - chance), abs=1e-12)


@pytest.mark.parametrize("weighting", ["unweighted", "linear", "quadratic", "ordinal"])
def test_two_raters_as_table_and_as_counts_agree(labels, weighting):
    gold, verdict = labels(8)
    table = gwet_ac(confusion_table(gold, verdict), weighting)
    counts = gwet_ac_of_counts(rating_counts([gold, verdict], 3), weighting)
    assert counts == pytest.approx(float(table), abs=1e-12)


def test_gaps_are_missing_not_a_label():
    counts = rating_counts([[0, 0, 1, 1], [0, -1, 1, 1], [0, 0, 1, -1]], 2)
    assert gwet_ac_of_counts(counts) == 1.0
    assert np.isnan(gwet_ac_of_counts([[1, 0], [0, 1]]))


def test_a_failing_judge_gains_no_chance_agreement():
    sound = gwet_ac([[50, 0, 0], [0, 50, 0]])
    failing = gwet_ac([[25, 0, 25], [0, 25, 25]])
    assert sound == 1.0
    assert failing == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("weighting", ["unweighted", "ordinal"])
def test_added_units_equal_the_whole(rng, weighting):
    counts = rating_counts(rng.integers(-1, 3, (4, 40)), 3)
    units = gwet_sums(counts, weighting)
    halves = np.stack([units[:15].sum(0) + units[15:].sum(0), np.zeros(6)])
    whole, nothing = gwet_of_sums(halves, weighting)
    assert whole == pytest.approx(float(gwet_ac_of_counts(counts, weighting)), abs=1e-12)
    assert np.isnan(nothing)
