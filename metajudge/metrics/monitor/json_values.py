"""JSON values of a file one after another, each on a line of its own or laid out over several."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any


def json_values(path: str | Path) -> Iterator[tuple[int, Any]]:
    """Values with the line that each begins on; a line that belongs to none as its own text.

    The file is read as far as values are asked for. A value over several lines ends where its
    bracket closes at the beginning of a line, or with the file.

    Raises:
        OSError: The file cannot be read.
    """
    with Path(path).open(encoding="utf-8-sig", errors="replace", newline="\n") as file:
        yield from _values((n, line) for n, line in enumerate(file, 1) if line.strip())


def _values(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, Any]]:
    begun: list[tuple[int, str]] = []
    """Lines of a value that is not whole yet."""
    tried = False
    for number, line in lines:
        alone = _decoded(line) if not begun or line.startswith("{") else line
        if not isinstance(alone, str):
            yield from begun
            begun, tried = [], False
            yield number, alone
        elif begun or line.lstrip().startswith(("{", "[")):
            begun.append((number, line))
            if line[0] in "}]" and not tried:
                whole = _joined(begun)
                tried = isinstance(whole, str)
                if not tried:
                    yield begun[0][0], whole
                    begun = []
        else:
            yield number, line
    if begun:
        whole = _joined(begun)
        yield from begun if isinstance(whole, str) else [(begun[0][0], whole)]


def _joined(lines: Iterable[tuple[int, str]]) -> Any:
    return _decoded("".join(line for _, line in lines))


def _decoded(text: str) -> Any:
    """The value of a text; what is no JSON, or a bare text, as it is."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
