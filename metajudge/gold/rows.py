"""Rows of a JSONL or JSON file as plain fields, each with its place; nothing is interpreted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from metajudge.errors import Problem, short_repr
from metajudge.gold.source_text import decode, read_bytes

_REPAIR = "Mend or remove the line."


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One row as it stands in a file.

    Attributes:
        where: The file, with `row n` where lines mean nothing.
        line: 1-based line in which the row begins; None where lines mean nothing.
        fields: The row's content under its own names.
    """

    where: str
    line: int | None
    fields: dict[str, Any]


class RowsRead(NamedTuple):
    """The rows that could be read, in file order, and why the others could not."""

    rows: tuple[SourceRow, ...]
    problems: tuple[Problem, ...]


class _DuplicateKeyError(ValueError):
    pass


class _NoValueError(ValueError):
    pass


def read_jsonl(path: Path) -> RowsRead:
    """Rows of a JSON Lines file. Only a line feed ends a line: U+2028 may stand inside a text.

    A byte order mark and carriage returns at line ends are accepted, blank lines are skipped.
    """
    raw = read_bytes(path)
    if isinstance(raw, Problem):
        return RowsRead((), (raw,))
    where = str(path)
    rows, problems = [], []
    for line, content, torn in _lines(raw):
        text = decode(content, where, line)
        if isinstance(text, Problem):
            problems.append(text)
            continue
        fields = _parse_object(text, where, line, torn)
        if isinstance(fields, Problem):
            problems.append(fields)
        else:
            rows.append(SourceRow(where, line, fields))
    return RowsRead(tuple(rows), tuple(problems))


def read_json(path: Path) -> RowsRead:
    """Rows of a JSON file that holds one list of objects."""
    where = str(path)
    raw = read_bytes(path)
    text = raw if isinstance(raw, Problem) else decode(raw, where)
    parsed = text if isinstance(text, Problem) else _parse(text, where, None)
    if isinstance(parsed, Problem):
        return RowsRead((), (parsed,))
    if not isinstance(parsed, list):
        law = "a .json file must hold one list of rows"
        fault = Problem(where, law, "Write [ ] around the rows.", got=short_repr(parsed))
        return RowsRead((), (fault,))
    rows, problems = [], []
    for number, fields in enumerate(parsed, 1):
        place = f"{where} row {number}"
        if isinstance(fields, dict):
            rows.append(SourceRow(place, None, fields))
        else:
            problems.append(_not_an_object(fields, place, None))
    return RowsRead(tuple(rows), tuple(problems))


def _lines(raw: bytes) -> Iterator[tuple[int, bytes, bool]]:
    """Number, content and "the file ends inside it" of each line that is not blank."""
    lines = raw.split(b"\n")
    for number, content in enumerate(lines, 1):
        stripped = content.removesuffix(b"\r")
        if stripped.strip():
            yield number, stripped, number == len(lines)


def _parse_object(text: str, where: str, line: int, torn: bool) -> dict[str, Any] | Problem:
    parsed = _parse(text, where, line, torn)
    if isinstance(parsed, Problem | dict):
        return parsed
    return _not_an_object(parsed, where, line)


def _not_an_object(parsed: object, where: str, line: int | None) -> Problem:
    law = "a row must be one JSON object"
    mend = 'Write one row a line: {"claim": …, "label": …}.'
    return Problem(where, law, mend, line=line, got=short_repr(parsed))


def _parse(text: str, where: str, line: int | None, torn: bool = False) -> Any:
    try:
        return json.loads(
            text, object_pairs_hook=_without_duplicates, parse_constant=_refuse_constant
        )
    except _DuplicateKeyError as error:
        law = "a field stands twice in the row"
        return Problem(where, law, "Remove one of the two.", line=line, field=str(error))
    except _NoValueError as error:
        law = "a missing value must be null or left out"
        return Problem(where, law, _REPAIR, line=line, got=str(error))
    except json.JSONDecodeError as error:
        shown = short_repr(text[max(0, error.pos - 20) : error.pos + 20])
        place = f"at character {error.colno}"
        if line is None:
            line = error.lineno
        if torn:
            law = f"the last line is torn: it ends before the row does, {place}"
            return Problem(where, law, "Complete or remove it.", line=line, got=shown)
        return Problem(where, f"this is not JSON {place}", _REPAIR, line=line, got=shown)
    except (RecursionError, ValueError) as error:
        law = f"the row cannot be read: {type(error).__name__}"
        return Problem(where, law, _REPAIR, line=line, got=short_repr(text))


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        raise _DuplicateKeyError(next(name for name in names if names.count(name) > 1))
    return fields


def _refuse_constant(name: str) -> None:
    raise _NoValueError(name)
