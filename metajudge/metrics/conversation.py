"""Messages of a conversation as turns, in the forms that records have them.

| form | a message |
|---|---|
| OpenAI chat, DeepEval | `{"role", "content", "tool_calls" or "tools_called"}`; a `function_call` |
| Ragas, LangChain | `{"type": "human", "content"}` |
| content in parts | `[{"type": "text", "text"}, …]`; what is no text is named in brackets |
| Anthropic | parts `tool_use` and `tool_result` inside the content |
| OpenAI responses | `{"type": "function_call"}` and `{"type": "function_call_output"}` as entries |
| ShareGPT | `{"from": "human", "value"}` |
| texts | the user's first, and then by turns |
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from metajudge.metrics.row import Turn
from metajudge.metrics.speakers import speaker_at, speaker_of

_CALLS = ("function_call", "custom_tool_call", "tool_use")
_OUTPUTS = ("function_call_output", "custom_tool_call_output", "tool_result")
_UNSPOKEN = ("reasoning", "thinking", "redacted_thinking")
_TEXTS = ("text", "input_text", "output_text")


class NotAMessageError(ValueError):
    """A message, or something in it, that cannot be read.

    Attributes:
        inside: Path inside the message; "" for the message itself.
        got: What stands there.
    """

    def __init__(self, inside: str, got: Any) -> None:
        super().__init__(inside)
        self.inside, self.got = inside, got


class _Content(NamedTuple):
    """What a message's content holds."""

    text: str
    calls: tuple[Any, ...]
    outputs: tuple[str, ...]


def turns_of(message: Any, place: int) -> Iterator[Turn]:
    """The turns of one message: none, one, or one more for each outcome of a tool in it.

    Args:
        message: A text or a mapping.
        place: 0-based place in the conversation.

    Raises:
        NotAMessageError: It is neither, or its content is no text.

    >>> list(turns_of({"type": "human", "content": "Hi"}, 0))
    [Turn(role='user', content='Hi', tool_calls=())]
    >>> list(turns_of({"type": "function_call", "name": "f", "arguments": "{}"}, 1))[0].role
    'assistant'
    """
    if isinstance(message, str):
        yield Turn(speaker_at(place), message)
        return
    if not isinstance(message, Mapping):
        raise NotAMessageError("", message)
    kind = message.get("type")
    if kind in _CALLS:
        yield Turn("assistant", "", (message,))
    elif kind in _OUTPUTS:
        yield Turn("tool", _output(message))
    elif kind not in _UNSPOKEN:
        yield from _of_message(message)


def _of_message(message: Mapping[str, Any]) -> Iterator[Turn]:
    role = str(message.get("role") or message.get("type") or message.get("from") or "")
    told = message.get("content")
    content = _content(message.get("value") if told is None else told)
    yield from (Turn("tool", output) for output in content.outputs)
    calls = _calls(message) or content.calls
    if content.text or calls or not content.outputs:
        yield Turn(speaker_of(role) or role, content.text, calls)


def _content(value: Any) -> _Content:
    if value is None or isinstance(value, str):
        return _Content(value or "", (), ())
    if not isinstance(value, list | tuple):
        raise NotAMessageError(".content", value)
    texts, calls, outputs = [], [], []
    for index, part in enumerate(value):
        kind = part.get("type") if isinstance(part, Mapping) else None
        if kind in _CALLS:
            calls.append(part)
        elif kind in _OUTPUTS:
            outputs.append(_output(part))
        elif kind not in _UNSPOKEN:
            texts.append(_text(part, f".content[{index}]"))
    return _Content("\n".join(filter(None, texts)), tuple(calls), tuple(outputs))


def _text(part: Any, inside: str) -> str:
    """The text of a part of a content; what is no text by its name, such as `[image_url]`."""
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        raise NotAMessageError(inside, part)
    kind, text = part.get("type"), part.get("text")
    if isinstance(text, str):
        return text
    if not isinstance(kind, str) or kind in _TEXTS:
        raise NotAMessageError(inside, part)
    return f"[{kind}]"


def _output(entry: Mapping[str, Any]) -> str:
    """What a tool gave back."""
    told = entry.get("output", entry.get("content"))
    if isinstance(told, list | tuple):
        return _content(told).text
    return told if isinstance(told, str) else json.dumps(told, ensure_ascii=False, default=str)


def _calls(message: Mapping[str, Any]) -> tuple[Any, ...]:
    """The tool calls that a message has beside its content."""
    told = message.get("tool_calls") or message.get("tools_called") or message.get("function_call")
    if isinstance(told, str):
        try:
            told = json.loads(told)
        except ValueError:
            return (told,)
    if told is None:
        return ()
    return tuple(told) if isinstance(told, list | tuple) else (told,)
