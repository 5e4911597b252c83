"""Directions, slices and languages of changed verdicts, counted by hand."""

from __future__ import annotations

import pytest

from metajudge.release.consult.flips import flips
from tests.release.consult.worlds import bench_of, said

WAS = ("yyni", "iiyf")
NOW = ("yiny", "yyni")
WAS_GOLD = ("yyyy", "yyyy")


def test_every_direction_is_counted_and_the_table_holds_what_stays() -> None:
    found = flips(bench_of(WAS_GOLD), said(*WAS), said(*NOW))
    assert found.claims == 8 and found.changed == 6
    assert {(row.was, row.now): row.claims for row in found.directions} == {
        ("idk", "yes"): 3,
        ("yes", "no"): 1,
        ("yes", "idk"): 1,
        ("failure", "idk"): 1,
    }
    assert (found.directions[0].was, found.directions[0].now) == ("idk", "yes")
    assert found.table["yes"] == {"yes": 1, "no": 1, "idk": 1, "failure": 0}
    assert sum(sum(row.values()) for row in found.table.values()) == 8
    assert found.flip_rate.value == 0.75
    assert found.directions[0].share.value == 0.375


def test_examples_come_from_different_answers_first() -> None:
    found = flips(bench_of(("yyy", "yy", "y")), said("iii", "ii", "i"), said("yyy", "yy", "y"))
    assert found.directions[0].examples == ("a0-0", "a1-0", "a2-0")
    one = flips(bench_of(("yyyy",)), said("iiii"), said("yyyy"))
    assert one.directions[0].examples == ("a0-0", "a0-1", "a0-2")


def test_slices_and_languages_have_their_own_counts_and_support_shift() -> None:
    place = bench_of(("yy", "yy"), slices="sl" * 2, langs=("en", "zh"))
    found = flips(place, said("iy", "iy"), said("yy", "yn"))
    groups = {(group.kind, group.name): group for group in found.groups}
    assert groups["slice", "summary"].directions == {"idk->yes": 2}
    assert groups["slice", "summary"].support_shift.value == 1.0
    assert groups["slice", "literal"].changed == 1
    assert groups["slice", "literal"].support_shift.value == -0.5
    assert groups["language", "zh"].directions == {"idk->yes": 1, "yes->no": 1}
    assert groups["language", "zh"].support_shift.value == 0.0
    assert groups["language", "en"].flip_rate.value == 0.5


def test_no_flip_is_no_direction_and_its_interval_is_not_a_point() -> None:
    found = flips(bench_of(("yyy",) * 4), said(*("yni",) * 4), said(*("yni",) * 4))
    assert found.directions == () and found.changed == 0
    assert found.flip_rate.value == 0.0
    assert found.flip_rate.high == pytest.approx(3.841459 / (4 + 3.841459), abs=1e-5)
