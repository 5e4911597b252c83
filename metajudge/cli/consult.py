"""`metajudge consult`: what a change of the metric would do, and whether to make it."""

from __future__ import annotations

import re
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
from metajudge.cli.guard import explain
from metajudge.cli.measured import QuietOption
from metajudge.cli.output import LangOption, ReportLanguage, say, say_json_text, tell
from metajudge.cli.release_list import RegistryOption
from metajudge.cli.sweep import observer
from metajudge.cli.writable import check_folder
from metajudge.errors import EXIT_CANNOT_DECIDE, EXIT_GOOD, EXIT_GUARDRAIL

if TYPE_CHECKING:
    from metajudge.report.consult_results import ConsultReport
    from metajudge.report.words import Language

FILES = ("consult.json", "consult.md", "consult.html")
_OF_DECISION = {
    "nothing_changes": EXIT_GOOD,
    "adopt": EXIT_GOOD,
    "hold": EXIT_GUARDRAIL,
    "collect": EXIT_CANNOT_DECIDE,
}
_LONGEST_NAME = 60

CurrentOption = Annotated[
    str,
    typer.Option(
        "--current",
        help="Today's metric: a release (name@1, or its folder), TEMPLATE+POLICY (literal+strict, "
        "mine.yaml+partial(0.5)), or a framework's (deepeval:faithfulness, ragas:faithfulness).",
        show_default=False,
    ),
]
ProposedOption = Annotated[
    str,
    typer.Option(
        "--proposed",
        help="The change, in the same forms; parameters follow a question mark, as in "
        "deepeval:faithfulness?penalize_ambiguous_claims=true.",
        show_default=False,
    ),
]
SampleOption = Annotated[
    str,
    typer.Option(
        "--sample", help="Answers with their claims, in any form that judge takes or writes."
    ),
]
ThresholdOption = Annotated[
    float | None,
    typer.Option("--threshold", help="Least score that passes, for both.  [default: each its own]"),
]
JudgeOption = Annotated[
    str | None, typer.Option("--judge", help="Judge of a side that brings none; releases do.")
]
CurrentJudgeOption = Annotated[
    str | None, typer.Option("--current-judge", help="Judge of the current side instead.")
]
ProposedJudgeOption = Annotated[
    str | None, typer.Option("--proposed-judge", help="Judge of the proposed side instead.")
]
GoldOption = Annotated[
    str | None,
    typer.Option(
        "--gold",
        help="Labelled claims, or none.  [default: those of the proposed release, or else the "
        "shipped set]",
        show_default=False,
    ),
]
RepeatsOption = Annotated[int, typer.Option("--repeats", min=1, max=100, help="Draws per claim.")]
OutOption = Annotated[
    Path | None,
    typer.Option("--out", help="Folder of the reports.  [default: runs/consult-<current>-<…>]"),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="The report as JSON on standard output, nothing else.")
]


def consult(
    current: CurrentOption,
    proposed: ProposedOption,
    sample: SampleOption,
    *,
    threshold: ThresholdOption = None,
    judge: JudgeOption = None,
    current_judge: CurrentJudgeOption = None,
    proposed_judge: ProposedJudgeOption = None,
    gold: GoldOption = None,
    repeats: RepeatsOption = 1,
    budget_usd: UsdOption = None,
    budget_calls: CallsOption = None,
    budget_minutes: MinutesOption = None,
    store: StoreOption = DEFAULT_STORE,
    recording: RecordingOption = None,
    registry: RegistryOption = None,
    out: OutOption = None,
    lang: LangOption = ReportLanguage.en,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """What a change of the metric would do to your numbers, and whether to make it.

    Both sides judge the same claims of the same answers, and gold claims beside them. Ends in
    adopt (0), hold (1) or collect more first (4; 3 where the budget ended). Only replies that the
    store lacks are asked for.
    """
    budget = checked_budget(usd=budget_usd, calls=budget_calls, minutes=budget_minutes)
    folder = out or Path("runs") / f"consult-{slug(current)}-{slug(proposed)}"
    check_folder(folder, FILES)
    from metajudge.release.consult import consult as consultation

    report = consultation(
        current,
        proposed,
        sample,
        threshold=threshold,
        judge=judge,
        current_judge=current_judge,
        proposed_judge=proposed_judge,
        gold=gold,
        repeats=repeats,
        budget=budget,
        store=store,
        recordings=recording or (),
        registry=registry,
        observer=observer(quiet or as_json),
    )
    written = _write(report, folder, lang)
    _show(report, written, lang, as_json=as_json)
    raise typer.Exit(_exit_code(report, lang.code))


def slug(text: str) -> str:
    """A side as part of a file name.

    >>> slug("deepeval:faithfulness?penalize_ambiguous_claims=true")
    'deepeval-faithfulness-penalize_ambiguous_claims-true'
    """
    return re.sub(r"[^A-Za-z0-9._]+", "-", text).strip("-.")[:_LONGEST_NAME]


def _exit_code(report: ConsultReport, language: Language) -> int:
    """By the decision; where a run that ended early left it open, by what ended it.

    A judge that refuses the key or is not there is the user's to mend, whatever was decided.
    """
    from metajudge.report.translated import translated
    from metajudge.report.words import word

    calls = report.calls
    if calls.stopped is not None:
        why = translated(calls.message or calls.stopped, language)
        explain(word("message.asking_stopped", language, why=why))
        tell(word("message.calls_open", language, n=calls.unanswered))
        if calls.stopped in ("access", "no_model") or report.rule.decision == "collect":
            return stop_exit_code(calls.stopped)
    return _OF_DECISION[report.rule.decision]


def _write(report: ConsultReport, folder: Path, lang: ReportLanguage) -> list[Path]:
    from metajudge.report.consult_file import consult_text
    from metajudge.report.consult_html import write_consult_html
    from metajudge.report.consult_markdown import render_consult_markdown
    from metajudge.report.written_file import write_whole

    places = [folder / name for name in FILES]
    write_whole(places[0], consult_text(report))
    write_whole(places[1], render_consult_markdown(report, lang.code))
    write_consult_html(report, places[2], lang.code)
    return places


def _show(
    report: ConsultReport, written: list[Path], lang: ReportLanguage, *, as_json: bool
) -> None:
    if as_json:
        from metajudge.report.consult_file import consult_text

        say_json_text(consult_text(report))
        return
    from metajudge.cli.output import console
    from metajudge.report.consult_text import print_consult

    print_consult(report, console(), lang.code)
    say()
    for path in written:
        say(f"  {path}")
