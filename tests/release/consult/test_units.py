"""Paired differences that do not shrink to a point."""

from __future__ import annotations

import numpy as np
import pytest

from metajudge.agreement.bootstrap import cluster_weights
from metajudge.release.consult.units import NOTHING_CHANGES, Units


def units(n: int) -> Units:
    return Units(np.arange(n), cluster_weights(n, 400, np.random.default_rng(1)), 0.95)


def mask(*places: int, n: int) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    found = np.zeros(n, np.bool_)
    found[list(places)] = True
    return found


def test_the_sign_is_now_minus_before() -> None:
    n = 40
    found = units(n).share_shift(mask(0, n=n), mask(0, 1, 2, 3, n=n), mask(*range(n), n=n), "x")
    assert found.value == pytest.approx(3 / 40)
    assert found.low is not None and found.low >= 0


def test_no_change_reaches_as_far_as_wilsons_interval_of_none() -> None:
    n = 100
    one = mask(1, 2, n=n)
    found = units(n).share_shift(one, one, mask(*range(n), n=n), "x")
    limit = 3.841459 / (100 + 3.841459)
    assert (found.value, found.method) == (0.0, NOTHING_CHANGES)
    assert found.high == pytest.approx(limit, abs=1e-6)
    assert found.low == pytest.approx(-limit, abs=1e-6)


def test_one_set_of_verdicts_has_no_difference_at_all() -> None:
    n = 10
    place = Units(np.arange(n), cluster_weights(n, 50, np.random.default_rng(1)), 0.95, same=True)
    found = place.share_shift(mask(1, n=n), mask(1, n=n), mask(*range(n), n=n), "x")
    assert (found.value, found.low, found.high) == (0.0, 0.0, 0.0)


def test_nothing_of_the_kind_is_undefined_with_its_reason() -> None:
    n = 5
    found = units(n).share_shift(mask(0, n=n), mask(n=n), mask(n=n), "a summary")
    assert found.value is None and found.reason == "no claim is a summary"


def test_few_clusters_have_the_paired_score_interval() -> None:
    n = 10
    found = units(n).share_shift(mask(n=n), mask(0, 1, n=n), mask(*range(n), n=n), "x")
    assert found.value == pytest.approx(0.2)
    assert found.method.startswith("paired score")
