from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from metajudge.agreement.outcome_model import (
    SHRINKAGE,
    TEMPERS,
    as_shares,
    fit_outcome_model,
    outcome_prior,
)

LABELS = np.array([0, 1, 2])


def told(
    n: int, copies: int, right: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Clusters of two claims, labels, and verdicts of three judges, each given `copies` times."""
    gold = rng.integers(0, 3, n)
    codes = [np.where(rng.random(n) < right, gold, rng.integers(0, 4, n)) for _ in range(3)]
    return np.arange(n) // 2, gold, np.repeat(np.stack(codes), copies, axis=0)


def test_the_tables_are_shrunk_to_the_label_and_that_to_all_candidates() -> None:
    cluster, outcome = np.array([0, 0, 1, 1]), np.array([0, 0, 1, 2])
    verdicts = np.array([[0, 0, 1, 0], [0, 2, 1, 3]])
    model = fit_outcome_model(cluster, outcome, verdicts, np.array([0, 1, 1]))
    free = replace(model, temper=1.0)
    one = free.log_likelihood(np.ones((1, 2)), np.array([[0], [0]]))[0, :, 0]

    def shrunk(hits: float, n: float, to: float) -> float:
        return (hits + SHRINKAGE * to) / (n + SHRINKAGE)

    # Label 0: both claims are of outcome 0; said yes 2 of 2 and 1 of 2, pooled (3 + 1/4) / 5.
    pooled = 3.25 / 5
    by_label = [shrunk(2, 2, pooled), shrunk(1, 2, pooled)]
    by_outcome = [shrunk(2, 2, by_label[0]), shrunk(1, 2, by_label[1])]
    assert one[0] == pytest.approx(np.log(by_outcome).sum())
    # Label 1 has outcomes 1 and 2 with a claim each; yes was said once in four verdicts.
    pooled = 1.25 / 5
    by_label = [shrunk(1, 2, pooled), shrunk(0, 2, pooled)]
    assert one[1] == pytest.approx(np.log([shrunk(0, 1, p) for p in by_label]).sum())
    assert one[2] == pytest.approx(
        np.log([shrunk(1, 1, by_label[0]), shrunk(0, 1, by_label[1])]).sum()
    )


def test_an_outcome_without_a_claim_has_the_table_of_its_label() -> None:
    cluster, gold, codes = told(60, 1, 0.8, np.random.default_rng(2))
    model = fit_outcome_model(cluster, gold, codes, np.array([0, 1, 2, 1]))
    found = model.log_likelihood(np.ones((1, 30)), codes[:, :5])[0]
    without = fit_outcome_model(cluster, gold, codes, LABELS)
    assert model.temper == without.temper
    assert np.all(np.isfinite(found))


def test_copies_of_a_candidate_are_no_more_evidence() -> None:
    rng = np.random.default_rng(7)
    cluster, gold, codes = told(200, 1, 0.6, rng)
    once = fit_outcome_model(cluster, gold, codes, LABELS)
    eight = fit_outcome_model(cluster, gold, np.repeat(codes, 8, axis=0), LABELS)
    assert once.temper >= 0.7
    assert eight.temper <= 0.15


def test_verdicts_that_know_nothing_are_not_listened_to() -> None:
    rng = np.random.default_rng(5)
    gold, codes = rng.integers(0, 3, 80), rng.integers(0, 4, (6, 80))
    assert fit_outcome_model(np.arange(80) // 2, gold, codes, LABELS).temper <= 0.05


def test_good_judges_predict_labels_they_were_not_fitted_on() -> None:
    rng = np.random.default_rng(11)
    cluster, gold, codes = told(400, 2, 0.8, rng)
    mine = cluster < 100
    model = fit_outcome_model(cluster[mine], gold[mine], codes[:, mine], LABELS)
    prior = np.log(outcome_prior(np.bincount(gold[mine])))
    logs = model.log_likelihood(np.ones((1, 100)), codes[:, ~mine])[0]
    chances = as_shares(prior[:, None] + logs, 0)
    loss = -np.log2(chances[gold[~mine], np.arange((~mine).sum())]).mean()
    assert loss < 0.8
    sure = chances.max(0)
    right = chances.argmax(0) == gold[~mine]
    assert abs(sure.mean() - right.mean()) < 0.06


def test_one_cluster_takes_all_candidates_for_one() -> None:
    model = fit_outcome_model(np.zeros(3, np.int64), LABELS, np.zeros((5, 3), np.int64), LABELS)
    assert model.temper == 0.2


def test_failures_are_a_verdict_of_their_own() -> None:
    gold = np.arange(90) % 3
    codes = np.where(gold == 2, 3, 0)[None]
    model = fit_outcome_model(np.arange(90) // 3, gold, codes, LABELS)
    found = model.log_likelihood(np.ones((1, 30)), np.array([[3]]))[0, :, 0]
    assert found.argmax() == 2


def test_shares_from_logs_keep_what_is_impossible() -> None:
    found = as_shares(np.array([-np.inf, -1e9, -1e9 - np.log(3)]), 0)
    assert found == pytest.approx([0, 0.75, 0.25])
    assert TEMPERS[0] == 0
