"""Clocks that are wrong, weeks of a year's turn, answers that come late: never a broken report."""

from __future__ import annotations

from dataclasses import replace

import pytest

from metajudge.errors import InputError
from metajudge.metrics.monitor.blocks import facts
from metajudge.metrics.monitor.export import gauges
from metajudge.metrics.monitor.html import monitor_page
from metajudge.metrics.monitor.report import Wanted, acknowledge, monitor_report
from metajudge.metrics.monitor.table import ScoreTable
from tests.metrics.monitor.simulated import RELEASE, series, week_rows

TODAY = "2024-03-20T00:00:00Z"


def table_of(place, rows) -> str:
    with ScoreTable(str(place / "scores.sqlite")) as table:
        table.write(rows)
    return str(place / "scores.sqlite")


@pytest.mark.parametrize(
    ("stray", "later", "earlier"),
    [
        ("2199-12-31T23:59:59Z", 1, 0),
        ("2024-03-22T00:00:00Z", 1, 0),
        ("2024-03-21T09:00:00Z", 0, 0),
        ("2000-01-01T00:00:00Z", 0, 1),
        ("2023-01-01T00:00:00Z", 0, 0),
    ],
)
def test_a_date_that_cannot_be_is_counted_and_left_out(tmp_path, stray, later, earlier):
    rows = series(1, 10, 30)
    odd = replace(rows[0], answer_id="odd", time=stray, score=0.0)
    if later:
        odd = replace(odd, release="another@1")
    report = monitor_report(table_of(tmp_path, [*rows, odd]), Wanted(today=TODAY))
    assert report.release == RELEASE, "not chosen by an answer of the future"
    both = monitor_report(
        table_of(tmp_path, [replace(odd, release=RELEASE)]), Wanted(today=TODAY, release=RELEASE)
    )
    assert (both.later, both.earlier) == (later, earlier)
    assert len(both.weeks) < 70
    names = {name for name, _ in facts(both, "zh")}
    assert ("未计入" in names) == bool(later or earlier)
    assert len(monitor_page(both)) < 400_000
    assert list(gauges(both))


def test_nothing_but_the_future_is_an_error_that_says_so(tmp_path):
    with pytest.raises(InputError, match=r"--as-of"):
        monitor_report(table_of(tmp_path, series(1, 3, 30)), Wanted(today="2020-01-01"))


def test_an_alarm_stays_settled_where_late_answers_move_the_week_that_raises_it(tmp_path):
    rows = series(2, 16, 60, at=10, drop=0.12)
    place = table_of(tmp_path, rows)
    wanted = Wanted(today=TODAY.replace("03-20", "04-30"))
    before = monitor_report(place, wanted)
    (alarm,) = before.open_alarms
    acknowledge(place, before, "the new retriever")
    late = [
        replace(row, answer_id=f"late-{row.answer_id}")
        for row in series(3, 16, 300, at=10, drop=0.2)
        if row.time[:10] > "2024-03-10"
    ]
    table_of(tmp_path, late)
    after = monitor_report(place, wanted)
    assert after.alarm.alarms[0].at != alarm.at, "the late answers move it"
    assert after.alarm.alarms[0].acknowledged == "the new retriever"


def test_weeks_at_the_turn_of_a_year_are_iso_weeks_in_utc(tmp_path):
    import numpy as np

    rng = np.random.default_rng(5)
    times = (
        "2026-12-27T23:59:59Z", "2026-12-28T00:00:00Z", "2027-01-03T23:59:59Z",
        "2027-01-04T00:00:00Z",
    )  # fmt: skip
    rows = [
        replace(row, answer_id=f"{time}-{row.answer_id}", time=time)
        for time in times
        for row in week_rows(rng, 0, 25)
    ]
    report = monitor_report(table_of(tmp_path, rows), Wanted(today="2027-01-20"))
    assert [(week.week, week.answers) for week in report.weeks] == [
        ("2026-W52", 25), ("2026-W53", 50), ("2027-W01", 25),
    ]  # fmt: skip
    assert [look.name for look in report.alarm.looks] == ["2026-W52", "2026-W53", "2027-W01"]
