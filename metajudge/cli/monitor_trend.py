"""`metajudge monitor trend | queue | page | export`: what the table of scores says."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metajudge.cli.monitor_score import DEFAULT_DATABASE, DatabaseOption
from metajudge.cli.output import (
    JsonOption,
    LangOption,
    ReportLanguage,
    console,
    say,
    say_json,
    say_json_text,
    wrapped,
)
from metajudge.cli.release_list import RegistryOption
from metajudge.counted import counted
from metajudge.errors import EXIT_GOOD, EXIT_GUARDRAIL, InputError, Problem

if TYPE_CHECKING:
    from metajudge.metrics.monitor.alarm import AlarmSettings
    from metajudge.metrics.monitor.report import MonitorReport, Wanted


class Look(Enum):
    """How often the alarm looks."""

    week = "week"
    day = "day"


class ExportForm(Enum):
    """What is written for other tools."""

    prometheus = "prometheus"
    otlp = "otlp"
    evaluations = "evaluations"


MetricOption = Annotated[str, typer.Option("--metric", help="Name of the metric.")]
ReleaseOption = Annotated[
    str | None,
    typer.Option(
        "--release",
        metavar="RELEASE",
        help="As the table has it.  [default: that of the latest answer]",
        show_default=False,
    ),
]
AlphaOption = Annotated[
    float, typer.Option("--alpha", help="Expected false alarms a quiet week, at most.")
]
SlackOption = Annotated[
    float,
    typer.Option(
        "--slack",
        help="How far over one half the chance may be that a new answer scores lower than an "
        "earlier one, before that counts as a change; 0 to 0.25.",
    ),
]
EveryOption = Annotated[Look, typer.Option("--every", help="Look after each week or each day.")]
LeastOption = Annotated[
    int, typer.Option("--least", min=2, help="Answers that a week needs for figures.")
]
AsOfOption = Annotated[
    str | None,
    typer.Option(
        "--as-of",
        metavar="DATE",
        help="As if today were this day: its week is not over.  [default: today, UTC]",
        show_default=False,
    ),
]
AcknowledgeOption = Annotated[
    str | None,
    typer.Option("--acknowledge", metavar="WHY", help="Settle the open alarms; say why."),
]
UnderOption = Annotated[
    float,
    typer.Option(
        "--under",
        min=0.0,
        max=1.0,
        help="Scores under it are low; over it are bad where less is better.",
    ),
]
FolderArgument = Annotated[
    Path,
    typer.Argument(
        metavar="FOLDER",
        help="Gold folder that `metajudge label` opens; made if needed.",
        show_default=False,
    ),
]
AnswersOption = Annotated[
    str | None,
    typer.Option(
        "--answers",
        metavar="FILE",
        help="Answers with their claims, or what `metajudge evaluate` wrote, where the table does "
        "not keep texts (--texts).",
    ),
]
PageArgument = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="The page, one HTML file.", show_default=False),
]
ToOption = Annotated[
    ExportForm,
    typer.Option(
        "--to",
        help="prometheus: text for a scrape. otlp: metrics as OTLP JSON. evaluations: each score "
        "as an event gen_ai.evaluation.result, as OTLP JSON.",
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="Write it here instead of standard output."),
]


def trend(
    *,
    db: DatabaseOption = DEFAULT_DATABASE,
    metric: MetricOption = "faithfulness",
    release: ReleaseOption = None,
    registry: RegistryOption = None,
    alpha: AlphaOption = 0.01,
    slack: SlackOption = 0.01,
    every: EveryOption = Look.week,
    least: LeastOption = 20,
    under: UnderOption = 0.5,
    as_of: AsOfOption = None,
    acknowledge: AcknowledgeOption = None,
    lang: LangOption = ReportLanguage.en,
    as_json: JsonOption = False,
) -> None:
    """Show the weekly trend, and raise an alarm when the traffic changed.

    Ends with 1 while an alarm is not acknowledged, else with 0.
    """
    from metajudge.metrics.monitor.report import Wanted
    from metajudge.metrics.monitor.report import acknowledge as settle

    alarm, today = _alarm(alpha, slack, every), _today(as_of)
    wanted = Wanted(metric, release, registry, alarm, under, least, today)
    report = _report(db, wanted)
    if acknowledge is not None:
        if not acknowledge.strip():
            law, mend = "an alarm is acknowledged with a reason", 'Give one: --acknowledge "…".'
            raise InputError(Problem("command line", law, mend, field="--acknowledge"))
        settle(db, report, acknowledge.strip())
        report = _report(db, wanted)
    if as_json:
        say_json_text(report.model_dump_json(indent=2))
    else:
        from metajudge.metrics.monitor.text import print_monitor

        print_monitor(report, console(), lang.code)
    raise typer.Exit(EXIT_GUARDRAIL if report.open_alarms else EXIT_GOOD)


def page(
    file: PageArgument,
    *,
    db: DatabaseOption = DEFAULT_DATABASE,
    metric: MetricOption = "faithfulness",
    release: ReleaseOption = None,
    registry: RegistryOption = None,
    alpha: AlphaOption = 0.01,
    slack: SlackOption = 0.01,
    every: EveryOption = Look.week,
    least: LeastOption = 20,
    under: UnderOption = 0.5,
    as_of: AsOfOption = None,
    lang: LangOption = ReportLanguage.en,
) -> None:
    """Write the dashboard: one HTML file that asks nothing of a network."""
    from metajudge.metrics.monitor.html import write_monitor_page
    from metajudge.metrics.monitor.report import Wanted

    alarm, today = _alarm(alpha, slack, every), _today(as_of)
    wanted = Wanted(metric, release, registry, alarm, under, least, today)
    say(str(write_monitor_page(_report(db, wanted), file, lang.code)))


def export(
    *,
    to: ToOption,
    out: OutOption = None,
    db: DatabaseOption = DEFAULT_DATABASE,
    metric: MetricOption = "faithfulness",
    release: ReleaseOption = None,
    registry: RegistryOption = None,
    alpha: AlphaOption = 0.01,
    slack: SlackOption = 0.01,
    every: EveryOption = Look.week,
    least: LeastOption = 20,
    under: UnderOption = 0.5,
    as_of: AsOfOption = None,
) -> None:
    """Write the figures for other tools. Nothing is sent anywhere."""
    import json

    from metajudge.metrics.monitor.export import otlp_evaluations, otlp_metrics, prometheus_text
    from metajudge.metrics.monitor.report import Wanted
    from metajudge.metrics.monitor.table import ScoreTable
    from metajudge.report.written_file import write_whole

    if to is ExportForm.evaluations:
        with ScoreTable(_there(db)) as table:
            told = otlp_evaluations(table.rows(metric=metric, release=release, texts=False))
        text = f"{json.dumps(told, ensure_ascii=False, allow_nan=False)}\n"
    else:
        alarm, today = _alarm(alpha, slack, every), _today(as_of)
        wanted = Wanted(metric, release, registry, alarm, under, least, today)
        report = _report(db, wanted)
        if to is ExportForm.prometheus:
            text = prometheus_text([report])
        else:
            text = f"{json.dumps(otlp_metrics([report]), ensure_ascii=False, allow_nan=False)}\n"
    if out is None:
        say(text.rstrip("\n"))
    else:
        say(str(write_whole(out, text)))


def queue(
    folder: FolderArgument,
    *,
    db: DatabaseOption = DEFAULT_DATABASE,
    metric: MetricOption = "faithfulness",
    release: ReleaseOption = None,
    under: UnderOption = 0.5,
    answers: AnswersOption = None,
    as_json: JsonOption = False,
) -> None:
    """Put answers with a low score into a gold folder, where people label what was judged of them.

    The folder is gold for the metric. Answers that are there already, labelled or not, are not put
    there again.
    """
    from metajudge.metrics.monitor.queue import queue as put
    from metajudge.metrics.monitor.queue import texts_of
    from metajudge.metrics.monitor.table import ScoreTable

    texts = None if answers is None else texts_of(answers, metric)
    with ScoreTable(_there(db)) as table:
        rows = table.rows(metric=metric, release=release)
        if not rows:
            series = metric if release is None else f"{metric} under {release}"
            law, mend = f"the table has no score of {series}", "Name another with --metric."
            raise InputError(Problem(table.shown, law, mend, field="metric"))
    found = put(rows, folder, threshold=under, texts=texts)
    if as_json:
        say_json({"folder": str(folder), **found._asdict()})
        return
    say(
        f"{counted(found.answers, 'answers')} with "
        f"{counted(found.claims, 'claims')} added to {folder}"
    )
    if found.already:
        say(f"{counted(found.already, 'low answers were')} there before")
    if found.without_texts:
        mend = "score with --texts, or name answers with claims or evaluated ones with --answers"
        lack = f"{counted(found.without_texts, 'low answers have')} no texts or claims at hand"
        say(wrapped(f"{lack}: {mend}"))
    if found.waiting:
        say(
            f"{counted(found.waiting, 'claims wait')} for a "
            f"label: metajudge label {folder} --as NAME"
        )


def _alarm(alpha: float, slack: float, every: Look) -> AlarmSettings:
    from metajudge.metrics.monitor.alarm import AlarmSettings

    return AlarmSettings(alpha=alpha, slack=slack, every=every.value)


def _today(as_of: str | None) -> str | None:
    from metajudge.metrics.monitor.times import moment, stamp

    if as_of is None:
        return None
    try:
        return stamp(moment(as_of))
    except ValueError:
        law, mend = "a date is ISO 8601", "Write 2026-11-30."
        problem = Problem("command line", law, mend, field="--as-of", got=repr(as_of))
        raise InputError(problem) from None


def _report(db: str, wanted: Wanted) -> MonitorReport:
    from metajudge.metrics.monitor.report import monitor_report

    return monitor_report(_there(db), wanted)


def _there(db: str) -> str:
    """A SQLite file that is only read is not made."""
    from metajudge.metrics.monitor.opening import parsed

    url = parsed(db)
    is_file = url.get_backend_name() == "sqlite" and url.database not in (None, "", ":memory:")
    if is_file and not Path(url.database or "").is_file():
        law, mend = "no scores are here yet", "Score answers first: metajudge monitor score."
        raise InputError(Problem(db, law, mend, field="--db"))
    return db
