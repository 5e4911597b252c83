"""Which format a source has: by the fields of its first record, and by names of files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatch
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from metajudge.errors import GoldError, Problem
from metajudge.gold.importers.formats import TABLE, formats
from metajudge.gold.importers.imported import Format
from metajudge.gold.importers.source import Source
from metajudge.gold.importers.stream import csv_header

_TABLES = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".json", ".parquet")
_FILES_LOOKED_AT = 20


class Recognised(NamedTuple):
    """A format and how it was found, for people; `why` is "" where the user named it."""

    format: Format
    why: str


def recognise(source: Source, known: Sequence[Format] | None = None) -> Recognised:
    """The one format that fits a source.

    A format whose marks are part of another fitting format's marks gives way to it. Where no
    format fits, a file that can be a table is one.

    Args:
        source: What is to be imported.
        known: Formats to choose from; None takes all.

    Raises:
        GoldError: Several formats fit, or none does, or the place cannot be read.
    """
    known = formats() if known is None else known
    if source.is_hub:
        address = source.place.removeprefix("hf:").partition("#")[0]
        named = [form for form in known if _is_hub_name(address, form.hub)]
        if named:
            return _only(source, named, f"recognised by the name {address}")
    fields = [set(names) for names in _first_fields(source)]
    marked = [
        form for form in known if form.marks and any(set(form.marks) <= seen for seen in fields)
    ]
    best = [form for form in marked if not any(_is_less(form, other) for other in marked)]
    if best:
        best = _narrowed(source, best)
        return _only(source, best, f"recognised by the fields {', '.join(best[0].marks)}")
    by_name = [form for form in known if _has_files(source, form.files)]
    if by_name:
        return _only(
            source, by_name, f"recognised by the file name {' or '.join(by_name[0].files)}"
        )
    return _as_table(source, known)


def _is_hub_name(address: str, names: Iterable[str]) -> bool:
    return any(address == name or address.partition(":")[0] == name for name in names)


def _is_less(form: Format, other: Format) -> bool:
    return set(form.marks) < set(other.marks)


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


def _as_table(source: Source, known: Sequence[Format]) -> Recognised:
    table = next((form for form in known if form.name == TABLE), None)
    is_file = source.is_dataset or (source.path.is_file() and source.path.suffix.lower() in _TABLES)
    if table is not None and is_file:
        return Recognised(table, "no other format fits")
    if not source.path.exists():
        mend = "Check the path; a set on the Hugging Face hub is written hf:owner/name."
        raise GoldError(Problem(source.place, "no such file or folder", mend))
    law = "no format fits it"
    if source.path.is_dir():
        law = "no format fits the files of the folder"
    mend = "Name the format with --from (`metajudge gold formats` lists them), or name one file."
    raise GoldError(Problem(source.place, law, mend))


def _first_fields(source: Source) -> Iterator[Iterable[str]]:
    """The fields of the first record of the source, or of each file of a folder.

    Raises:
        GoldError: A file that was named itself cannot be read.
    """
    if source.is_dataset:
        yield from (row.fields for row in islice(source.again().rows(), 1))
        return
    for path in _files(source)[:_FILES_LOOKED_AT]:
        if path.suffix.lower() not in _TABLES and path != source.path:
            continue
        try:
            yield from _fields_of(source.again(), path)
        except GoldError:
            if path == source.path:
                raise


def _fields_of(source: Source, path: Path) -> Iterator[Iterable[str]]:
    if path.suffix.lower() == ".json":
        document = _document(source, path)
        if isinstance(document, dict):
            yield document
            yield from (
                value for value in map(_first, document.values()) if isinstance(value, dict)
            )
            return
    if path.suffix.lower() in (".csv", ".tsv", ".txt"):
        yield csv_header(path, source.encoding).names
        return
    yield from (row.fields for row in islice(source.rows(path), 1))


def _document(source: Source, path: Path) -> Any:
    try:
        return json.loads(source.text(path))
    except (ValueError, RecursionError):
        return None


def _first(value: Any) -> Any:
    """A record that a document holds under a name: itself, or the first of a list."""
    return value[0] if isinstance(value, list) and value else value
