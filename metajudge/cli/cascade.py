"""`metajudge cascade`: a cheap screen, then a judge, then people, at a stated miss rate."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metajudge.cli.declared import (
    DEFAULT_STORE,
    CallsOption,
    MinutesOption,
    RecordingOption,
    StoreOption,
    UsdOption,
    checked_budget,
)
from metajudge.cli.exit_codes import stop_exit_code
from metajudge.cli.guard import explain, guarded
from metajudge.cli.judge import AnswersArgument, ClaimsFrom, ClaimsOption
from metajudge.cli.measured import QuietOption
from metajudge.cli.output import JsonOption, LangOption, ReportLanguage, say_json, tell
from metajudge.cli.release_list import RegistryOption
from metajudge.cli.sweep import observer
from metajudge.cli.writable import check_folder
from metajudge.errors import EXIT_CANNOT_DECIDE, EXIT_GOOD, EXIT_GUARDRAIL, InputError, Problem

if TYPE_CHECKING:
    from metajudge.metrics.cascade.asked import CallSettings
    from metajudge.metrics.cascade.fit import Fit
    from metajudge.release.bundle import Release
    from metajudge.report.words import Language
    from metajudge.runner.call import RunReport


class MissedUnit(Enum):
    """What is missed."""

    claim = "claim"
    answer = "answer"


GoldArgument = Annotated[
    Path, typer.Argument(metavar="GOLD", help="Folder of the gold set.", show_default=False)
]
CascadeArgument = Annotated[
    Path, typer.Argument(metavar="CASCADE", help="File that fit wrote.", show_default=False)
]
ScreenOption = Annotated[
    str,
    typer.Option(
        "--screen", metavar="SPEC", help="baseline:ngram, which asks nobody, or a judge spec."
    ),
]
ScreenCutOption = Annotated[
    list[str] | None,
    typer.Option(
        "--screen-cut",
        help="Score from which the screen passes, 0 to 1, or never; repeatable, "
        "and each more costs some of the guarantee.  [default: never and 1.0]",
        show_default=False,
    ),
]
JudgeOption = Annotated[str | None, typer.Option("--judge", metavar="SPEC", help="Who judges.")]
ReleaseOption = Annotated[
    str | None, typer.Option("--release", metavar="RELEASE", help="Or a release that judges.")
]
TemplateOption = Annotated[
    str, typer.Option("--template", help="The judge's template: a shipped name or a YAML file.")
]
RateOption = Annotated[
    float,
    typer.Option(
        "--miss-rate", help="Largest share of unsupported claims (or answers) to pass unseen."
    ),
]
ConfidenceOption = Annotated[float, typer.Option("--confidence", help="Of that guarantee.")]
UnitOption = Annotated[
    MissedUnit,
    typer.Option("--unit", help="claim, or answer: one with an unsupported claim, passed whole."),
]
MillionOption = Annotated[
    float | None,
    typer.Option("--usd-per-million", min=0, help="Judge's price of a million tokens, in USD."),
]
VerdictOption = Annotated[
    float | None, typer.Option("--usd-per-verdict", min=0, help="Or of one claim, in USD.")
]
PersonOption = Annotated[
    float | None,
    typer.Option("--minutes-per-claim", min=0, help="A person's time for one claim, in minutes."),
]
HourOption = Annotated[
    float | None, typer.Option("--usd-per-hour", min=0, help="Price of a person's hour, in USD.")
]
SupportedOption = Annotated[
    float | None,
    typer.Option(
        "--supported-share",
        min=0,
        max=1,
        help="Share of supported claims in your answers, for the costs.  [default: as in gold]",
        show_default=False,
    ),
]
OutOption = Annotated[Path, typer.Option("--out", help="Where the fitted cascade goes.")]
RowsOption = Annotated[
    Path | None, typer.Option("--out", help="Write one row an answer, as JSONL.")
]
QueueOption = Annotated[
    Path | None,
    typer.Option(
        "--queue", help="Folder for the claims that people decide; `metajudge label` opens it."
    ),
]


def fit(
    gold: GoldArgument,
    *,
    screen: ScreenOption = "baseline:ngram",
    screen_cut: ScreenCutOption = None,
    judge: JudgeOption = None,
    release: ReleaseOption = None,
    template: TemplateOption = "literal",
    miss_rate: RateOption = 0.05,
    confidence: ConfidenceOption = 0.95,
    unit: UnitOption = MissedUnit.claim,
    usd_per_million: MillionOption = None,
    usd_per_verdict: VerdictOption = None,
    minutes_per_claim: PersonOption = None,
    usd_per_hour: HourOption = None,
    supported_share: SupportedOption = None,
    out: OutOption = Path("cascade.yaml"),
    store: StoreOption = DEFAULT_STORE,
    recording: RecordingOption = None,
    registry: RegistryOption = None,
    budget_usd: UsdOption = None,
    budget_calls: CallsOption = None,
    budget_minutes: MinutesOption = None,
    lang: LangOption = ReportLanguage.en,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Choose the cut-offs that keep a stated miss rate, on the dev half of gold.

    The guarantee rests on no assumption about scores, and takes whole contexts as independent. Ends
    with 4 where this gold is too small or the judge too weak for it; the sealed test half is never
    read.
    """
    from metajudge.cli.cascade_text import show_fit
    from metajudge.metrics.cascade.cascade_file import write_cascade
    from metajudge.metrics.cascade.cost import Prices
    from metajudge.metrics.cascade.fit import fit_cascade
    from metajudge.metrics.cascade.settings import FitSettings, changed_cuts

    budget = (budget_usd, budget_calls, budget_minutes)
    settings = FitSettings(
        name=_checked_name(out), screen=screen, judge=judge, template=template,
        release=_release(release, registry), usd_per_million=usd_per_million,
        miss_rate=miss_rate, confidence=confidence, unit=unit.value,
        screen_cuts=(None, 1.0) if screen_cut is None else changed_cuts(screen_cut),
        prices=Prices(
            usd_per_verdict=usd_per_verdict, minutes_per_claim=minutes_per_claim,
            usd_per_hour=usd_per_hour, supported_share=supported_share,
        ),
        calls=_calls(store, recording, budget, quiet=quiet),
    )  # fmt: skip
    found = fit_cascade(gold, settings)
    if found.cascade is not None:
        write_cascade(found.cascade, out)
    if as_json:
        say_json(_fields(found))
    elif found.stopped is None:
        show_fit(found, settings, out, lang.code)
    _end_early(found.stopped, lang.code)
    raise typer.Exit(EXIT_GOOD if found.cascade is not None else EXIT_CANNOT_DECIDE)


def run(
    cascade: CascadeArgument,
    answers: AnswersArgument,
    *,
    out: RowsOption = None,
    queue: QueueOption = None,
    claims: ClaimsOption = ClaimsFrom.auto,
    store: StoreOption = DEFAULT_STORE,
    recording: RecordingOption = None,
    registry: RegistryOption = None,
    budget_usd: UsdOption = None,
    budget_calls: CallsOption = None,
    budget_minutes: MinutesOption = None,
    lang: LangOption = ReportLanguage.en,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Send answers through a fitted cascade, and queue for people what nothing passes.

    Running it again asks nothing twice and adds no claim twice; what people labelled stays.
    """
    from metajudge.cli.cascade_text import show_run, tell_void
    from metajudge.metrics.cascade.cascade_file import read_cascade
    from metajudge.metrics.cascade.lost import failed_calls, whole_answers
    from metajudge.metrics.cascade.people import check_queue, write_queue
    from metajudge.metrics.cascade.rows_file import check_rows_place, write_rows
    from metajudge.metrics.cascade.run import run_cascade

    fitted = read_cascade(cascade)
    if queue is not None:
        check_queue(fitted, queue)
        check_folder(queue.absolute())
    if out is not None:
        check_rows_place(out, answers)
        check_folder(out.absolute().parent)
    budget = (budget_usd, budget_calls, budget_minutes)
    calls = _calls(store, recording, budget, quiet=quiet)
    applied = run_cascade(fitted, answers, calls, claims=claims.value, registry=registry)
    tell_void(applied.changes, lang.code)
    queued = None if queue is None else write_queue(fitted, applied.answers, queue)
    if out is not None:
        write_rows(applied, out)
    if as_json:
        say_json(
            {
                "counts": applied.counts(),
                "whole_answers": whole_answers(applied),
                "failed_calls": failed_calls(applied),
                "changes": applied.changes,
                "answers": applied.rows,
            }
        )
    else:
        show_run(applied, queued, out, lang.code)
    _end_early(applied.stopped, lang.code)
    raise typer.Exit(EXIT_GOOD)


def confirm(
    cascade: CascadeArgument,
    gold: GoldArgument,
    *,
    store: StoreOption = DEFAULT_STORE,
    recording: RecordingOption = None,
    registry: RegistryOption = None,
    budget_usd: UsdOption = None,
    budget_calls: CallsOption = None,
    budget_minutes: MinutesOption = None,
    lang: LangOption = ReportLanguage.en,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Read the sealed test half once, on record: does the miss rate hold there?

    Ends with 1 where more passed unseen than was promised, with 4 where test has nothing to miss.
    """
    from metajudge.cli.cascade_text import show_confirmed, tell_void
    from metajudge.metrics.cascade.cascade_file import read_cascade
    from metajudge.metrics.cascade.confirm import confirm_cascade
    from metajudge.metrics.cascade.run import opened

    fitted = read_cascade(cascade)
    tell_void(opened(fitted, registry).changes, lang.code)
    budget = (budget_usd, budget_calls, budget_minutes)
    calls = _calls(store, recording, budget, quiet=quiet)
    found = confirm_cascade(fitted, gold, calls, registry)
    _end_early(found.stopped, lang.code)
    if as_json:
        told = {name: getattr(found, name) for name in ("missed", "upper", "contexts", "reads")}
        say_json({**told, "holds": found.holds(fitted)})
    else:
        show_confirmed(found, fitted, lang.code)
    if found.missed is None:
        raise typer.Exit(EXIT_CANNOT_DECIDE)
    raise typer.Exit(EXIT_GOOD if found.holds(fitted) else EXIT_GUARDRAIL)


def _release(ref: str | None, registry: Path | None) -> Release | None:
    from metajudge.release.registry import find

    if ref is None:
        return None
    found = find(ref, registry)
    if found.note:
        tell(found.note)
    return found.release


def _checked_name(out: Path) -> str:
    """The name that a file gives its cascade; the file can be written."""
    import re

    from metajudge.metrics.cascade.cascade_file import check_cascade_place

    check_cascade_place(out)
    check_folder(out.absolute().parent)
    name = re.sub(r"[^a-z0-9._-]+", "-", out.stem.casefold()).strip("-._")
    if not name:
        law = "the cascade is named by its file, in letters, digits, dots and hyphens"
        raise InputError(Problem(str(out), law, "Name it cascade.yaml.", field="--out"))
    return name[:80]


def _calls(
    store: Path,
    recordings: list[Path] | None,
    budget: tuple[float | None, int | None, float | None],
    *,
    quiet: bool,
) -> CallSettings:
    from metajudge.metrics.cascade.asked import CallSettings

    usd, calls, minutes = budget
    limits = checked_budget(usd=usd, calls=calls, minutes=minutes)
    return CallSettings(store, recordings or (), limits, observer(quiet))


def _fields(found: Fit) -> dict[str, object]:
    from metajudge.metrics.cascade.words import word

    return {
        "cascade": None if found.cascade is None else found.cascade.model_dump(mode="json"),
        "contexts": found.contexts,
        "needed": found.needed,
        "lines": [line._asdict() for line in found.lines],
        "trade": [
            {
                "miss_rate": row.miss_rate,
                "needed": row.needed,
                "screen": None if row.line is None else row.line.screen,
                "judge": None if row.line is None else row.line.judge,
                "expected": None if row.expected is None else row.expected.model_dump(mode="json"),
            }
            for row in found.trade
        ],
        "stopped": None if found.stopped is None else found.stopped.stopped,
        "notes": [word(f"note.{note.key}", "en", n=note.n) for note in found.notes],
    }


def _end_early(stopped: RunReport | None, language: Language) -> None:
    from metajudge.report.translated import translated
    from metajudge.report.words import word

    if stopped is not None:
        why = translated(stopped.message or str(stopped.stopped), language)
        explain(word("message.ended_early", language, why=why))
        raise typer.Exit(stop_exit_code(stopped.stopped or ""))


app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
for verb in (fit, run, confirm):
    app.command(verb.__name__)(guarded(verb))


@app.callback()
def _cascade() -> None:
    """A cheap screen, then a judge, then people, at a stated miss rate."""
