from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score

from metajudge.agreement.expected_information import entropy, information, posterior_weights


def joint_of(decision: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Joint shares (C, M, O) and variances (M, O) of labels (B, M)."""
    hot = np.eye(int(labels.max()) + 1)[labels]
    chosen = np.eye(int(decision.max()) + 1)[decision]
    return np.einsum("bc,bmo->cmo", chosen, hot) / len(decision), hot.var(0)


@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.integers(2, 3))
def test_with_one_claim_a_kind_it_is_mutual_information_less_millers_bias(seed, n_c, n_o) -> None:
    rng = np.random.default_rng(seed)
    worlds = 300
    decision = np.concatenate([np.arange(n_c), rng.integers(0, n_c, worlds - n_c)])
    labels = rng.integers(0, n_o, (worlds, 3))
    labels[:n_o] = np.arange(n_o)[:, None]
    joint, variance = joint_of(decision, labels)
    told = information(joint, variance, worlds)
    for column in range(3):
        plain = mutual_info_score(decision, labels[:, column]) / np.log(2)
        bias = (n_c - 1) * (n_o - 1) / (2 * worlds * np.log(2))
        assert told[column] == pytest.approx(plain - bias)


def test_what_tells_nothing_is_zero_on_average() -> None:
    rng = np.random.default_rng(3)
    worlds, sizes = 400, np.array([1, 5, 40])
    decision = rng.integers(0, 4, worlds)
    found = []
    for _ in range(200):
        chances = rng.dirichlet([4.0, 3.0, 2.0], (worlds, 3))
        shares = rng.multinomial(sizes, chances) / sizes[:, None]
        joint = np.stack([shares[decision == c].sum(0) for c in range(4)]) / worlds
        found.append(information(joint, shares.var(0), worlds))
    error = np.std(found, 0) / np.sqrt(len(found))
    assert np.all(np.abs(np.mean(found, 0)) < 4 * error + 1e-5)


def test_a_label_that_is_the_decision_tells_all_of_it() -> None:
    decision = np.repeat([0, 1], [300, 100])
    joint, variance = joint_of(decision, decision[:, None])
    told = information(joint, variance, 400)[0]
    assert told == pytest.approx(float(entropy([0.75, 0.25])), abs=0.01)


def test_one_decision_leaves_nothing_to_tell() -> None:
    joint, variance = joint_of(np.zeros(50, np.int64), np.arange(50)[:, None] % 3)
    assert information(joint, variance, 50).tolist() == [0.0]


def test_entropy_of_certainty_and_of_chance() -> None:
    assert entropy([1.0, 0.0]).tolist() == 0.0
    assert entropy(np.full(8, 0.125)).tolist() == 3.0
    assert entropy(np.array([[0.5, 0.5], [0.5, 0.5]]), 0).tolist() == [1.0, 1.0]


def test_weights_are_a_flat_dirichlet_times_the_clusters() -> None:
    drawn = posterior_weights(6, 20_000, np.random.default_rng(1))
    assert drawn.sum(1) == pytest.approx(np.full(20_000, 6.0))
    assert drawn.min() > 0
    assert drawn.mean(0) == pytest.approx(np.ones(6), abs=0.03)
    # Var of a flat Dirichlet's share is (1/G)(1 - 1/G) / (G + 1), here times 36.
    assert drawn.var(0) == pytest.approx(np.full(6, 36 * (1 / 6) * (5 / 6) / 7), rel=0.06)
