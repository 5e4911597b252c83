from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metajudge.agreement.abstention import (
    area_under_risk_coverage,
    coverage_thresholds,
    risk_coverage,
)

claims = st.lists(st.tuples(st.sampled_from([0.4, 0.5, 0.6, 0.8, 0.9]), st.booleans()),
                  min_size=1, max_size=40)  # fmt: skip


def test_curve_by_hand():
    sure, wrong = [0.9, 0.5, 0.7, 0.7], [False, True, True, False]
    curve = risk_coverage(sure, wrong, [0.0, 0.6, 0.7, 0.8, 0.95])
    assert curve.coverage.tolist() == [1.0, 0.75, 0.75, 0.25, 0.0]
    assert curve.risk[:4].tolist() == pytest.approx([0.5, 1 / 3, 1 / 3, 0.0])
    assert np.isnan(curve.risk[4])


def test_risk_of_one_kind_of_claim_is_a_share_of_that_kind():
    sure, said_yes = [0.9, 0.8, 0.6, 0.5], [True, True, True, False]
    not_yes = np.array([False, True, True, True])
    curve = risk_coverage(sure, said_yes, [0.5, 0.8, 0.9], not_yes)
    assert curve.coverage.tolist() == [1.0, 0.5, 0.25]
    assert curve.risk[:2].tolist() == pytest.approx([2 / 3, 1.0])
    assert np.isnan(curve.risk[2])


def test_no_claims_are_undefined():
    curve = risk_coverage([], [], [0.5])
    assert np.isnan(curve.coverage).all()
    assert np.isnan(curve.risk).all()
    assert np.isnan(area_under_risk_coverage([], []))
    assert coverage_thresholds([], [1.0]).size == 0


@settings(max_examples=60, deadline=None)
@given(rows=claims, threshold=st.sampled_from([0.0, 0.45, 0.6, 0.85, 1.0]))
def test_equal_to_a_plain_count(rows, threshold):
    sure, wrong = (np.array(column) for column in zip(*rows, strict=True))
    kept = sure >= threshold
    curve = risk_coverage(sure, wrong, [threshold])
    assert curve.coverage[0] == kept.mean()
    expected = wrong[kept].mean() if kept.any() else np.nan
    np.testing.assert_allclose(curve.risk[0], expected, atol=1e-15, equal_nan=True)
    area = np.mean([wrong[sure >= own].mean() for own in sure])
    assert area_under_risk_coverage(sure, wrong) == pytest.approx(area, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(rows=claims, shuffle=st.randoms())
def test_order_and_scale_of_confidence_do_not_matter(rows, shuffle):
    mixed = list(rows)
    shuffle.shuffle(mixed)
    first, second = (
        area_under_risk_coverage([sure**power for sure, _ in each], [bad for _, bad in each])
        for each, power in ((rows, 1), (mixed, 3))
    )
    assert first == pytest.approx(second, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(rows=claims)
def test_thresholds_keep_the_coverage_asked_for(rows):
    sure = np.array([one for one, _ in rows])
    wanted = np.array([1.0, 0.8, 0.5, 0.2])
    limits = coverage_thresholds(sure, wanted)
    assert (np.diff(limits) > 0).all()
    assert limits[0] == sure.min()
    for share in wanted:
        reached = [limit for limit in limits if (sure >= limit).mean() >= share - 1e-9]
        strictest = max(value for value in sure if (sure >= value).mean() >= share - 1e-9)
        assert strictest in reached


def test_a_judge_that_knows_when_it_is_wrong_has_the_smallest_area():
    wrong = np.repeat([True, False], [20, 80])
    knowing = np.linspace(0, 1, 100)
    assert area_under_risk_coverage(knowing, wrong) < 0.03
    assert area_under_risk_coverage(np.full(100, 0.5), wrong) == pytest.approx(0.2)
    assert area_under_risk_coverage(1 - knowing, wrong) > 0.5
