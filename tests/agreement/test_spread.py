from __future__ import annotations

from dataclasses import replace

import pytest

from metajudge.agreement.estimate import ONE_CONTEXT, Estimate
from metajudge.agreement.spread import NO_SPREAD, without_point_interval

WIDE = Estimate(0.5, 0.4, 0.6, 9, 4, "cluster bootstrap")


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (WIDE, None),
        (replace(WIDE, low=0.5, high=0.5), NO_SPREAD),
        (replace(WIDE, n_clusters=1), ONE_CONTEXT),
        (replace(WIDE, low=None, high=None, reason="as it was"), "as it was"),
    ],
)
def test_an_interval_stays_only_where_it_says_something(found, reason):
    kept = without_point_interval(found)
    assert (kept.value, kept.reason) == (0.5, reason)
    assert (kept.low is None) == (reason is not None)
