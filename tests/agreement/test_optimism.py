from __future__ import annotations

import numpy as np
import pytest

from metajudge.agreement.accuracy import accuracy
from metajudge.agreement.bootstrap import bootstrap_values, cluster_tables, cluster_weights
from metajudge.agreement.optimism import NOBODY, choose_best, selection_optimism


def test_equal_candidates_look_better_than_they_are():
    gaps = []
    for seed in range(20):
        source = np.random.default_rng(seed)
        gold = source.integers(0, 3, 120)
        wrong = (gold + source.integers(1, 3, (30, 120))) % 3
        verdicts = np.where(source.random((30, 120)) < 0.7, gold, wrong)
        sums = cluster_tables(np.arange(120), gold, verdicts)
        values = bootstrap_values(sums.sums, accuracy, cluster_weights(120, 300, source))
        found = selection_optimism(accuracy(sums.totals), values)
        gaps.append((found.apparent - 0.7, found.corrected - 0.7))
    apparent, corrected = np.mean(gaps, axis=0)
    assert apparent > 0.05
    assert abs(corrected) < 0.03


def test_a_clear_winner_has_little_optimism():
    values = np.random.default_rng(1).normal([0.9, 0.5], 0.01, (500, 2))
    found = selection_optimism([0.9, 0.5], values)
    assert found.winner == 0
    assert abs(found.optimism) < 0.002
    assert found.win_shares.tolist() == [1.0, 0.0]


def test_lower_is_better_turns_the_sign():
    found = selection_optimism([0.5, 0.5], [[0.4, 0.6], [0.6, 0.4]], higher_is_better=False)
    assert found.optimism == pytest.approx(0.1)
    assert found.corrected == pytest.approx(0.6)


def test_guardrails_are_part_of_the_choice():
    values = np.array([[0.9, 0.5], [0.8, 0.6]])
    allowed = np.array([[False, True], [False, False]])
    found = selection_optimism(
        [0.9, 0.5], values, allowed=np.array([False, True]), allowed_resampled=allowed
    )
    assert found.winner == 1
    assert found.no_winner_share == 0.5
    assert found.win_shares.tolist() == [0.0, 0.5]


def test_nobody_qualifies():
    found = selection_optimism([0.9], [[0.9]], allowed=np.array([False]))
    assert (found.winner, found.corrected, found.reason) == (None, None, "no candidate qualifies")
    none = selection_optimism([0.9], [[0.9]], allowed_resampled=np.array([[False]]))
    assert none.corrected is None
    assert none.reason.startswith("no resample")


def test_undefined_is_never_chosen():
    assert choose_best([np.nan, 0.1]) == 1
    assert choose_best([np.nan, np.nan]) == NOBODY
