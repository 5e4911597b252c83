from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from metajudge.metrics.monitor.row import MonitorRow
from metajudge.metrics.monitor.sampling import Candidate, weights
from metajudge.metrics.monitor.trend import GoldErrors, gold_errors, weekly
from tests.metrics.monitor.simulated import LATER, series

NO_GOLD = GoldErrors(np.zeros((0, 3, 4)), "no gold")
CONFUSION = np.array([[80, 5, 15, 0], [10, 80, 10, 0], [20, 5, 75, 0]])


def trend(rows, errors=NO_GOLD, today=LATER, **more):
    return weekly(rows, errors, today=today, **more)


def test_every_week_has_figures_with_intervals_and_the_week_of_today_is_not_over():
    weeks = trend(series(1, 4, 60), today="2024-01-24")
    assert [week.week for week in weeks] == ["2024-W01", "2024-W02", "2024-W03", "2024-W04"]
    assert [week.over for week in weeks] == [True, True, True, False]
    for week in weeks:
        assert week.answers == week.units == 60
        assert week.traffic == 600
        assert week.mean_score.low < week.mean_score.value < week.mean_score.high
        assert week.pass_rate.low < week.pass_rate.value < week.pass_rate.high
        assert week.support.raw.value is not None
        assert week.support.corrected.reason == "no gold"


def test_b97_a_week_with_few_answers_has_no_figures_and_says_why():
    rows = series(1, 3, 30)
    kept = [row for row in rows if not "2024-01-08" <= row.time < "2024-01-15"]
    (_, empty, _) = trend(kept)
    assert empty.answers == 0
    assert empty.mean_score.value is None
    assert empty.mean_score.reason == "0 answers with a score, 20 are needed"
    (week, *_) = trend(rows[:19])
    assert week.mean_score.value is week.pass_rate.value is None
    assert week.support.raw.value is None
    assert week.mean_score.reason == "19 answers with a score, 20 are needed"
    assert trend(rows[:19], least=5)[0].mean_score.value is not None
    assert trend([]) == ()


def test_b106_an_answer_without_a_score_is_told_and_is_no_zero():
    rows = series(1, 1, 40)
    lost = [replace(row, score=None, passed=None, reason="no claims") for row in rows[:10]]
    (week,) = trend([*lost, *rows[10:]])
    assert week.unscored == {"no claims": 10}
    assert week.mean_score.value == pytest.approx(trend(rows[10:])[0].mean_score.value)
    assert week.mean_score.n == 30


def test_b100_answers_of_one_conversation_widen_the_interval():
    rows = series(2, 1, 60)
    same = [replace(row, answer_id=f"{row.answer_id} {k}") for row in rows for k in range(5)]
    apart = trend(same)[0].mean_score
    together = trend([replace(row, unit=row.answer_id.split()[0]) for row in same])[0].mean_score
    assert together.value == pytest.approx(apart.value)
    assert together.clusters == 60
    ratio = (together.high - together.low) / (apart.high - apart.low)
    assert 1.9 < ratio < 2.6


def test_weights_make_the_figures_those_of_the_traffic():
    """A stratum of a tenth of the traffic that is sampled tenfold does not move the mean."""
    rng = np.random.default_rng(4)
    traffic = [
        MonitorRow(
            f"a{k}", "m", "faithfulness", "2026-11-30T01:30:00Z",
            float(rng.random() < (0.3 if k % 10 == 0 else 0.9)),
            stratum="rare" if k % 10 == 0 else "usual",
        )
        for k in range(20_000)
    ]  # fmt: skip
    truth = np.mean([row.score for row in traffic])
    given = weights(
        [Candidate(row.answer_id, row.stratum) for row in traffic],
        rate=0.02,
        salt="s",
        at_least=400,
    )
    sample = [
        replace(row, weight=weight)
        for row, weight in zip(traffic, given, strict=True)
        if weight is not None
    ]
    plain = np.mean([row.score for row in sample])
    (week,) = trend(sample)
    assert week.mean_score.low < truth < week.mean_score.high
    assert abs(plain - truth) > 0.15 > 3 * abs(week.mean_score.value - truth)
    assert week.traffic == pytest.approx(20_000, rel=0.05)


def test_the_corrected_rate_takes_the_judges_errors_out():
    rng = np.random.default_rng(5)
    errors = CONFUSION / CONFUSION.sum(1, keepdims=True)
    rows = []
    for k in range(400):
        truth = rng.choice(3, size=6, p=[0.9, 0.04, 0.06] if k % 2 else [0.5, 0.2, 0.3])
        said = [int(rng.choice(4, p=errors[label])) for label in truth]
        yes, no, idk, lost = (said.count(code) for code in range(4))
        rows.append(
            MonitorRow(
                f"a{k}", "m", "faithfulness", "2026-11-30T01:30:00Z", yes / 6,
                yes=yes, no=no, idk=idk, failures=lost,
            )
        )  # fmt: skip
    tables = np.stack([CONFUSION] * 40).astype(float)
    (week,) = trend(rows, GoldErrors(tables))
    raw, corrected = week.support.raw, week.support.corrected
    assert corrected.low < 0.7 < corrected.high
    assert abs(corrected.value - 0.7) < abs(raw.value - 0.7)


def test_scores_by_another_judge_or_under_an_unknown_release_are_not_corrected(tmp_path):
    rows = series(1, 1, 20)
    other = [replace(row, judge_is_pinned=False) for row in rows]
    assert "another judge" in gold_errors(other, "m@1.0.0", tmp_path).reason
    assert "not at hand" in gold_errors(rows, "m@1.0.0", tmp_path).reason


def test_a_metric_without_claims_has_no_support_rate():
    rows = [replace(row, yes=None, no=None, idk=None) for row in series(1, 1, 30)]
    assert trend(rows)[0].support is None


def test_the_same_rows_in_another_order_give_the_same_figures():
    rows = series(3, 2, 50)
    assert trend(rows) == trend(rows[::-1])
