"""Settings that are given by name, held against those that there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from metajudge.errors import InputError, Problem, short_repr
from metajudge.gold.validation import suggest


def check_names(where: str, given: Mapping[str, Any], *settings: type) -> None:
    """Refuse names that no settings have, with the nearest one that there is.

    Args:
        where: What takes them.
        given: Values by name.
        settings: Dataclasses that have the settings as fields.

    Raises:
        InputError: Names that none has, all at once.
    """
    known = [field.name for one in settings for field in fields(one)]
    problems = [
        Problem(
            where,
            "there is no such setting",
            suggest(name, known, len(known)),
            field=name,
            got=short_repr(value),
        )
        for name, value in given.items()
        if name not in known
    ]
    if problems:
        raise InputError(problems)
