from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.inter_rater import fleiss_kappa as oracle

from metajudge.agreement.fleiss import fleiss_kappa, rating_counts


def test_equal_to_statsmodels(rng):
    counts = rating_counts(rng.integers(0, 4, (5, 60)), 4)
    assert fleiss_kappa(counts) == pytest.approx(oracle(counts), abs=1e-12)


def test_fourteen_raters_ten_subjects_by_hand():
    counts = [
        [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
    ]  # fmt: skip
    assert round(float(fleiss_kappa(counts)), 3) == 0.210


def test_undefined_with_one_category_only():
    assert np.isnan(fleiss_kappa([[3, 0], [3, 0]]))


def test_unequal_numbers_of_ratings_are_refused():
    with pytest.raises(ValueError, match="use Krippendorff's alpha"):
        fleiss_kappa([[3, 0], [1, 1]])
    with pytest.raises(ValueError, match="must be under 2, got 2"):
        rating_counts([[0, 2]], 2)
