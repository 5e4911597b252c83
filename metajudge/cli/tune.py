"""`metajudge tune`: readings, thresholds, panels and policy weights on stored replies."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metajudge.cli.declared import (
    DEFAULT_STORE,
    ExperimentArgument,
    JsonOption,
    LimitOption,
    NoRecordingOption,
    StoreOption,
    WinnerOption,
    read_declared,
)
from metajudge.cli.output import (
    LangOption,
    ReportLanguage,
    console,
    say,
    say_json_text,
    wrapped,
)
from metajudge.cli.writable import check_folder
from metajudge.errors import EXIT_GOOD, EXIT_GUARDRAIL

if TYPE_CHECKING:
    from metajudge.experiment import Experiment
    from metajudge.experiment.searching.config import TuningRef
    from metajudge.report.tune_results import TuneResults

FILES = ("tune.json", "tune.html")
MOST_MEMBERS = 5


class TuningSampler(Enum):
    """How settings are chosen."""

    grid = "grid"
    tpe = "tpe"
    nsga2 = "nsga2"
    random = "random"


MembersOption = Annotated[
    int | None,
    typer.Option(
        "--members",
        min=1,
        max=MOST_MEMBERS,
        help="Most trials that vote together.  [default: as declared, 1: no panels]",
        show_default=False,
    ),
]
TrialsOption = Annotated[
    int | None,
    typer.Option(
        "--trials",
        min=1,
        help="Settings to draw.  [default: as declared, 1000]",
        show_default=False,
    ),
]
SamplerOption = Annotated[
    TuningSampler | None,
    typer.Option(
        "--sampler",
        help="How settings are chosen.  [default: as declared, the grid where it is small enough]",
    ),
]
SeedOption = Annotated[
    int | None,
    typer.Option("--seed", min=0, help="[default: the experiment's]", show_default=False),
]
PolicyOption = Annotated[
    str | None,
    typer.Option(
        "--gold-policy",
        metavar="POLICY",
        help="Scores gold labels when weights are compared.  [default: as declared, strict]",
        show_default=False,
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option("--out", help="Folder of tune.json and tune.html.  [default: runs/<name>]"),
]


def tune(
    experiment: ExperimentArgument = None,
    *,
    members: MembersOption = None,
    trials: TrialsOption = None,
    sampler: SamplerOption = None,
    seed: SeedOption = None,
    gold_policy: PolicyOption = None,
    store: StoreOption = DEFAULT_STORE,
    out: OutOption = None,
    limit: LimitOption = None,
    no_recording: NoRecordingOption = False,
    lang: LangOption = ReportLanguage.en,
    as_json: JsonOption = False,
    require_winner: WinnerOption = False,
) -> None:
    """Tune readings, thresholds, panels and policy weights on stored replies; nobody is asked.

    Dev claims alone, under the experiment's target and guardrails. What comes first is the best of
    many on the claims that chose it: declare it, sweep and confirm.
    """
    from metajudge.experiment.tuning.tune import tune as run_tuning

    declared = read_declared(experiment)
    folder = out or Path("runs") / declared.config.name
    check_folder(folder, FILES)
    ref = _changed(declared, members, trials, sampler, gold_policy)
    results = run_tuning(
        declared,
        store=store,
        ref=ref,
        seed=seed,
        limit=limit,
        use_recordings=not no_recording,
    )
    _show(results, folder, lang, as_json=as_json)
    if not as_json:
        _say_next(results, declared, store, lang)
    lost = require_winner and results.decision.winner is None
    raise typer.Exit(EXIT_GUARDRAIL if lost else EXIT_GOOD)


def _changed(
    declared: Experiment,
    members: int | None,
    trials: int | None,
    sampler: TuningSampler | None,
    gold_policy: str | None,
) -> TuningRef:
    """What the experiment declares, with what the command line says otherwise."""
    from metajudge.experiment.tuning.tune import declared_tuning

    given = {
        "members": members,
        "trials": trials,
        "sampler": None if sampler is None else sampler.value,
        "gold_policy": gold_policy,
    }
    changes = {name: value for name, value in given.items() if value is not None}
    return declared_tuning(declared).model_copy(update=changes)


def _show(results: TuneResults, folder: Path, lang: ReportLanguage, *, as_json: bool) -> None:
    from metajudge.report.search_html import write_search_html
    from metajudge.report.tune_file import tune_text, write_tune

    write_tune(results, folder / FILES[0])
    write_search_html(results, folder / FILES[1], lang.code)
    if as_json:
        say_json_text(tune_text(results))
        return
    from metajudge.report.tune_text import print_tuning

    print_tuning(results, console(), lang.code)
    say()
    for name in FILES:
        say(f"  {folder / name}")


def _say_next(
    results: TuneResults, declared: Experiment, store: Path, lang: ReportLanguage
) -> None:
    """What to put into the experiment, and the commands that judge it."""
    import shlex

    from metajudge.report.words import word

    language, found, path = lang.code, results.declare, declared.path
    say()
    if found is None:
        if results.decision.winner is None:
            say(wrapped(word("tune.next_more", language)))
    else:
        say(wrapped(word("tune.next_readings", language, path=path)))
        say(f"  - {found.reading}")
        if found.policy is not None and found.policy not in declared.config.policies:
            say(word("tune.next_policies", language))
            say(f"  - {found.policy}")
        say(word("tune.next_commands", language))
        at = [] if store == DEFAULT_STORE else ["--store", store.as_posix()]
        say(f"  {shlex.join(['metajudge', 'sweep', path.as_posix(), *at])}")
        say(f"  {shlex.join(['metajudge', 'select', path.as_posix(), '--confirm', *at])}")
    if results.space.members == 1:
        say(wrapped(word("tune.next_panels", language)))
