from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from metajudge.agreement.tails import (
    binomial_lower_tail,
    binomial_point,
    chi_square_tail,
    incomplete_beta,
    student_lower_tail,
)

quick = settings(max_examples=60, deadline=None)


@quick
@given(statistic=st.floats(0, 200), df=st.integers(1, 30))
def test_chi_square_equals_scipy(statistic, df):
    expected = stats.chi2.sf(statistic, df)
    assert chi_square_tail(statistic, df) == pytest.approx(expected, rel=1e-11, abs=1e-14)


@quick
@given(n=st.integers(1, 300), share=st.floats(0, 1))
def test_binomial_equals_scipy(n, share):
    hits = int(share * n)
    expected = stats.binom.cdf(hits, n, 0.5)
    assert binomial_lower_tail(hits, n) == pytest.approx(expected, rel=1e-10)
    assert binomial_point(hits, n) == pytest.approx(stats.binom.pmf(hits, n, 0.5), rel=1e-10)


def test_binomial_of_many_throws():
    assert binomial_lower_tail(980, 2000) == pytest.approx(stats.binom.cdf(980, 2000, 0.5))


@quick
@given(statistic=st.floats(-30, 30), df=st.integers(1, 400))
def test_student_equals_scipy(statistic, df):
    expected = stats.t.cdf(statistic, df)
    assert student_lower_tail(statistic, df) == pytest.approx(expected, rel=1e-8, abs=1e-13)


@quick
@given(share=st.floats(0, 1), first=st.floats(0.5, 50), second=st.floats(0.5, 50))
def test_incomplete_beta_equals_scipy(share, first, second):
    expected = special.betainc(first, second, share)
    assert incomplete_beta(share, first, second) == pytest.approx(expected, abs=1e-11)


def test_edges():
    assert math.isnan(chi_square_tail(math.nan, 2))
    assert chi_square_tail(0.0, 3) == 1.0
    with pytest.raises(ValueError, match="1 or more, got 0"):
        chi_square_tail(1.0, 0)
