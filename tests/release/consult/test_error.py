"""How much of a shift of the support rate is the judges' error."""

from __future__ import annotations

import pytest

from metajudge.release.consult.error import judge_error
from tests.release.consult.worlds import bench_of, gold_of, said

GOLD = ("yyyyy", "nnnnn", "iiiii") * 12


def test_a_shift_that_is_all_error_is_corrected_away() -> None:
    # Current: right everywhere. Proposed: calls every gold idk yes, elsewhere right.
    perfect = said(*GOLD)
    credulous = said(*("yyyyy", "nnnnn", "yyyyi") * 12)
    sample = ("yyiin",) * 40
    on_sample = (said(*sample), said(*("yyyyn", "yyyyn", "yyyin", "yyyyn", "yyyyn") * 8))
    found = judge_error(
        bench_of(("yyyyy",) * 40), on_sample, gold_of(GOLD), (perfect, credulous), seed=1
    )
    assert found.reason is None
    assert found.current.raw.value == 0.4 and found.current.corrected.value == 0.4
    # 4 of 5 idk are called yes on gold; in the sample 9 of 10: 0.4 + 0.4 * 0.9 = 0.76 raw
    assert found.proposed.raw.value == 0.76
    # p_yes + 0.8 p_idk = 0.76, p_no = 0.2, p_yes + p_idk = 0.8: p_yes = 0.6
    assert found.proposed.corrected.value == pytest.approx(0.6, abs=1e-6)
    assert found.raw_shift.value == pytest.approx(0.36, abs=1e-6)
    assert found.corrected_shift.value == pytest.approx(0.2, abs=1e-6)
    assert found.error_shift.value == pytest.approx(0.16, abs=1e-6)
    assert found.corrected_shift.low is not None and found.corrected_shift.high is not None
    assert found.corrected_shift.low <= 0.2 <= found.corrected_shift.high


def test_a_side_that_cannot_be_corrected_is_refused_with_its_reason() -> None:
    blind = said(*("iiiii",) * 36)
    sample = (said(*("yyiin",) * 10), said(*("iiiii",) * 10))
    found = judge_error(
        bench_of(("yyyyy",) * 10), sample, gold_of(GOLD), (said(*GOLD), blind), seed=1
    )
    assert found.reason is not None and "singular" in found.reason
    assert found.corrected_shift.value is None and found.corrected_shift.reason == found.reason
    assert found.error_shift.value is None
    assert found.raw_shift.value == -0.4
    assert found.current.corrected.value == 0.4


def test_equal_sides_have_no_shift_of_any_kind() -> None:
    both = (said(*("yyiin",) * 12), said(*("yyiin",) * 12))
    found = judge_error(
        bench_of(("yyyyy",) * 12), both, gold_of(GOLD), (said(*GOLD), said(*GOLD)), seed=1
    )
    assert found.corrected_shift.value == 0.0
    assert (found.corrected_shift.low, found.corrected_shift.high) == (0.0, 0.0)
