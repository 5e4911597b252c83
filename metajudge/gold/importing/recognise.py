"""Which format a source has: by the fields of its first records, and by names of files.

An export of a tool holds what models made beside what people made. So a record that looks like one
and is no format's never passes for a plain table: it has to be said what it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatch, fnmatchcase
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from metajudge.errors import GoldError, Problem
from metajudge.gold.importers.formats import TABLE, formats
from metajudge.gold.importing.imported import Format
from metajudge.gold.importing.source import Source
from metajudge.gold.importing.stream import csv_header

_TABLES = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".json", ".parquet")
_FILES_LOOKED_AT = 20
_RECORDS_LOOKED_AT = 50
_DEPTH, _NAMED = 4, 5
_TOOL_WORDS = frozenset(
    "annotator_kind feedback_source assessments annotation_agent prediction_agent was_cancelled "
    "gradingresult grading_result".split()
)
"""Names that only exports of tools have."""
_PART_WORDS = frozenset("prediction predictions suggestion suggestions completed_by".split())
"""Names that a column of anybody's table may have, but no part of such a column."""


class Recognised(NamedTuple):
    """A format and how it was found, for people; `why` is "" where the user named it."""

    format: Format
    why: str


class _Looked(NamedTuple):
    """First records, and why others could not be read."""

    records: list[Mapping[str, Any]]
    problems: list[Problem]


def recognise(source: Source, known: Sequence[Format] | None = None) -> Recognised:
    """The one format that fits a source.

    A format whose marks are part of another fitting format's marks gives way to it. Where no
    format fits, a file that can be a table is one, unless it looks like the export of a tool.

    Args:
        source: What is to be imported.
        known: Formats to choose from; None takes all.

    Raises:
        GoldError: Several formats fit, or none does, or the place cannot be read or is empty.
    """
    known = formats() if known is None else known
    if source.is_hub:
        address = source.place.removeprefix("hf:").partition("#")[0]
        named = [form for form in known if _is_hub_name(address, form.hub)]
        if named:
            return _only(source, named, f"recognised by the name {address}")
    looked = _first_records(source)
    marked = {form: found for form in known if (found := _found_marks(form, looked.records))}
    best = [
        form
        for form in marked
        if not any(set(marked[form]) < set(found) for found in marked.values())
    ]
    if best:
        best = _narrowed(source, best)
        return _only(source, best, f"recognised by the fields {', '.join(marked[best[0]])}")
    by_name = [form for form in known if _has_files(source, form.files)]
    if by_name:
        return _only(
            source, by_name, f"recognised by the file name {' or '.join(by_name[0].files)}"
        )
    return _as_table(source, known, looked)


def _is_hub_name(address: str, names: Iterable[str]) -> bool:
    return any(address == name or address.partition(":")[0] == name for name in names)


def _found_marks(form: Format, records: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """The largest set of a format's marks that all stand in one record; () without one."""
    found = [
        marks
        for marks in form.mark_sets
        if any(all(_stands(mark, record) for mark in marks) for record in records)
    ]
    return max(found, key=len, default=())


def _stands(mark: str, record: Mapping[str, Any]) -> bool:
    return mark in record or any(fnmatchcase(name, mark) for name in record)


def _narrowed(source: Source, fitting: list[Format]) -> list[Format]:
    """Those whose files are named as theirs are, where some are."""
    named = [form for form in fitting if _has_files(source, form.files)]
    return named or fitting


def _only(source: Source, fitting: Sequence[Format], why: str) -> Recognised:
    if len(fitting) == 1:
        return Recognised(fitting[0], why)
    names = ", ".join(form.name for form in fitting)
    mend = f"Say which: --from {fitting[0].name}, for instance."
    raise GoldError(Problem(source.place, f"several formats fit: {names}", mend))


def _has_files(source: Source, patterns: Sequence[str]) -> bool:
    return any(fnmatch(path.name, pattern) for path in _files(source) for pattern in patterns)


def _files(source: Source) -> list[Path]:
    path = source.path
    if source.is_hub or not path.is_dir():
        return [path]
    inside = sorted(entry for entry in path.iterdir() if entry.is_file())
    return [entry for entry in inside if not entry.name.startswith(".")]


def _as_table(source: Source, known: Sequence[Format], looked: _Looked) -> Recognised:
    table = next((form for form in known if form.name == TABLE), None)
    is_file = source.is_dataset or (source.path.is_file() and source.path.suffix.lower() in _TABLES)
    if table is not None and is_file:
        if source.is_dataset and not looked.records:
            raise GoldError(looked.problems or [_empty(source)])
        check_rows(source)
        _check_no_tool(source, known, looked.records)
        return Recognised(table, "no other format fits")
    if not source.path.exists():
        mend = "Check the path; a set on the Hugging Face hub is written hf:owner/name."
        raise GoldError(Problem(source.place, "no such file or folder", mend))
    law = "no format fits it"
    if source.path.is_dir():
        law = "no format fits the files of the folder"
    mend = "Name the format with --from (`metajudge gold formats` lists them), or name one file."
    raise GoldError(Problem(source.place, law, mend))


def check_rows(source: Source) -> None:
    """Refuses a file without a single record, such as one that is torn or empty.

    Raises:
        GoldError: There is no record with a field; with what the file has instead.
    """
    if source.is_dataset or not source.path.is_file():
        return
    probe = source.again()
    if not any(row.fields for row in probe.rows()):
        raise GoldError(probe.problems or [_empty(source)])


def _empty(source: Source) -> Problem:
    has_bytes = source.is_dataset or source.path.stat().st_size > 0
    law = "it holds no record with fields" if has_bytes else "the file is empty"
    return Problem(source.place, law, "Check that it is the right one, or export it again.")


def _check_no_tool(
    source: Source, known: Sequence[Format], records: Sequence[Mapping[str, Any]]
) -> None:
    """Refuses what looks like the export of a tool in a form that no format knows."""
    told = [path for record in records for path in _tool_paths(record)]
    if not told:
        return
    tools = [form for form in known if form.kind in ("tool", "framework")]
    near = [form for form in tools if has_any_mark(form, records)] or tools
    fields = ", ".join(list(dict.fromkeys(told))[:_NAMED])
    law = f"it looks like the export of a tool, by its fields {fields}, in a form that is not known"
    names = ", ".join(form.name for form in near)
    mend = f"Say which: --from FORMAT ({names}), or --from {TABLE} where it is a table of your own."
    raise GoldError(Problem(source.place, law, mend))


def has_any_mark(form: Format, records: Iterable[Mapping[str, Any]]) -> bool:
    """Whether one of a format's marks stands in one of the records."""
    marks = {mark for marks in form.mark_sets for mark in marks}
    return any(_stands(mark, record) for record in records for mark in marks)


def _tool_paths(record: Mapping[str, Any], depth: int = _DEPTH) -> Iterator[str]:
    """Paths of fields whose names only tools write."""
    for name, value in record.items():
        words = set(name.casefold().replace("-", ".").split("."))
        is_plain = len(words) == 1 and depth == _DEPTH and not _is_nested(value)
        if words & _TOOL_WORDS or (words & _PART_WORDS and not is_plain):
            yield name
        inside = _first(value)
        if isinstance(inside, Mapping) and depth > 1:
            yield from (f"{name}.{path}" for path in _tool_paths(inside, depth - 1))


def _is_nested(value: Any) -> bool:
    return isinstance(value, Mapping | list) or str(value).startswith(("{", "["))


def first_records(source: Source) -> list[Mapping[str, Any]]:
    """The first records of the source, or of each file of a folder, as far as they can be read.

    Raises:
        GoldError: A file that was named itself cannot be read.
    """
    return _first_records(source).records


def _first_records(source: Source) -> _Looked:
    looked = _Looked([], [])
    if source.is_dataset:
        probe = source.again()
        looked.records.extend(row.fields for row in islice(probe.rows(), _RECORDS_LOOKED_AT))
        looked.problems.extend(probe.problems)
        return looked
    for path in _files(source)[:_FILES_LOOKED_AT]:
        if path.suffix.lower() not in _TABLES and path != source.path:
            continue
        try:
            looked.records.extend(_records_of(source.again(), path))
        except GoldError:
            if path == source.path:
                raise
    return looked


def _records_of(source: Source, path: Path) -> Iterator[Mapping[str, Any]]:
    ending = path.suffix.lower()
    if ending == ".json" and source.begins_object(path):
        document = _document(source, path)
        if isinstance(document, dict):
            yield document
            inside = map(_first, document.values())
            yield from (value for value in inside if isinstance(value, dict))
            return
    if ending in (".csv", ".tsv", ".txt"):
        yield dict.fromkeys(csv_header(path, source.encoding).names)
        return
    yield from (row.fields for row in islice(source.rows(path), _RECORDS_LOOKED_AT))


def _document(source: Source, path: Path) -> Any:
    try:
        return json.loads(source.text(path))
    except (ValueError, RecursionError):
        return None


def _first(value: Any) -> Any:
    """A record that a document holds under a name: itself, or the first of a list."""
    return value[0] if isinstance(value, list) and value else value
