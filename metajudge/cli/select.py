"""`metajudge select`: which candidate to take, why not the others, and does it hold on test."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from metajudge.cli.declared import (
    DEFAULT_STORE,
    CallsOption,
    MinutesOption,
    NoRecordingOption,
    StoreOption,
    UsdOption,
)
from metajudge.cli.measured import (
    Asking,
    Measured,
    PlaceArgument,
    QuietOption,
    measured,
    results_file,
)
from metajudge.cli.output import LangOption, ReportLanguage, console, say, say_json
from metajudge.cli.sweep import (
    FILES,
    YesOption,
    observer,
    with_confirmation,
    with_curve,
    write_files,
)
from metajudge.cli.writable import check_folder
from metajudge.errors import (
    EXIT_CANNOT_DECIDE,
    EXIT_GOOD,
    EXIT_GUARDRAIL,
    InputError,
    Problem,
    short_repr,
)

if TYPE_CHECKING:
    from metajudge.experiment import Experiment
    from metajudge.report.results import Results

ConfirmOption = Annotated[
    bool,
    typer.Option(
        "--confirm",
        help="Read the sealed test split once, for the winner and the baseline; on record.",
    ),
]
CandidateOption = Annotated[
    str | None,
    typer.Option(
        "--candidate",
        metavar="NAME",
        help="With --confirm: take this candidate, `trial` or `trial (reading)`, not the winner; "
        "the baseline is measured alone.",
        show_default=False,
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option("--out", help="Write the reports here.  [default with --confirm: runs/<name>]"),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="The choice as JSON on standard output, nothing else.")
]


def select(
    experiment: PlaceArgument = None,
    *,
    confirm: ConfirmOption = False,
    candidate: CandidateOption = None,
    store: StoreOption = DEFAULT_STORE,
    out: OutOption = None,
    no_recording: NoRecordingOption = False,
    budget_usd: UsdOption = None,
    budget_calls: CallsOption = None,
    budget_minutes: MinutesOption = None,
    lang: LangOption = ReportLanguage.en,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
    yes: YesOption = False,
) -> None:
    """Choose a candidate, and confirm it on the sealed test split.

    Only replies that the store lacks are asked for. Ends with 0 for a winner, 1 for no safe winner
    or one that test does not confirm, 4 where it cannot be decided. With --candidate, what test
    says of that candidate decides; of the baseline alone, whether it keeps its guardrails there.
    """
    if candidate is not None and not confirm:
        raise _no_confirm(candidate)
    asking = Asking(
        store, no_recording, budget_usd, budget_calls, budget_minutes, quiet=quiet, yes=yes
    )
    if confirm and results_file(experiment) is not None:
        raise _no_test(experiment)

    def check(declared: Experiment) -> None:
        _check(_folder(declared, out, confirm))
        if confirm:
            declared.check_test_split()
        if candidate is not None:
            declared.check_candidate(candidate)

    found = measured(experiment, asking, check)
    folder = _folder(found.declared, out, confirm)
    code = found.exit_code(lang.code, require_winner=candidate is None)
    if code == EXIT_GUARDRAIL and _is_open(found.results):
        code = EXIT_CANNOT_DECIDE
    if confirm and code == EXIT_GOOD:
        found = _confirmed(found, asking, candidate)
        code = EXIT_GOOD if _stands(found.results) else EXIT_GUARDRAIL
    if folder is not None and found.outcome is not None:
        outcome = with_confirmation(with_curve(found.outcome), folder, lang.code)
        write_files(outcome, folder, lang, store)
        found = replace(found, results=outcome.results)
    _show(found.results, folder, lang, as_json)
    raise typer.Exit(code)


def _no_test(place: Path | None) -> InputError:
    return InputError(
        Problem(
            str(place),
            "only an experiment can be confirmed: a results file holds no test claims",
            "Name the experiment's file.",
            field="--confirm",
        )
    )


def _no_confirm(candidate: str) -> InputError:
    return InputError(
        Problem(
            "select",
            "a candidate is named to be confirmed on the test split",
            "Add --confirm, which reads the test labels, or leave --candidate out.",
            field="--candidate",
            got=short_repr(candidate),
        )
    )


def _folder(declared: Experiment | None, out: Path | None, confirm: bool) -> Path | None:
    """Where reports go; a read of the test labels is never only printed."""
    if declared is None:
        return None
    if out is not None or not confirm:
        return out
    return Path("runs") / declared.config.name


def _check(folder: Path | None) -> None:
    if folder is not None:
        check_folder(folder, FILES)


def _is_open(results: Results) -> bool:
    """Whether nobody won for want of a figure, not for a broken guardrail."""
    if not results.ranking:
        return True
    first = results.ranking[0]
    return first.safe and first.target.value is None


def _confirmed(found: Measured, asking: Asking, candidate: str | None) -> Measured:
    if found.declared is None or found.outcome is None:
        return found
    results = found.declared.confirm(
        found.outcome,
        candidate=candidate,
        store=asking.store,
        use_recordings=not asking.no_recording,
        observer=observer(asking.quiet),
    )
    return replace(found, results=results, outcome=replace(found.outcome, results=results))


def _stands(results: Results) -> bool:
    """The confirmation holds; the baseline, measured alone, keeps its guardrails."""
    found = None if results.selection is None else results.selection.confirmation
    if found is None:
        return False
    return not found.broken if found.alone else bool(found.holds)


def _show(results: Results, folder: Path | None, lang: ReportLanguage, as_json: bool) -> None:
    if as_json:
        say_json(_fields(results))
        return
    from metajudge.report.selection_text import render_selection
    from metajudge.report.terminal_parts import print_whole

    paper = console()
    print_whole(render_selection(results, lang.code, paper.width), paper)
    for name in FILES if folder is not None else ():
        say(f"  {folder}/{name}")


def _fields(results: Results) -> dict[str, Any]:
    names = {"name", "target", "guardrails", "baseline", "decision", "ranking", "selection"}
    return results.model_dump(mode="json", include=names)
