"""What the monitor shows, before it is laid out for a page or a terminal."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from metajudge.metrics.judged import JUDGED
from metajudge.metrics.monitor.alarm import AlarmSettings
from metajudge.metrics.monitor.bad_scores import less_is_better
from metajudge.metrics.monitor.moved import EVERYTHING, Shift
from metajudge.metrics.monitor.report import AlarmFigures, MonitorReport
from metajudge.metrics.monitor.row import FAITHFULNESS
from metajudge.metrics.monitor.times import first_day
from metajudge.metrics.monitor.trend import WeekFigures
from metajudge.metrics.monitor.words import reason, said
from metajudge.report.consult_block import Block, Cell, Line, Shown, lines_of
from metajudge.report.figure_text import UNDEFINED, compact, count, p_text
from metajudge.report.part import Figure
from metajudge.report.words import Language, word

MOST_MOVED = 6
COLUMNS = (
    *("week", "answers", "traffic", "mean_score", "pass_rate", "support", "corrected"),
    "unscored",
)
WIDE = ("traffic", "support", "unscored")
"""Columns of the weeks that a terminal has no room for."""
CANARY = "gold/faithfulness"
_RELEASE = re.compile(r"[^\s@]+@\d+(?:\.\d+)*")
"""What a release in a registry is called; other scores have whatever name their writer gave."""
QUEUE = "gold/queue"


def verdict(report: MonitorReport) -> str:
    """How things stand, in one code: alarm, quiet, learning."""
    if report.open_alarms:
        return "alarm"
    return "quiet" if report.alarm.looks else "learning"


def sentence(report: MonitorReport, language: Language) -> str:
    """How things stand, in a sentence."""
    stands = verdict(report)
    if stands == "alarm":
        return " ".join(_alarm_sentence(alarm, language) for alarm in report.open_alarms)
    if stands == "learning":
        return said("sentence.learning", language)
    evidence = number(report.alarm.looks[-1].evidence)
    return said("sentence.quiet", language, evidence=evidence, bar=number(report.alarm.bar))


def number(value: float) -> str:
    """Evidence: three digits, thousands separated.

    >>> number(0.1234), number(123456.0)
    ('0.123', '123,456')
    """
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _alarm_sentence(alarm: AlarmFigures, language: Language) -> str:
    told = said(f"sentence.{alarm.side}", language, since=dated(alarm.since), at=alarm.at)
    return f"{told} {moved_sentence(alarm, language)}"


def dated(look: str) -> str:
    """A look with the day on which it begins.

    >>> dated("2026-W49"), dated("2026-11-30")
    ('2026-W49 (2026-11-30)', '2026-11-30')
    """
    return f"{look} ({first_day(look)})" if "-W" in look else look


def moved_sentence(alarm: AlarmFigures, language: Language) -> str:
    """The strata and slices that moved."""
    comma = word("list_comma", language)
    moved = [
        f"{part_name(shift, language)} ({compact(shift.before)} → {compact(shift.after)})"
        for shift in alarm.shifts
        if shift.moved
    ]
    if not moved:
        return said("moved_none", language)
    return said("moved", language, parts=comma.join(moved[:MOST_MOVED]))


def part_name(shift: Shift, language: Language) -> str:
    """What a part is called."""
    if shift.kind == EVERYTHING:
        return said("all", language)
    return shift.name if shift.kind == "stratum" else f"{shift.kind}={shift.name}"


class Step(NamedTuple):
    """One thing to do.

    Attributes:
        text: What, and what follows.
        command: What does it, to be copied as it stands; "" where no command does.
    """

    text: str
    command: str = ""


def next_steps(report: MonitorReport, language: Language) -> tuple[Step, ...]:
    """What to do about open alarms: first judge or pipeline, then people, then settle it."""
    if not report.open_alarms:
        return ()
    last = report.open_alarms[-1]
    steps = []
    if not last.judge_is_pinned:
        steps.append(Step(said("next.other_judge", language)))
    if last.side == "unscored":
        steps.append(Step(said("next.unscored", language)))
    elif _RELEASE.fullmatch(report.release):
        watch = f"metajudge watch --release {shlex.quote(report.release)} --canary {CANARY}"
        steps.append(Step(said("next.judge", language), watch))
    elif report.metric in JUDGED:
        steps.append(Step(said("next.judge_again", language)))
    key = "next.pipeline" if report.metric in JUDGED else "next.pipeline_computed"
    steps.append(Step(said(key, language, since=dated(last.since)), queue_command(report)))
    series = f"{_series(report)}{_alarm_options(report)}"
    settle = f'metajudge monitor trend {series} --acknowledge "why"'
    steps.append(Step(said("next.acknowledge", language), settle))
    return tuple(step._replace(text=f"{n}. {step.text}") for n, step in enumerate(steps, 1))


def queue_command(report: MonitorReport) -> str:
    """The command that puts low answers before people; a folder holds gold for one metric.

    "" where nobody labels for the metric.
    """
    if report.metric not in JUDGED:
        return ""
    folder = QUEUE if report.metric == FAITHFULNESS else f"{QUEUE}-{report.metric}"
    where = f"{shlex.quote(folder)} {_series(report)}"
    return f"metajudge monitor queue {where} --under {report.threshold:g}"


def _series(report: MonitorReport) -> str:
    """The options that name the series which is shown, and no other one of the table."""
    told = f"--db {shlex.quote(report.database)}"
    if report.metric != FAITHFULNESS:
        told += f" --metric {shlex.quote(report.metric)}"
    return f"{told} --release {shlex.quote(report.release)}" if report.others else told


def _alarm_options(report: MonitorReport) -> str:
    """Options of the alarm other than the defaults: with others it may not be open."""
    usual = AlarmSettings()
    told = {name: getattr(report.alarm, name) for name in ("alpha", "slack", "every")}
    return "".join(f" --{k} {v}" for k, v in told.items() if v != getattr(usual, k))


def facts(report: MonitorReport, language: Language) -> list[tuple[str, str]]:
    """Names and texts at the head."""
    alarm = report.alarm
    line = said(
        "facts.answers_line",
        language,
        n=count(report.answers),
        first=report.first[:10],
        last=report.last[:10],
    )
    false = said(
        "facts.false_line", language, alpha=f"{alarm.alpha:g}", weeks=f"{1 / alarm.alpha:,.0f}"
    )
    rows = [
        ("metric", report.metric),
        ("release", report.release),
        ("answers", line),
        ("false", false),
        ("delay", _delay(report, language)),
    ]
    aside = [
        said(f"facts.{name}", language, n=count(n))
        for name, n in (("later", report.later), ("earlier", report.earlier))
        if n
    ]
    if aside:
        rows.append(("aside", word("list_comma", language).join(aside)))
    if report.others:
        rows.append(("others", word("list_comma", language).join(report.others)))
    return [(said(f"facts.{name}", language), text) for name, text in rows]


def _delay(report: MonitorReport, language: Language) -> str:
    alarm = report.alarm
    if not alarm.answers_a_week:
        return said("facts.delay_none", language)
    return said(
        "facts.delay_rise" if less_is_better(report.metric) else "facts.delay_line",
        language,
        n=count(alarm.answers_a_week),
        drop=f"{alarm.drop:g}",
        spread=_weeks(alarm.weeks_to_find, language),
        whole=_weeks(alarm.weeks_to_find_whole, language),
    )


def _weeks(weeks: int | None, language: Language) -> str:
    if weeks is None:
        return said("weeks_many", language)
    return said("weeks_1", language) if weeks == 1 else said("weeks_n", language, n=weeks)


def monitor_blocks(
    report: MonitorReport, language: Language, *, narrow: bool = False
) -> dict[str, Block]:
    """The parts of the report by name, in order; `narrow` leaves columns out for 80 columns."""
    blocks = [_trend(report, language, narrow=narrow), _alarms(report, language)]
    if report.alarm.alarms:
        blocks.append(_parts(report.alarm.alarms[-1], language))
    if report.lowest:
        blocks.append(_queue(report, language))
    return {block.name: block for block in blocks}


def _trend(report: MonitorReport, language: Language, *, narrow: bool) -> Block:
    columns = [key for key in COLUMNS if not narrow or key not in WIDE]
    lines = lines_of(
        [cell for key, cell in _week(week, language).items() if key in columns]
        for week in reversed(report.weeks)
    )
    reasons = Counter[str]()
    for week in report.weeks:
        reasons.update(week.unscored)
    comma = word("list_comma", language)
    told = comma.join(f"{reason(text, language)} ({n})" for text, n in reasons.most_common())
    notes = [said("reasons", language, parts=told)] if told else []
    notes += [] if all(week.over for week in report.weeks) else [said("not_over", language)]
    heads = tuple(said(key, language) for key in columns)
    lead = (said("trend.lead", language),)
    return Block("trend", said("trend", language), lead, heads, lines, tuple(notes))


def _week(week: WeekFigures, language: Language) -> dict[str, Cell]:
    support = week.support
    none = week.mean_score
    if week.answers:
        none = Figure(value=None, n=0, reason=said("said.no_counts", language))
    raw, corrected = (none, none) if support is None else (support.raw, support.corrected)
    return {
        "week": week.week if week.over else f"{week.week} *",
        "answers": count(week.answers),
        "traffic": count(round(week.traffic)),
        "mean_score": Shown(_in(week.mean_score, language)),
        "pass_rate": Shown(_in(week.pass_rate, language)),
        "support": Shown(_in(raw, language)),
        "corrected": Shown(_in(corrected, language)),
        "unscored": count(sum(week.unscored.values())),
    }


def _in(figure: Figure, language: Language) -> Figure:
    if figure.reason is None:
        return figure
    return figure.model_copy(update={"reason": reason(figure.reason, language)})


def _alarms(report: MonitorReport, language: Language) -> Block:
    alarms = report.alarm.alarms
    heads = tuple(said(key, language) for key in ("raised", "since", "what", "settled"))
    lines = tuple(
        Line(
            (
                alarm.at,
                alarm.since,
                said(f"side.{alarm.side}", language),
                said("open", language) if alarm.acknowledged is None else alarm.acknowledged,
            ),
            state="open" if alarm.acknowledged is None else "kept",
        )
        for alarm in reversed(alarms)
    )
    lead = () if alarms else (said("alarms.none", language),)
    fine = (said("how", language, slack=f"{report.alarm.slack:g}"),)
    return Block("alarms", said("alarms", language), lead, heads, lines, fine=fine)


def _parts(alarm: AlarmFigures, language: Language) -> Block:
    heads = tuple(said(key, language) for key in ("part", "before", "after", "change", "p"))
    lines = tuple(
        Line(
            (
                part_name(shift, language),
                compact(shift.before),
                compact(shift.after),
                Shown(_in(shift.change, language), sign=True),
                UNDEFINED if shift.p is None else p_text(shift.p),
            ),
            state="broken" if shift.moved else "",
        )
        for shift in alarm.shifts
    )
    lead = (said("parts.lead", language, since=alarm.since),)
    return Block("parts", said("parts", language, at=alarm.at), lead, heads, lines)


def _queue(report: MonitorReport, language: Language) -> Block:
    heads = tuple(said(key, language) for key in ("answer", "time", "stratum", "score"))
    lines = lines_of(
        (low.answer_id, low.time, low.stratum, compact(low.score)) for low in report.lowest
    )
    key = "queue.over" if less_is_better(report.metric) else "queue.under"
    lead = said(key, language, n=count(report.low), threshold=f"{report.threshold:g}")
    if report.metric in JUDGED:
        lead += f"{'' if language == 'zh' else ' '}{said('queue.label', language)}"
    return Block("queue", said("queue", language), (lead,), heads, lines)


def provenance(report: MonitorReport) -> Iterator[tuple[str, str]]:
    """Names and texts of where the numbers come from."""
    yield from (
        ("created", report.created),
        ("metajudge", report.package_version),
        ("table", report.database),
        ("format", report.format),
        ("alpha", f"{report.alarm.alpha:g}"),
        ("slack", f"{report.alarm.slack:g}"),
        ("look", report.alarm.every),
    )
