"""Names beside OpenTelemetry's plain ones: OpenInference, log records, several turns in a trace."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest

from metajudge.metrics.monitor.json_values import json_values
from metajudge.metrics.monitor.nested_names import nested
from metajudge.metrics.monitor.spans import read_spans, spans_to_answers
from metajudge.metrics.monitor.traffic import Sampling, sample_traffic
from tests.metrics.monitor.test_spans import (
    RETRIEVAL,
    TRACE,
    chat,
    documents,
    found,
    message,
    otlp,
    span,
    typed,
)

OPENS = "Hall A opens at 9."
FLAT_DOCUMENTS = {
    "retrieval.documents.0.document.content": OPENS,
    "retrieval.documents.0.document.id": "d0",
    "retrieval.documents.1.document.content": "甲馆九点开放。",
}
FLAT_LLM = {
    "llm.model_name": "m-1",
    "session.id": "c1",
    "llm.input_messages.0.message.role": "system",
    "llm.input_messages.0.message.content": "Be brief.",
    "llm.input_messages.1.message.role": "user",
    "llm.input_messages.1.message.contents.0.message_content.type": "text",
    "llm.input_messages.1.message.contents.0.message_content.text": "When?",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": "At 9.",
}


def kind(number: int, name: str, told: dict[str, Any], *, parent: int = 0) -> dict[str, Any]:
    """A span by OpenInference's names, as OTLP JSON has it."""
    attributes = {"openinference.span.kind": name, **told}
    return span(number, None, parent=parent, **attributes)


def test_openinference_by_flattened_names():
    read = found(kind(3, "RETRIEVER", FLAT_DOCUMENTS), kind(9, "LLM", FLAT_LLM))
    (row,) = read.rows
    assert (row["question"], row["answer"]) == ("When?", "At 9.")
    assert row["context"] == [OPENS, "甲馆九点开放。"]
    assert (row["conversation"], row["model"]) == ("c1", "m-1")
    assert not read.left_out


def test_a_root_chain_answers_where_its_output_is_text_and_the_model_where_it_is_json():
    text = {"input.value": "When does it open?", "output.value": "It opens at 9."}
    inside = [
        kind(3, "RETRIEVER", FLAT_DOCUMENTS, parent=1),
        kind(4, "LLM", FLAT_LLM, parent=1),
        kind(5, "CHAIN", {"output.value": "a part of the way"}, parent=1),
    ]
    (row,) = found(
        kind(1, "CHAIN", text) | {"endTimeUnixNano": "1796000100000000000"}, *inside
    ).rows
    assert (row["question"], row["answer"]) == ("When does it open?", "It opens at 9.")
    whole = {"output.value": '{"result": 1}', "output.mime_type": "application/json"}
    (row,) = found(kind(1, "CHAIN", whole), *inside).rows
    assert row["answer"] == "At 9."


def test_what_a_reranker_kept_stands_for_what_was_retrieved():
    kept = {"reranker.output_documents.0.document.content": "甲馆九点开放。"}
    spans = [kind(3, "RETRIEVER", FLAT_DOCUMENTS), kind(4, "RERANKER", kept)]
    (row,) = found(*spans, kind(9, "LLM", FLAT_LLM)).rows
    assert row["context"] == ["甲馆九点开放。"]


def test_spans_that_phoenix_hands_out_are_read_one_a_line_or_as_its_data(tmp_path):
    def handed(number: int, name: str, told: dict[str, Any]) -> dict[str, Any]:
        second = f"2026-11-30T09:00:{number:02d}.5+00:00"
        return {
            "name": name, "context": {"trace_id": TRACE, "span_id": f"{number:016x}"},
            "span_kind": name, "parent_id": None, "start_time": second, "end_time": second,
            "status_code": "OK", "attributes": told, "events": [],
        }  # fmt: skip

    structured = {
        "llm": {
            "output_messages": [{"message": {"role": "assistant", "content": "At 9."}}],
            "input_messages": [{"message.role": "user", "message.content": "When?"}],
        }
    }
    spans = [handed(1, "RETRIEVER", FLAT_DOCUMENTS), handed(2, "LLM", structured)]
    lines, whole = tmp_path / "lines.jsonl", tmp_path / "whole.json"
    lines.write_text("".join(json.dumps(one) + "\n" for one in spans), encoding="utf-8")
    whole.write_text(json.dumps({"data": spans, "next_cursor": None}), encoding="utf-8")
    for path in (lines, whole):
        (row,) = sample_traffic(str(path), Sampling(rate=1.0)).rows
        assert (row["question"], row["answer"]) == ("When?", "At 9.")
    failing = [spans[0], spans[1] | {"status_code": "ERROR"}]
    assert spans_to_answers([(1, {"data": failing})]).left_out == {"failed": 1}


def record(name: str, **told: Any) -> dict[str, Any]:
    attributes = [{"key": key, "value": typed(value)} for key, value in told.items()]
    one = {"traceId": TRACE, "spanId": f"{9:016x}", "eventName": name, "attributes": attributes}
    return {"resourceLogs": [{"scopeLogs": [{"logRecords": [one]}]}]}


BARE = chat(gen_ai__output__messages=None, gen_ai__input__messages=None)
DETAILS = {
    "gen_ai.output.messages": [message("assistant", "At 9.")],
    "gen_ai.input.messages": [message("user", "When?")],
}


@pytest.mark.parametrize("first", [True, False])
def test_content_may_stand_among_the_log_records_before_or_after_its_span(first):
    spans = (1, otlp(RETRIEVAL, BARE))
    told = (2, record("gen_ai.client.inference.operation.details", **DETAILS))
    read = spans_to_answers([told, spans] if first else [spans, told])
    assert [(row["question"], row["answer"]) for row in read.rows] == [("When?", "At 9.")]
    assert not read.left_out
    printed = {
        "trace_id": f"0x{TRACE}",
        "span_id": f"0x{9:016x}",
        "event_name": "gen_ai.client.inference.operation.details",
        "attributes": {name: json.dumps(value) for name, value in DETAILS.items()},
    }
    assert len(spans_to_answers([spans, (2, printed)]).rows) == 1


@pytest.mark.parametrize(
    "line",
    [
        otlp(
            RETRIEVAL, chat(gen_ai__output__messages=None, **{"gen_ai.completion.0.content": "x"})
        ),
        otlp(RETRIEVAL, BARE),
    ],
)
def test_content_by_older_conventions_is_counted_as_such(line):
    older = record("gen_ai.choice", index=0)
    assert spans_to_answers([(1, line), (2, older)]).left_out == {"old_convention": 1}


def turn(number: int, question: str, answer: str, *, history: list[Any] = (), **more: Any) -> Any:
    asked = [*history, message("user", question)]
    told = {"gen_ai__input__messages": asked, "gen_ai__output__messages": [
        message("assistant", answer)
    ]}  # fmt: skip
    return chat(number, **told, **more)


def retrieved(number: int, *texts: str) -> dict[str, Any]:
    return span(number, "retrieval", gen_ai__retrieval__documents=documents(*texts))


def test_a_trace_of_several_turns_has_an_answer_a_turn_each_with_its_own_context():
    heard = [message("user", "When?"), message("assistant", "At 9.")]
    read = found(
        retrieved(1, OPENS),
        turn(2, "When?", "At 9."),
        turn(3, "Rewrite: And B?", "When does hall B open?"),
        retrieved(4, "Hall B opens at 10."),
        turn(5, "And B?", "At 10.", history=heard),
        turn(
            6, "Thanks, and A again?", "As I said: 9.",
            history=[*heard, message("user", "And B?"), message("assistant", "At 10.")],
        ),
    )  # fmt: skip
    assert [(row["answer"], row["context"]) for row in read.rows] == [
        ("At 9.", [OPENS]),
        ("At 10.", ["Hall B opens at 10."]),
        ("As I said: 9.", [OPENS, "Hall B opens at 10."]),
    ]
    assert read.steps == 1, "the rewritten question went to nobody"


def test_a_text_that_a_tool_answers_is_a_step_and_not_an_answer():
    tool = {"role": "tool", "parts": [{"type": "tool_call_response", "response": OPENS}]}
    loop = [message("user", "When?"), message("assistant", "Let me look."), tool]
    read = found(turn(2, "When?", "Let me look."), chat(3, gen_ai__input__messages=loop))
    assert [row["answer"] for row in read.rows] == [OPENS]
    assert (read.steps, read.from_tools) == (1, 1)


@pytest.mark.parametrize(
    ("names", "questions", "answers"),
    [
        (("shop", "shop"), ("When?", "And B?"), 2),
        (("shop", "shop"), ("When?", "When?"), 1),
        (("planner", "writer"), ("When?", "And B?"), 1),
        ((None, None), ("When?", "And B?"), 1),
    ],
)
def test_agents_side_by_side_are_turns_where_the_same_one_is_asked_something_else(
    names, questions, answers
):
    agents = [
        span(
            2 + place,
            "invoke_agent",
            gen_ai__input__messages=[message("user", question)],
            gen_ai__output__messages=[message("assistant", f"Answer {place}.")],
            **({} if name is None else {"gen_ai__agent__name": name}),
        )
        for place, (name, question) in enumerate(zip(names, questions, strict=True))
    ]
    read = found(retrieved(1, OPENS), *agents)
    assert (len(read.rows), read.steps) == (answers, 2 - answers)
    assert read.rows[-1]["answer"] == "Answer 1."


def test_what_tools_returned_on_their_own_spans_is_context_where_messages_have_none():
    tools = [
        span(3, "execute_tool", gen_ai__tool__call__result={"hours": "9-5"}),
        kind(4, "TOOL", {"output.value": "甲馆九点开放。"}),
    ]
    agent = span(5, "invoke_agent", gen_ai__output__messages=[message("assistant", "9 to 5.")])
    read = found(*tools, agent)
    assert read.rows[0]["context"] == ['{"hours": "9-5"}', "甲馆九点开放。"]
    assert read.from_tools == 1


def test_of_many_spans_only_what_an_answer_needs_is_kept(tmp_path):
    """Histories of 20 kB a span: 400 of them are 8 MB, and the answers of them are not."""
    path = tmp_path / "spans.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number in range(1, 401):
            trace = f"{number:032x}"
            history = [message("system", f"{number} " + "history " * 2500)]
            told = [retrieved(1, OPENS), turn(2, "When?", "At 9.", history=history)]
            file.write(json.dumps(otlp(*(one | {"traceId": trace} for one in told))) + "\n")
    assert path.stat().st_size > 8_000_000
    tracemalloc.start()
    read = read_spans(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(read.rows) == 400
    assert peak < 3_000_000


@pytest.mark.parametrize(
    "names",
    [
        {"llm.output_messages.999999999.message.content": "x"},
        {"llm.output_messages": "x", "llm.output_messages.0.message.content": "y"},
        {"llm": 3, "llm.output_messages.x": 4, "": 5, "..": 6},
        {".".join("abcdefghijklmnopqrstuvwxyz"): 1},
        {"retrieval.documents.0": None, "retrieval.documents.0.document.content": 7},
    ],
)
def test_names_that_fit_nothing_break_nothing(names):
    json.dumps(nested(names))
    read = found(kind(3, "RETRIEVER", names), kind(9, "LLM", names))
    assert read.rows == []
    assert sum(read.left_out.values()) == 1


def laid_out(*values: Any, indent: int | None) -> str:
    return "".join(json.dumps(value, indent=indent) + "\n" for value in values)


@pytest.mark.parametrize(
    ("text", "values", "broken"),
    [
        (laid_out({"a": [{}]}, {"b": {}}, indent=4), [(1, {"a": [{}]}), (6, {"b": {}})], []),
        (laid_out({"a": 1}, [2], {}, indent=None), [(1, {"a": 1}), (2, [2]), (3, {})], []),
        (laid_out({"a": {"b": {}}, "c": [1]}, indent=0), [(1, {"a": {"b": {}}, "c": [1]})], []),
        ('{"a": 1}\n{broken\n{"b": 2}\n', [(1, {"a": 1}), (3, {"b": 2})], [2]),
        ('no\r\n\r\n{"a": 1}\r\n{\n "b":\n', [(3, {"a": 1})], [1, 4, 5]),
        ('{\n "a": 1\n}\n{}\n{\n "c": 3\n}', [(1, {"a": 1}), (4, {}), (5, {"c": 3})], []),
    ],
)  # fmt: skip
def test_values_stand_on_a_line_or_on_several_one_after_another(tmp_path, text, values, broken):
    path = tmp_path / "spans.jsonl"
    path.write_text("\ufeff" + text, encoding="utf-8", newline="")
    found = list(json_values(path))
    assert [one for one in found if not isinstance(one[1], str)] == values
    assert [number for number, value in found if isinstance(value, str)] == broken


def test_what_the_sdk_prints_by_default_is_read_as_it_is(tmp_path):
    trace = pytest.importorskip("opentelemetry.sdk.trace")
    export = pytest.importorskip("opentelemetry.sdk.trace.export")
    path = tmp_path / "printed.jsonl"
    with path.open("w", encoding="utf-8") as file:
        provider = trace.TracerProvider()
        printer = export.ConsoleSpanExporter(out=file)
        provider.add_span_processor(export.SimpleSpanProcessor(printer))
        tracer = provider.get_tracer("test")
        with tracer.start_as_current_span("turn"):
            for name, told in (("RETRIEVER", FLAT_DOCUMENTS), ("LLM", FLAT_LLM)):
                with tracer.start_as_current_span(name) as one:
                    one.set_attributes({"openinference.span.kind": name, **told})
        provider.shutdown()
    (row,) = sample_traffic(str(path), Sampling(rate=1.0)).rows
    assert (row["question"], row["answer"]) == ("When?", "At 9.")
