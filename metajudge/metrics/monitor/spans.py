"""Answers from OpenTelemetry spans by the semantic conventions for generative AI.

The answer of a trace is what its outermost agent span (`invoke_workflow`, `invoke_agent`) puts
out, or else the last inference span (`chat`, `generate_content`, `text_completion`) that ends in
text. Its context is what the retrieval spans of the trace found before that, by
`gen_ai.retrieval.documents`; where there is none, what tools answered in its input messages. What
cannot be used is counted with its reason, and never guessed at.

Source: OpenTelemetry semantic conventions for generative AI (repository
`semantic-conventions-genai`, status development): `gen_ai.input.messages`,
`gen_ai.output.messages`, `gen_ai.retrieval.documents`, `gen_ai.operation.name`. Content stands on
spans, as JSON text or structured, or on the event `gen_ai.client.inference.operation.details`.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from metajudge.errors import InputError, Problem
from metajudge.metrics.monitor.otlp_values import Span, spans_of
from metajudge.metrics.monitor.times import stamp

AGENTS = ("invoke_workflow", "invoke_agent")
INFERENCES = ("chat", "generate_content", "text_completion")
RETRIEVAL = "retrieval"
Reason = Literal[
    "not_json",
    "no_spans",
    "broken_span",
    "other_span",
    "stands_twice",
    "failed",
    "old_convention",
    "no_messages",
    "broken_messages",
    "no_text",
    "no_context",
    "documents_without_content",
]
REASONS: tuple[Reason, ...] = get_args(Reason)
TOLD: dict[Reason, str] = {
    "not_json": "lines that are no JSON",
    "no_spans": "lines without spans",
    "broken_span": "spans without ids or times",
    "other_span": "spans of other operations",
    "stands_twice": "spans that were read before",
    "failed": "traces whose answer ended in an error",
    "old_convention": "traces with content by conventions before 1.37 (gen_ai.prompt, events)",
    "no_messages": "traces without captured messages",
    "broken_messages": "traces whose messages are not of the convention's form",
    "no_text": "traces whose answer is no text",
    "no_context": "traces without retrieved documents or answers of tools",
    "documents_without_content": "traces whose documents have ids only",
}
_OLD = ("gen_ai.prompt", "gen_ai.completion", "gen_ai.event.content")
_EXAMPLES = 3


@dataclass
class SpansRead:
    """What came of spans.

    Attributes:
        rows: Answers as `read_answers` takes them, by time.
        spans: Spans read.
        traces: Traces with a generative operation.
        left_out: What could not be used, by reason; lines, spans or traces as `TOLD` says.
        examples: The first few of each reason: line, or trace.
        from_tools: Answers whose context is what tools answered.
    """

    rows: list[dict[str, Any]] = field(default_factory=list)
    spans: int = 0
    traces: int = 0
    left_out: Counter[Reason] = field(default_factory=Counter)
    examples: defaultdict[Reason, list[str]] = field(default_factory=lambda: defaultdict(list))
    from_tools: int = 0

    def leave_out(self, reason: Reason, where: str) -> None:
        """Count something that cannot be used."""
        self.left_out[reason] += 1
        if len(self.examples[reason]) < _EXAMPLES:
            self.examples[reason].append(where)


class _Unusable(Exception):
    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason: Reason = reason


class _Message(NamedTuple):
    role: str
    parts: Sequence[Mapping[str, Any]]


def read_spans(path: str | Path) -> SpansRead:
    """Answers of a file of spans: JSON lines, or one JSON value.

    Raises:
        InputError: The file cannot be read.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        law = f"the file must be readable ({error.strerror or error})"
        raise InputError(Problem(str(path), law, "Name another file.")) from error
    return spans_to_answers(_values(text), str(path))


def _values(text: str) -> Iterable[tuple[int, Any]]:
    """JSON values with their lines; an undecodable line as itself."""
    lines = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
    decoded = []
    for number, line in lines:
        try:
            decoded.append((number, json.loads(line)))
        except (ValueError, RecursionError):
            decoded.append((number, line))
    if lines and isinstance(decoded[0][1], str):
        try:
            return [(1, json.loads(text))]
        except (ValueError, RecursionError):
            return decoded
    return decoded


def spans_to_answers(values: Iterable[tuple[int, Any]], where: str = "spans") -> SpansRead:
    """Answers of JSON values that hold spans.

    Args:
        values: Line and value.
        where: Name of the source, for `ref`.
    """
    read = SpansRead()
    traces: dict[str, dict[str, Span]] = defaultdict(dict)
    for line, value in values:
        if isinstance(value, str):
            read.leave_out("not_json", f"line {line}")
            continue
        found = list(spans_of(value, line))
        if not found:
            read.leave_out("no_spans", f"line {line}")
        for span in found:
            _take(read, traces, span, line)
    for trace_id, spans in traces.items():
        read.traces += 1
        try:
            read.rows.append(_answer(read, list(spans.values()), where))
        except _Unusable as error:
            read.leave_out(error.reason, trace_id)
    read.rows.sort(key=lambda row: (row["time"], row["answer_id"]))
    return read


def _take(
    read: SpansRead, traces: dict[str, dict[str, Span]], span: Span | Exception, line: int
) -> None:
    read.spans += 1
    if not isinstance(span, Span):
        read.leave_out("broken_span", f"line {line}: {span}")
    elif _operation(span) not in (*AGENTS, *INFERENCES, RETRIEVAL):
        read.leave_out("other_span", f"line {line}")
    elif span.span_id in traces.get(span.trace_id, {}):
        read.leave_out("stands_twice", f"line {line}")
    else:
        traces[span.trace_id][span.span_id] = span


def _operation(span: Span) -> Any:
    return span.attributes.get("gen_ai.operation.name")


def _answer(read: SpansRead, spans: Sequence[Span], where: str) -> dict[str, Any]:
    chosen = _answering(spans)
    if chosen.failed:
        raise _Unusable("failed")
    outputs = _messages(chosen, "gen_ai.output.messages")
    answer = _text(outputs[0].parts) if outputs else ""
    if not answer.strip():
        raise _Unusable("no_text")
    inputs = _messages(chosen, "gen_ai.input.messages", needed=False)
    asked = [_text(message.parts) for message in inputs if message.role == "user"]
    passages, from_tools = _context(spans, chosen, inputs)
    read.from_tools += from_tools
    told = chosen.attributes
    row = {
        "answer_id": f"{chosen.trace_id}-{chosen.span_id}",
        "time": stamp(chosen.end),
        "question": next((text for text in reversed(asked) if text.strip()), None),
        "context": passages,
        "answer": answer,
        "conversation": told.get("gen_ai.conversation.id"),
        "model": told.get("gen_ai.response.model") or told.get("gen_ai.request.model"),
        "agent": told.get("gen_ai.agent.name"),
        "service": chosen.service,
        "response_id": told.get("gen_ai.response.id"),
        "ref": f"{chosen.trace_id}/{chosen.span_id}",
        "source": f"{where}:{chosen.line}",
    }
    return {name: value for name, value in row.items() if value is not None}


def _answering(spans: Sequence[Span]) -> Span:
    """The span whose output is the answer."""
    of = {span.span_id: span for span in spans}
    outermost = [span for span in _outermost(spans, of) if _has_output(span)]
    inferences = [span for span in spans if _operation(span) in INFERENCES]
    if not outermost and not inferences:
        raise _Unusable("no_messages")
    telling = outermost or [span for span in inferences if _has_output(span)] or inferences
    return max(telling, key=lambda span: (span.end, span.start, span.span_id))


def _outermost(spans: Sequence[Span], of: Mapping[str, Span]) -> list[Span]:
    """Agents with no agent above them; each span is looked at once, however deep they are."""
    inside: dict[str, bool] = {}
    for span in spans:
        way: list[str] = []
        at: str | None = span.span_id
        while at is not None and at in of and at not in inside:
            inside[at] = False
            way.append(at)
            at = of[at].parent_id
        for child in reversed(way):
            parent = of[child].parent_id
            above = of.get(parent) if parent is not None else None
            inside[child] = above is not None and (
                inside[above.span_id] or _operation(above) in AGENTS
            )
    return [span for span in spans if _operation(span) in AGENTS and not inside[span.span_id]]


def _has_output(span: Span) -> bool:
    return span.attributes.get("gen_ai.output.messages") is not None


def _messages(span: Span, name: str, *, needed: bool = True) -> list[_Message]:
    value = span.attributes.get(name)
    if value is None:
        if not needed:
            return []
        old = any(name in span.attributes for name in _OLD)
        raise _Unusable("old_convention" if old else "no_messages")
    messages = _structured(value)
    if not isinstance(messages, list):
        raise _Unusable("broken_messages")
    return [_message(entry) for entry in messages]


def _structured(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        raise _Unusable("broken_messages") from None


def _message(entry: Any) -> _Message:
    parts = entry.get("parts") if isinstance(entry, Mapping) else None
    if not isinstance(parts, list) or not isinstance(entry.get("role"), str):
        raise _Unusable("broken_messages")
    if not all(isinstance(part, Mapping) and isinstance(part.get("type"), str) for part in parts):
        raise _Unusable("broken_messages")
    return _Message(entry["role"], parts)


def _text(parts: Sequence[Mapping[str, Any]]) -> str:
    texts = [part.get("content") for part in parts if part["type"] == "text"]
    if not all(isinstance(text, str) for text in texts):
        raise _Unusable("broken_messages")
    return "\n".join(str(text) for text in texts)


def _context(
    spans: Sequence[Span], chosen: Span, inputs: Sequence[_Message]
) -> tuple[list[str], bool]:
    """Passages in the order in which they were found, each once, and whether tools gave them."""
    retrievals = [
        span for span in spans if _operation(span) == RETRIEVAL and span.end <= chosen.end
    ]
    found: list[str] = []
    bare = False
    for span in sorted(retrievals, key=lambda one: (one.start, one.span_id)):
        documents = _structured(span.attributes.get("gen_ai.retrieval.documents"))
        for document in documents if isinstance(documents, list) else ():
            content = document.get("content") if isinstance(document, Mapping) else None
            bare |= not isinstance(content, str)
            found += [content] if isinstance(content, str) and content.strip() else []
    if found:
        return list(dict.fromkeys(found)), False
    if bare:
        raise _Unusable("documents_without_content")
    told = [_told(part) for message in inputs for part in message.parts]
    passages = list(dict.fromkeys(text for text in told if text))
    if not passages:
        raise _Unusable("no_context")
    return passages, True


def _told(part: Mapping[str, Any]) -> str:
    if part["type"] != "tool_call_response":
        return ""
    value = part.get("response", part.get("result"))
    if value is None or isinstance(value, str):
        return (value or "").strip()
    return json.dumps(value, ensure_ascii=False)
