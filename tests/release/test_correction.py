"""Support rates raw and corrected: the formula, a simulation, and where they are refused."""

from __future__ import annotations

import numpy as np
import pytest

from metajudge.release.correction import corrected_support

RATES = np.array([[0.85, 0.02, 0.10, 0.03], [0.05, 0.80, 0.13, 0.02], [0.12, 0.06, 0.80, 0.02]])


def drawn(rates, shares, clusters: int, size: int, rng: np.random.Generator):
    """Per cluster: gold label by verdict, for claims whose labels come in the given shares."""
    tables = np.zeros((clusters, *rates.shape))
    for table in tables:
        labels = rng.choice(len(rates), size=size, p=shares)
        for label in labels:
            table[label, rng.choice(4, p=rates[label])] += 1
    return tables


def test_the_raw_rate_is_a_share_of_claims_asked_failures_among_them():
    """B04: a failure stays in the denominator, so it cannot lift the rate."""
    gold = [np.round(RATES * 20).tolist()] * 40
    support = corrected_support(gold, [[3, 0, 0, 1]] * 40)
    assert support.raw.value == 0.75
    assert support.raw.n == 160
    assert support.raw.clusters == 40
    assert support.raw.low < 0.75 < support.raw.high


def test_two_labels_equal_the_formula_with_no_and_idk_as_unsupported():
    gold = [[[9, 0, 1, 0], [2, 3, 5, 0]]] * 40
    support = corrected_support(gold, [[6, 1, 3, 0]] * 40)
    by_hand = (0.6 + 0.8 - 1) / (0.9 + 0.8 - 1)
    assert support.corrected.value == pytest.approx(by_hand, abs=1e-6)
    assert support.raw.value == 0.6
    assert support.labelled == 800
    assert support.labelled_clusters == 40


def test_the_corrected_rate_finds_the_truth_where_the_raw_one_does_not():
    rng = np.random.default_rng(7)
    truth = np.array([0.3, 0.1, 0.6])
    covered = 0
    for seed in range(30):
        gold = drawn(RATES, [0.4, 0.3, 0.3], 50, 8, rng)
        counts = drawn(RATES, truth, 60, 6, rng).sum(1)
        support = corrected_support(gold, counts, resamples=400, seed=seed)
        covered += support.corrected.low <= truth[0] <= support.corrected.high
    assert covered >= 26


def test_both_samples_widen_the_interval():
    rng = np.random.default_rng(3)
    gold, counts = (
        drawn(RATES, [0.4, 0.3, 0.3], 60, 8, rng),
        drawn(RATES, [0.5, 0.2, 0.3], 60, 8, rng),
    )
    few_gold = corrected_support(gold[:15], counts.sum(1))
    few_answers = corrected_support(gold, counts[:15].sum(1))
    full = corrected_support(gold, counts.sum(1))
    width = [s.corrected.high - s.corrected.low for s in (full, few_gold, few_answers)]
    assert width[0] < width[1]
    assert width[0] < width[2]


def test_the_same_seed_gives_the_same_figures_and_empty_clusters_change_nothing():
    rng = np.random.default_rng(5)
    gold, counts = (
        drawn(RATES, [0.4, 0.3, 0.3], 40, 6, rng),
        drawn(RATES, [1, 0, 0], 40, 6, rng).sum(1),
    )
    one = corrected_support(gold, counts, seed=11)
    padded = corrected_support(
        np.concatenate([gold, np.zeros((3, 3, 4))]),
        np.concatenate([np.zeros((2, 4)), counts]),
        seed=11,
    )
    assert one == padded


def test_counts_may_be_means_over_draws():
    gold = [np.round(RATES * 20).tolist()] * 40
    thirds = corrected_support(gold, [[1 / 3, 0, 2 / 3, 0]] * 60)
    assert thirds.raw.value == pytest.approx(1 / 3, abs=1e-6)
    assert thirds.raw.n == 60


def test_a_sample_without_a_claim_has_no_rate_but_a_reason():
    gold = [np.round(RATES * 20).tolist()] * 40
    for counts in (np.zeros((0, 4)), np.zeros((3, 4))):
        support = corrected_support(gold, counts)
        assert support.raw.value is None
        assert support.raw.reason == "no claim was asked"
        assert support.corrected.value is None
        assert support.corrected.reason == "no claim was asked"


def test_the_correction_is_refused_with_its_reason_and_the_raw_rate_stands():
    counts = [[5, 2, 3, 0]] * 40
    useless = [[[5, 2, 3, 0]] * 3] * 40
    lacking = [[[9, 0, 1, 0], [0, 0, 0, 0], [1, 0, 9, 0]]] * 40
    for gold, reason in (
        (useless, "near singular"),
        (lacking, "a label has no gold claim"),
        (np.zeros((0, 3, 4)), "no labelled claim"),
    ):
        support = corrected_support(gold, counts)
        assert support.corrected.value is None
        assert reason in support.corrected.reason
        assert support.raw.value == 0.5
    assert "nan" not in support.model_dump_json().casefold()


def test_other_shapes_are_refused():
    with pytest.raises(ValueError, match=r"tables must have shape"):
        corrected_support(np.zeros((2, 4, 4)), np.zeros((2, 4)))
    with pytest.raises(ValueError, match=r"counts must have shape"):
        corrected_support(np.zeros((2, 3, 4)), np.zeros((2, 3)))
