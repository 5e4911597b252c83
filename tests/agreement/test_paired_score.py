from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metajudge.agreement.paired_score import paired_score_interval

counts = st.integers(0, 30)


@pytest.mark.parametrize(
    ("table", "low", "high"),
    [
        # Newcombe (1998), Stat. Med. 17, method 10 on the paper's example tables.
        ((36, 12, 2, 0), 0.0569, 0.3404),
        ((18, 12, 2, 18), 0.0562, 0.3290),
        ((53, 0, 0, 1), -0.0729, 0.0729),
    ],
)
def test_published_examples(table: tuple[int, ...], low: float, high: float) -> None:
    limits = paired_score_interval(*table)
    assert float(limits.low) == pytest.approx(low, abs=1e-4)
    assert float(limits.high) == pytest.approx(high, abs=1e-4)


def test_no_change_and_all_change_keep_a_width() -> None:
    limits = paired_score_interval([20, 0], [0, 20], [0, 0], [0, 0])
    assert limits.low[0] < 0 < limits.high[0]
    assert 0.5 < limits.low[1] < 1 == limits.high[1]


def test_no_units_is_undefined() -> None:
    limits = paired_score_interval(0, 0, 0, 0)
    assert np.isnan(limits.low) and np.isnan(limits.high)


@given(counts, counts, counts, counts)
def test_swapping_times_or_counting_the_others_turns_the_sign(a: int, b: int, c: int, d: int):
    limits = paired_score_interval(a, b, c, d)
    if a + b + c + d == 0:
        return
    for turned in (paired_score_interval(a, c, b, d), paired_score_interval(d, c, b, a)):
        assert float(turned.low) == pytest.approx(-float(limits.high), abs=1e-12)
        assert float(turned.high) == pytest.approx(-float(limits.low), abs=1e-12)
    assert -1 <= limits.low <= (b - c) / (a + b + c + d) + 1e-12
    assert limits.low <= limits.high <= 1
