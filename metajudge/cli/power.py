"""`metajudge power`: what differences a gold set can show, and how many labels more would take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from metajudge.cli.declared import (
    DEFAULT_STORE,
    CallsOption,
    MinutesOption,
    NoRecordingOption,
    StoreOption,
    UsdOption,
)
from metajudge.cli.measured import Asking, PlaceArgument, QuietOption, measured
from metajudge.cli.output import LangOption, ReportLanguage, console, say_json_text, tell
from metajudge.cli.sweep import YesOption
from metajudge.counted import counted
from metajudge.errors import EXIT_GOOD

if TYPE_CHECKING:
    from metajudge.report.results import Results
    from metajudge.report.selection_results import PowerResults

DifferenceOption = Annotated[
    float | None,
    typer.Option(
        "--difference",
        min=0.001,
        max=1.0,
        help="Count the labels for this difference.  [default: .10, over-credit .05]",
        show_default=False,
    ),
]
FigureOption = Annotated[
    list[str] | None,
    typer.Option("--figure", help="kappa, summary-as-idk, over-credit; repeatable."),
]
SliceOption = Annotated[
    list[str] | None, typer.Option("--slice", help="Labels for these slices only.")
]
TrialOption = Annotated[
    str | None,
    typer.Option("--trial", help="Draw from this trial's verdicts.  [default: the baseline]"),
]
WorldsOption = Annotated[
    int, typer.Option("--worlds", min=50, max=10_000, help="Worlds simulated at each step.")
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="The power as JSON on standard output, nothing else.")
]


def power(
    experiment: PlaceArgument = None,
    *,
    difference: DifferenceOption = None,
    figure: FigureOption = None,
    only_slice: SliceOption = None,
    trial: TrialOption = None,
    worlds: WorldsOption = 200,
    store: StoreOption = DEFAULT_STORE,
    no_recording: NoRecordingOption = False,
    budget_usd: UsdOption = None,
    budget_calls: CallsOption = None,
    budget_minutes: MinutesOption = None,
    lang: LangOption = ReportLanguage.en,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
    yes: YesOption = False,
) -> None:
    """Show what differences a gold set can tell, and labels needed.

    Simulated from the verdicts of one trial; nothing more is asked of a judge.
    """
    asking = Asking(
        store, no_recording, budget_usd, budget_calls, budget_minutes, quiet=quiet, yes=yes
    )
    found = measured(experiment, asking)
    code = found.exit_code(lang.code)
    if code != EXIT_GOOD:
        raise typer.Exit(code)
    asked = any(option is not None for option in (difference, figure, only_slice, trial))
    shown = None if asked else found.results.power
    if shown is None:
        shown = _simulated(
            found.results, difference, figure, only_slice, trial=trial, worlds=worlds, quiet=quiet
        )
    if as_json:
        say_json_text(shown.model_dump_json(indent=2))
        return
    from metajudge.report.power_text import render_power
    from metajudge.report.terminal_parts import print_whole

    paper = console()
    print_whole(render_power(found.results, shown, lang.code, paper.width), paper)


def _simulated(
    results: Results,
    difference: float | None,
    figures: list[str] | None,
    slices: list[str] | None,
    *,
    trial: str | None,
    worlds: int,
    quiet: bool,
) -> PowerResults:
    from metajudge.experiment.asked_power import asked_power

    if not quiet:
        tell(f"simulating {counted(worlds, 'worlds')} at each step …")
    return asked_power(
        results,
        trial=trial,
        difference=difference,
        figures=figures or (),
        slices=slices or (),
        n_worlds=worlds,
    )
