"""`metajudge stability`: what moves when nothing changed, and what does not when it should."""

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
from metajudge.cli.output import LangOption, ReportLanguage, console, say_json, tell
from metajudge.cli.sweep import YesOption
from metajudge.errors import EXIT_CANNOT_DECIDE, EXIT_GOOD

if TYPE_CHECKING:
    from metajudge.report.results import Results

PARTS = ("stability", "controls", "factors")

JsonOption = Annotated[
    bool, typer.Option("--json", help="The three parts as JSON on standard output, nothing else.")
]


def stability(
    experiment: PlaceArgument = None,
    *,
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
    """Show flips, negative controls and factors of an experiment.

    Flips along each axis; probes whose wrong verdicts are known; wording, context form and claims
    per call crossed. Ends with 4 where the experiment declares none of the three.
    """
    from metajudge.report.words import word

    asking = Asking(
        store, no_recording, budget_usd, budget_calls, budget_minutes, quiet=quiet, yes=yes
    )
    found = measured(experiment, asking)
    code = found.exit_code(lang.code)
    if code == EXIT_GOOD and not _any(found.results):
        tell(word("message.nothing_to_show", lang.code))
        code = EXIT_CANNOT_DECIDE
    if as_json:
        say_json(found.results.model_dump(mode="json", include=set(PARTS)))
    else:
        from metajudge.report.stability_text import render_stability
        from metajudge.report.terminal_parts import print_whole

        paper = console()
        print_whole(render_stability(found.results, lang.code, paper.width), paper)
    raise typer.Exit(code)


def _any(results: Results) -> bool:
    return any(getattr(results, part) is not None for part in PARTS)
