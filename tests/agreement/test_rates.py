from __future__ import annotations

import numpy as np

from metajudge.agreement.rates import (
    called_idk,
    covered,
    failed,
    missed_contradiction,
    over_credit,
    ratio,
    share_value,
    under_credit,
    unsupported_passed,
)
from metajudge.agreement.table import FAILURE, IDK, NO, YES

GOLD = np.array([YES, YES, YES, YES, NO, NO, IDK, IDK])
VERDICT = np.array([YES, IDK, NO, FAILURE, NO, YES, YES, FAILURE])
SUMMARY = np.array([0, 1, 0, 1, 0, 0, 0, 1], bool)


def test_shares_by_hand_with_failures_in_the_denominator():
    assert share_value(called_idk(GOLD, VERDICT)) == 0.25
    assert share_value(called_idk(GOLD, VERDICT, SUMMARY)) == 0.5
    assert share_value(over_credit(GOLD, VERDICT)) == 0.5
    assert share_value(under_credit(GOLD, VERDICT)) == 0.5
    assert share_value(missed_contradiction(GOLD, VERDICT)) == 0.5
    assert share_value(covered(VERDICT)) == 0.75
    assert share_value(failed(VERDICT)) == 0.25


def test_several_candidates_at_once():
    both = np.stack([VERDICT, GOLD])
    np.testing.assert_array_equal(share_value(over_credit(GOLD, both)), [0.5, 0.0])
    np.testing.assert_array_equal(share_value(covered(both)), [0.75, 1.0])


def test_binary_gold():
    gold = np.array([0, 0, 1, 1, 1])
    verdict = np.array([YES, IDK, YES, NO, IDK])
    assert share_value(called_idk(gold, verdict)) == 0.5
    assert share_value(over_credit(gold, verdict)) == 1 / 3
    assert share_value(unsupported_passed(gold, verdict)) == 1 / 3


def test_a_kind_without_claims_is_undefined():
    nothing = np.zeros(len(GOLD), bool)
    assert np.isnan(share_value(over_credit(GOLD, VERDICT, nothing)))
    assert np.isnan(ratio([0, 0]))
