"""Rows of a CSV file: the separator found from the header, lists written as JSON in a cell."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from metajudge.counted import counted
from metajudge.errors import Problem, short_repr
from metajudge.gold.formula_guard import unguarded
from metajudge.gold.rows import RowsRead, SourceRow
from metajudge.gold.source_text import decode, read_bytes

LIST_COLUMNS = frozenset(
    {"passages", "context", "contexts", "retrieval_context", "retrieved_contexts"}
    | {"annotations", "spans"}
)
"""Columns whose cells may hold a JSON list."""
_SEPARATORS = (",", ";", "\t", "|")
_LONGEST_CELL = 2**31 - 1
_FLAGS = {"true": True, "1": True, "false": False, "0": False}


def read_csv(path: Path, known: Iterable[str], list_columns: Iterable[str] = ()) -> RowsRead:
    """Rows of a CSV file, quoted after RFC 4180; an empty cell is a missing value.

    Apostrophes that `formula_guard` put before texts are taken off again.

    Args:
        path: The file; UTF-8, a byte order mark and any line ends are accepted.
        known: Column names that tell the separator (comma, semicolon, tab or bar).
        list_columns: Columns that may hold JSON lists, beside `LIST_COLUMNS`.
    """
    where = str(path)
    raw = read_bytes(path)
    text = raw if isinstance(raw, Problem) else decode(raw, where)
    if isinstance(text, Problem):
        return RowsRead((), (text,))
    names = frozenset(known)
    separator = _separator(text, names)
    if separator is None:
        return RowsRead((), (_no_header(text, where, names),))
    return _read(text, where, separator, LIST_COLUMNS | set(list_columns))


def _read(text: str, where: str, separator: str, list_columns: frozenset[str]) -> RowsRead:
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[SourceRow] = []
    problems: list[Problem] = []
    line = 1
    try:
        header = next(reader)
        problems += _header_problems(header, where)
        line = reader.line_num + 1
        for cells in reader:
            if len(cells) == len(header):
                fields, faults = _fields(header, cells, where, line, list_columns)
                rows.append(SourceRow(where, line, fields))
                problems += faults
            elif cells:
                wanted = counted(len(header), "cells")
                law = f"a row must have the header's {wanted}, this one has {len(cells)}"
                mend = f"Put texts that hold {separator!r}, quotes or line breaks in quotes."
                problems.append(Problem(where, law, mend, line=line))
            line = reader.line_num + 1
    except csv.Error as error:
        law = f"the table cannot be read from here: {error}"
        mend = 'Close the quotes; a quote inside a text is written twice ("").'
        problems.append(Problem(where, law, mend, line=line))
    return RowsRead(tuple(rows), tuple(problems))


def _separator(text: str, known: frozenset[str]) -> str | None:
    """The separator with which the header holds most known names; None when none holds any."""
    counts = {mark: len(known & set(_header(text, mark))) for mark in _SEPARATORS}
    best = max(counts, key=lambda mark: counts[mark])
    return best if counts[best] else None


def _header(text: str, separator: str) -> list[str]:
    csv.field_size_limit(_LONGEST_CELL)
    try:
        return next(csv.reader(io.StringIO(text, newline=""), delimiter=separator), [])
    except csv.Error:
        return []


def _no_header(text: str, where: str, known: frozenset[str]) -> Problem:
    head = _header(text, ",")
    law = "the first line must name columns, separated by comma, semicolon, tab or bar"
    wanted = ", ".join(sorted(known & {"claim", "label", "context", "context_id", "passages"}))
    mend = f"Name columns such as {wanted}, or give a column map."
    return Problem(where, law, mend, line=1, got=short_repr(head))


def _header_problems(header: list[str], where: str) -> list[Problem]:
    problems = []
    for position, name in enumerate(header):
        if not name.strip():
            law, mend = f"column {position + 1} has no name", "Name it or remove it."
            problems.append(Problem(where, law, mend, line=1))
        elif name in header[:position]:
            law, mend = "the column stands twice", "Rename or remove one of the two."
            problems.append(Problem(where, law, mend, line=1, field=name))
    return problems


def _fields(
    header: list[str], cells: list[str], where: str, line: int, list_columns: frozenset[str]
) -> tuple[dict[str, Any], list[Problem]]:
    fields: dict[str, Any] = {}
    problems = []
    for name, cell in unguarded(dict(zip(header, cells, strict=True))).items():
        value: Any = cell if cell else None
        if cell and name in list_columns:
            if cell.startswith(("['", '["')) and cell.endswith("']"):
                law = "the cell holds a printed Python list, which cannot be read back safely"
                mend = 'Export the list as JSON: ["first", "second"].'
                got = short_repr(cell)
                problems.append(Problem(where, law, mend, line=line, field=name, got=got))
            value = _json_list(cell)
        elif name == "exclude" and cell:
            value = _FLAGS.get(cell.strip().lower(), cell)
        fields[name] = value
    return fields, problems


def _json_list(cell: str) -> Any:
    """The list of texts or objects that a cell holds as JSON, or the cell itself."""
    if not cell.startswith("["):
        return cell
    try:
        parsed = json.loads(cell)
    except (ValueError, RecursionError):
        return cell
    texts = isinstance(parsed, list) and all(isinstance(part, str | dict) for part in parsed)
    return parsed if texts else cell
