"""The experiment that a command line names, with the settings that it changes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metajudge.errors import InputError, Problem

if TYPE_CHECKING:
    from metajudge.experiment import Experiment
    from metajudge.runner.limits import Budget

OWN = Path("experiment.yaml")

ExperimentArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="EXPERIMENT",
        help="File or folder; without it, ./experiment.yaml, or else the shipped experiment 001.",
        show_default=False,
    ),
]
StoreOption = Annotated[
    Path, typer.Option("--store", help="The reply store.", envvar="METAJUDGE_STORE")
]
LimitOption = Annotated[
    int | None, typer.Option("--limit", min=1, help="Judge the first N claims only.")
]
RepeatsOption = Annotated[
    int | None, typer.Option("--repeats", min=1, max=100, help="Draws per claim.")
]
NoRecordingOption = Annotated[
    bool, typer.Option("--no-recording", help="Do not load recorded replies into the store.")
]
RecordingOption = Annotated[
    list[Path] | None,
    typer.Option("--recording", help="Load these replies first; repeatable."),
]
UsdOption = Annotated[
    float | None, typer.Option("--budget-usd", help="Stop before this many USD are spent.")
]
CallsOption = Annotated[
    int | None, typer.Option("--budget-calls", min=1, help="Stop after this many calls.")
]
MinutesOption = Annotated[
    float | None, typer.Option("--budget-minutes", help="Stop after this many minutes.")
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="What it came to as JSON on standard output, nothing else.")
]
WinnerOption = Annotated[
    bool, typer.Option("--require-winner", help="End with 1 when there is no safe winner.")
]
DEFAULT_STORE = Path(".metajudge") / "replies.sqlite"


def checked_budget(
    *, usd: float | None = None, calls: int | None = None, minutes: float | None = None
) -> Budget:
    """The budget of a command line; None is no limit.

    Raises:
        InputError: A limit is not positive.
    """
    from metajudge.runner.limits import Budget

    budget = {"usd": usd, "calls": calls, "minutes": minutes}
    problems = [
        Problem("command line", "a budget is greater than 0", "Raise it.", None, name, repr(value))
        for name, value in ((f"--budget-{name}", value) for name, value in budget.items())
        if value is not None and not 0 < value < float("inf")
    ]
    if problems:
        raise InputError(problems)
    return Budget(usd, calls, minutes)


def read_declared(
    place: Path | None,
    *,
    repeats: int | None = None,
    usd: float | None = None,
    calls: int | None = None,
    minutes: float | None = None,
) -> Experiment:
    """The experiment, read and validated, with repeats and budget as given.

    Raises:
        InputError: The file is faulty, or a budget is not positive.
    """
    from metajudge.experiment import Experiment
    from metajudge.shipped import shipped_experiment

    budget = {"usd": usd, "calls": calls, "minutes": minutes}
    checked_budget(usd=usd, calls=calls, minutes=minutes)
    if place is None:
        place = OWN if OWN.is_file() else shipped_experiment()
    experiment = Experiment.from_file(place)
    changes: dict[str, object] = {} if repeats is None else {"repeats": repeats}
    given = {name: value for name, value in budget.items() if value is not None}
    if given:
        changes["budget"] = experiment.config.budget.model_dump() | given
    return experiment.changed(**changes) if changes else experiment
