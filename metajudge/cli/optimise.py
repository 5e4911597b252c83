"""`metajudge optimise`: an optimiser of DSPy rewrites a template, on dev claims alone."""

from __future__ import annotations

from collections.abc import Callable
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
from metajudge.cli.guard import explain
from metajudge.cli.measured import QuietOption
from metajudge.cli.output import LangOption, ReportLanguage, console, say, say_json_text, tell
from metajudge.cli.writable import check_folder
from metajudge.counted import counted
from metajudge.errors import EXIT_BUDGET, EXIT_CANNOT_DECIDE, EXIT_GOOD, EXIT_GUARDRAIL

if TYPE_CHECKING:
    from metajudge.report.search_optimised import OptimisedResults

FILES = ("optimise.json", "optimise.html")
_EVERY_S = 5.0
"""Seconds between two lines of progress."""


class Method(Enum):
    """Optimisers of DSPy."""

    gepa = "gepa"
    miprov2 = "miprov2"
    simba = "simba"
    bootstrap = "bootstrap"


class TemplateLanguage(Enum):
    """Language of the template that is rewritten."""

    en = "en"
    zh = "zh"


MethodOption = Annotated[Method, typer.Option("--method", help="Which optimiser.")]
ProposerOption = Annotated[
    str | None,
    typer.Option(
        "--proposer",
        metavar="JUDGE",
        help="Who writes instructions: a judge's spec, or one of the experiment's judges.",
        show_default=False,
    ),
]
BaseOption = Annotated[
    str | None,
    typer.Option("--proposer-base", metavar="URL", help="Its server.", show_default=False),
]
TemperatureOption = Annotated[
    float, typer.Option("--proposer-temperature", min=0, max=2, help="How it samples.")
]
LanguageOption = Annotated[
    TemplateLanguage, typer.Option("--language", help="Language of template and claims.")
]
TemplateOption = Annotated[
    str | None,
    typer.Option(
        "--template",
        metavar="TRIAL",
        help="The declared trial to start from.  [default: the baseline, or the first]",
        show_default=False,
    ),
]
JudgeOption = Annotated[
    str | None,
    typer.Option("--judge", help="Which of the experiment's judges.", show_default=False),
]
RoundsOption = Annotated[int, typer.Option("--rounds", min=1, help="Instructions or steps.")]
ExamplesOption = Annotated[
    int, typer.Option("--examples", min=0, help="Most examples that a proposal shows.")
]
MinibatchOption = Annotated[
    int, typer.Option("--minibatch", min=1, help="Claims that a round looks at.")
]
FinalistsOption = Annotated[
    int | None,
    typer.Option(
        "--finalists",
        min=1,
        help="Proposals that are measured on all claims that choose.  [default: all]",
        show_default=False,
    ),
]
PoolOption = Annotated[
    Path | None,
    typer.Option("--pool", help="Worked cases to learn from (JSON Lines).", show_default=False),
]
SeedOption = Annotated[
    int | None, typer.Option("--seed", help="[default: the experiment's]", show_default=False)
]
OutOption = Annotated[
    Path | None,
    typer.Option("--out", help="Folder of report and proposal.  [default: runs/<name>]"),
]


def optimise(
    experiment: ExperimentArgument = None,
    *,
    method: MethodOption = Method.gepa,
    proposer: ProposerOption = None,
    proposer_base: BaseOption = None,
    proposer_temperature: TemperatureOption = 0.7,
    language: LanguageOption = TemplateLanguage.en,
    template: TemplateOption = None,
    judge: JudgeOption = None,
    rounds: RoundsOption = 8,
    examples: ExamplesOption = 0,
    minibatch: MinibatchOption = 8,
    finalists: FinalistsOption = None,
    pool: PoolOption = None,
    seed: SeedOption = None,
    store: StoreOption = DEFAULT_STORE,
    out: OutOption = None,
    limit: LimitOption = None,
    no_recording: NoRecordingOption = False,
    budget_usd: UsdOption = None,
    budget_calls: CallsOption = None,
    budget_minutes: MinutesOption = None,
    lang: LangOption = ReportLanguage.en,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
    require_winner: WinnerOption = False,
) -> None:
    """Have an optimiser of DSPy rewrite a template's words, and propose what our figures choose.

    It learns from a part of the dev claims and is chosen on another one. The proposal is written as
    a template file with an experiment that sweeps it, to be confirmed like any other.
    """
    from metajudge.experiment.optimising.optimise import Proposing, run_optimiser
    from metajudge.selection.optimise.spec import Optimiser

    declared = read_declared(experiment, usd=budget_usd, calls=budget_calls, minutes=budget_minutes)
    folder = out or Path("runs") / declared.config.name
    check_folder(folder, FILES)
    drawn = declared.config.seed if seed is None else seed
    asked = Optimiser(method.value, rounds, examples, minibatch, seed=drawn, finalists=finalists)
    results = run_optimiser(
        declared,
        asked,
        language=language.value,
        proposing=Proposing(proposer, proposer_base, proposer_temperature),
        template=template,
        judge=judge,
        pool=pool,
        store=store,
        out=folder,
        limit=limit,
        use_recordings=not no_recording,
        told=None if quiet else _progress(),
    )
    _show(results, folder, lang, None if store == DEFAULT_STORE else store, as_json=as_json)
    raise typer.Exit(_exit_code(results, require_winner=require_winner))


def _progress() -> Callable[[str, int], None]:
    """Tells how many calls went out, on the stream that stands while an optimiser prints."""
    import sys
    import time

    stream, last = sys.stderr, {"told": -_EVERY_S}

    def told(role: str, attempts: int) -> None:
        now = time.monotonic()
        if now - last["told"] >= _EVERY_S:
            last["told"] = now
            stream.write(f"{role}: {counted(attempts, 'calls')}\n")
            stream.flush()

    return told


def _show(
    results: OptimisedResults,
    folder: Path,
    lang: ReportLanguage,
    store: Path | None,
    *,
    as_json: bool,
) -> None:
    from metajudge.report.search_file import search_text, write_search
    from metajudge.report.search_html import write_search_html
    from metajudge.report.translated import translated
    from metajudge.report.words import word

    write_search(results, folder / FILES[0])
    write_search_html(results, folder / FILES[1], lang.code, store)
    if as_json:
        say_json_text(search_text(results))
    else:
        from metajudge.report.search_optimised_text import print_optimised
        from metajudge.report.search_text import confirm_command

        print_optimised(results, console(), lang.code)
        say()
        for name in FILES:
            say(f"  {folder / name}")
        if results.experiment is not None:
            say()
            say(word("search.confirm_line", lang.code))
            say(f"  {confirm_command(results.experiment, folder, store)}")
    if results.stopped is not None:
        why = translated(results.stopped, lang.code)
        explain(word("message.stopped_early", lang.code, name=results.name, why=why))
        if any(calls.stopped for calls in results.calls.values()):
            tell(word("message.only_missing", lang.code))


def _exit_code(results: OptimisedResults, *, require_winner: bool) -> int:
    if any(calls.stopped == "budget" for calls in results.calls.values()):
        return EXIT_BUDGET
    if results.stopped is not None or not results.ranking:
        return EXIT_CANNOT_DECIDE
    if require_winner and results.decision.winner is None:
        return EXIT_GUARDRAIL
    return EXIT_GOOD
