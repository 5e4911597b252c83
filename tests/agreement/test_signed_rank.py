from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from metajudge.agreement.signed_rank import signed_rank_p


def test_near_the_exact_distribution_over_all_signs() -> None:
    values = np.array([0.5, 1.0, 1.5, 2.5, -0.7, 3.0, -0.2, 4.0, 0.9, 1.2, 2.0, -1.1])
    ranks = np.argsort(np.argsort(np.abs(values))) + 1
    seen = ranks[values > 0].sum()
    signs = np.array(list(product([0, 1], repeat=len(values))))
    assert signed_rank_p(values) == pytest.approx((signs @ ranks >= seen).mean(), abs=0.01)


@pytest.mark.parametrize(
    ("values", "p"),
    [
        ([1, 2, 3, 4, 0], 0.029529114545268353),
        ([1, -1, 0, 0, 1, 1], 0.16519502442439715),
        ([0.5, 0.5, -2, 1, 1, 0, 0, 0, 3, 3], 0.04555867044240713),
    ],
)
def test_zeros_and_ties_as_the_pruner_of_optuna_has_them(values: list[float], p: float) -> None:
    """As scipy's `wilcoxon` says: alternative "greater", zero_method "zsplit", method "approx"."""
    assert signed_rank_p(values) == pytest.approx(p)


def test_nothing_differs_and_nan() -> None:
    assert signed_rank_p([0.0, 0.0]) == 1.0
    assert np.isnan(signed_rank_p([1.0, np.nan]))
