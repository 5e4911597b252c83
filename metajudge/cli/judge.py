"""`metajudge judge`: a release applied to answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
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
from metajudge.cli.guard import explain
from metajudge.cli.measured import QuietOption
from metajudge.cli.output import LangOption, ReportLanguage, say_json, tell
from metajudge.cli.release_list import RegistryOption
from metajudge.cli.sweep import observer
from metajudge.cli.writable import check_folder
from metajudge.errors import EXIT_CANNOT_DECIDE, EXIT_GOOD, InputError, MetajudgeError, Problem

if TYPE_CHECKING:
    from metajudge.release.judged import CallAccount, Judged, JudgedSummary
    from metajudge.report.words import Language


class ClaimsFrom(Enum):
    """Where claims come from."""

    auto = "auto"
    fixed = "fixed"
    extract = "extract"


AnswersArgument = Annotated[
    str,
    typer.Argument(
        metavar="ANSWERS",
        help="JSONL, JSON, CSV, Parquet, a folder saved by datasets, or hf:owner/name.",
        show_default=False,
    ),
]
ReleaseOption = Annotated[
    str,
    typer.Option(
        "--release", metavar="RELEASE", help="name@1.2.0, name@1, name, or a release's folder."
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out", help="Write one row an answer: .jsonl, .json, .csv, .parquet, or a folder."
    ),
]
ClaimsOption = Annotated[
    ClaimsFrom,
    typer.Option(
        "--claims",
        help="auto: given claims, extracted where there are none. fixed: given ones alone, which "
        "takes the spread of extraction out. extract: extracted ones alone.",
    ),
]
ExtractionRepeatsOption = Annotated[
    int,
    typer.Option(
        "--extraction-repeats",
        min=1,
        max=100,
        help="Draws of an answer's claims; two or more show what extraction does to the score.",
    ),
]
ExtractionTemperatureOption = Annotated[
    float | None,
    typer.Option(
        "--extraction-temperature",
        help="Sampling temperature of extraction.  [default: the judge's]",
        show_default=False,
    ),
]
RepeatsOption = Annotated[
    int, typer.Option("--repeats", min=1, max=100, help="Draws of every verdict.")
]
JudgeOption = Annotated[
    str | None,
    typer.Option(
        "--judge",
        help="Another judge spec. The release's figures then do not hold.",
        metavar="SPEC",
    ),
]
ApiBaseOption = Annotated[
    str | None, typer.Option("--api-base", help="Server of that judge, up to and with /v1.")
]
ThresholdOption = Annotated[
    float | None,
    typer.Option(
        "--threshold",
        min=0.0,
        max=1.0,
        help="Least score that passes.  [default: the release's]",
        show_default=False,
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Summary and answers as one JSON value on standard output.")
]


def judge(
    answers: AnswersArgument,
    *,
    release: ReleaseOption,
    out: OutOption = None,
    claims: ClaimsOption = ClaimsFrom.auto,
    extraction_repeats: ExtractionRepeatsOption = 1,
    extraction_temperature: ExtractionTemperatureOption = None,
    repeats: RepeatsOption = 1,
    judge: JudgeOption = None,
    api_base: ApiBaseOption = None,
    threshold: ThresholdOption = None,
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
    """Score answers with a release: its templates, judge, policy and threshold.

    A row is an answer with its context (retrieval_context, retrieved_contexts …) and claims, or the
    text (actual_output, response …) that claims are extracted from; or a row is one claim with its
    answer_id. Only replies that the store lacks are asked for: running it again goes on where it
    ended.
    """
    from metajudge.release.application import JudgeSettings
    from metajudge.release.apply import judge_answers
    from metajudge.release.registry import find
    from metajudge.report.translated import translated

    settings = JudgeSettings(
        store=store,
        recordings=recording or (),
        judge=judge,
        api_base=api_base,
        threshold=threshold,
        claims=claims.value,
        extraction_repeats=extraction_repeats,
        extraction_temperature=extraction_temperature,
        repeats=repeats,
        budget=checked_budget(usd=budget_usd, calls=budget_calls, minutes=budget_minutes),
        observer=observer(quiet),
    )
    if out is not None:
        check_out(out, answers)
    found = find(release, registry)
    if found.note:
        tell(translated(found.note, lang.code))
    judged = judge_answers(found.release, answers, settings)
    if not judged.summary.judge.is_pinned:
        explain(other_judge(judged.summary, lang.code))
    if out is not None:
        _write(judged, out, store, lang.code)
    _tell(judged, out, lang.code, brief=quiet, as_json=as_json)
    raise typer.Exit(_ended(judged.summary, lang.code))


def _tell(
    judged: Judged, out: Path | None, language: Language, *, brief: bool, as_json: bool
) -> None:
    if as_json:
        say_json({"summary": judged.summary.model_dump(mode="json"), "answers": judged.rows})
        return
    from metajudge.cli.judged_text import show

    show(judged, out, language, brief=brief)


def check_out(out: Path, answers: str) -> None:
    """Prove that rows can be written, and not over the answers that they come from.

    Raises:
        InputError: They cannot.
    """
    from metajudge.release.judged_file import check_place

    place = check_place(out)
    if place.exists() and Path(answers).exists() and place.samefile(answers):
        law = "the answers themselves would be overwritten"
        raise InputError(Problem(str(out), law, "Name another file.", field="--out"))
    check_folder(place.parent)


def _write(judged: Judged, out: Path, store: Path, language: Language) -> None:
    from metajudge.release.judged_file import write_judged

    with replies_are_kept(store, language):
        write_judged(judged, out)


@contextmanager
def replies_are_kept(store: Path, language: Language = "en") -> Iterator[None]:
    """Where what was paid for cannot be written, tell that its replies are not lost."""
    try:
        yield
    except MetajudgeError:
        from metajudge.report.words import word

        tell(word("message.replies_kept", language, store=store))
        raise


def other_judge(summary: JudgedSummary, language: Language = "en") -> str:
    """What is to be known where a release was applied with another judge than its own."""
    from metajudge.report.inert import one_line
    from metajudge.report.translated import translated
    from metajudge.report.words import word

    differences = (translated(one_line(told), language) for told in summary.judge.differences)
    told = word("judged.list_semicolon", language).join(differences)
    return word("judged.warning", language, release=summary.release, told=told)


def _ended(summary: JudgedSummary, language: Language) -> int:
    from metajudge.report.words import word

    if summary.calls.stopped is not None:
        return ended_early(summary.calls, language)
    readable = sum(n for code, n in summary.verdicts.items() if code != "failure")
    unknown = summary.extraction is not None and bool(summary.extraction.failures)
    nothing = readable == 0 and (summary.claims > 0 or unknown)
    if nothing:
        explain(word("message.nothing_read", language))
    return EXIT_CANNOT_DECIDE if nothing else EXIT_GOOD


def ended_early(calls: CallAccount, language: Language = "en") -> int:
    """Tells why a run ended early; the code that it ends with."""
    from metajudge.report.translated import translated
    from metajudge.report.words import word

    why = translated(calls.message or str(calls.stopped), language)
    explain(word("message.ended_early", language, why=why))
    return stop_exit_code(str(calls.stopped))
