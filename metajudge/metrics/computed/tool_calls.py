"""Tool calls as records hold them: our plain form, and those of OpenAI, DeepEval, Ragas and others.

| form | a call |
|---|---|
| plain | `{"name": …, "arguments": {…}}` |
| OpenAI chat | `{"type": "function", "function": {"name": …, "arguments": "<JSON>"}}` |
| OpenAI responses | `{"type": "function_call", "name": …, "arguments": "<JSON>"}` |
| DeepEval | `ToolCall(name=…, input_parameters={…})`, or a mapping of the same |
| Ragas, LangChain | `ToolCall(name=…, args={…})`, or a mapping of the same |
| Anthropic | `{"type": "tool_use", "name": …, "input": {…}}` |

A list may hold calls, or messages with `tool_calls`; a message without any holds none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from metajudge.errors import InputError, Problem, short_repr

_ARGUMENT_FIELDS = ("arguments", "input_parameters", "args", "input")
_LAW = "a tool call has a name and arguments by name"
_MEND = 'Write {"name": "search", "arguments": {"query": "…"}}, or a form named in the docs.'


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool.

    Attributes:
        name: The tool's name.
        arguments: JSON values by name. A text where what was written cannot be read as such: it
            equals no other call's.
    """

    name: str
    arguments: Mapping[str, Any] | str

    def __str__(self) -> str:
        """`name(argument=value, …)`, values as JSON."""
        if isinstance(self.arguments, str):
            return f"{self.name}({self.arguments})"
        told = (f"{key}={_json(value)}" for key, value in self.arguments.items())
        return f"{self.name}({', '.join(told)})"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=repr)


def read_tool_calls(
    value: Any, where: str, *, made_by_people: bool = False
) -> tuple[ToolCall, ...]:
    """The calls of a field, in order.

    Args:
        value: A list of calls or of messages, its JSON text, one call, or None for no calls.
        where: What is read, for messages.
        made_by_people: Whether unreadable arguments are a mistake of whoever wrote the file, as in
            expected calls; those that an agent made stand as they are and equal nothing.

    Raises:
        InputError: With every entry that is no call.

    >>> read_tool_calls([{"function": {"name": "f", "arguments": '{"a": 1}'}}], "row 1")
    (ToolCall(name='f', arguments={'a': 1}),)
    """
    calls: list[ToolCall] = []
    problems: list[Problem] = []
    for entry in _entries(_parsed(value), where, problems):
        name, arguments = entry.get("name"), _arguments(entry)
        if not isinstance(name, str) or not name or isinstance(arguments, Problem):
            problems.append(_problem(where, entry))
        elif made_by_people and isinstance(arguments, str):
            law = "arguments are a JSON object"
            problems.append(Problem(where, law, _MEND, got=short_repr(arguments)))
        else:
            calls.append(ToolCall(name, arguments))
    if problems:
        raise InputError(problems)
    return tuple(calls)


def _entries(value: Any, where: str, problems: list[Problem]) -> Iterator[Mapping[str, Any]]:
    listed = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    for one in listed:
        if one is None:
            continue
        entry = _fields(one)
        if entry is None:
            problems.append(_problem(where, one))
        elif "role" in entry or "tool_calls" in entry:
            yield from _entries(_parsed(entry.get("tool_calls")), where, problems)
        elif "content" in entry and entry.get("type") in ("human", "ai", "tool", "system"):
            continue
        elif "function" in entry:
            inner = _fields(entry["function"])
            yield entry if inner is None else inner
        else:
            yield entry


def _fields(entry: Any) -> Mapping[str, Any] | None:
    """The fields of a call, whatever holds them; None where nothing does."""
    if isinstance(entry, Mapping):
        return entry
    dump = getattr(entry, "model_dump", None)
    if callable(dump):
        dumped = dump()
        return dumped if isinstance(dumped, Mapping) else None
    if hasattr(entry, "name") and hasattr(entry, "__dict__"):
        fields: Mapping[str, Any] = vars(entry)
        return fields
    return None


def _arguments(entry: Mapping[str, Any]) -> Mapping[str, Any] | str | Problem:
    told: Any = next((entry[name] for name in _ARGUMENT_FIELDS if entry.get(name) is not None), "")
    parsed = {} if isinstance(told, str) and not told.strip() else _parsed(told)
    if isinstance(parsed, Mapping):
        return parsed
    return told if isinstance(told, str) else _problem("", entry)


def _parsed(value: Any) -> Any:
    """What a JSON text says; the value itself where it is no text, or none that can be read."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _problem(where: str, got: Any) -> Problem:
    return Problem(where, _LAW, _MEND, got=short_repr(got))
