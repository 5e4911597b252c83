"""Modules that people choose by a name, imported when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from metajudge.errors import GoldError, Problem
from metajudge.gold.validation import suggest


def named_module(
    name: str, modules: Mapping[str, str], package: str, option: str, kind: str
) -> Any:
    """The module of a name.

    Args:
        name: As people write it.
        modules: Name: module of the package.
        package: Where the modules are.
        option: Of the command line, for the fault.
        kind: What the names are of, for the fault.

    Raises:
        GoldError: There is none of that name.
    """
    if name not in modules:
        mend = suggest(name, modules, len(modules))
        raise GoldError(Problem(option, f"there is no such {kind}", mend, got=repr(name)))
    return import_module(f"{package}.{modules[name]}")
