"""What a verb looks at: a results file, or an experiment that is swept first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metajudge.cli.declared import DEFAULT_STORE, read_declared
from metajudge.cli.exit_codes import sweep_exit_code
from metajudge.cli.sweep import run_sweep, say_what_is_open

if TYPE_CHECKING:
    from metajudge.experiment import Experiment, SweepOutcome
    from metajudge.report.results import Results
    from metajudge.report.words import Language

RESULTS = "results.json"

PlaceArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="EXPERIMENT",
        help="An experiment as for sweep, or a results.json or a folder with one.",
        show_default=False,
    ),
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]


@dataclass(frozen=True, slots=True)
class Asking:
    """How an experiment is swept where it has to be.

    Attributes:
        store: The reply store's file.
        no_recording: Do not load recordings into it.
        usd: Budget; None keeps the experiment's own.
        calls: The same for calls.
        minutes: The same for minutes.
        quiet: No progress.
        yes: Do not ask about the cost.
    """

    store: Path = DEFAULT_STORE
    no_recording: bool = False
    usd: float | None = None
    calls: int | None = None
    minutes: float | None = None
    quiet: bool = False
    yes: bool = False


@dataclass(frozen=True, slots=True)
class Measured:
    """Results, and the experiment that they come from.

    Attributes:
        results: What was measured.
        declared: The experiment; None where a results file was named.
        outcome: Its sweep.
    """

    results: Results
    declared: Experiment | None = None
    outcome: SweepOutcome | None = None

    def exit_code(self, language: Language = "en", *, require_winner: bool = False) -> int:
        """What a sweep with these results would end with; says what is open."""
        say_what_is_open(self.results, language)
        return sweep_exit_code(self.results, require_winner=require_winner)


def results_file(place: Path | None) -> Path | None:
    """The results file that a place names; None where it names an experiment or nothing.

    A folder that holds an experiment is that experiment, as it is for `metajudge sweep`.
    """
    if place is None:
        return None
    if place.is_dir():
        inside = place / RESULTS
        return inside if inside.is_file() and not (place / "experiment.yaml").is_file() else None
    return place if place.suffix == ".json" else None


def measured(
    place: Path | None,
    asking: Asking,
    before: Callable[[Experiment], None] | None = None,
) -> Measured:
    """Results from a file, or from a sweep that asks only what its store lacks.

    Args:
        place: What was named; None is the experiment of this folder, or the shipped one.
        asking: How it is swept.
        before: Called with an experiment before anything is asked; may raise to stop there.

    Raises:
        InputError: The file or the experiment is faulty.
    """
    file = results_file(place)
    if file is not None:
        from metajudge.report.results_file import read_results

        return Measured(read_results(file))
    declared = read_declared(place, usd=asking.usd, calls=asking.calls, minutes=asking.minutes)
    if before is not None:
        before(declared)
    outcome = run_sweep(
        declared,
        store=asking.store,
        no_recording=asking.no_recording,
        quiet=asking.quiet,
        yes=asking.yes,
    )
    return Measured(outcome.results, declared, outcome)
