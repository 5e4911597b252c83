"""`metajudge compare`: two trials of a run, or two runs, on the same claims."""

from __future__ import annotations

import re
from pathlib import Path
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
from metajudge.cli.measured import RESULTS, Asking, QuietOption, measured
from metajudge.cli.output import LangOption, ReportLanguage, console, say_json_text
from metajudge.cli.sweep import YesOption
from metajudge.errors import EXIT_GOOD, InputError, Problem

if TYPE_CHECKING:
    from metajudge.report.comparison_results import RunComparison
    from metajudge.report.words import Language

_OWN = re.compile(r" \(((?:top|[a-z]+_corrected)(?:@[0-9.]+)?)\)$")
"""A reading at the end of a candidate's name."""

_SIDE = "A trial's name, or a results.json or run folder."
AArgument = Annotated[str, typer.Argument(metavar="A", help=_SIDE, show_default=False)]
BArgument = Annotated[str, typer.Argument(metavar="B", help=_SIDE, show_default=False)]
InOption = Annotated[
    Path | None,
    typer.Option(
        "--in",
        help="Where the two trials are: an experiment, a results.json or a run folder.",
    ),
]
ReadingOption = Annotated[
    str | None,
    typer.Option(
        "--reading",
        help="top, prior_corrected or batch_corrected, also top@0.60.  [default: first]",
    ),
]
TrialOption = Annotated[
    str | None,
    typer.Option("--trial", help="The trial of two runs.  [default: A's winner]"),
]
TrialBOption = Annotated[
    str | None, typer.Option("--trial-b", help="The trial of run B.  [default: as --trial]")
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="The comparison as JSON on standard output, nothing else.")
]


def compare(
    a: AArgument,
    b: BArgument,
    *,
    place: InOption = None,
    reading: ReadingOption = None,
    trial: TrialOption = None,
    trial_b: TrialBOption = None,
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
    """Compare two trials, or two runs, on the same claims.

    Paired differences of B to A, tests, and what each verdict was and is. A and B are two trials
    of one run (named by --in), or two runs. Runs on other gold labels are refused.
    """
    reading = _checked_reading(reading)
    asking = Asking(
        store, no_recording, budget_usd, budget_calls, budget_minutes, quiet=quiet, yes=yes
    )
    code, one, other = EXIT_GOOD, _run_file(a), _run_file(b)
    if place is None and one is not None and other is not None:
        found = _runs(one, other, _read_as(trial, reading), _read_as(trial_b, reading))
    elif place is None and (one is not None or other is not None):
        raise _mixed(a, b)
    else:
        code, found = _trials(place, asking, _named(a, reading), _named(b, reading), lang.code)
    _show(found, lang, as_json)
    raise typer.Exit(code)


def _run_file(side: str) -> Path | None:
    """The results file that a side names; None for the name of a trial."""
    path = Path(side)
    if path.is_dir():
        return path / RESULTS
    return path if path.suffix == ".json" else None


def _mixed(a: str, b: str) -> InputError:
    law = "A and B are two runs, or two trials of one run"
    mend = "Name two results files, or two trials and their run with --in."
    return InputError(Problem("command line", law, mend, got=f"{a!r} and {b!r}"))


def _checked_reading(reading: str | None) -> str | None:
    """The reading as results name it."""
    from metajudge.templates.reading_names import reading_named

    try:
        return None if reading is None else str(reading_named(reading))
    except ValueError as fault:
        got = repr(reading)
        problem = Problem("command line", str(fault), "Correct it.", field="--reading", got=got)
        raise InputError(problem) from None


def _named(trial: str, reading: str | None) -> str:
    """The candidate's name as results have it; a reading in the name itself goes first."""
    return trial if reading is None or _OWN.search(trial) else f"{trial} ({reading})"


def _read_as(trial: str | None, reading: str | None) -> str | None:
    return None if trial is None else _named(trial, reading)


def _runs(a: Path, b: Path, trial: str | None, trial_b: str | None) -> RunComparison:
    from metajudge.experiment.comparison import compare_results
    from metajudge.report.results_file import read_results

    return compare_results(read_results(a), read_results(b), trial, trial_b)


def _trials(
    place: Path | None, asking: Asking, a: str, b: str, language: Language
) -> tuple[int, RunComparison]:
    from metajudge.experiment.comparison import compare_results

    found = measured(place, asking)
    code = found.exit_code(language)
    return code, compare_results(found.results, found.results, a, b)


def _show(found: RunComparison, lang: ReportLanguage, as_json: bool) -> None:
    if as_json:
        say_json_text(found.model_dump_json(indent=2))
        return
    from metajudge.report.comparison_text import render_comparison
    from metajudge.report.terminal_parts import print_whole

    paper = console()
    print_whole(render_comparison(found, lang.code, paper.width), paper)
