"""What a span tells of an answer: who speaks, texts, documents; the rest of it is let go at once.

Two sets of names are read. OpenTelemetry's for generative AI (repository
`semantic-conventions-genai`, status development): `gen_ai.operation.name`,
`gen_ai.input.messages`, `gen_ai.output.messages`, `gen_ai.retrieval.documents`,
`gen_ai.tool.call.result`; content stands on the span as JSON text or structured, or on the event
`gen_ai.client.inference.operation.details`, of the span or among the log records. OpenInference's,
which Phoenix and Arize use: `openinference.span.kind`, `llm.input_messages`,
`llm.output_messages`, `retrieval.documents`, `reranker.output_documents`, `input.value`,
`output.value`; lists are flattened into numbered names, or nested.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from metajudge.metrics.monitor.nested_names import nested
from metajudge.metrics.monitor.otlp_values import KIND, Span

Kind = Literal["agent", "inference", "retrieval", "reranking", "tool"]
Broken = Literal["old_convention", "no_messages", "broken_messages", "no_text"]
DETAILS = "gen_ai.client.inference.operation.details"
OLD_EVENTS = tuple(
    f"gen_ai.{name}"
    for name in ("system.message", "user.message", "assistant.message", "tool.message", "choice")
)
"""Events that held content before version 1.37 of the conventions."""
_KINDS: dict[str, Kind] = {
    "invoke_workflow": "agent",
    "invoke_agent": "agent",
    "chat": "inference",
    "generate_content": "inference",
    "text_completion": "inference",
    "retrieval": "retrieval",
    "execute_tool": "tool",
}
_OPENINFERENCE: dict[str, Kind] = {
    "AGENT": "agent",
    "CHAIN": "agent",
    "LLM": "inference",
    "RETRIEVER": "retrieval",
    "RERANKER": "reranking",
    "TOOL": "tool",
}
_OLD = re.compile(r"gen_ai\.(?:(?:prompt|completion)(?:\.\d+\..*)?|event\.content)")


class Words(NamedTuple):
    """What was said to a model or agent, and what it said.

    Attributes:
        answer: Text of the first choice.
        question: The last thing that the user said; None where messages have none.
        settled: What the assistant said before that and the user heard: texts that a message of the
            user follows.
        tools: What tools answered.
    """

    answer: str
    question: str | None = None
    settled: frozenset[str] = frozenset()
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """One span, as far as an answer can come of it.

    Attributes:
        kind: What it did.
        trace_id: Hexadecimal.
        span_id: Hexadecimal.
        parent_id: Of the span that it is part of; None for a root.
        start: When it began, in UTC.
        end: When it ended.
        failed: Whether its status is an error.
        line: Line of its file.
        service: `service.name` of its resource.
        labels: Conversation, model, agent, response_id, as far as they are known.
        words: What was said; or why that cannot be had; None where it is no agent or inference.
        found: Documents, or what a tool answered.
        bare: Whether a document had no text.
    """

    kind: Kind
    trace_id: str
    span_id: str
    parent_id: str | None
    start: datetime
    end: datetime
    failed: bool
    line: int
    service: str | None
    labels: Mapping[str, str]
    words: Words | Broken | None = None
    found: tuple[str, ...] = ()
    bare: bool = False

    @property
    def answers(self) -> bool:
        """Whether it put something out, readable or not."""
        return self.words not in (None, "no_messages", "old_convention")


class _BrokenError(Exception):
    def __init__(self, why: Broken) -> None:
        super().__init__(why)
        self.why: Broken = why


class _Message(NamedTuple):
    role: str
    parts: Sequence[Mapping[str, Any]]


def told_by(span: Span) -> Told | None:
    """What a span tells; None where it did something else."""
    operation = span.attributes.get("gen_ai.operation.name")
    kind = _KINDS.get(operation) if isinstance(operation, str) else None
    if kind is not None:
        return _of_genai(span, kind)
    spoken = str(span.attributes.get(KIND) or "").upper()
    return _of_openinference(span, spoken) if spoken in _OPENINFERENCE else None


def words_of(attributes: Mapping[str, Any]) -> Words | Broken:
    """What was said, by OpenTelemetry's names on a span or an event."""
    value = attributes.get("gen_ai.output.messages")
    if value is None:
        old = any(_OLD.fullmatch(name) for name in attributes)
        return "old_convention" if old else "no_messages"
    try:
        given = attributes.get("gen_ai.input.messages")
        inputs = [] if given is None else _messages(given)
        return _words(_messages(value), inputs)
    except _BrokenError as error:
        return error.why


def _of_genai(span: Span, kind: Kind) -> Told:
    told = span.attributes
    base = _told(span, kind, _labels(told, {
        "conversation": ("gen_ai.conversation.id",),
        "model": ("gen_ai.response.model", "gen_ai.request.model"),
        "agent": ("gen_ai.agent.name",),
        "response_id": ("gen_ai.response.id",),
    }))  # fmt: skip
    if kind in ("agent", "inference"):
        return replace(base, words=words_of(told))
    if kind == "tool":
        return replace(base, found=_texts([told.get("gen_ai.tool.call.result")]))
    documents = _decoded(told.get("gen_ai.retrieval.documents"))
    return _with_documents(base, documents, "content")


def _of_openinference(span: Span, spoken: str) -> Told:
    told = nested(span.attributes)
    kind = _OPENINFERENCE[spoken]
    base = _told(span, kind, _labels(span.attributes, {
        "conversation": ("session.id",),
        "model": ("llm.model_name",),
        "agent": ("agent.name",),
    }))  # fmt: skip
    if kind == "tool":
        return replace(base, found=_texts([_at(told, "output", "value")]))
    if kind == "retrieval":
        return _with_documents(base, _at(told, "retrieval", "documents"), "document", "content")
    if kind == "reranking":
        found = _at(told, "reranker", "output_documents")
        return _with_documents(base, found, "document", "content")
    if kind == "inference":
        return replace(base, words=_openinference_words(told))
    output, asked = (_plain_value(told, side) for side in ("output", "input"))
    return replace(base, words="no_messages" if output is None else Words(output, asked))


def _told(span: Span, kind: Kind, labels: Mapping[str, str]) -> Told:
    return Told(
        kind, span.trace_id, span.span_id, span.parent_id, span.start, span.end, span.failed,
        span.line, span.service, labels,
    )  # fmt: skip


def _labels(told: Mapping[str, Any], wanted: Mapping[str, Sequence[str]]) -> dict[str, str]:
    found = {name: next((told[key] for key in keys if told.get(key)), None)
             for name, keys in wanted.items()}  # fmt: skip
    return {name: str(value) for name, value in found.items() if value is not None}


def _with_documents(base: Told, documents: Any, *way: str) -> Told:
    listed = documents if isinstance(documents, list) else []
    texts = [_at(one, *way) for one in listed]
    return replace(base, found=_texts(texts), bare=any(not isinstance(text, str) for text in texts))


def _texts(values: Iterable[Any]) -> tuple[str, ...]:
    """Texts as they are, other values as JSON; nothing for what is empty."""
    shown = [
        text if isinstance(text, str) else "" if text is None else _json_text(text)
        for text in values
    ]
    return tuple(text for text in shown if text.strip())


def _json_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _at(value: Any, *way: str) -> Any:
    """What stands under some names of a mapping, one in another; None where there is nothing."""
    for name in way:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _plain_value(told: Mapping[str, Any], side: str) -> str | None:
    """Input or output of a span, where it is a text: of JSON nobody knows which part was meant."""
    value = _at(told, side, "value")
    if not isinstance(value, str) or _at(told, side, "mime_type") == "application/json":
        return None
    return value


def _openinference_words(told: Mapping[str, Any]) -> Words | Broken:
    outputs = _spoken(_at(told, "llm", "output_messages"))
    if not outputs:
        output = _plain_value(told, "output")
        return "no_messages" if output is None else Words(output, _plain_value(told, "input"))
    return _words(outputs, _spoken(_at(told, "llm", "input_messages")))


def _spoken(messages: Any) -> list[_Message]:
    """Messages by OpenInference's names, in the form of OpenTelemetry's."""
    made = []
    for entry in messages if isinstance(messages, list) else ():
        message = _at(entry, "message")
        role = _at(message, "role")
        content = _at(message, "content")
        pieces = _at(message, "contents")
        texts = [content] if isinstance(content, str) else [
            _at(piece, "message_content", "text")
            for piece in (pieces if isinstance(pieces, list) else ())
        ]  # fmt: skip
        kept = [text for text in texts if isinstance(text, str)]
        named = "tool_call_response" if role == "tool" else "text"
        field = "response" if role == "tool" else "content"
        made.append(_Message(str(role or ""), [{"type": named, field: text} for text in kept]))
    return made


def _words(outputs: Sequence[_Message], inputs: Sequence[_Message]) -> Words | Broken:
    try:
        answer = _text(outputs[0].parts) if outputs else ""
        asked = [_text(message.parts) for message in inputs if message.role == "user"]
        settled = frozenset(
            _text(message.parts).strip()
            for message, after in pairwise(inputs)
            if message.role == "assistant" and after.role == "user"
        )
    except _BrokenError as error:
        return error.why
    if not answer.strip():
        return "no_text"
    tools = [
        part.get("response", part.get("result"))
        for message in inputs
        for part in message.parts
        if part["type"] == "tool_call_response"
    ]
    question = next((text for text in reversed(asked) if text.strip()), None)
    return Words(answer, question, settled - {""}, _texts(tools))


def _messages(value: Any) -> list[_Message]:
    decoded = _decoded(value)
    if not isinstance(decoded, list):
        raise _BrokenError("broken_messages")
    return [_message(entry) for entry in decoded]


def _decoded(value: Any) -> Any:
    """A value that may be JSON text; None where that is broken."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


def _message(entry: Any) -> _Message:
    parts = entry.get("parts") if isinstance(entry, Mapping) else None
    if not isinstance(parts, list) or not isinstance(entry.get("role"), str):
        raise _BrokenError("broken_messages")
    if not all(isinstance(part, Mapping) and isinstance(part.get("type"), str) for part in parts):
        raise _BrokenError("broken_messages")
    return _Message(entry["role"], parts)


def _text(parts: Sequence[Mapping[str, Any]]) -> str:
    texts = [part.get("content") for part in parts if part["type"] == "text"]
    if not all(isinstance(text, str) for text in texts):
        raise _BrokenError("broken_messages")
    return "\n".join(str(text) for text in texts)
