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
from metajudge.cli.output import say_json, tell
from metajudge.cli.release_list import RegistryOption
from metajudge.cli.sweep import observer
from metajudge.cli.writable import check_folder
from metajudge.errors import EXIT_CANNOT_DECIDE, EXIT_GOOD, InputError, MetajudgeError, Problem

if TYPE_CHECKING:
    from metajudge.release.judged import Judged, JudgedSummary


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
        tell(found.note)
    judged = judge_answers(found.release, answers, settings)
    if not judged.summary.judge.is_pinned:
        explain(other_judge(judged.summary))
    if out is not None:
        _write(judged, out, store)
    _tell(judged, out, brief=quiet, as_json=as_json)
    raise typer.Exit(_ended(judged.summary))


def _tell(judged: Judged, out: Path | None, *, brief: bool, as_json: bool) -> None:
    if as_json:
        say_json({"summary": judged.summary.model_dump(mode="json"), "answers": judged.rows})
        return
    from metajudge.cli.judged_text import show

    show(judged, out, brief=brief)


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


def _write(judged: Judged, out: Path, store: Path) -> None:
    from metajudge.release.judged_file import write_judged

    with replies_are_kept(store):
        write_judged(judged, out)


@contextmanager
def replies_are_kept(store: Path) -> Iterator[None]:
    """Where what was paid for cannot be written, tell that its replies are not lost."""
    try:
        yield
    except MetajudgeError:
        tell(f"every reply is kept in {store}: the same command again asks nothing twice.")
        raise


def other_judge(summary: JudgedSummary) -> str:
    """What is to be known where a release was applied with another judge than its own."""
    from metajudge.report.inert import one_line

    told = "; ".join(map(one_line, summary.judge.differences))
    return (
        f"WARNING: the judge is not the one that {summary.release} was measured with. {told}. "
        "The release's figures say nothing about these scores, and no support rate is corrected."
    )


def _ended(summary: JudgedSummary) -> int:
    stopped = summary.calls.stopped
    if stopped is not None:
        explain(f"the run ended early: {summary.calls.message or stopped}")
        return stop_exit_code(stopped)
    readable = sum(n for word, n in summary.verdicts.items() if word != "failure")
    unknown = summary.extraction is not None and bool(summary.extraction.failures)
    nothing = readable == 0 and (summary.claims > 0 or unknown)
    if nothing:
        explain("no reply could be read, so there is no score.")
    return EXIT_CANNOT_DECIDE if nothing else EXIT_GOOD
