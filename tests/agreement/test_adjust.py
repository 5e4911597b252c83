from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from metajudge.agreement.adjust import benjamini_hochberg, benjamini_yekutieli, holm

ORACLES = {"holm": holm, "fdr_bh": benjamini_hochberg, "fdr_by": benjamini_yekutieli}


@pytest.mark.parametrize("method", list(ORACLES))
@settings(max_examples=30, deadline=None)
@given(p_values=st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_equal_to_statsmodels(method, p_values):
    expected = multipletests(p_values, method=method)[1]
    np.testing.assert_allclose(ORACLES[method](p_values), expected, atol=1e-12)


@pytest.mark.parametrize("function", list(ORACLES.values()))
def test_undefined_p_values_are_not_counted(function):
    with_gap = function([0.01, np.nan, 0.04])
    assert np.isnan(with_gap[1])
    np.testing.assert_allclose(with_gap[[0, 2]], function([0.01, 0.04]))
    assert function([]).size == 0
    with pytest.raises(ValueError, match="between 0 and 1"):
        function([1.2])
