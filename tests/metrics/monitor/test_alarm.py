from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from metajudge.errors import InputError
from metajudge.metrics.monitor.alarm import AlarmSettings, delays, watched
from metajudge.metrics.monitor.detector import BETS, Detector, Look, Side
from metajudge.metrics.monitor.moved import shifts
from metajudge.metrics.monitor.ranks import Ranked, Ranks
from tests.metrics.monitor.simulated import LATER, MEANS, series, week_rows

SETTINGS = AlarmSettings()
REFERENCE = 12


def alarms(rows, settings=SETTINGS):
    return watched(rows, settings, today=LATER).raised


@pytest.mark.parametrize(("alpha", "slack"), [(0.01, 0.01), (0.01, 0.0), (0.05, 0.0)])
def test_in_1000_quiet_weeks_false_alarms_stay_at_the_stated_rate(alpha, slack):
    """Acceptance 4: at most alpha a week, by a one-sided binomial bound of 0.1 %."""
    settings = AlarmSettings(alpha=alpha, slack=slack)
    found = sum(len(alarms(series(seed, 50, 60), settings)) for seed in range(20))
    assert found <= binom.ppf(0.999, 1000, alpha)
    if alpha == 0.05:
        assert found > 0, "a bound that never bites would say nothing"


@pytest.mark.parametrize("n", [50, 100, 200])
def test_a_drop_of_a_tenth_is_found_within_the_stated_delay(n):
    """Acceptance 4: nine of ten, as the report states it from the quiet weeks alone."""
    quiet = watched(series(1, REFERENCE, n), SETTINGS, today=LATER)
    stated = delays(quiet, SETTINGS)
    assert stated.spread is not None
    assert stated.spread <= {50: 8, 100: 4, 200: 2}[n]
    late = 0
    for seed in range(60):
        rows = series(1000 + seed, REFERENCE + stated.spread, n, at=REFERENCE, drop=0.1)
        found = [alarm for alarm in alarms(rows) if alarm.at > "2024-W12"]
        late += not found
    assert late <= binom.ppf(0.99, 60, 0.1)


def test_the_delay_gets_shorter_with_more_answers_and_is_longest_where_few_answers_fail():
    by_n = [delays(watched(series(1, 12, n), SETTINGS, today=LATER), SETTINGS) for n in (40, 160)]
    assert by_n[0].spread > by_n[1].spread
    assert all(one.whole is None or one.whole > one.spread for one in by_n)
    assert delays(watched([], SETTINGS, today=LATER), SETTINGS).answers == 0


def test_a_change_of_the_mix_alone_raises_no_alarm():
    means = {"lang=en": 0.95, "lang=zh": 0.6}
    found = {"by stratum": 0, "together": 0}
    for seed in range(10):
        rng = np.random.default_rng(seed)
        rows = [
            row
            for week in range(24)
            for row in week_rows(
                rng,
                week,
                100,
                means=means,
                mix={"lang=en": 0.9, "lang=zh": 0.1}
                if week < 12
                else {"lang=en": 0.2, "lang=zh": 0.8},
            )
        ]
        found["by stratum"] += len(alarms(rows))
        found["together"] += bool(alarms([replace(row, stratum="all") for row in rows]))
    assert found == {"by stratum": 0, "together": 10}


def test_an_alarm_says_since_when_and_what_moved():
    near = wrongly = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        low = MEANS | {"lang=zh": 0.5}
        rows = [
            row
            for week in range(18)
            for row in week_rows(rng, week, 120, means=low if week >= 12 else MEANS)
        ]
        first = alarms(rows)[0]
        assert first.side == "drop"
        near += first.since in ("2024-W12", "2024-W13", "2024-W14")
        moved = {shift.name for shift in shifts(first) if shift.moved}
        assert "lang=zh" in moved
        wrongly += "lang=en" in moved
    assert near >= 18
    assert wrongly <= binom.ppf(0.999, 20, 0.05)


def test_a_rise_and_answers_without_a_score_are_alarms_of_their_own():
    rng = np.random.default_rng(3)
    up = [r for w in range(20) for r in week_rows(rng, w, 100, means={"a": 0.6 + 0.3 * (w >= 10)})]
    assert [alarm.side for alarm in alarms(up)] == ["rise"]
    lost = [r for w in range(20) for r in week_rows(rng, w, 100, unscored=0.02 + 0.5 * (w >= 10))]
    (found,) = alarms(lost)
    assert found.side == "unscored"
    whole = next(shift for shift in shifts(found) if shift.kind == "all")
    assert whole.moved
    assert whole.after > 0.4 > whole.before


def test_where_less_is_better_a_rise_is_what_most_of_the_money_bets_on():
    """The mirror image of faithfulness, but for how ties are broken, with the same delay."""
    usual = series(6, 16, 80, at=10, drop=0.12)
    turned = [
        replace(row, metric="answer_redundancy", score=None if row.score is None else 1 - row.score)
        for row in usual
    ]
    drop, rise = (watched(rows, SETTINGS, today=LATER) for rows in (usual, turned))
    assert [alarm.side for alarm in drop.raised] == ["drop"]
    assert [alarm.side for alarm in rise.raised] == ["rise"]
    assert "2024-W11" <= rise.raised[0].at <= "2024-W13"
    quiet = (watched(rows[: 80 * 10], SETTINGS, today=LATER) for rows in (usual, turned))
    assert len({delays(each, SETTINGS) for each in quiet}) == 1


def test_the_order_of_rows_changes_nothing_and_another_release_is_another_series():
    rows = series(5, 20, 60, at=12, drop=0.2)
    shuffled = rows.copy()
    random.Random(1).shuffle(shuffled)
    assert watched(rows, SETTINGS, today=LATER).raised[0].at == alarms(shuffled)[0].at
    one, other = (watched(part, SETTINGS, today=LATER).looks for part in (rows, shuffled))
    assert [look.log_evidence for look in one] == [look.log_evidence for look in other]


def test_a_week_that_is_not_over_is_not_looked_at():
    rows = series(5, 14, 60)
    looks = watched(rows, SETTINGS, today="2024-04-03T12:00:00Z").looks
    assert looks[-1].name == "2024-W13"
    days = watched(rows, AlarmSettings(every="day"), today="2024-04-03T12:00:00Z").looks
    assert days[-1].name == "2024-04-02"


def test_looking_every_day_keeps_the_rate_and_finds_a_collapse_within_days():
    settings = AlarmSettings(every="day", slack=0.0)
    quiet = sum(len(alarms(series(seed, 50, 70), settings)) for seed in range(10))
    assert quiet <= binom.ppf(0.999, 500, 0.01)
    (first, *_) = alarms(series(1, 16, 70, at=12, drop=0.5), settings)
    assert "2024-03-25" <= first.since <= first.at <= "2024-03-29"


def test_answers_of_one_conversation_count_once():
    """A heap of answers of one unit is one piece of evidence, not many."""
    rows = series(7, 13, 30)
    last = [row for row in rows if row.time >= "2024-03-25"]
    heap = [
        replace(last[0], answer_id=f"h{k}", unit="one conversation", score=0.0) for k in range(300)
    ]
    assert alarms([*rows, *heap]) == ()
    apart = [replace(row, unit="") for row in heap]
    assert len(alarms([*rows, *apart])) == 1


def test_a_conversation_over_several_strata_counts_once_in_that_of_its_first_answer():
    """Else its answers, which depend, were weighed as independent, with one tie between them."""
    rng = np.random.default_rng(2)
    rows = []
    for week in range(12):
        for place, row in enumerate(week_rows(rng, week, 90)):
            names = ("lang=en", "lang=zh", "lang=fr")
            unit, stratum = f"{week}-{place // 3}", names[place % 3]
            rows.append(replace(row, unit=unit, stratum=stratum, score=float(place // 3 % 2)))
    found = watched(rows, SETTINGS, today=LATER)
    assert {look.units for look in found.looks} == {30}
    shuffled = watched(rows[::-1], SETTINGS, today=LATER)
    assert [look.log_evidence for look in shuffled.looks] == [
        look.log_evidence for look in found.looks
    ]


def test_b100_weeks_that_differ_by_themselves_are_what_slack_is_for():
    """Weeks with a common shift are dependent answers: the rate holds with a slack that covers it.

    A shift of the mean with a spread of 0.03 from week to week is no exchangeable traffic.
    """
    counts = {}
    for slack in (0.0, 0.05):
        counts[slack] = 0
        for seed in range(10):
            rng = np.random.default_rng(seed)
            rows = [
                row
                for week in range(50)
                for shift in [float(np.clip(rng.normal(0, 0.03), -0.1, 0.1))]
                for row in week_rows(
                    rng, week, 150, means={name: mean + shift for name, mean in MEANS.items()}
                )
            ]
            counts[slack] += len(alarms(rows, AlarmSettings(slack=slack)))
    assert counts[0.05] <= binom.ppf(0.999, 500, 0.01)
    assert counts[0.05] < counts[0.0]


def test_ranks_are_uniform_and_independent_whatever_the_scores_are():
    rng = np.random.default_rng(1)
    first, second = [], []
    for _ in range(2000):
        ranks = Ranks()
        values = rng.choice([0.0, 0.5, 1.0, 1.0, 1.0], size=12)
        told = ranks.take(Ranked("s", v, t) for v, t in zip(values, rng.random(12), strict=True))
        first.append(told[-2])
        second.append(told[-1])
    for told in (first, second):
        assert abs(np.mean(told) - 0.5) < 4 * math.sqrt(1 / 12 / 2000)
        assert abs(np.var(told) - 1 / 12) < 0.006
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.09


def test_the_expected_number_of_alarms_is_at_most_alpha_a_week_even_for_the_worst_outcomes():
    """Outcomes of 0 and 1 with a mean of one half gain most: many short series, exact bound."""
    rng = np.random.default_rng(2)
    alpha, weeks, total = 0.1, 20, 0
    for _ in range(400):
        detector = Detector([Side("drop", 1.0)], alpha)
        for week in range(weeks):
            outcomes = rng.integers(0, 2, 3).astype(float)
            total += detector.take(Look(str(week), 1.0, {"drop": outcomes})) is not None
    bound = alpha * weeks * 400
    assert total <= bound + 4 * math.sqrt(bound)
    assert total > 0.1 * bound


def test_money_that_enters_on_the_first_look_of_a_week_alone_is_what_is_bet():
    detector = Detector([Side("drop", 1.0)], 0.01)
    detector.take(Look("a", 1.0, {"drop": np.array([])}))
    detector.take(Look("b", 0.0, {"drop": np.array([])}))
    detector.take(Look("c", 1.0, {"drop": np.array([1.0])}))
    gain = np.mean([1 + bet for bet in BETS])
    told = np.exp(detector.evidence)
    assert told == pytest.approx([1.0, 1.0, 2 * gain])


@pytest.mark.parametrize(
    "bad", [{"alpha": 0.0}, {"alpha": 1.0}, {"slack": -0.1}, {"slack": 0.5}, {"every": "hour"}]
)
def test_settings_that_mean_nothing_are_refused(bad):
    with pytest.raises(InputError, match=next(iter(bad))):
        AlarmSettings(**bad)
