from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metajudge.agreement.stability import (
    flip_rate,
    flips,
    intraclass_correlation,
    kendall_tau,
    score_spread,
)


def test_flips_count_disagreeing_pairs_and_failures():
    runs = np.array([[0, 1, 2, 0], [0, 1, 3, 0], [0, 2, 3, 1]])
    assert flips(runs).tolist() == pytest.approx([0.0, 2 / 3, 2 / 3, 2 / 3])
    assert flip_rate(runs) == pytest.approx(0.5)
    assert np.isnan(flip_rate(np.zeros((2, 0), int)))
    with pytest.raises(ValueError, match="runs >= 2"):
        flips([[0, 1]])


def test_icc_worked_example(reference):
    case = reference("icc.json")
    found = intraclass_correlation(case["scores"])
    for name in ("one_way", "agreement", "consistency"):
        assert round(getattr(found, name), 2) == case[name]


def test_icc_skips_undefined_scores_and_is_undefined_without_variance():
    scores = np.array([[1, 2.0], [3, 3], [5, 4]])
    with_gap = np.vstack([scores, [np.nan, 1]])
    assert intraclass_correlation(with_gap) == intraclass_correlation(scores)
    assert np.isnan(intraclass_correlation(np.ones((4, 3)))).all()
    assert np.isnan(intraclass_correlation([[1, 2]])).all()
    with pytest.raises(ValueError, match="runs >= 2"):
        intraclass_correlation([[1], [2]])


def test_score_spread_equals_numpy():
    scores = np.array([[0.1, 0.4, 0.2], [0.5, np.nan, 0.7], [np.nan, 1.0, np.nan]])
    got = score_spread(scores)
    assert got[0] == pytest.approx(np.std(scores[0], ddof=1))
    assert got[1] == pytest.approx(np.std([0.5, 0.7], ddof=1))
    assert np.isnan(got[2])


@settings(max_examples=40, deadline=None)
@given(pairs=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=30))
def test_kendall_equals_scipy(pairs):
    first, second = np.array(pairs).T
    expected = stats.kendalltau(first, second).statistic
    np.testing.assert_allclose(kendall_tau(first, second), expected, atol=1e-12, equal_nan=True)


def test_kendall_leaves_out_undefined_scores():
    assert kendall_tau([1, 2, np.nan, 3], [1, 2, 9, 3]) == 1.0
