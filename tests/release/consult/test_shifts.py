"""The dashboard before and after, by hand."""

from __future__ import annotations

import pytest

from metajudge.release.consult.shifts import score_shift, scored
from tests.release.consult.worlds import bench_of, said, side


def test_twenty_idk_score_one_under_lenient_and_nothing_under_strict() -> None:
    answers = ("i" * 20,)
    place = bench_of(("y" * 20,))
    was = scored(place, side("lenient"), said(*answers))
    now = scored(place, side("strict"), said(*answers))
    found = score_shift(place, was, now)
    assert (found.current.mean.value, found.proposed.mean.value) == (1.0, 0.0)
    assert found.mean_shift.value == -1.0
    assert (found.to_pass, found.to_fail) == (0, 1)
    row = found.flipped[0]
    assert (row.score_was, row.score_now, row.passed_was, row.passed_now) == (1.0, 0.0, True, False)
    assert found.current.histogram == (0,) * 9 + (1,)
    assert found.proposed.histogram == (1,) + (0,) * 9


def test_shift_pass_rates_and_histogram_of_four_answers() -> None:
    # strict scores: 1, 0.5, 0.5, 0 and 1, 1, 0.5, 0.5
    place = bench_of(("yy",) * 4)
    was = scored(place, side("strict", 0.5), said("yy", "yi", "iy", "ii"))
    now = scored(place, side("strict", 0.5), said("yy", "yy", "iy", "yi"))
    found = score_shift(place, was, now)
    assert found.current.mean.value == 0.5 and found.proposed.mean.value == 0.75
    assert found.mean_shift.value == 0.25
    assert found.current.pass_rate.value == 0.75 and found.proposed.pass_rate.value == 1.0
    assert found.pass_rate_shift.value == 0.25
    assert [row.answer_id for row in found.flipped] == ["a3"]
    assert found.current.histogram == (1, 0, 0, 0, 0, 2, 0, 0, 0, 1)
    assert found.current.deciles[0] == 0.0 and found.current.deciles[-1] == 1.0
    assert found.current.deciles[5] == 0.5


def test_an_answer_without_a_score_is_counted_and_does_not_pass() -> None:
    place = bench_of(("yy", "yy"))
    was = scored(place, side("drop_idk"), said("yy", "ii"))
    now = scored(place, side("strict"), said("yy", "yy"))
    found = score_shift(place, was, now)
    assert found.current.undefined == {"no decided claims": 1}
    assert found.current.mean.value == 1.0 and found.current.mean.n == 1
    assert found.current.pass_rate.value == 0.5 and found.current.pass_rate.n == 2
    assert found.mean_shift.n == 1 and found.mean_shift.value == 0.0
    assert found.pass_rate_shift.value == 0.5
    assert found.flipped[0].score_was is None


def test_failures_stay_in_the_denominator() -> None:
    place = bench_of(("yyyy",))
    found = scored(place, side("lenient"), said("yfff"))
    assert found.values.tolist() == [0.25]


def test_several_languages_have_a_shift_each() -> None:
    place = bench_of(("y", "y", "y"), langs=("en", "zh", "zh"))
    was = scored(place, side("strict"), said("y", "i", "i"))
    now = scored(place, side("strict"), said("y", "y", "i"))
    found = score_shift(place, was, now)
    assert found.languages["en"].mean_shift.value == 0.0
    assert found.languages["zh"].mean_shift.value == pytest.approx(0.5)
    assert found.languages["zh"].answers == 2


def test_scores_at_bin_edges_fall_into_the_upper_bin() -> None:
    place = bench_of(("y" * 10,))
    found = score_shift(
        place,
        scored(place, side("strict"), said("yyyiiiiiii")),
        scored(place, side("strict"), said("yyyyyyyiii")),
    )
    assert found.current.histogram[3] == 1 and found.proposed.histogram[7] == 1
