"""Thresholds that keep a rate, by hand."""

from __future__ import annotations

import numpy as np

from metajudge.release.consult.shifts import scored
from metajudge.release.consult.thresholds import matched_thresholds, plain_threshold, rungs
from tests.release.consult.worlds import bench_of, gold_of, said, side


def test_the_threshold_that_keeps_the_pass_rate() -> None:
    # lenient at 0.8: all four pass but the last (0.5). strict: 0.75, 0.5, 0.25, 0
    place = bench_of(("yyyy",) * 4)
    verdicts = said("yyyi", "yyii", "yiii", "nnii")
    sides = (
        scored(place, side("lenient"), verdicts),
        scored(place, side("strict"), verdicts),
    )
    found = matched_thresholds(place, sides, None, None).pass_rate
    assert found.wanted.value == 0.75
    assert found.at_own.value == 0.0
    assert found.threshold.value == 0.2
    assert found.obtained.value == 0.75
    assert found.threshold.low is not None and found.threshold.low >= 0.0
    assert found.threshold.high is not None and found.threshold.high <= 0.75


def test_a_rate_that_no_score_meets_is_met_as_nearly_as_can_be() -> None:
    # today 1 of 4 passes; proposed scores are 1, 1, 1, 0: 3 of 4 or all
    place = bench_of(("y",) * 4)
    sides = (
        scored(place, side("strict"), said("y", "i", "i", "i")),
        scored(place, side("strict"), said("y", "y", "y", "i")),
    )
    found = matched_thresholds(place, sides, None, None).pass_rate
    assert found.threshold.value == 0.8 and found.obtained.value == 0.75


def test_a_side_that_passes_nothing_as_today_keeps_its_own_threshold() -> None:
    # all scores are 0.5: at 0.5 every answer would pass, and today none does
    place = bench_of(("yi",) * 4)
    one = scored(place, side("strict"), said("yi", "yi", "yi", "yi"))
    found = matched_thresholds(place, (one, one), None, None).pass_rate
    assert found.wanted.value == 0.0
    assert found.threshold.value == 0.8 and found.obtained.value == 0.0
    assert (found.threshold.low, found.threshold.high) == (0.8, 0.8)


def test_a_threshold_that_passes_none_is_found() -> None:
    # today no answer passes; the proposed side passes at 0.5, where all its scores are
    place = bench_of(("yi",) * 4)
    verdicts = said("yi", "yi", "yi", "yi")
    sides = (
        scored(place, side("strict"), verdicts),
        scored(place, side("strict", threshold=0.5), verdicts),
    )
    found = matched_thresholds(place, sides, None, None).pass_rate
    assert found.at_own.value == 1.0
    assert found.threshold.value == 0.6 and found.obtained.value == 0.0


def test_of_thresholds_that_come_equally_near_the_one_next_to_the_own_is_taken() -> None:
    # today 2 of 4 pass; now 1 of 4 pass from 1 on and 3 of 4 from 0.5 on, its own threshold
    place = bench_of(("yi",) * 4)
    was = scored(place, side("strict"), said("yy", "yy", "yi", "yi"))
    verdicts = said("yy", "yi", "yi", "ii")
    for own in (0.5, 0.8):
        now = scored(place, side("strict", threshold=own), verdicts)
        found = matched_thresholds(place, (was, now), None, None).pass_rate
        assert found.threshold.value == own
        assert found.obtained.value == found.at_own.value


def test_where_every_threshold_passes_the_same_answers_there_is_none() -> None:
    place = bench_of(("y",) * 4)
    sides = (
        scored(place, side("strict"), said("y", "i", "i", "i")),
        scored(place, side("strict"), said("y", "y", "y", "y")),
    )
    found = matched_thresholds(place, sides, None, None).pass_rate
    assert found.threshold.value is None and found.obtained.value is None
    assert found.threshold.reason == "every threshold passes the same answers"
    assert (found.wanted.value, found.at_own.value) == (0.25, 1.0)


def test_without_gold_the_false_pass_rate_has_a_reason() -> None:
    place = bench_of(("y",))
    sides = (scored(place, side("strict"), said("y")),) * 2
    found = matched_thresholds(place, sides, None, None).false_pass_rate
    assert found.threshold.value is None and "no gold set" in (found.threshold.reason or "")


def test_the_threshold_that_keeps_the_false_pass_rate() -> None:
    # gold under strict at 0.8: a0 1.0 passes; a1 to a4 fail (0.5, 0.5, 0, 0)
    gold = gold_of(("yy", "yi", "yn", "ii", "nn"))
    # lenient today: idk passes, so a1 and a3 pass wrongly: 2 of 4. strict now: a1 0.5, a2 0.5,
    # a3 0, a4 0. At 0.5 a1 and a2 pass: 2 of 4.
    was = scored(gold.bench, side("lenient"), said("yy", "yi", "yn", "ii", "nn"))
    now = scored(gold.bench, side("strict"), said("yy", "yi", "yn", "ii", "nn"))
    found = matched_thresholds(gold.bench, (was, now), gold, (was, now)).false_pass_rate
    assert found.wanted.value == 0.5 and found.wanted.n == 4
    assert found.at_own.value == 0.0
    assert found.threshold.value == 0.5 and found.obtained.value == 0.5


def test_when_every_gold_answer_should_pass_there_is_no_false_pass() -> None:
    gold = gold_of(("yy", "yy"))
    one = scored(gold.bench, side("strict"), said("yy", "yi"))
    found = matched_thresholds(gold.bench, (one, one), gold, (one, one)).false_pass_rate
    assert found.threshold.value is None and found.threshold.reason is not None


def test_a_plain_threshold_passes_what_reaches_the_rung_and_nothing_below() -> None:
    ladder = rungs(np.array([1 / 3, 2 / 3, 0.6, np.nan, 1.0]))
    shown = [plain_threshold(ladder, place) for place in range(len(ladder))]
    assert shown == [0.3, 0.6, 0.66, 1.0]
    for place, threshold in enumerate(shown):
        reached = ladder >= threshold - 1e-12
        assert reached.tolist() == [i >= place for i in range(len(ladder))]
