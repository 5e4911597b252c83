"""Attributes whose lists and mappings were flattened into dotted, numbered names, put back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

DEEPEST = 12
LONGEST = 10_000
"""Entries of a list; a number over it is no place in one."""


def nested(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Dotted names as mappings in mappings; where names are numbers, as lists in their order.

    What is nested already stays so, and dotted names inside it are put back too.

    >>> nested({"llm.output_messages.0.message.role": "user", "llm.model_name": "m"})
    {'llm': {'output_messages': [{'message': {'role': 'user'}}], 'model_name': 'm'}}
    >>> nested({"llm": {"output_messages": [{"message.role": "user"}]}})
    {'llm': {'output_messages': [{'message': {'role': 'user'}}]}}
    """
    found: dict[str, Any] = {}
    for name, value in attributes.items():
        _put(found, str(name).split(".")[:DEEPEST], _inside(value, DEEPEST))
    return {name: _listed(value, DEEPEST) for name, value in found.items()}


def _inside(value: Any, depth: int) -> Any:
    """A value whose own mappings have dotted names put back."""
    if depth and isinstance(value, Mapping):
        made: dict[str, Any] = {}
        for name, part in value.items():
            _put(made, str(name).split(".")[:DEEPEST], _inside(part, depth - 1))
        return made
    if depth and isinstance(value, list):
        return [_inside(part, depth - 1) for part in value]
    return value


def _put(place: dict[str, Any], way: list[str], value: Any) -> None:
    for name in way[:-1]:
        further = place.get(name)
        if not isinstance(further, dict):
            place[name] = further = {}
        place = further
    there = place.get(way[-1])
    if isinstance(there, dict) and isinstance(value, dict):
        there.update(value)
    else:
        place[way[-1]] = value


def _listed(value: Any, depth: int) -> Any:
    if not depth:
        return value
    if isinstance(value, list):
        return [_listed(part, depth - 1) for part in value]
    if not isinstance(value, dict):
        return value
    parts = {name: _listed(part, depth - 1) for name, part in value.items()}
    numbered = all(name.isdecimal() and int(name) < LONGEST for name in parts)
    return [parts[name] for name in sorted(parts, key=int)] if parts and numbered else parts
