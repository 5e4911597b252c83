"""`metajudge gold next`: which claims to label next for the choice between candidates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from metajudge.cli.declared import (
    DEFAULT_STORE,
    CallsOption,
    MinutesOption,
    NoRecordingOption,
    StoreOption,
    UsdOption,
    read_declared,
)
from metajudge.cli.exit_codes import stop_exit_code
from metajudge.cli.gold_place import SetArgument, gold_place
from metajudge.cli.guard import explain
from metajudge.cli.measured import QuietOption
from metajudge.cli.output import JsonOption, say_json, tell
from metajudge.cli.sweep import YesOption, confirm_cost, observer
from metajudge.counted import counted
from metajudge.errors import InputError, Problem

if TYPE_CHECKING:
    from metajudge.experiment import Experiment
    from metajudge.experiment.build import Prepared
    from metajudge.experiment.next_claims import Weighed
    from metajudge.experiment.next_labels import NextLabels
    from metajudge.experiment.study import Study
    from metajudge.experiment.waiting_claims import ClaimsAtHand
    from metajudge.runner.store import Store

NumberOption = Annotated[int, typer.Option("--n", min=1, max=100_000, help="Claims to choose.")]
ExperimentOption = Annotated[
    Path | None,
    typer.Option(
        "--experiment",
        metavar="EXPERIMENT",
        help="Whose candidates are chosen between: file or folder. Without PATH, on its gold set.",
        show_default=False,
    ),
]
LiveOption = Annotated[
    bool,
    typer.Option("--live", help="Ask the judges about waiting claims where replies are missing."),
]
SecondOption = Annotated[
    bool,
    typer.Option("--second", help="Choose labelled claims of one annotator for a second label."),
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Of the worlds, and of ties.")]
ToOption = Annotated[
    Path | None,
    typer.Option("--to", metavar="FILE", help="Write the order for `metajudge label --order`."),
]


def next_(
    path: SetArgument = None,
    *,
    n: NumberOption = 30,
    experiment: ExperimentOption = None,
    live: LiveOption = False,
    second: SecondOption = False,
    seed: SeedOption = 1,
    to: ToOption = None,
    store: StoreOption = DEFAULT_STORE,
    no_recording: NoRecordingOption = False,
    budget_usd: UsdOption = None,
    budget_calls: CallsOption = None,
    budget_minutes: MinutesOption = None,
    quiet: QuietOption = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Choose which claims to label next, for the choice between candidates.

    Two of three claims are those whose label is expected to tell most about which candidate comes
    first, the third covers slices, languages and contexts with few labels. Without an experiment
    all are for cover. Verdicts are not shown. Nothing is asked of a judge without --live.
    """
    from metajudge.cli.gold_next_text import next_fields, say_next
    from metajudge.experiment.next_labels import next_labels

    declared = None
    if experiment is not None:
        declared = read_declared(
            experiment, usd=budget_usd, calls=budget_calls, minutes=budget_minutes
        )
        declared = declared if path is None else _on(declared, path)
    elif live:
        law, mend = "--live asks the judges of an experiment", "Name it with --experiment."
        raise InputError(Problem("command line", law, mend, field="--live"))
    claims = _claims(declared, path, second)
    weighed = None
    if declared is not None:
        asking = _Asking(store, no_recording, live, quiet, yes)
        weighed = asking.weigh(declared, claims, seed)
    found = next_labels(claims, weighed, n=n, seed=seed)
    if to is not None:
        _write(to, found)
    if as_json:
        say_json(next_fields(found))
    else:
        say_next(found, declared, to)
    _end(weighed)


class _Asking(NamedTuple):
    """How an experiment's candidates are heard."""

    store: Path
    no_recording: bool
    live: bool
    quiet: bool
    yes: bool

    def weigh(self, declared: Experiment, claims: ClaimsAtHand, seed: int) -> Weighed:
        from metajudge.experiment.next_claims import weigh

        def confirm(study: Study, replies: Store, prepared: Prepared) -> None:
            if not self.yes:
                confirm_cost(declared, study, replies, prepared)

        return weigh(
            declared,
            claims,
            store=self.store,
            use_recordings=not self.no_recording,
            live=self.live,
            observer=observer(self.quiet),
            before=confirm,
            seed=seed,
        )


def _on(declared: Experiment, path: str) -> Experiment:
    """The experiment on another gold set."""
    place = Path(path)
    gold = declared.config.gold.model_dump()
    return declared.changed(gold=gold | {"path": str(place.resolve() if place.exists() else path)})


def _claims(declared: Experiment | None, path: str | None, second: bool) -> ClaimsAtHand:
    """The claims that wait; where none does, labelled ones for a second label."""
    from metajudge.experiment.waiting_claims import claims_of_experiment, claims_of_gold

    def at_hand(again: bool) -> ClaimsAtHand:
        if declared is not None:
            return claims_of_experiment(declared, second=again)
        return claims_of_gold(gold_place(path), second=again)

    found = at_hand(second)
    return found if second or found.waiting else at_hand(True)


def _write(file: Path, found: NextLabels) -> None:
    from metajudge.labelling.next_claims import order_text
    from metajudge.report.written_file import write_whole

    write_whole(file, order_text(found.picks))
    tell(f"{file}: {counted(len(found.picks), 'claims')} in order")


def _end(weighed: Weighed | None) -> None:
    """Tells why the judges were not asked everything, and ends with its code."""
    stopped = next((r for r in (() if weighed is None else weighed.reports) if r.stopped), None)
    if stopped is not None and stopped.stopped is not None:
        explain(f"the judge was not asked about every claim: {stopped.message or stopped.stopped}")
        raise typer.Exit(stop_exit_code(stopped.stopped))
