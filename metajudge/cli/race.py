"""`metajudge race`: the declared trials on as few claims as the decision takes."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metajudge.cli.declared import (
    DEFAULT_STORE,
    CallsOption,
    ExperimentArgument,
    JsonOption,
    LimitOption,
    MinutesOption,
    NoRecordingOption,
    RepeatsOption,
    StoreOption,
    UsdOption,
    WinnerOption,
    read_declared,
)
from metajudge.cli.exit_codes import stop_exit_code
from metajudge.cli.guard import explain
from metajudge.cli.measured import QuietOption
from metajudge.cli.most_asked import DryOption, confirm_most, say_most
from metajudge.cli.output import LangOption, ReportLanguage, console, say, say_json_text, tell
from metajudge.cli.sweep import YesOption, observer
from metajudge.cli.writable import check_folder
from metajudge.errors import EXIT_GOOD, EXIT_GUARDRAIL

if TYPE_CHECKING:
    from metajudge.experiment.searching.config import RacingRef
    from metajudge.report.results import CallCounts
    from metajudge.report.search_results import RaceResults
    from metajudge.report.words import Language

FILES = ("race.json", "race.html")


class RaceMethod(Enum):
    """How candidates are stopped early."""

    bound = "bound"
    halving = "halving"
    wilcoxon = "wilcoxon"
    none = "none"


OutOption = Annotated[
    Path | None, typer.Option("--out", help="Folder of the reports.  [default: runs/<name>]")
]


def race(
    experiment: ExperimentArgument = None,
    *,
    method: Annotated[
        RaceMethod | None,
        typer.Option("--method", help="How candidates are stopped.  [default: as declared, bound]"),
    ] = None,
    block: Annotated[
        int | None, typer.Option("--block", min=1, help="Claims of a block.", show_default=False)
    ] = None,
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
    dry_run: DryOption = False,
    as_json: JsonOption = False,
    require_winner: WinnerOption = False,
    yes: YesOption = False,
) -> None:
    """Race the declared trials: claims are asked in blocks, and who cannot win stops early.

    The choice is that of a sweep with a stated chance of error, for a part of its calls. Running it
    again asks only what is missing.
    """
    from metajudge.experiment.racing.results import race_declared

    declared = read_declared(
        experiment, repeats=repeats, usd=budget_usd, calls=budget_calls, minutes=budget_minutes
    )
    folder = out or Path("runs") / declared.config.name
    check_folder(folder, FILES)
    if dry_run or not yes:
        from metajudge.experiment.searching.plan import most_raced

        most = most_raced(declared.config, declared.prepare(limit), store)
        if dry_run:
            return say_most(declared.config.name, most, as_json=as_json)
        confirm_most(declared.config, most)
    results = race_declared(
        declared,
        store=store,
        racing=_racing(declared.config.search, method, block),
        limit=limit,
        use_recordings=not no_recording,
        observer=observer(True),
        say=(lambda _: None) if quiet else tell,
    )
    _show(results, folder, lang, as_json=as_json)
    raise typer.Exit(_exit_code(results, require_winner=require_winner))


def _racing(search: object, method: RaceMethod | None, block: int | None) -> RacingRef:
    from metajudge.experiment.searching.config import RacingRef, SearchRef

    ref = search.racing if isinstance(search, SearchRef) else RacingRef()
    changes = {"method": None if method is None else method.value, "block": block}
    return ref.model_copy(update={name: value for name, value in changes.items() if value})


def _show(results: RaceResults, folder: Path, lang: ReportLanguage, *, as_json: bool) -> None:
    from metajudge.report.search_file import search_text, write_search
    from metajudge.report.search_html import write_search_html

    write_search(results, folder / FILES[0])
    write_search_html(results, folder / FILES[1], lang.code)
    if as_json:
        say_json_text(search_text(results))
    else:
        from metajudge.report.search_text import print_race

        print_race(results, console(), lang.code)
        say()
        for name in FILES:
            say(f"  {folder / name}")
    say_stopped(results.name, results.calls, lang.code)


def say_stopped(name: str, calls: CallCounts, language: Language) -> None:
    """Tells why a run ended early, or which calls failed, and how to go on."""
    from metajudge.report.translated import translated
    from metajudge.report.words import word

    if calls.stopped is None:
        if calls.failed:
            tell(word("message.calls_failed", language, n=calls.failed))
        return
    why = translated(calls.message or calls.stopped, language)
    explain(word("message.stopped_early", language, name=name, why=why))
    if calls.stopped == "budget":
        tell(word("message.other_limit", language))


def _exit_code(results: RaceResults, *, require_winner: bool) -> int:
    if results.calls.stopped is not None:
        return stop_exit_code(results.calls.stopped)
    if require_winner and results.decision.winner is None:
        return EXIT_GUARDRAIL
    return EXIT_GOOD
