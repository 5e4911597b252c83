from __future__ import annotations

import json
from typing import Any

import pytest

from metajudge.errors import InputError
from metajudge.metrics.monitor.otlp_values import typed_value
from metajudge.metrics.monitor.spans import REASONS, TOLD, read_spans, spans_to_answers
from metajudge.metrics.monitor.traffic import Sampling, sample_traffic
from metajudge.release.answers_file import read_answers

TRACE = "5b8efff798038103d269b633813fc60c"
SECOND = 1_000_000_000


def typed(value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        return {"arrayValue": {"values": [typed(part) for part in value]}}
    if isinstance(value, dict):
        pairs = [{"key": key, "value": typed(part)} for key, part in value.items()]
        return {"kvlistValue": {"values": pairs}}
    return typed_value(value)


def span(
    number: int, operation: str | None, *, parent: int = 0, trace: str = TRACE, **told: Any
) -> dict[str, Any]:
    attributes = {name.replace("__", "."): value for name, value in told.items()}
    if operation is not None:
        attributes["gen_ai.operation.name"] = operation
    start = 1_796_000_000 * SECOND + number * SECOND
    made = {
        "traceId": trace,
        "spanId": f"{number:016x}",
        "name": f"{operation} x",
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(start + SECOND // 2),
        "attributes": [{"key": key, "value": typed(value)} for key, value in attributes.items()],
    }
    return made | ({"parentSpanId": f"{parent:016x}"} if parent else {})


def otlp(*spans: dict[str, Any], service: str = "shop") -> dict[str, Any]:
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": service}}]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": list(spans)}]}]}


def message(role: str, *texts: str, **more: Any) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": text} for text in texts], **more}


def documents(*texts: str) -> list[dict[str, Any]]:
    return [{"id": f"d{n}", "score": 0.5, "content": text} for n, text in enumerate(texts)]


def chat(number: int = 9, **more: Any) -> dict[str, Any]:
    told = {
        "gen_ai__input__messages": json.dumps(
            [message("user", "Hi"), message("user", "When does Hall A open?")]
        ),
        "gen_ai__output__messages": json.dumps(
            [message("assistant", "Hall A opens at 9.", finish_reason="stop")]
        ),
        "gen_ai__response__model": "m-1",
        "gen_ai__conversation__id": "c1",
        **more,
    }
    return span(number, "chat", **{name: value for name, value in told.items() if value})


def found(*spans: dict[str, Any]):
    return spans_to_answers([(1, otlp(*spans))])


RETRIEVAL = span(3, "retrieval", gen_ai__retrieval__documents=documents("Hall A opens at 9."))


def test_an_answer_with_its_context_comes_from_retrieval_and_chat():
    read = found(RETRIEVAL, chat())
    (row,) = read.rows
    assert row["question"] == "When does Hall A open?"
    assert row["answer"] == "Hall A opens at 9."
    assert row["context"] == ["Hall A opens at 9."]
    assert (row["conversation"], row["model"], row["service"]) == ("c1", "m-1", "shop")
    assert row["ref"] == f"{TRACE}/{9:016x}"
    assert row["time"].endswith("Z")
    assert not read.left_out
    assert read_answers(read.rows).answers[0].answer_id == row["answer_id"]


def test_content_may_be_structured_or_json_text_and_stand_on_the_event():
    structured = [message("assistant", "甲馆九点开放。")]
    plain = chat(gen_ai__output__messages=structured)
    assert found(RETRIEVAL, plain).rows[0]["answer"] == "甲馆九点开放。"
    bare = chat(gen_ai__output__messages=None, gen_ai__input__messages=None)
    bare["events"] = [
        {
            "name": "gen_ai.client.inference.operation.details",
            "attributes": [{"key": "gen_ai.output.messages", "value": typed(structured)}],
        }
    ]
    assert found(RETRIEVAL, bare).rows[0]["answer"] == "甲馆九点开放。"


def test_the_outermost_agent_answers_and_not_the_calls_inside():
    whole = span(
        1, "invoke_agent", gen_ai__output__messages=[message("assistant", "The whole answer.")]
    )
    inner = span(
        2,
        "invoke_agent",
        parent=1,
        gen_ai__output__messages=[message("assistant", "A note of a part.")],
    )
    whole["endTimeUnixNano"] = str(1_796_000_100 * SECOND)
    assert found(whole, inner, RETRIEVAL, chat()).rows[0]["answer"] == "The whole answer."


def test_documents_found_after_the_answer_are_no_context_and_equal_ones_count_once():
    late = span(20, "retrieval", gen_ai__retrieval__documents=documents("Too late."))
    again = span(4, "retrieval", gen_ai__retrieval__documents=documents("Hall A opens at 9.", "B."))
    assert found(late, again, RETRIEVAL, chat()).rows[0]["context"] == ["Hall A opens at 9.", "B."]


def test_answers_of_tools_are_the_context_where_nothing_was_retrieved():
    told = {"role": "tool", "parts": [{"type": "tool_call_response", "response": {"hours": "9-5"}}]}
    read = found(chat(gen_ai__input__messages=[message("user", "Hours?"), told]))
    assert read.rows[0]["context"] == ['{"hours": "9-5"}']
    assert read.from_tools == 1


def failing(chosen: dict[str, Any]) -> dict[str, Any]:
    return chosen | {"status": {"code": 2}}


OTHER = "6b8efff798038103d269b633813fc60c"


@pytest.mark.parametrize(
    ("reason", "spans"),
    [
        ("no_context", [chat()]),
        ("failed", [RETRIEVAL, failing(chat())]),
        ("no_messages", [RETRIEVAL]),
        ("no_messages", [RETRIEVAL, chat(gen_ai__output__messages=None)]),
        ("broken_messages", [RETRIEVAL, chat(gen_ai__output__messages="[{")]),
        ("broken_messages", [RETRIEVAL, chat(gen_ai__output__messages='[{"role": "assistant"}]')]),
        ("broken_messages", [RETRIEVAL, chat(gen_ai__output__messages='{"role": "assistant"}')]),
        ("no_text", [RETRIEVAL, chat(gen_ai__output__messages=[message("assistant")])]),
        (
            "old_convention",
            [RETRIEVAL, chat(gen_ai__output__messages=None, gen_ai__completion="Hall A …")],
        ),
        (
            "documents_without_content",
            [span(3, "retrieval", gen_ai__retrieval__documents=[{"id": "d"}]), chat()],
        ),
        ("other_span", [RETRIEVAL, chat(), span(5, None), span(6, "embeddings")]),
        ("stands_twice", [RETRIEVAL, chat(), chat()]),
    ],
)
def test_what_cannot_be_used_is_counted_with_its_reason(reason, spans):
    read = found(*spans)
    assert read.left_out[reason] >= 1
    assert read.examples[reason]
    kept = reason in ("other_span", "stands_twice")
    assert len(read.rows) == (1 if kept else 0)


def test_every_reason_is_told():
    assert tuple(TOLD) == REASONS


@pytest.mark.parametrize(
    "broken",
    [
        {"traceId": "00", "spanId": "1"},
        {"traceId": "0" * 32, "spanId": f"{1:016x}"},
        {"traceId": TRACE, "spanId": f"{1:016x}", "startTimeUnixNano": "x"},
        {"traceId": TRACE, "spanId": f"{1:016x}", "startTimeUnixNano": str(10**30)},
        {"traceId": TRACE},
    ],
)
def test_a_broken_span_is_counted_and_the_others_are_read(broken):
    read = spans_to_answers([(1, otlp(RETRIEVAL, chat(), broken))])
    assert read.left_out["broken_span"] == 1
    assert len(read.rows) == 1


@pytest.mark.parametrize(
    "value", [None, 3, "text", [], {}, {"resourceSpans": 3}, {"resourceSpans": [None, {"x": 1}]}]
)
def test_json_without_spans_is_counted(value):
    read = spans_to_answers([(1, value)])
    assert read.rows == []
    assert sum(read.left_out.values()) == 1


def test_a_file_of_lines_or_of_one_value_is_read_with_a_byte_order_mark_too(tmp_path):
    lines = tmp_path / "lines.jsonl"
    lines.write_text(
        "\ufeff" + "\n".join([json.dumps(otlp(RETRIEVAL)), "", "{broken", json.dumps(otlp(chat()))])
    )
    read = read_spans(lines)
    assert len(read.rows) == 1
    assert read.examples["not_json"] == ["line 3"]
    whole = tmp_path / "whole.json"
    whole.write_text(json.dumps(otlp(RETRIEVAL, chat()), indent=1))
    assert len(read_spans(whole).rows) == 1
    for path in (lines, whole):
        assert len(sample_traffic(str(path), Sampling(rate=1.0)).rows) == 1
    with pytest.raises(InputError, match="readable"):
        read_spans(tmp_path / "none.json")


def test_spans_of_the_sdk_itself_are_read():
    """What the installed SDK prints is what this reads: no convention of our own."""
    trace = pytest.importorskip("opentelemetry.sdk.trace")
    export = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
    simple = pytest.importorskip("opentelemetry.sdk.trace.export")
    kept = export.InMemorySpanExporter()
    provider = trace.TracerProvider()
    provider.add_span_processor(simple.SimpleSpanProcessor(kept))
    tracer = provider.get_tracer("test")
    with tracer.start_as_current_span("turn"):
        with tracer.start_as_current_span("retrieval") as one:
            one.set_attribute("gen_ai.operation.name", "retrieval")
            one.set_attribute("gen_ai.retrieval.documents", json.dumps(documents("九点开放。")))
        with tracer.start_as_current_span("chat m") as one:
            one.set_attribute("gen_ai.operation.name", "chat")
            told = json.dumps([message("assistant", "甲馆九点开放。")])
            one.set_attribute("gen_ai.output.messages", told)
    provider.shutdown()
    values = [(n, json.loads(each.to_json())) for n, each in enumerate(kept.get_finished_spans())]
    read = spans_to_answers(values)
    assert [row["answer"] for row in read.rows] == ["甲馆九点开放。"]
    assert read.rows[0]["context"] == ["九点开放。"]


def retrieved(number: int, **more: Any) -> dict[str, Any]:
    documents = [{"id": "1", "content": "Hall A opens at 9.\u2028Hall B\x85too."}]
    return span(number, "retrieval", gen_ai__retrieval__documents=json.dumps(documents), **more)


def said(number: int, operation: str, **more: Any) -> dict[str, Any]:
    parts = [{"type": "text", "content": "At 9.\u2028Sharp."}]
    messages = [{"role": "assistant", "parts": parts}]
    told = json.dumps(messages, ensure_ascii=False)
    return span(number, operation, gen_ai__output__messages=told, **more)


def test_line_separators_inside_texts_end_no_line(tmp_path):
    path = tmp_path / "spans.jsonl"
    spans = [retrieved(1), said(2, "chat")]
    lines = [{"resourceSpans": [{"scopeSpans": [{"spans": [one]}]}]} for one in spans]
    text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in lines)
    path.write_text(text, encoding="utf-8")
    read = read_spans(path)
    assert (len(read.rows), dict(read.left_out)) == (1, {})


def test_agents_many_levels_deep_are_each_looked_at_once():
    spans = [retrieved(1)] + [said(k, "invoke_agent", parent=k - 1) for k in range(2, 3000)]
    read = spans_to_answers([(1, {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})])
    assert [row["ref"][-16:] for row in read.rows] == [f"{2:016x}"]


@pytest.mark.parametrize("number", ["[" * 200_000, '{"a":' * 200_000])
def test_json_nested_beyond_reason_is_counted(tmp_path, number):
    path = tmp_path / "spans.jsonl"
    path.write_text(number, encoding="utf-8")
    assert read_spans(path).left_out == {"not_json": 1}


@pytest.mark.parametrize(
    "broken", [{"parentSpanId": ["x"]}, {"endTimeUnixNano": "0"}, {"startTimeUnixNano": "9" * 30}]
)
def test_spans_with_odd_parents_or_clocks_that_were_never_set_are_broken(broken):
    spans = [span(1, "chat") | broken]
    odd = {"attributes": [{"key": "service.name", "value": {"intValue": "x"}}]}
    whole = {"resourceSpans": [{"resource": odd, "scopeSpans": [{"spans": spans}]}]}
    assert spans_to_answers([(1, whole)]).left_out == {"broken_span": 1}
