"""Judged answers as files: JSON, CSV for a spreadsheet, Parquet, or a folder of `datasets`."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metajudge.errors import InputError, Problem
from metajudge.gold import formula_guard
from metajudge.release.judged_rows import NESTED
from metajudge.report.inert import csv_cell, visible
from metajudge.report.written_file import write_whole

if TYPE_CHECKING:
    from metajudge.release.judged import Judged

ENDINGS = (".jsonl", ".json", ".csv", ".parquet")
_LINE_BREAKS = str.maketrans({char: f"\\u{ord(char):04x}" for char in "\x85\u2028\u2029"})
_NUMBERS = {int, float}


def check_place(path: str | Path) -> Path:
    """Where judged answers can go, looked at before anything is asked.

    Raises:
        InputError: The ending says no form, or something else is in the way.
    """
    place = Path(path)
    ending = place.suffix.lower()
    if ending and ending not in ENDINGS:
        law = f"judged answers are written as {', '.join(ENDINGS)}, or to a folder"
        raise InputError(Problem(str(path), law, "Choose one of these endings, or none."))
    if ending and place.is_dir():
        law = "a folder is where this file goes"
        raise InputError(Problem(str(path), law, "Move it away, or name another file."))
    if not ending and place.exists():
        from metajudge.gold.tabular import is_saved

        if not place.is_dir() or (any(place.iterdir()) and not is_saved(place)):
            law = "the folder has to be new, empty, or one that was saved by `datasets`"
            raise InputError(Problem(str(path), law, "Name another one."))
    return place


def write_judged(judged: Judged, path: str | Path) -> Path:
    """Writes one row an answer, in input order; the file is whole or not there.

    Raises:
        InputError: The place cannot be written to, or its ending says no form.
    """
    return write_rows(judged.rows, path, NESTED)


def write_rows(
    rows: Sequence[Mapping[str, Any]], path: str | Path, nested: Collection[str]
) -> Path:
    """Writes rows of the same fields; the file is whole or not there.

    CSV has nested fields as JSON in a column each, and no cell that a spreadsheet would take for a
    formula; what such cells were is found again when the file is read. In Parquet and a folder,
    fields of mixed types are JSON texts.

    Args:
        rows: The rows, at least one.
        path: Where to.
        nested: Fields that hold a list of one shape in every row.

    Raises:
        InputError: The place cannot be written to, or its ending says no form.
    """
    place = check_place(path)
    ending = place.suffix.lower()
    if ending == ".jsonl":
        return write_whole(place, "".join(f"{_json(row)}\n" for row in rows))
    if ending == ".json":
        lines = ",\n".join(_json(row) for row in rows)
        return write_whole(place, f"[\n{lines}\n]\n")
    if ending == ".csv":
        return write_whole(place, _csv(rows), encoding="utf-8-sig")
    from metajudge.gold.tabular import write_with_datasets

    try:
        write_with_datasets(even_rows(rows, nested), place)
    except OSError as error:
        mend = f"{error.strerror or error}; choose another place for it"
        raise InputError(Problem(str(place), "the place must be writable", mend)) from error
    return place


def even_rows(
    rows: Sequence[Mapping[str, Any]], nested: Collection[str] = NESTED
) -> list[dict[str, Any]]:
    """Rows in which every field has one type: one that has several becomes a JSON text."""
    names = [name for name in rows[0] if name not in nested]
    mixed = [name for name in names if not _is_even([row[name] for row in rows])]
    return [
        {
            name: _json(value) if name in mixed and value is not None else value
            for name, value in row.items()
        }
        for row in rows
    ]


def _is_even(values: Sequence[Any]) -> bool:
    """Whether the values, Nones apart, are all texts, all flags, or all numbers."""
    kinds = {type(value) for value in values if value is not None}
    return kinds <= _NUMBERS or (len(kinds) == 1 and not kinds & {list, dict})


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False).translate(_LINE_BREAKS)


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """The table, with `formula_guard.COLUMN` last where a cell got an apostrophe."""
    sheet = io.StringIO()
    writer = csv.writer(sheet, lineterminator="\r\n")
    guards = [" ".join(_guarded(row)) for row in rows]
    told = any(guards) and formula_guard.COLUMN not in rows[0]
    last = [formula_guard.COLUMN] if told else []
    writer.writerow([*(csv_cell(name) for name in rows[0]), *last])
    for row, guard in zip(rows, guards, strict=True):
        writer.writerow([*(_cell(value) for value in row.values()), *([guard] if told else [])])
    return sheet.getvalue()


def _guarded(row: Mapping[str, Any]) -> Iterator[str]:
    """Columns whose cell gets an apostrophe; names are told apart by the blanks between them."""
    for name, value in row.items():
        text = isinstance(value, str) and not any(map(str.isspace, name))
        if text and csv_cell(value) != visible(value):
            yield name


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value}"
    return csv_cell(value if isinstance(value, str) else _json(value))
