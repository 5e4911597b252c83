"""The baseline of a gate: scores of every case when the system was as good as it has to stay."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from metajudge.errors import InputError, Problem
from metajudge.gold.appended import UtcTime
from metajudge.gold.source_text import decode, read_bytes
from metajudge.gold.validation import validation_problems
from metajudge.judges.judge import Scalar
from metajudge.metrics.gate.cases import (
    Cases,
    answer_sha256,
    case_sha256,
    cases_sha256,
    digest,
)
from metajudge.metrics.gate.scores import Scores
from metajudge.report.part import Part
from metajudge.report.written_file import write_whole

FORMAT: Literal["metajudge-gate-baseline/1"] = "metajudge-gate-baseline/1"
_MEND = "Write the baseline anew with --write-baseline, on the system that is good enough."


class Measure(Part):
    """What a metric was measured with; scores of two measures are never compared."""

    release: str | None
    release_sha256: str | None
    judge: str | None
    identity: dict[str, Scalar] = Field(description="Of the judge, as in call keys.")
    templates: dict[str, str] = Field(description="`name@version/language` -> SHA-256")
    extraction: dict[str, str]
    policy: str | None


class CaseThen(Part):
    """A case as it was."""

    sha256: str = Field(description="Of what is asked.")
    answer_sha256: str = Field(description="Of the answer and its context.")
    scores: dict[str, Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None]
    undefined: dict[str, str] = Field(description="Why a metric has no score.")


class Baseline(Part):
    """Stored scores that a gate compares with."""

    format: Literal["metajudge-gate-baseline/1"] = FORMAT
    suite: str
    created: UtcTime
    package_version: str
    cases_sha256: str
    repeats: int
    measures: dict[str, Measure]
    cases: dict[str, CaseThen]
    sha256: str = Field(description="Of all the rest: a baseline is written, never edited.")

    @property
    def content_sha256(self) -> str:
        """Hash of all but the hash itself."""
        return digest(self.model_dump(mode="json", exclude={"sha256"}))


def make_baseline(
    suite: str, cases: Cases, scores: Scores, measures: Mapping[str, Measure], time: str
) -> Baseline:
    """The baseline of what was just scored."""
    from metajudge.version import __version__

    found: dict[str, CaseThen] = {}
    for place, row in enumerate(cases.rows):
        own = {metric: column[place] for metric, column in scores.by_metric.items()}
        found[row.answer_id] = CaseThen(
            sha256=case_sha256(row),
            answer_sha256=answer_sha256(row),
            scores={m: None if s.score is None else round(s.score, 6) for m, s in own.items()},
            undefined={m: str(s.reason) for m, s in own.items() if s.score is None},
        )
    made = Baseline(
        suite=suite,
        created=time,
        package_version=__version__,
        cases_sha256=cases_sha256({name: case.sha256 for name, case in found.items()}),
        repeats=max(len(column[0].draws) for column in scores.by_metric.values()),
        measures=dict(measures),
        cases=found,
        sha256="",
    )
    return made.model_copy(update={"sha256": made.content_sha256})


def write_baseline(baseline: Baseline, path: Path) -> Path:
    """Writes the file as a whole.

    Raises:
        InputError: The place cannot be written to.
    """
    return write_whole(path, baseline.model_dump_json(indent=1) + "\n")


def check_replaceable(path: Path) -> None:
    """Refuses a place where something else than a baseline stands, which would be overwritten.

    Raises:
        InputError: It is a folder, or a file that is no baseline, not even a damaged one.
    """
    if not path.exists():
        return
    raw = read_bytes(path)
    if isinstance(raw, Problem):
        raise InputError(raw)
    if raw.strip() and b"metajudge-gate-baseline/" not in raw:
        law = "what stands where the baseline goes is no baseline"
        raise InputError(Problem(str(path), law, "Name another place.", None, "baseline"))


def mean_changes(path: Path, new: Baseline) -> dict[str, tuple[float | None, float | None]]:
    """Mean of each metric in the baseline that stands and in a new one; {} where none stands.

    One that is damaged says nothing: it is what a new one is written for.
    """
    try:
        old = read_baseline(path)
    except InputError:
        return {}
    return {
        metric: (_mean(old, metric), _mean(new, metric))
        for metric in new.measures
        if metric in old.measures
    }


def _mean(baseline: Baseline, metric: str) -> float | None:
    scores = (case.scores.get(metric) for case in baseline.cases.values())
    known = [score for score in scores if score is not None]
    return sum(known) / len(known) if known else None


def read_baseline(path: Path) -> Baseline:
    """The baseline of a file.

    Raises:
        InputError: There is none, or it is no baseline.
    """
    if not path.exists():
        law = "there is no baseline yet"
        mend = "Write one with --write-baseline, on the system that is good enough."
        raise InputError(Problem(str(path), law, mend, None, "baseline"))
    raw = read_bytes(path)
    text = raw if isinstance(raw, Problem) else decode(raw, str(path))
    if isinstance(text, Problem):
        raise InputError(text)
    try:
        found = Baseline.model_validate_json(text)
    except ValidationError as error:
        raise InputError(validation_problems(error, Baseline, str(path), lambda _: None)) from None
    if found.sha256 != found.content_sha256:
        law = "its cases or scores are not those that its hash was made of: it was edited"
        raise InputError(Problem(str(path), law, _MEND, None, "sha256"))
    return found


def check_comparable(
    baseline: Baseline, cases: Cases, measures: Mapping[str, Measure], path: Path
) -> None:
    """Refuses a baseline of other questions, or of another measure.

    Raises:
        InputError: With every difference.
    """
    problems = [
        Problem(
            str(path),
            "the case asks something else than when the baseline was written",
            f"Give a changed case an id of its own. {_MEND}",
            row.line,
            f"cases.{row.answer_id}",
        )
        for row in cases.rows
        if row.answer_id in baseline.cases
        and baseline.cases[row.answer_id].sha256 != case_sha256(row)
    ]
    for metric, now in measures.items():
        was = baseline.measures.get(metric)
        if was is None:
            law = f"{metric} was not measured when the baseline was written"
            problems.append(Problem(str(path), law, _MEND, None, f"measures.{metric}"))
            continue
        for name in Measure.model_fields:
            then, today = getattr(was, name), getattr(now, name)
            if name == "extraction" and not (then and today):
                continue
            if then != today:
                law = f"{metric} was measured otherwise then: {_short(then)}"
                field = f"measures.{metric}.{name}"
                problems.append(Problem(str(path), law, _MEND, None, field, _short(today)))
    if not any(name in baseline.cases for name in cases.ids):
        law = "none of the cases was there when the baseline was written"
        problems.append(Problem(str(path), law, _MEND, None, "cases"))
    if problems:
        raise InputError(problems)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"
