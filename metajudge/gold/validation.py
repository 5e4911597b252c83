"""Pydantic's complaints as `Problem`s: line, field, value, law and mend, with suggestions."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from metajudge.errors import Problem, short_repr

Location = tuple[int | str, ...]
UNKNOWN_FIELD = "there is no such field"
_QUOTED = re.compile(r"'([^']*)'")
_TYPE_LAWS = {
    "string_too_short": "must not be empty",
    "string_type": "must be a text",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "tuple_type": "must be a list",
    "list_type": "must be a list",
    "dict_type": "must be a mapping",
    "model_type": "must be a mapping",
}


class _LawAndMend(NamedTuple):
    law: str
    mend: str


def suggest(word: object, known: Iterable[str], limit: int = 12) -> str:
    """A mend that names the closest known word, or else the known words.

    >>> suggest("claim_idd", ["claim", "claim_id", "label"])
    "Did you mean 'claim_id'?"
    >>> suggest("zzz", ["yes", "no"])
    'Use one of: yes, no.'
    """
    names = list(known)
    folded = {name.casefold(): name for name in names}
    close = difflib.get_close_matches(str(word).casefold(), folded, n=1, cutoff=0.6)
    if close:
        return f"Did you mean {folded[close[0]]!r}?"
    rest = "" if len(names) <= limit else f" and {len(names) - limit} more"
    return f"Use one of: {', '.join(names[:limit])}{rest}."


def dotted(location: Location) -> str:
    """A place inside nested data as people write it.

    >>> dotted(("annotations", 0, "label"))
    'annotations[0].label'
    """
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def validation_problems(
    error: ValidationError,
    model: type[BaseModel],
    where: str,
    line_of: Callable[[Location], int | None],
) -> list[Problem]:
    """Every complaint of pydantic as a problem.

    Args:
        error: What pydantic raised.
        model: The model that was being filled; its field names feed the suggestions.
        where: The file.
        line_of: Gives the 1-based line of a place in the data, None where unknown.
    """
    problems = []
    for detail in error.errors(include_url=False):
        location = tuple(part for part in detail["loc"] if part != "[key]")
        law, mend = _law_and_mend(detail, model, location)
        missing = detail["type"] == "missing"
        got = None if missing else short_repr(detail["input"])
        line = line_of(location[:-1] if missing else location)
        field = dotted(location) or None
        problems.append(Problem(where, law, mend, line=line, field=field, got=got))
    return problems


def _law_and_mend(detail: ErrorDetails, model: type[BaseModel], location: Location) -> _LawAndMend:
    kind = detail["type"]
    value = detail["input"]
    context = detail.get("ctx", {})
    if kind == "missing":
        return _LawAndMend("this field is needed", "Add it.")
    if kind == "extra_forbidden":
        names = _field_names(model, location[:-1])
        return _LawAndMend(UNKNOWN_FIELD, suggest(location[-1], names))
    if kind == "literal_error":
        choices = _QUOTED.findall(str(context.get("expected", "")))
        return _LawAndMend(f"must be one of {', '.join(choices)}", suggest(value, choices))
    if kind in _TYPE_LAWS:
        return _LawAndMend(_TYPE_LAWS[kind], _type_mend(kind, value))
    if kind in ("value_error", "assertion_error"):
        return _LawAndMend(str(context.get("error", detail["msg"])), "Mend the value.")
    law = detail["msg"].removeprefix("Input should be ")
    return _LawAndMend(f"must be {law}" if law != detail["msg"] else law, "Mend the value.")


def _type_mend(kind: str, value: object) -> str:
    if kind == "string_too_short":
        return "Write a value."
    if kind == "string_type" and isinstance(value, bool | int | float):
        return "Put the value in quotes."
    if kind in ("tuple_type", "list_type") and isinstance(value, str):
        return "Put the value in [ ]."
    if value is None:
        return "Write a value, or leave the field out if it is optional."
    return f"Change it; a {type(value).__name__} is not read here."


def _field_names(model: type[BaseModel], location: Location) -> list[str]:
    """Field names of the models that can stand at a place inside `model`."""
    models = [model]
    for part in location:
        deeper: list[type[BaseModel]] = []
        for candidate in models:
            field = candidate.model_fields.get(part) if isinstance(part, str) else None
            deeper += [] if field is None else _models_in(field.annotation)
        models = deeper or models
    names: dict[str, None] = {}
    for candidate in models:
        names |= {field.alias or name: None for name, field in candidate.model_fields.items()}
    return list(names)


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for part in get_args(annotation) for found in _models_in(part)]
