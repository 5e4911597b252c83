"""`metajudge search`: let the machine choose among the parts of a template, on dev claims alone."""

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
    StoreOption,
    UsdOption,
    WinnerOption,
    read_declared,
)
from metajudge.cli.exit_codes import stop_exit_code
from metajudge.cli.measured import QuietOption
from metajudge.cli.most_asked import DryOption, confirm_most, say_most
from metajudge.cli.output import LangOption, ReportLanguage, console, say, say_json_text, tell
from metajudge.cli.race import say_stopped
from metajudge.cli.search_take import take_setting
from metajudge.cli.sweep import YesOption, observer
from metajudge.cli.writable import check_folder
from metajudge.errors import EXIT_CANNOT_DECIDE, EXIT_GOOD, EXIT_GUARDRAIL

if TYPE_CHECKING:
    from metajudge.experiment import Experiment
    from metajudge.experiment.searching.plan import MostAsked
    from metajudge.report.search_results import SearchResults

FILES = ("search.json", "search.html")


class Sampler(Enum):
    """How Optuna chooses settings."""

    tpe = "tpe"
    nsga2 = "nsga2"
    random = "random"


OutOption = Annotated[
    Path | None,
    typer.Option("--out", help="Folder of reports and proposals.  [default: runs/<name>]"),
]
TrialsOption = Annotated[
    int | None,
    typer.Option("--trials", min=1, help="Settings to try in all.", show_default=False),
]
SamplerOption = Annotated[
    Sampler | None, typer.Option("--sampler", help="How settings are chosen.")
]
StorageOption = Annotated[
    str | None,
    typer.Option(
        "--storage",
        metavar="URL",
        help="Where the study is kept, e.g. a PostgreSQL that several workers share.  "
        "[default: beside the store]",
        show_default=False,
    ),
]
TakeOption = Annotated[
    int | None,
    typer.Option(
        "--take",
        metavar="N",
        min=0,
        help="Write setting N of the finished search as a proposal, safe or not; asks nobody.",
        show_default=False,
    ),
]
NoRaceOption = Annotated[
    bool, typer.Option("--no-race", help="Ask every setting about every claim.")
]


def search(
    experiment: ExperimentArgument = None,
    *,
    trials: TrialsOption = None,
    sampler: SamplerOption = None,
    storage: StorageOption = None,
    no_race: NoRaceOption = False,
    store: StoreOption = DEFAULT_STORE,
    out: OutOption = None,
    limit: LimitOption = None,
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
    take: TakeOption = None,
) -> None:
    """Search for a better template among declared parts, on the dev claims, and propose it.

    The space stands under `search` in the experiment. Claims are raced; the first safe setting is
    written as template files with an experiment that sweeps them, to be confirmed like any other.
    Stopped or killed, the same command goes on where it was.
    """
    from metajudge.experiment.searching.search import changed_search
    from metajudge.experiment.searching.search import search as run_search

    declared = read_declared(experiment, usd=budget_usd, calls=budget_calls, minutes=budget_minutes)
    drawn = None if sampler is None else sampler.value
    declared = changed_search(
        declared, trials=trials, storage=storage, sampler=drawn, race=not no_race
    )
    folder = out or Path("runs") / declared.config.name
    if take is not None:
        return take_setting(
            declared, take, folder, store=store, limit=limit, lang=lang, as_json=as_json
        )
    check_folder(folder, FILES)
    if dry_run:
        most = _most(declared, store, limit)
        return say_most(declared.config.name, most, as_json=as_json)
    if not yes:
        confirm_most(declared.config, _most(declared, store, limit))
    results = run_search(
        declared,
        store=store,
        out=folder,
        limit=limit,
        use_recordings=not no_recording,
        observer=observer(True),
        say=(lambda _: None) if quiet else tell,
    )
    other = None if store == DEFAULT_STORE else store
    _write(results, folder, lang, other)
    _show(results, folder, lang, other, as_json=as_json)
    raise typer.Exit(_exit_code(results, require_winner=require_winner))


def _most(declared: Experiment, store: Path, limit: int | None) -> MostAsked:
    """The most that the search may ask."""
    from metajudge.experiment.searching.plan import most_asked
    from metajudge.experiment.searching.search import open_search

    return most_asked(open_search(declared, store=store, limit=limit), store)


def _write(results: SearchResults, folder: Path, lang: ReportLanguage, store: Path | None) -> None:
    from metajudge.report.search_file import write_search
    from metajudge.report.search_html import write_search_html

    write_search(results, folder / FILES[0])
    write_search_html(results, folder / FILES[1], lang.code, store)


def _show(
    results: SearchResults,
    folder: Path,
    lang: ReportLanguage,
    store: Path | None,
    *,
    as_json: bool,
) -> None:
    if as_json:
        from metajudge.report.search_file import search_text

        say_json_text(search_text(results))
    else:
        from metajudge.report.search_text import confirm_command, print_search
        from metajudge.report.words import word

        print_search(results, console(), lang.code)
        say()
        for name in FILES:
            say(f"  {folder / name}")
        if results.proposal is not None:
            say()
            say(word("search.confirm_line", lang.code))
            say(f"  {confirm_command(results.proposal.experiment, folder, store)}")
    say_stopped(results.name, results.calls, lang.code)


def _exit_code(results: SearchResults, *, require_winner: bool) -> int:
    if results.calls.stopped is not None:
        return stop_exit_code(results.calls.stopped)
    if not results.ranking:
        return EXIT_CANNOT_DECIDE
    if require_winner and (results.proposal is None or not results.proposal.first):
        return EXIT_GUARDRAIL
    return EXIT_GOOD
