"""Python source of a drop-in: its docstring, its constants, the shared functions, its own part."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from metajudge.report.inert import visible

_WIDTH = 96
_LEFT_ALONE = "# fmt: off\n# isort: skip_file\n# ruff: noqa\n"
"""So that a formatter that runs over a user's code is no edit."""

_LINES = re.compile(r"\n*[^\n]+\n?|\n+")


def module_text(doc: str, constants: Mapping[str, Any], part: str) -> str:
    """A module that needs its framework and the standard library only.

    Args:
        doc: Its docstring, plain text.
        constants: Name -> lists, mappings, texts, numbers, booleans and None.
        part: File in `inlined` with what is the framework's own.
    """
    imports, functions = _core()
    assigned = "\n".join(f"{name} = {literal(value)}" for name, value in constants.items())
    own = _source(part)
    return (
        f'{_LEFT_ALONE}"""{_docstring(doc)}"""\n\n{imports}\n\n{assigned}\n\n\n{functions.strip()}\n\n\n'
        f"{own.strip()}\n"
    )


def literal(value: Any, depth: int = 0) -> str:
    r"""A value as Python source, one entry a line where it is long, texts broken at line ends.

    >>> literal({"a": [1, None], "b": "x\ny"})
    '{"a": [1, None], "b": "x\\ny"}'
    """
    short = _flat(value)
    if len(short) + 4 * depth <= _WIDTH or not isinstance(value, Mapping | Sequence):
        return short
    inner, outer = "    " * (depth + 1), "    " * depth
    if isinstance(value, str):
        lines = _LINES.findall(value)
        if len(lines) < 2:
            return short
        shown = "".join(f"\n{inner}{_flat(line)}" for line in lines)
        return f"({shown}\n{outer})"
    if isinstance(value, Mapping):
        entries = [f"{_flat(key)}: {literal(held, depth + 1)}" for key, held in value.items()]
        opening, closing = "{}"
    else:
        entries = [literal(held, depth + 1) for held in value]
        opening, closing = "[]"
    return opening + "".join(f"\n{inner}{entry}," for entry in entries) + f"\n{outer}{closing}"


def _flat(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_flat(k)}: {_flat(held)}" for k, held in value.items()) + "}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(_flat, value)) + "]"
    return repr(value)


def _docstring(text: str) -> str:
    return visible(text).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')


@cache
def _core() -> tuple[str, str]:
    """The imports of the shared functions, and the functions."""
    source = _source("core.py")
    imported = [
        node for node in ast.parse(source).body if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    lines = source.splitlines()
    last = imported[-1].end_lineno or 0
    return "\n".join(lines[imported[0].lineno - 1 : last]), "\n".join(lines[last:])


@cache
def _source(name: str) -> str:
    folder = resources.files("metajudge.release.emit") / "inlined"
    return (folder / name).read_text(encoding="utf-8")
