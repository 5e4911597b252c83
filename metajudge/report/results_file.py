"""`results.json` on disk: its JSON schema, a strict reader and a writer with stable bytes."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from metajudge.errors import InputError, Problem, short_repr
from metajudge.report.results import SCHEMA_VERSION, Results
from metajudge.report.schemas import schema_of
from metajudge.report.written_file import write_whole

_REMAKE = "make it again with `metajudge sweep`"


def results_schema() -> dict[str, Any]:
    """JSON schema (2020-12) of `results.json`.

    >>> results_schema()["title"]
    'metajudge results'
    """
    return schema_of(Results, "metajudge results")


def write_results(results: Results, path: str | Path) -> Path:
    """Writes results; equal results give equal bytes, and a torn file is never left behind.

    One line holds one trial, one ranking row, one claim and one trial's verdicts, so that
    a version control system shows what changed.

    Raises:
        InputError: When a number is nan or infinite, or the place cannot be written to.
    """
    fields = results.model_dump(mode="python")
    bad = [
        Problem(
            where=str(path),
            field=place,
            law="a number must be finite",
            got=short_repr(number),
            mend="an undefined figure is null with a reason",
        )
        for place, number in _not_finite(fields, "")
    ]
    if bad:
        raise InputError(bad)
    return write_whole(path, results_text(results))


def results_text(results: Results) -> str:
    """The text of `results.json`.

    Raises:
        ValueError: When a number is nan or infinite.
    """
    fields = results.model_dump(mode="python")
    lines = [f"  {_json(key)}: {_block(value)}" for key, value in fields.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _block(value: Any) -> str:
    if not isinstance(value, (list, tuple)) or not value:
        return _json(value)
    return "[\n" + ",\n".join(f"    {_json(entry)}" for entry in value) + "\n  ]"


def _not_finite(value: Any, place: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, float):
        if not math.isfinite(value):
            yield place, value
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield from _not_finite(entry, f"{place}.{key}" if place else str(key))
    elif isinstance(value, (list, tuple)):
        for index, entry in enumerate(value):
            yield from _not_finite(entry, f"{place}[{index}]")


def read_results(path: str | Path) -> Results:
    """Results from a file, checked: every field, no nan, ranking and verdicts join to trials.

    Raises:
        InputError: With file, line or field, value and mend; all faults of the file at once.
    """
    where = str(path)
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        problem = Problem(where, "the file must be readable", error.strerror or str(error))
        raise InputError(problem) from error
    except UnicodeDecodeError as error:
        problem = Problem(where, "the file must be UTF-8", _REMAKE, got=f"byte {error.start}")
        raise InputError(problem) from error
    raw = _parsed(text, where)
    _check_version(raw, where)
    try:
        results = Results.model_validate(raw)
    except ValidationError as error:
        raise InputError(_faults(error, where)) from error
    problems = tuple(_join_faults(results, where))
    if problems:
        raise InputError(problems)
    return results


def _parsed(text: str, where: str) -> Any:
    def refuse(constant: str) -> None:
        raise InputError(
            Problem(where, "a number must be finite", "undefined is null", got=constant)
        )

    try:
        return json.loads(text, parse_constant=refuse)
    except json.JSONDecodeError as error:
        problem = Problem(where, f"the file must be JSON: {error.msg}", _REMAKE, line=error.lineno)
        raise InputError(problem) from error
    except RecursionError:
        raise InputError(Problem(where, "the file is nested too deeply", _REMAKE)) from None


def _check_version(raw: Any, where: str) -> None:
    if not isinstance(raw, dict):
        raise InputError(
            Problem(where, "the file must hold one JSON object", _REMAKE, got=short_repr(raw))
        )
    version = raw.get("schema_version")
    major = SCHEMA_VERSION.partition(".")[0]
    if not isinstance(version, str) or version.partition(".")[0] != major:
        raise InputError(
            Problem(
                where,
                f"this metajudge reads results of schema {major}.x",
                f"{_REMAKE}, or read it with the version that wrote it",
                field="schema_version",
                got=short_repr(version),
            )
        )


def _faults(error: ValidationError, where: str) -> Iterator[Problem]:
    for fault in error.errors(include_url=False):
        missing = fault["type"] == "missing"
        yield Problem(
            where=where,
            field=".".join(map(str, fault["loc"])),
            law=fault["msg"],
            got=None if missing else short_repr(fault["input"]),
            mend=_REMAKE,
        )


def _join_faults(results: Results, where: str) -> Iterator[Problem]:
    known = {(trial.trial, trial.reading) for trial in results.trials}
    for index, place in enumerate(results.ranking):
        if (place.trial, place.reading) not in known:
            yield Problem(
                where,
                "a ranked trial must be among `trials`",
                _REMAKE,
                field=f"ranking.{index}.trial",
                got=short_repr(f"{place.trial}, {place.reading}"),
            )
    n = len(results.claims)
    for index, row in enumerate(results.verdicts):
        for field, length in (
            ("verdicts", len(row.verdicts)),
            ("probabilities", len(row.probabilities) or n),
        ):
            if length != n:
                yield Problem(
                    where,
                    f"there must be one entry a claim ({n})",
                    _REMAKE,
                    field=f"verdicts.{index}.{field}",
                    got=f"{length} entries",
                )
