"""Records of a `.json` file that holds one list, one at a time, so that size costs no memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from metajudge.errors import Problem, short_repr
from metajudge.gold.importing.stream import DECODER, UTF8, TwiceError, opened
from metajudge.gold.rows import SourceRow

_PIECE = 2**18
_BLANKS = " \t\r\n"
_PLAIN = json.JSONDecoder()


class _Broken(NamedTuple):
    """Where a list stops being JSON: 1-based line and column, and the text around it."""

    line: int
    column: int
    got: str


def json_records(path: Path, faults: list[Problem], encoding: str = UTF8) -> Iterator[SourceRow]:
    """The objects of the one list that a JSON file holds; a missing number is a missing value.

    Args:
        path: The file.
        faults: What is no list, is no object, or cannot be read is added here; after a place that
            is not JSON nothing more is read.
        encoding: Of the file.

    Raises:
        GoldError: The file cannot be read as text.
    """
    where = str(path)
    with opened(path, encoding) as file:
        window = _Window(file)
        if window.peek() != "[":
            faults.append(_no_list(window, where))
            return
        for number, value in enumerate(window.values(), 1):
            place = f"{where} row {number}"
            if isinstance(value, dict):
                yield SourceRow(place, None, value)
            elif isinstance(value, TwiceError):
                law, mend = "a field stands twice in the record", "Remove one of the two."
                faults.append(Problem(place, law, mend, field=str(value)))
            elif isinstance(value, _Broken):
                faults.append(_not_json(where, value))
            else:
                law, mend = "a record must be one JSON object", "Mend or remove it."
                faults.append(Problem(place, law, mend, got=short_repr(value)))


def _no_list(window: _Window, where: str) -> Problem:
    """What a file holds that is no list: nothing, something that is not JSON, or another value."""
    value = window.value()
    if isinstance(value, _Broken):
        if not window.peek():
            return Problem(where, "the file is empty", "Export it again.")
        return _not_json(where, value)
    law, mend = "a .json file must hold one list of rows", "Write [ ] around the rows."
    return Problem(where, law, mend, got=short_repr(value))


def _not_json(where: str, broken: _Broken) -> Problem:
    law = f"this is not JSON at character {broken.column}"
    return Problem(where, law, "Mend the file.", line=broken.line, got=broken.got)


class _Window:
    """The part of a text that is looked at; it grows until a value fits, and then moves on."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._text = ""
        self._at = 0
        self._ended = False
        self._lines = 0
        self._column = 0

    def peek(self) -> str:
        """The next character that is not blank; "" at the end."""
        while True:
            text = self._text
            while self._at < len(text) and text[self._at] in _BLANKS:
                self._at += 1
            if self._at < len(text) or not self._more(_PIECE):
                return self._text[self._at : self._at + 1]

    def values(self) -> Iterator[Any]:
        """The values of the list that begins here; the last is `_Broken` where it breaks off."""
        self._at += 1
        if self.peek() != "]":
            while True:
                value = self.value()
                yield value
                if isinstance(value, _Broken):
                    return
                if self.peek() != ",":
                    break
                self._at += 1
        if self.peek() != "]":
            yield self._broken(self._at)
            return
        self._at += 1
        if self.peek():
            yield self._broken(self._at)

    def value(self) -> Any:
        """The value that begins here; a `TwiceError` or `_Broken` in its place where it is none."""
        wanted = _PIECE
        self.peek()
        while True:
            try:
                value, end = self._decoded()
            except RecursionError:
                return self._broken(self._at)
            except json.JSONDecodeError as error:
                if not self._more(wanted):
                    return self._broken(error.pos)
                wanted *= 2
                continue
            if end < len(self._text) or isinstance(value, dict) or not self._more(wanted):
                self._at = end
                return value

    def _decoded(self) -> tuple[Any, int]:
        try:
            return DECODER.raw_decode(self._text, self._at)
        except TwiceError as error:
            return error, _PLAIN.raw_decode(self._text, self._at)[1]

    def _more(self, count: int) -> bool:
        """Reads on and lets go of what lies behind; False where the file has ended."""
        piece = "" if self._ended else self._file.read(count)
        self._ended = not piece
        if piece:
            behind = self._text[: self._at]
            self._lines += behind.count("\n")
            last = behind.rfind("\n")
            self._column = self._column + len(behind) if last < 0 else len(behind) - last - 1
            self._text, self._at = self._text[self._at :] + piece, 0
        return bool(piece)

    def _broken(self, at: int) -> _Broken:
        before = self._text[:at]
        last = before.rfind("\n")
        column = self._column + at + 1 if last < 0 else at - last
        line = self._lines + before.count("\n") + 1
        return _Broken(line, column, short_repr(self._text[max(0, at - 20) : at + 20]))
