"""Values, spans and events of OTLP JSON, of what OpenTelemetry's SDKs print, and of Phoenix.

OTLP/JSON has ids as hexadecimal text, 64-bit integers as text, and attributes as lists of keys with
typed values; the SDKs' console form has plain attributes and ISO 8601 times, and so have the spans
that Phoenix hands out, with their kind and status beside the attributes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from metajudge.metrics.monitor.times import in_years, moment

_SIMPLE = ("stringValue", "boolValue", "doubleValue", "bytesValue")
ERROR_CODES = (2, "STATUS_CODE_ERROR", "ERROR")
KIND = "openinference.span.kind"


@dataclass(frozen=True, slots=True)
class Span:
    """One span.

    Attributes:
        trace_id: Hexadecimal.
        span_id: Hexadecimal.
        parent_id: Of the span that it is part of; None for a root.
        start: When it began, in UTC.
        end: When it ended.
        attributes: By name; where an event of the span has messages, these too.
        service: `service.name` of its resource.
        failed: Whether its status is an error.
        line: Line of its file.
    """

    trace_id: str
    span_id: str
    parent_id: str | None
    start: datetime
    end: datetime
    attributes: Mapping[str, Any]
    service: str | None
    failed: bool
    line: int


@dataclass(frozen=True, slots=True)
class Event:
    """A log record that tells something of a span.

    Attributes:
        trace_id: Hexadecimal.
        span_id: Hexadecimal.
        name: What it is called; "" where it has no name.
        attributes: By name.
    """

    trace_id: str
    span_id: str
    name: str
    attributes: Mapping[str, Any]


class BrokenSpanError(ValueError):
    """A span lacks what every span has."""


def events_of(entry: Any) -> Iterator[Event]:
    """The log records of one JSON value that stand at a span; others are passed over."""
    if not isinstance(entry, Mapping):
        return
    if "span_id" in entry and "trace_id" in entry and "context" not in entry:
        told = _mapping(entry.get("attributes"))
        name = entry.get("event_name") or told.get("event.name")
        yield from _event(entry["trace_id"], entry["span_id"], name, told)
        return
    for resource in _listed(entry.get("resourceLogs")):
        for scope in _listed(resource.get("scopeLogs")):
            for record in _listed(scope.get("logRecords")):
                told = _attributes(record.get("attributes"))
                name = record.get("eventName") or told.get("event.name")
                yield from _event(record.get("traceId"), record.get("spanId"), name, told)


def _event(trace_id: Any, span_id: Any, name: Any, told: Mapping[str, Any]) -> Iterator[Event]:
    try:
        ids = _hexadecimal(trace_id, 32), _hexadecimal(span_id, 16)
    except ValueError:
        return
    yield Event(*ids, name if isinstance(name, str) else "", told)


def spans_of(entry: Any, line: int) -> Iterator[Span | BrokenSpanError]:
    """The spans of one JSON value, each broken one as an error; none where it holds no spans."""
    if not isinstance(entry, Mapping):
        return
    if isinstance(entry.get("context"), Mapping) and "attributes" in entry:
        yield _made(_of_sdk, entry, None, line)
        return
    for one in _listed(entry.get("data")):
        yield from spans_of({**one, "data": None}, line)
    for resource in _listed(entry.get("resourceSpans")):
        service = _service(_mapping(resource.get("resource")).get("attributes"))
        for scope in _listed(resource.get("scopeSpans")):
            for span in _listed(scope.get("spans")):
                yield _made(_of_otlp, span, service, line)


def _service(attributes: Any) -> str | None:
    named = [one for one in _listed(attributes) if one.get("key") == "service.name"]
    value = _attributes(named).get("service.name") if named else None
    return value if isinstance(value, str) else None


def has_spans(entry: Any) -> bool:
    """Whether a JSON value is meant to hold spans.

    >>> has_spans({"resourceSpans": []}), has_spans({"answer": "It opens at 9."})
    (True, False)
    """
    if not isinstance(entry, Mapping):
        return False
    if isinstance(entry.get("data"), list):
        return any(map(has_spans, entry["data"]))
    context = entry.get("context")
    told = isinstance(context, Mapping) and "trace_id" in context
    return told or bool({"resourceSpans", "resourceLogs"} & entry.keys())


def _made(reader: Any, span: Mapping[str, Any], service: str | None, line: int) -> Any:
    try:
        return reader(span, service, line)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        return BrokenSpanError(str(error))


def _of_otlp(span: Mapping[str, Any], service: str | None, line: int) -> Span:
    attributes = _attributes(span.get("attributes"))
    for event in _listed(span.get("events")):
        attributes = {**_attributes(event.get("attributes")), **attributes}
    return Span(
        _hexadecimal(span["traceId"], 32),
        _hexadecimal(span["spanId"], 16),
        None if not span.get("parentSpanId") else _hexadecimal(span["parentSpanId"], 16, zero=True),
        _from_nanoseconds(span["startTimeUnixNano"]),
        _from_nanoseconds(span["endTimeUnixNano"]),
        attributes,
        service,
        _mapping(span.get("status")).get("code") in ERROR_CODES,
        line,
    )


def _of_sdk(span: Mapping[str, Any], _service: str | None, line: int) -> Span:
    context = span["context"]
    attributes = dict(_mapping(span["attributes"]))
    for event in _listed(span.get("events")):
        attributes = {**_mapping(event.get("attributes")), **attributes}
    resource = _mapping(_mapping(span.get("resource")).get("attributes"))
    if span.get("span_kind") and KIND not in attributes:
        attributes[KIND] = span["span_kind"]
    return Span(
        _hexadecimal(context["trace_id"], 32),
        _hexadecimal(context["span_id"], 16),
        None if not span.get("parent_id") else _hexadecimal(span["parent_id"], 16, zero=True),
        moment(span["start_time"]),
        moment(span["end_time"]),
        attributes,
        resource.get("service.name"),
        (_mapping(span.get("status")).get("status_code") or span.get("status_code")) in ERROR_CODES,
        line,
    )


def _hexadecimal(text: Any, length: int, *, zero: bool = False) -> str:
    """An id; one of zeros alone names no span, and stands in exports for a parent that is none."""
    plain = str(text).lower().removeprefix("0x")
    if len(plain) != length or (int(plain, 16) == 0 and not zero):
        raise ValueError(f"an id has {length} hexadecimal digits, not all 0: {plain[:40]!r}")
    return plain


def _from_nanoseconds(value: Any) -> datetime:
    return in_years(datetime.fromtimestamp(int(value) / 1e9, timezone.utc))


def _attributes(listed: Any) -> dict[str, Any]:
    return {
        entry["key"]: any_value(entry.get("value"))
        for entry in _listed(listed)
        if isinstance(entry.get("key"), str)
    }


def any_value(value: Any) -> Any:
    """A typed value of OTLP JSON as a plain one; None for none.

    >>> any_value({"arrayValue": {"values": [{"intValue": "3"}, {"stringValue": "a"}]}})
    [3, 'a']
    """
    if not isinstance(value, Mapping):
        return None
    for name in _SIMPLE:
        if name in value:
            return value[name]
    if "intValue" in value:
        return _integer(value["intValue"])
    if "arrayValue" in value:
        return [any_value(part) for part in _listed(_mapping(value["arrayValue"]).get("values"))]
    if "kvlistValue" in value:
        return _attributes(_mapping(value["kvlistValue"]).get("values"))
    return None


def _integer(value: Any) -> int | None:
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return None


def typed_value(value: str | float | bool) -> dict[str, Any]:
    """A plain value as OTLP JSON has it.

    >>> typed_value("a"), typed_value(True), typed_value(3), typed_value(0.5)
    ({'stringValue': 'a'}, {'boolValue': True}, {'intValue': '3'}, {'doubleValue': 0.5})
    """
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": value}


def _listed(value: Any) -> Sequence[Mapping[str, Any]]:
    if not isinstance(value, list | tuple):
        return ()
    return [entry for entry in value if isinstance(entry, Mapping)]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
