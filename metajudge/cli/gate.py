"""`metajudge gate`: is the system still as good as when its baseline was written?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
from metajudge.cli.measured import QuietOption
from metajudge.cli.output import (
    WIDEST,
    LangOption,
    ReportLanguage,
    console,
    say,
    say_json,
    tell,
    wrapped,
)
from metajudge.cli.release_list import RegistryOption
from metajudge.cli.sweep import observer
from metajudge.cli.writable import check_folder
from metajudge.errors import (
    EXIT_CANNOT_DECIDE,
    EXIT_GOOD,
    EXIT_GUARDRAIL,
    InputError,
    Problem,
)

if TYPE_CHECKING:
    from metajudge.metrics.gate.gate import Gate
    from metajudge.metrics.gate.report import GateReport

SuiteOption = Annotated[Path, typer.Option("--suite", metavar="YAML", help="The suite's file.")]
AnswersOption = Annotated[
    Path | None,
    typer.Option("--answers", help="Today's answers.  [default: the suite's]", show_default=False),
]
WriteOption = Annotated[
    bool,
    typer.Option("--write-baseline", help="Store today's scores as the baseline; test nothing."),
]
KeepOption = Annotated[
    bool,
    typer.Option("--keep-failures", help="Keep cases under their bar: they then have to pass."),
]
OfflineOption = Annotated[
    bool, typer.Option("--offline", help="Ask nothing; only stored replies count.")
]
JUnitOption = Annotated[
    Path | None, typer.Option("--junit", help="Write JUnit XML.", show_default=False)
]
MarkdownOption = Annotated[
    Path | None,
    typer.Option("--markdown", help="Write markdown for a pull request.", show_default=False),
]
JsonOption = Annotated[bool, typer.Option("--json", help="The report as JSON.")]


def gate(
    suite: SuiteOption,
    *,
    answers: AnswersOption = None,
    write_baseline: WriteOption = False,
    keep_failures: KeepOption = False,
    junit: JUnitOption = None,
    markdown: MarkdownOption = None,
    store: StoreOption = DEFAULT_STORE,
    recording: RecordingOption = None,
    registry: RegistryOption = None,
    offline: OfflineOption = False,
    budget_usd: UsdOption = None,
    budget_calls: CallsOption = None,
    budget_minutes: MinutesOption = None,
    lang: LangOption = ReportLanguage.en,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Hold today's answers against a stored baseline, at stated error rates.

    Ends with 0 where every metric and every case that once failed passes, 1 where one fails, and 4
    where it cannot be decided: too few cases, or calls that failed. A failed call is never a fail.
    Only replies that the store lacks are asked for.
    """
    from metajudge.metrics.gate.gate import Gate, GateSettings
    from metajudge.metrics.gate.suite import read_suite

    settings = GateSettings(
        answers=answers,
        store=store,
        recordings=recording or (),
        registry=registry,
        budget=checked_budget(usd=budget_usd, calls=budget_calls, minutes=budget_minutes),
        offline=offline,
        observer=observer(quiet),
    )
    for place in filter(None, (junit, markdown)):
        check_folder(place.parent, [place.name])
    if write_baseline and (keep_failures or junit or markdown):
        law = "a baseline is written, or a gate is run"
        raise InputError(Problem("command line", law, "Run twice.", None, "--write-baseline"))
    opened = Gate(read_suite(suite), suite, settings, compare=not write_baseline)
    if write_baseline:
        _write_baseline(opened, lang)
        return
    _check_apart({"--junit": junit, "--markdown": markdown}, opened.places)
    report = opened.report(opened.score())
    _write(report, junit, markdown, lang)
    if as_json:
        say_json(report.model_dump(mode="json"))
    else:
        _show(report, lang)
    _keep(opened, report, lang, keep=keep_failures)
    raise typer.Exit(_ended(report, lang, offline=offline))


def _check_apart(reports: Mapping[str, Path | None], read: Sequence[Path]) -> None:
    """Refuses to write a report over what the gate reads, or over another report."""
    taken = [place.resolve() for place in read]
    for option, place in reports.items():
        if place is None:
            continue
        if place.resolve() in taken:
            law = "a report has a file of its own"
            mend = "Name another one."
            raise InputError(Problem("command line", law, mend, None, option, str(place)))
        taken.append(place.resolve())


def _write(
    report: GateReport, junit: Path | None, markdown: Path | None, lang: ReportLanguage
) -> None:
    from metajudge.metrics.gate.junit import gate_junit
    from metajudge.metrics.gate.markdown import gate_markdown
    from metajudge.report.written_file import write_whole

    if junit is not None:
        write_whole(junit, gate_junit(report, lang.code))
    if markdown is not None:
        write_whole(markdown, gate_markdown(report, lang.code))


def _show(report: GateReport, lang: ReportLanguage) -> None:
    from metajudge.metrics.gate.text import gate_lines
    from metajudge.report.guideline_text import wrapped_cells

    columns = min(console().width, WIDEST)
    for line in gate_lines(report, lang.code):
        if line.startswith("  "):
            say(line)
            continue
        mark = "- " if line.startswith("- ") else ""
        say("\n".join(wrapped_cells(line.removeprefix(mark), columns, mark)))


def _keep(opened: Gate, report: GateReport, lang: ReportLanguage, *, keep: bool) -> None:
    from metajudge.metrics.gate.once_failed import append_kept
    from metajudge.metrics.gate.words import word

    failures = opened.failures(report)
    if not failures:
        return
    if keep:
        added = append_kept(opened.kept_place, failures)
        tell(word("kept", lang.code, n=added, file=opened.kept_place))
    else:
        tell(word("keep", lang.code, file=opened.kept_place))


def _write_baseline(opened: Gate, lang: ReportLanguage) -> None:
    from metajudge.metrics.gate.baseline import (
        check_replaceable,
        mean_changes,
        write_baseline,
    )
    from metajudge.metrics.gate.words import points, word
    from metajudge.report.translated import translated

    place = opened.baseline_place
    check_folder(place.parent)
    check_replaceable(place)
    scores = opened.score()
    stopped = scores.stopped
    if stopped is not None:
        explain(word("stopped", lang.code, message=translated(stopped.calls.message, lang.code)))
        if stopped.calls.stopped != "judge_down":
            raise typer.Exit(stop_exit_code(stopped.calls.stopped or ""))
    low = opened.under_floor(scores)
    if low:
        explain(str(InputError(low)))
        raise typer.Exit(EXIT_CANNOT_DECIDE)
    found = opened.new_baseline(scores)
    changes = mean_changes(place, found)
    write_baseline(found, place)
    say(wrapped(word("wrote", lang.code, file=place, n=len(found.cases))))
    for metric, (was, now) in changes.items():
        say(word("moved", lang.code, metric=metric, was=points(was), now=points(now)))
    raise typer.Exit(EXIT_GOOD)


def _ended(report: GateReport, lang: ReportLanguage, *, offline: bool) -> int:
    """The verdict's code, unless the run was stopped: cases of a judge that is down are lost."""
    from metajudge.metrics.gate.words import word
    from metajudge.report.translated import translated

    stopped = report.calls.stopped
    if stopped is not None and offline:
        explain(word("offline", lang.code, n=report.calls.open))
        return EXIT_GUARDRAIL if report.verdict == "fail" else EXIT_CANNOT_DECIDE
    if stopped is not None:
        why = translated(report.calls.message or stopped, lang.code)
        explain(word("stopped", lang.code, message=why))
    if stopped is not None and stopped != "judge_down":
        return stop_exit_code(stopped)
    codes = {"pass": EXIT_GOOD, "fail": EXIT_GUARDRAIL, "undecided": EXIT_CANNOT_DECIDE}
    return codes[report.verdict]
