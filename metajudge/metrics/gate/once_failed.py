"""`regressions.jsonl`: cases that failed a gate once, a file that only grows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from metajudge.errors import InputError, Problem
from metajudge.gold.appended import UtcTime, append_line
from metajudge.gold.source_text import decode, read_bytes
from metajudge.gold.validation import validation_problems
from metajudge.report.part import Part

Score = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class Kept(Part):
    """One line: a case that failed, or, with `retired`, one that need not pass any more."""

    case: Annotated[str, Field(min_length=1)]
    metric: Annotated[str, Field(min_length=1)]
    score: Score | None = None
    bar: Score | None = None
    time: UtcTime
    reason: str | None = Field(default=None, description="What the score was made of.")
    retired: Annotated[str, Field(min_length=1)] | None = Field(
        default=None, description="Why the case need not pass any more."
    )


def read_kept(path: Path) -> tuple[Kept, ...]:
    """Cases and metrics that have to pass, the latest line of each; () where there is no file.

    Raises:
        InputError: With every faulty line.
    """
    if not path.exists():
        return ()
    raw = read_bytes(path)
    text = raw if isinstance(raw, Problem) else decode(raw, str(path))
    if isinstance(text, Problem):
        raise InputError(text)
    problems: list[Problem] = []
    latest: dict[tuple[str, str], Kept] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            found = Kept.model_validate_json(line)
        except ValidationError as error:
            problems += validation_problems(error, Kept, str(path), lambda _, n=number: n)  # type: ignore[misc]
            continue
        latest[found.case, found.metric] = found
    if problems:
        raise InputError(problems)
    return tuple(found for found in latest.values() if found.retired is None)


def check_kept(
    kept: Iterable[Kept], ids: Sequence[str], metrics: Sequence[str], path: Path
) -> None:
    """Refuses a suite from which a case that once failed was removed.

    Raises:
        InputError: With every such case and metric.
    """
    known = set(ids)
    problems = []
    for line in kept:
        retire = 'or add a line with "retired": why it need not pass any more.'
        if line.case not in known:
            law = "a case that once failed is missing among the cases"
            mend = f"Put it back, {retire}"
            problems.append(Problem(str(path), law, mend, None, "case", repr(line.case)))
        if line.metric not in metrics:
            law = "the metric that the case once failed is not measured"
            mend = f"Put it back, {retire}"
            problems.append(Problem(str(path), law, mend, None, "metric", repr(line.metric)))
    if problems:
        raise InputError(problems)


def append_kept(path: Path, lines: Iterable[Kept]) -> int:
    """Adds lines for cases that have none that stands; gives how many were added.

    Raises:
        InputError: The file cannot be written.
    """
    standing = {(line.case, line.metric) for line in read_kept(path)}
    added = 0
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for line in lines:
            if (line.case, line.metric) not in standing:
                append_line(path, line.model_dump_json(exclude_none=True))
                added += 1
    except OSError as error:
        mend = f"{error.strerror or error}; choose another place for it"
        raise InputError(Problem(str(path), "the file must be writable", mend)) from error
    return added
