"""`metajudge sweep`: ask what is missing, measure, rank, report."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metajudge.cli.declared import (
    DEFAULT_STORE,
    CallsOption,
    ExperimentArgument,
    LimitOption,
    MinutesOption,
    NoRecordingOption,
    RepeatsOption,
    StoreOption,
    UsdOption,
    WinnerOption,
    read_declared,
)
from metajudge.cli.exit_codes import sweep_exit_code, verdicts_read
from metajudge.cli.guard import explain
from metajudge.cli.output import LangOption, ReportLanguage, console, say, say_json_text, tell
from metajudge.cli.writable import check_folder
from metajudge.counted import counted
from metajudge.errors import EXIT_USAGE, MetajudgeError

if TYPE_CHECKING:
    from metajudge.experiment import Experiment, SweepOutcome
    from metajudge.experiment.build import Prepared
    from metajudge.experiment.study import Study
    from metajudge.report.results import Results
    from metajudge.report.words import Language
    from metajudge.runner.call import RunReport
    from metajudge.runner.progress import Observer
    from metajudge.runner.store import Store

FILES = ("results.json", "report.html", "report.md", "verdicts.csv")
CONFIRM_ABOVE_USD = 1.0
"""A sweep that may cost more, without a budget in USD, is confirmed on a terminal."""


OutOption = Annotated[
    Path | None, typer.Option("--out", help="Folder of the reports.  [default: runs/<name>]")
]
QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="No progress; the decision alone.")
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="The results as JSON on standard output, nothing else.")
]
RecordOption = Annotated[
    Path | None,
    typer.Option("--record", help="Also write the replies to this recording (.jsonl.gz)."),
]
BareOption = Annotated[
    bool,
    typer.Option("--bare", help="Leave out of --record what was asked: keys and replies only."),
]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask about the cost.")]


def sweep(
    experiment: ExperimentArgument = None,
    *,
    store: StoreOption = DEFAULT_STORE,
    out: OutOption = None,
    limit: LimitOption = None,
    repeats: RepeatsOption = None,
    no_recording: NoRecordingOption = False,
    budget_usd: UsdOption = None,
    budget_calls: CallsOption = None,
    budget_minutes: MinutesOption = None,
    lang: LangOption = ReportLanguage.en,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
    require_winner: WinnerOption = False,
    record: RecordOption = None,
    bare: BareOption = False,
    yes: YesOption = False,
) -> None:
    """Sweep templates and policies over a gold set and rank them.

    Only replies that the store lacks are asked for: running it again goes on where it ended.
    """
    declared = read_declared(
        experiment, repeats=repeats, usd=budget_usd, calls=budget_calls, minutes=budget_minutes
    )
    folder = out or Path("runs") / declared.config.name
    check_folder(folder, FILES)

    outcome = run_sweep(
        declared,
        store=store,
        limit=limit,
        no_recording=no_recording,
        quiet=quiet,
        yes=yes,
        language=lang.code,
    )
    outcome = with_curve(outcome)
    if outcome.results.calls.answered or outcome.results.calls.from_store:
        outcome = with_confirmation(outcome, folder, lang.code)
        write_files(outcome, folder, lang, store)
    results = outcome.results
    if record is not None:
        _record(record, store, outcome.keys, bare, lang.code)
    if as_json:
        from metajudge.report.results_file import results_text

        say_json_text(results_text(results))
    elif verdicts_read(results):
        _show(results, folder, lang, quiet)
    say_what_is_open(results, lang.code)
    raise typer.Exit(sweep_exit_code(results, require_winner=require_winner))


def run_sweep(
    declared: Experiment,
    *,
    store: Path,
    limit: int | None = None,
    no_recording: bool = False,
    quiet: bool = False,
    yes: bool = False,
    language: Language = "en",
) -> SweepOutcome:
    """Ask what the store lacks and measure, as every verb that takes an experiment does."""
    from metajudge.experiment.split_check import unsealed_note
    from metajudge.report.translated import translated

    def confirm(plan: Study, replies: Store, prepared: Prepared) -> None:
        note = unsealed_note(declared.config, prepared.gold)
        if note is not None:
            tell(translated(note, language))
        if not yes:
            confirm_cost(declared, plan, replies, prepared)

    return declared.sweep(
        store=store,
        limit=limit,
        use_recordings=not no_recording,
        observer=observer(quiet),
        before=confirm,
    )


def observer(quiet: bool) -> Observer:
    """What shows how a run goes on standard error."""
    from metajudge.runner.progress import Silent, progress_for

    return Silent() if quiet else _Brief(progress_for(sys.stderr))


class _Brief:
    """Progress that names an early end in a clause: the message comes once, after the report."""

    def __init__(self, shown: Observer) -> None:
        self._shown = shown
        self.on_start = shown.on_start
        self.on_reply = shown.on_reply

    def on_end(self, report: RunReport) -> None:
        """The run is over."""
        from metajudge.experiment.decision import STOPS

        clause = report.message if report.stopped is None else STOPS[report.stopped][0]
        self._shown.on_end(replace(report, message=clause))


def confirm_cost(declared: Experiment, plan: Study, replies: Store, prepared: Prepared) -> None:
    """On a terminal, ask before a sweep that may cost more than a little."""
    if declared.config.budget.usd is not None:
        return
    if not _is_terminal():
        return
    from metajudge.experiment.dry_run import forecast

    run = forecast(declared.config, prepared, plan, replies.get_many(plan.keys))
    cost = run.cost_usd
    if cost is None or cost.high <= CONFIRM_ABOVE_USD:
        return
    question = (
        f"{counted(run.to_ask, 'calls')} may cost {cost.low:.2f} to {cost.high:.2f} USD. Go on?"
    )
    if not typer.confirm(question, err=True):
        tell("nothing was asked. --budget-usd sets a limit, --yes takes this question out.")
        raise typer.Exit(EXIT_USAGE)


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def with_curve(outcome: SweepOutcome) -> SweepOutcome:
    """The outcome with the power of its gold set, which reports show as a curve."""
    if not verdicts_read(outcome.results):
        return outcome
    from metajudge.experiment.asked_power import with_power

    return replace(outcome, results=with_power(outcome.results))


def with_confirmation(outcome: SweepOutcome, folder: Path, language: Language) -> SweepOutcome:
    """The outcome with the confirmation of the results that it is written over.

    Tells when that one does not hold of it any more.
    """
    from metajudge.experiment.kept_confirmation import keep_confirmation
    from metajudge.report.words import word

    place = folder / FILES[0]
    results, lost = keep_confirmation(outcome.results, place)
    if lost is not None:
        named = {"trial": lost.trial, "reading": lost.reading}
        tell(word("message.not_kept", language, place=place, **named))
    return replace(outcome, results=results)


def write_files(outcome: SweepOutcome, folder: Path, lang: ReportLanguage, store: Path) -> None:
    """Every report of a sweep; where one cannot be written, where the replies are."""
    from metajudge.report.csv_rows import write_csv
    from metajudge.report.html import write_html
    from metajudge.report.markdown import render_markdown
    from metajudge.report.results_file import write_results
    from metajudge.report.written_file import write_whole

    results, gold = outcome.results, outcome.prepared.gold
    names = dict(zip(("json", "html", "md", "csv"), FILES, strict=True))
    try:
        write_results(results, folder / names["json"])
        write_html(results, gold, folder / names["html"], lang.code, outcome.prompts())
        write_whole(folder / names["md"], render_markdown(results, lang.code))
        write_csv(results, gold, folder / names["csv"])
    except MetajudgeError:
        from metajudge.report.words import word

        tell(word("message.replies_kept", lang.code, store=store))
        raise


def _record(path: Path, store: Path, keys: Sequence[str], bare: bool, language: Language) -> None:
    from metajudge.report.words import word
    from metajudge.runner.recording import export_recording
    from metajudge.runner.store import Store

    with Store(store) as replies:
        written = export_recording(replies, path, keys, bare=bare)
    tell(word("message.recorded", language, written=written, n=len(keys), path=path))


def _show(results: Results, folder: Path, lang: ReportLanguage, quiet: bool) -> None:
    from metajudge.report.remarks import decision_sentence
    from metajudge.report.terminal import print_terminal

    if quiet:
        say(decision_sentence(results, lang.code))
        return
    print_terminal(results, console(), lang.code)
    say()
    for name in FILES:
        say(f"  {folder / name}")


def say_what_is_open(results: Results, language: Language) -> None:
    """Tells why a run ended early or has nothing to show, and how to go on; one message."""
    from metajudge.report.translated import translated
    from metajudge.report.words import word

    calls = results.calls
    if calls.stopped is not None:
        why = translated(calls.message or calls.stopped, language)
        explain(word("message.stopped_early", language, name=results.name, why=why))
        if calls.stopped == "no_model":
            tell(word("message.then_again", language))
        if calls.stopped == "budget":
            tell(word("message.other_limit", language))
    elif not verdicts_read(results):
        explain(_nothing_read(results, language))
    elif calls.failed:
        tell(word("message.calls_failed", language, n=calls.failed))


def _nothing_read(results: Results, language: Language) -> str:
    from metajudge.report.translated import translated
    from metajudge.report.words import word

    counts: dict[str, int] = {}
    for trial in results.trials:
        for name, count in trial.failures.items():
            counts[name] = counts.get(name, 0) + count
    told = word("list_comma", language).join(
        f"{translated(name, language)} {count}" for name, count in counts.items()
    )
    first = next((text for row in results.verdicts for text in row.failures.values()), "")
    example = word("message.first_example", language, text=first) if first else ""
    return word("message.none_readable", language, name=results.name, told=told, example=example)
