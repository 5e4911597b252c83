"""Records of foreign CSV and JSON Lines files one at a time, so that size costs no memory.

Files of other people's tools are read as they are: a missing number is a missing value, short rows
are filled, lines above the header of a spreadsheet are passed over. What has no one meaning is a
fault with its line.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from metajudge.counted import counted
from metajudge.errors import GoldError, Problem, short_repr
from metajudge.gold import formula_guard
from metajudge.gold.importing.packed import refuse_packed
from metajudge.gold.rows import SourceRow

UTF8 = "utf-8"
SEPARATORS = (",", ";", "\t", "|")
_SEPARATOR_NAMES = "comma, semicolon, tab or bar"
_WORKBOOKS = (".xlsx", ".xls", ".xlsm", ".ods", ".numbers", ".et")
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_HAN = re.compile(r"[㐀-鿿　-〿＀-￯]")
_LONGEST_CELL = 2**31 - 1
_LINES_LOOKED_AT = 60
_LONGEST_LOOK = 2**20
_TOLD_SEPARATOR = re.compile(r"sep=(.)\s*$")


class Header(NamedTuple):
    """How the table of a CSV file begins.

    Attributes:
        names: Of the columns, each once; one without a name is called by its letter.
        separator: Between cells.
        line: 1-based line of the header.
    """

    names: tuple[str, ...]
    separator: str
    line: int


def text_encoding(name: str) -> str:
    """The name of an encoding as Python has it.

    Raises:
        GoldError: There is no such encoding of texts.
    """
    try:
        "a".encode(name)
    except LookupError:
        mend = "Use utf-8, gb18030, big5, utf-16, cp1252 or another name that Python knows."
        law = "there is no such encoding"
        raise GoldError(Problem("--encoding", law, mend, got=repr(name))) from None
    return codecs.lookup(name).name


def refuse_workbook(path: Path) -> None:
    """Says what to do with a file of a spreadsheet program, or with a packed one.

    Raises:
        GoldError: It is one: a workbook by its ending, a packed file by ending or first bytes.
    """
    if path.suffix.lower() in _WORKBOOKS:
        law = "a workbook is not read"
        mend = "Save the sheet as CSV UTF-8 in the spreadsheet program, and name that file."
        raise GoldError(Problem(str(path), law, mend))
    refuse_packed(path)


@contextmanager
def opened(path: Path, encoding: str = UTF8, newline: str = "") -> Iterator[TextIO]:
    """A file as text without a byte order mark.

    Raises:
        GoldError: It cannot be read, is a workbook, or holds bytes that the encoding does not have.
    """
    refuse_workbook(path)
    try:
        with path.open("rb") as raw:
            marked = encoding == UTF8 and raw.read(2) in _UTF16_MARKS
        if marked:
            mend = "Give --encoding utf-16, or save the file as CSV UTF-8."
            raise GoldError(Problem(str(path), "the file is UTF-16, not UTF-8", mend))
        codec = "utf-8-sig" if encoding == UTF8 else encoding
        with path.open(encoding=codec, newline=newline) as file:
            yield file
    except UnicodeError:
        raise GoldError(_undecodable(path, encoding)) from None
    except IsADirectoryError:
        law = "a file is expected, this is a folder"
        raise GoldError(Problem(str(path), law, "Name the file.")) from None
    except FileNotFoundError:
        raise GoldError(Problem(str(path), "no such file", "Check the path.")) from None
    except OSError as error:
        law = f"the file cannot be read: {error.strerror or type(error).__name__}"
        raise GoldError(Problem(str(path), law, "Check its permissions.")) from None


def _undecodable(path: Path, encoding: str) -> Problem:
    """The first line that cannot be decoded, and the encoding that the file seems to have."""
    raw = path.read_bytes()
    line, got = _first_bad_line(raw, encoding)
    if encoding != UTF8:
        mend = "Name the encoding that the file was saved with, or save it as UTF-8."
        return Problem(str(path), f"the text is not {encoding}", mend, line=line, got=got)
    if _reads_as_chinese(raw):
        law = "the text is not UTF-8 but reads as GB18030"
        return Problem(str(path), law, "Give --encoding gb18030.", line=line, got=got)
    mend = "Save the file as UTF-8, or name its encoding with --encoding."
    return Problem(str(path), "the text is not UTF-8", mend, line=line, got=got)


def _first_bad_line(raw: bytes, encoding: str) -> tuple[int | None, str | None]:
    lines = [] if encoding.startswith(("utf-16", "utf-32")) else raw.split(b"\n")
    for number, content in enumerate(lines, 1):
        try:
            content.decode(encoding)
        except UnicodeError as error:
            start = getattr(error, "start", 0)
            return number, short_repr(content[start : start + 12])
    return None, None


def _reads_as_chinese(raw: bytes) -> bool:
    try:
        text = raw.decode("gb18030")
    except UnicodeError:
        return False
    strange = [char for char in text if not char.isascii()]
    return bool(strange) and sum(map(bool, map(_HAN.match, strange))) >= 0.8 * len(strange)


def json_lines(path: Path, faults: list[Problem], encoding: str = UTF8) -> Iterator[SourceRow]:
    """Records of a JSON Lines file; only a line feed ends a line, blank ones are passed over.

    Args:
        path: The file.
        faults: Lines that cannot be read are added here.
        encoding: Of the file.

    Raises:
        GoldError: The file cannot be read as text.
    """
    where = str(path)
    with opened(path, encoding, newline="\n") as file:
        for line, text in enumerate(file, 1):
            if text.isspace():
                continue
            fields = _record(text, where, line)
            if isinstance(fields, Problem):
                faults.append(fields)
            else:
                yield SourceRow(where, line, fields)


class TwiceError(ValueError):
    """A field that stands twice in one record."""


def _record(text: str, where: str, line: int) -> dict[str, Any] | Problem:
    try:
        fields = DECODER.decode(text)
    except TwiceError as error:
        law, mend = "a field stands twice in the record", "Remove one of the two."
        return Problem(where, law, mend, line=line, field=str(error))
    except (ValueError, RecursionError) as error:
        told = f" at character {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
        torn = "" if text.endswith("\n") else "; the file ends inside it"
        law, mend = f"this is not JSON{told}{torn}", "Mend or remove the line."
        if "\r" in text.strip():
            law, mend = "lines end in CR alone", "Save the file with line feeds (LF) at line ends."
        return Problem(where, law, mend, line=line, got=short_repr(text.strip()))
    if isinstance(fields, dict):
        return fields
    law, mend = "a record must be one JSON object", "Write one object a line, or a list in .json."
    return Problem(where, law, mend, line=line, got=short_repr(fields))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        raise TwiceError(next(name for name in names if names.count(name) > 1))
    return fields


DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=lambda _: None)
"""Of foreign JSON: a number that is none is a missing value, a field that stands twice is refused
with `TwiceError`."""


def csv_header(path: Path, encoding: str = UTF8) -> Header:
    """Where the table of a CSV file begins, and with which separator.

    Blank lines, a `sep=;` line and titles (one cell alone) above the header are passed over. The
    separator is the one that gives the largest share of rows the header's number of cells.

    Raises:
        GoldError: The file cannot be read as text, or no line names two columns.
    """
    with opened(path, encoding) as file:
        look = file.read(_LONGEST_LOOK)
    told = _TOLD_SEPARATOR.match(look.partition("\n")[0])
    wanted = ("\t",) if path.suffix.lower() == ".tsv" else SEPARATORS
    tried = (told[1],) if told else wanted
    found = [(header, share) for mark in tried for header, share in _begin(look, mark)]
    if not found:
        law = f"no line names two columns or more, separated by {_SEPARATOR_NAMES}"
        got = short_repr(look.strip().partition("\n")[0])
        raise GoldError(Problem(str(path), law, "Name the columns in the first line.", got=got))
    return max(found, key=lambda pair: (pair[1], len(pair[0].names)))[0]


def _begin(look: str, separator: str) -> Iterator[tuple[Header, float]]:
    """The header under one separator, and the share of rows looked at that fit it."""
    reader = _reader(io.StringIO(look, newline=""), separator)
    rows: list[tuple[int, list[str]]] = []
    line = 1
    try:
        for cells in reader:
            rows.append((line, cells))
            line = reader.line_num + 1
            if len(rows) == _LINES_LOOKED_AT:
                break
    except csv.Error:
        pass
    rows = [(at, cells) for at, cells in rows if any(map(str.strip, cells))]
    wide = [(at, cells) for at, cells in rows if sum(map(bool, map(str.strip, cells))) > 1]
    if wide:
        at, cells = wide[0]
        fitting = sum(len(other) == len(cells) for _, other in rows)
        yield Header(_names(cells), separator, at), fitting / len(rows)


def _names(cells: Sequence[str]) -> tuple[str, ...]:
    """Names of columns: stripped, blank ones by their letter, later ones of a name numbered."""
    names: list[str] = []
    last = max(index for index, cell in enumerate(cells) if cell.strip())
    for index, cell in enumerate(cells[: last + 1]):
        name = " ".join(cell.replace("\ufeff", "").split()) or f"column {_letter(index)}"
        number = 2
        unique = name
        while unique in names:
            unique, number = f"{name} ({number})", number + 1
        names.append(unique)
    return tuple(names)


def _letter(index: int) -> str:
    """What a spreadsheet calls a column.

    >>> _letter(0), _letter(25), _letter(26)
    ('A', 'Z', 'AA')
    """
    head, tail = divmod(index, 26)
    return (_letter(head - 1) if head else "") + chr(ord("A") + tail)


def csv_rows(path: Path, faults: list[Problem], encoding: str = UTF8) -> Iterator[SourceRow]:
    """Rows of a CSV file under its header, quoted after RFC 4180; an empty cell is None.

    A row that is blank is passed over, a short one is filled up; one with more filled cells than
    the header is a fault, since its texts may have moved. Apostrophes that `formula_guard` put
    before texts are taken off again.

    Args:
        path: The file.
        faults: Rows that cannot be read are added here.
        encoding: Of the file.

    Raises:
        GoldError: The file cannot be read as text, or has no header.
    """
    header = csv_header(path, encoding)
    where, names, width = str(path), header.names, len(header.names)
    guarded = formula_guard.COLUMN in names
    with opened(path, encoding) as file:
        for _ in range(header.line - 1):
            file.readline()
        reader = _reader(file, header.separator)
        line = header.line
        try:
            for cells in reader:
                begins, line = line, header.line + reader.line_num
                if begins == header.line or not any(map(str.strip, cells)):
                    continue
                if len(cells) > width and any(cell.strip() for cell in cells[width:]):
                    faults.append(_too_wide(where, begins, cells, header))
                    continue
                fields = {name: cell or None for name, cell in zip(names, cells, strict=False)}
                if len(fields) < width:
                    fields |= dict.fromkeys(names[len(fields) :])
                yield SourceRow(where, begins, _unguarded(fields) if guarded else fields)
        except csv.Error as error:
            law = f"the table cannot be read from here: {error}"
            mend = 'Close the quotes; a quote inside a text is written twice ("").'
            faults.append(Problem(where, law, mend, line=line))


def _unguarded(fields: dict[str, str | None]) -> dict[str, str | None]:
    """Cells as they were before `gold export` made them safe for spreadsheets."""
    filled = formula_guard.unguarded({name: cell for name, cell in fields.items() if cell})
    return {name: filled.get(name) for name in fields if name != formula_guard.COLUMN}


def _reader(lines: TextIO, separator: str) -> Any:
    csv.field_size_limit(_LONGEST_CELL)
    return csv.reader(lines, delimiter=separator, strict=True)


def _too_wide(where: str, line: int, cells: Sequence[str], header: Header) -> Problem:
    named = counted(len(header.names), "columns")
    law = f"the row has {counted(len(cells), 'cells')}, the header names {named}"
    mend = f"Put texts that hold {header.separator!r}, quotes or line breaks in quotes."
    return Problem(where, law, mend, line=line, got=short_repr(cells[len(header.names)]))
