"""`metajudge monitor score`: a sample through a release, into the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from metajudge.cli.declared import (
    DEFAULT_STORE,
    CallsOption,
    MinutesOption,
    RecordingOption,
    StoreOption,
    UsdOption,
    checked_budget,
)
from metajudge.cli.exit_codes import stop_exit_code
from metajudge.cli.guard import explain
from metajudge.cli.judge import ApiBaseOption, JudgeOption, other_judge
from metajudge.cli.measured import QuietOption
from metajudge.cli.monitor_sample import TimeOption
from metajudge.cli.output import JsonOption, say, say_json, tell
from metajudge.cli.release_list import RegistryOption
from metajudge.cli.sweep import observer
from metajudge.counted import counted
from metajudge.errors import EXIT_CANNOT_DECIDE, EXIT_GOOD

if TYPE_CHECKING:
    from metajudge.metrics.monitor.row import MonitorRow
    from metajudge.release.judged import Judged

DEFAULT_DATABASE = ".metajudge/monitor.sqlite"
SampleArgument = Annotated[
    str,
    typer.Argument(
        metavar="SAMPLE",
        help="What `monitor sample` wrote, or answers with a time, which then count once each.",
        show_default=False,
    ),
]
ReleaseOption = Annotated[
    str,
    typer.Option("--release", metavar="RELEASE", help="name@1.2.0, name@1, name, or a folder."),
]
DatabaseOption = Annotated[
    str,
    typer.Option(
        "--db",
        metavar="DATABASE",
        help="SQLite file, or a URL such as postgresql+psycopg://user@host/base.",
        envvar="METAJUDGE_MONITOR",
        show_envvar=True,
    ),
]
TextsOption = Annotated[
    bool,
    typer.Option("--texts", help="Keep question, answer, context and claims in the table too."),
]


def score(
    sample: SampleArgument,
    *,
    release: ReleaseOption,
    judge: JudgeOption = None,
    api_base: ApiBaseOption = None,
    db: DatabaseOption = DEFAULT_DATABASE,
    texts: TextsOption = False,
    time: TimeOption = "time",
    store: StoreOption = DEFAULT_STORE,
    recording: RecordingOption = None,
    registry: RegistryOption = None,
    budget_usd: UsdOption = None,
    budget_calls: CallsOption = None,
    budget_minutes: MinutesOption = None,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Score sampled answers with a release and keep the scores in one table.

    Answers that the table has are not scored again; a run that ended early goes on where it ended.
    """
    from metajudge.metrics.monitor.recording import check_sampled, judged_to_rows
    from metajudge.metrics.monitor.table import ScoreTable
    from metajudge.metrics.monitor.traffic import answer_row
    from metajudge.release.answers_file import read_answers
    from metajudge.release.application import JudgeSettings
    from metajudge.release.apply import judge_answers
    from metajudge.release.registry import find

    settings = JudgeSettings(
        store=store,
        recordings=recording or (),
        judge=judge,
        api_base=api_base,
        budget=checked_budget(usd=budget_usd, calls=budget_calls, minutes=budget_minutes),
        observer=observer(quiet),
    )
    found = find(release, registry)
    if found.note:
        tell(found.note)
    metric = found.release.manifest.metric
    answers = read_answers(sample).answers
    check_sampled(answers, time)
    with ScoreTable(db) as table:
        known = table.known(found.release.ref, metric)
        fresh = [answer_row(answer) for answer in answers if answer.answer_id not in known]
        told: dict[str, Any] = {"sampled": len(answers), "known": len(answers) - len(fresh)}
        code = EXIT_GOOD
        if fresh:
            judged = judge_answers(found.release, fresh, settings)
            if not judged.summary.judge.is_pinned:
                explain(other_judge(judged.summary))
            rows = judged_to_rows(judged, texts=texts, time=time, metric=metric)
            table.write(rows)
            code = _ended(judged)
            told |= _counts(rows, len(fresh))
        told |= {"release": found.release.ref, "metric": metric, "database": table.shown}
    _show(told, as_json=as_json)
    raise typer.Exit(code)


def _counts(rows: Sequence[MonitorRow], fresh: int) -> dict[str, int]:
    scored = sum(row.score is not None for row in rows)
    return {"scored": scored, "unscored": len(rows) - scored, "open": fresh - len(rows)}


def _ended(judged: Judged) -> int:
    from metajudge.report.words import word

    summary = judged.summary
    calls = summary.calls
    if summary.failures:
        lost = ", ".join(f"{name} {count}" for name, count in summary.failures.items())
        explain(f"claims without a verdict: {lost}")
    if calls.stopped is None:
        asked = sum(summary.verdicts.values())
        if not asked or asked > summary.verdicts.get("failure", 0):
            return EXIT_GOOD
        explain(word("message.nothing_read", "en"))
        return EXIT_CANNOT_DECIDE
    explain(f"the run ended early: {calls.message or calls.stopped}")
    return stop_exit_code(calls.stopped)


def _show(told: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        say_json(told)
        return
    say(f"{counted(told['sampled'], 'answers')}, {told['known']} of them scored before")
    if "scored" in told:
        open_ = f", {told['open']} not judged yet" if told["open"] else ""
        say(f"{told['scored']} scored, {told['unscored']} without a score{open_}")
    say(f"{told['metric']} under {told['release']} in {told['database']}")
