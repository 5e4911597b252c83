"""Answers from OpenTelemetry spans, by the conventions for generative AI or by OpenInference's.

The answer of a trace is what its outermost agent span (`invoke_workflow`, `invoke_agent`; `AGENT`,
`CHAIN`) puts out, or else the last inference span (`chat`, …; `LLM`) that ends in text. A trace of
several turns has an answer a turn: an earlier span answered the user where a later one is told its
text, followed by what the user said next, or where the same agent is asked something else later.
Every other text is a step on the way, and is counted as such.

The context is what retrieval found since the turn before, reranked if that was done; where nothing
was, all that was found before; and without any, what tools answered. What cannot be used is counted
with its reason, and never guessed at. Files are read line by line, and of each span only what an
answer needs is kept.

Sources: see `span_content`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

from metajudge.errors import InputError, Problem
from metajudge.metrics.monitor.json_values import json_values
from metajudge.metrics.monitor.otlp_values import Span, events_of, spans_of
from metajudge.metrics.monitor.span_content import (
    DETAILS,
    OLD_EVENTS,
    Broken,
    Told,
    Words,
    told_by,
    words_of,
)
from metajudge.metrics.monitor.times import stamp

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
    "failed": "answers that ended in an error",
    "old_convention": "traces with content by conventions before 1.37 (gen_ai.prompt, events)",
    "no_messages": "traces without captured messages",
    "broken_messages": "answers whose messages are not of the convention's form",
    "no_text": "answers that are no text",
    "no_context": "answers without retrieved documents or answers of tools",
    "documents_without_content": "answers whose documents have ids only",
}
_EXAMPLES = 3


@dataclass
class SpansRead:
    """What came of spans.

    Attributes:
        rows: Answers as `read_answers` takes them, by time.
        spans: Spans read.
        traces: Traces with a generative operation.
        left_out: What could not be used, by reason; lines, spans, traces or answers as `TOLD` says.
        examples: The first few of each reason: line, or trace.
        from_tools: Answers whose context is what tools answered.
        steps: Spans whose text was taken for a step on the way to an answer.
    """

    rows: list[dict[str, Any]] = field(default_factory=list)
    spans: int = 0
    traces: int = 0
    left_out: Counter[Reason] = field(default_factory=Counter)
    examples: defaultdict[Reason, list[str]] = field(default_factory=lambda: defaultdict(list))
    from_tools: int = 0
    steps: int = 0

    def leave_out(self, reason: Reason, where: str) -> None:
        """Count something that cannot be used."""
        self.left_out[reason] += 1
        if len(self.examples[reason]) < _EXAMPLES:
            self.examples[reason].append(where)


class _UnusableError(Exception):
    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason: Reason = reason


@dataclass
class _Gathered:
    """Spans of all traces, and what events tell of them."""

    traces: defaultdict[str, dict[str, Told]] = field(default_factory=lambda: defaultdict(dict))
    events: dict[tuple[str, str], Words | Broken] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    def take(self, told: Told) -> None:
        """Keep a span; a passage that was found before is kept once."""
        found = tuple(self.texts.setdefault(text, text) for text in told.found)
        self.traces[told.trace_id][told.span_id] = replace(told, found=found)

    def spans(self, trace_id: str) -> list[Told]:
        """The spans of a trace, with the words that stand on events."""
        return [
            told
            if told.words is None or told.answers
            else replace(told, words=self.events.get((trace_id, told.span_id), told.words))
            for told in self.traces[trace_id].values()
        ]


def read_spans(path: str | Path) -> SpansRead:
    """Answers of a file of spans: JSON values one after another, each on a line or on several.

    Raises:
        InputError: The file cannot be read.
    """
    try:
        return spans_to_answers(json_values(path), str(path))
    except OSError as error:
        law = f"the file must be readable ({error.strerror or error})"
        raise InputError(Problem(str(path), law, "Name another file.")) from error


def spans_to_answers(values: Iterable[tuple[int, Any]], where: str = "spans") -> SpansRead:
    """Answers of JSON values that hold spans.

    Args:
        values: Line and value.
        where: Name of the source, for `ref`.
    """
    read, gathered = SpansRead(), _Gathered()
    for line, value in values:
        if isinstance(value, str):
            read.leave_out("not_json", f"line {line}")
            continue
        events = list(events_of(value))
        for event in events:
            if event.name == DETAILS:
                gathered.events[event.trace_id, event.span_id] = words_of(event.attributes)
            elif event.name in OLD_EVENTS:
                gathered.events.setdefault((event.trace_id, event.span_id), "old_convention")
        spans = 0
        for span in spans_of(value, line):
            spans += 1
            _take(read, gathered, span, line)
        if not spans and not events:
            read.leave_out("no_spans", f"line {line}")
    for trace_id in list(gathered.traces):
        read.traces += 1
        spans_of_trace = gathered.spans(trace_id)
        del gathered.traces[trace_id]
        _answer_all(read, spans_of_trace, where)
    read.rows.sort(key=lambda row: (row["time"], row["answer_id"]))
    return read


def _take(read: SpansRead, gathered: _Gathered, span: Span | Exception, line: int) -> None:
    read.spans += 1
    if not isinstance(span, Span):
        read.leave_out("broken_span", f"line {line}: {span}")
        return
    told = told_by(span)
    if told is None:
        read.leave_out("other_span", f"line {line}")
    elif span.span_id in gathered.traces.get(span.trace_id, {}):
        read.leave_out("stands_twice", f"line {line}")
    else:
        gathered.take(told)


def _answer_all(read: SpansRead, spans: Sequence[Told], where: str) -> None:
    """A row for each answer of a trace, or the reason why there is none."""
    telling = _telling(spans)
    if not telling:
        read.leave_out("no_messages", spans[0].trace_id)
        return
    answering = _answering(telling)
    read.steps += sum(isinstance(one.words, Words) for one in telling)
    before: Told | None = None
    for chosen in answering:
        read.steps -= isinstance(chosen.words, Words)
        try:
            row, from_tools = _row(spans, chosen, before, where)
            read.rows.append(row)
            read.from_tools += from_tools
        except _UnusableError as error:
            read.leave_out(error.reason, chosen.trace_id)
        before = chosen


def _telling(spans: Sequence[Told]) -> list[Told]:
    """Spans whose output may be an answer, by time."""
    outermost = [span for span in _outermost(spans) if span.answers]
    inferences = [span for span in spans if span.kind == "inference"]
    telling = outermost or [span for span in inferences if span.answers] or inferences
    return sorted(telling, key=lambda span: (span.end, span.start, span.span_id))


def _answering(telling: Sequence[Told]) -> list[Told]:
    """Those whose text went to the user: the last, and each that a later one shows to have."""
    found: list[Told] = []
    settled: set[str] = set()
    asked: defaultdict[str, list[Told]] = defaultdict(list)
    for one in reversed(telling):
        words, name = one.words, one.labels.get("agent", "")
        if isinstance(words, Words):
            told = words.answer.strip() in settled
            if not found or told or any(_is_next_turn(one, later) for later in asked[name]):
                found.append(one)
            settled |= words.settled
            if one.kind == "agent" and name and words.question is not None:
                asked[name].append(one)
        elif not found:
            found.append(one)
    return found[::-1]


def _is_next_turn(one: Told, later: Told) -> bool:
    """Whether the same agent was asked something else after it had answered."""
    if not isinstance(one.words, Words) or not isinstance(later.words, Words):
        return False
    asked = one.words.question
    return asked is not None and asked != later.words.question and later.start >= one.end


def _outermost(spans: Sequence[Told]) -> list[Told]:
    """Agents with no agent above them; each span is looked at once, however deep they are."""
    of = {span.span_id: span for span in spans}
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
            inside[child] = above is not None and (inside[above.span_id] or above.kind == "agent")
    return [span for span in spans if span.kind == "agent" and not inside[span.span_id]]


def _row(
    spans: Sequence[Told], chosen: Told, before: Told | None, where: str
) -> tuple[dict[str, Any], bool]:
    """An answer, and whether its context is what tools answered."""
    if chosen.failed:
        raise _UnusableError("failed")
    words = chosen.words
    if not isinstance(words, Words):
        raise _UnusableError(words or "no_messages")
    if not words.answer.strip():
        raise _UnusableError("no_text")
    passages, from_tools = _context(spans, chosen, before, words)
    row = {
        "answer_id": f"{chosen.trace_id}-{chosen.span_id}",
        "time": stamp(chosen.end),
        "question": words.question,
        "context": passages,
        "answer": words.answer,
        **{name: chosen.labels.get(name) for name in ("conversation", "model", "agent")},
        "service": chosen.service,
        "response_id": chosen.labels.get("response_id"),
        "ref": f"{chosen.trace_id}/{chosen.span_id}",
        "source": f"{where}:{chosen.line}",
    }
    return {name: value for name, value in row.items() if value is not None}, from_tools


def _context(
    spans: Sequence[Told], chosen: Told, before: Told | None, words: Words
) -> tuple[list[str], bool]:
    """Passages in the order in which they were found, each once, and whether tools gave them."""
    earlier = sorted(
        (span for span in spans if span.end <= chosen.end),
        key=lambda one: (one.start, one.span_id),
    )
    recent = [span for span in earlier if before is None or span.start >= before.end]
    bare = False
    for own in (recent, earlier):
        retrieved = [span for span in own if span.kind == "retrieval"]
        reranked = [span for span in own if span.kind == "reranking" and span.found]
        found = _each_once(reranked or retrieved)
        if found:
            return found, False
        bare |= any(span.bare for span in own)
    if bare:
        raise _UnusableError("documents_without_content")
    if words.tools:
        return list(dict.fromkeys(words.tools)), True
    for own in (recent, earlier):
        answered = _each_once([span for span in own if span.kind == "tool"])
        if answered:
            return answered, True
    raise _UnusableError("no_context")


def _each_once(spans: Sequence[Told]) -> list[str]:
    return list(dict.fromkeys(text for span in spans for text in span.found))
