import json
from types import SimpleNamespace

import pytest

from metajudge.errors import InputError
from metajudge.metrics.computed.tool_calls import ToolCall, read_tool_calls

ARGUMENTS = {"city": "巴黎", "days": [1, 2], "filter": {"open": True}}
CALL = ToolCall("search", ARGUMENTS)


@pytest.mark.parametrize(
    "entry",
    [
        {"name": "search", "arguments": ARGUMENTS},
        {"name": "search", "arguments": json.dumps(ARGUMENTS)},
        {
            "id": "c1",
            "type": "function",
            "function": {"name": "search", "arguments": json.dumps(ARGUMENTS)},
        },
        {
            "type": "function_call",
            "call_id": "c1",
            "name": "search",
            "arguments": json.dumps(ARGUMENTS),
        },
        {"name": "search", "input_parameters": ARGUMENTS, "output": ["x"], "reasoning": None},
        {"name": "search", "args": ARGUMENTS, "id": "c1", "type": "tool_call"},
        {"type": "tool_use", "id": "t1", "name": "search", "input": ARGUMENTS},
        SimpleNamespace(name="search", args=ARGUMENTS),
    ],
)
def test_every_form_is_the_same_call(entry):
    assert read_tool_calls([entry], "row 1") == (CALL,)


def test_frameworks_own_objects_are_read():
    deepeval = pytest.importorskip("deepeval.test_case", reason="deepeval is not installed")
    ragas = pytest.importorskip("ragas.messages", reason="ragas is not installed")
    made = deepeval.ToolCall(name="search", input_parameters=ARGUMENTS)
    assert read_tool_calls([made], "row 1") == (CALL,)
    assert read_tool_calls([ragas.ToolCall(name="search", args=ARGUMENTS)], "row 1") == (CALL,)
    conversation = [
        ragas.HumanMessage(content="哪里？"),
        ragas.AIMessage(
            content="看看。", tool_calls=[ragas.ToolCall(name="search", args=ARGUMENTS)]
        ),
        ragas.ToolMessage(content="巴黎"),
        ragas.AIMessage(content="巴黎。"),
    ]
    assert read_tool_calls(conversation, "row 1") == (CALL,)


def test_calls_of_a_conversation_are_read_in_order():
    messages = [
        {"role": "user", "content": "book it"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"function": {"name": "a", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "1", "content": "{}"},
        {"role": "assistant", "tool_calls": [{"name": "b"}, {"name": "c", "arguments": None}]},
        {"role": "assistant", "content": "done", "tool_calls": None},
    ]
    found = read_tool_calls(messages, "row 1")
    assert [call.name for call in found] == ["a", "b", "c"]
    assert all(call.arguments == {} for call in found)


@pytest.mark.parametrize("value", [None, [], "[]", [None]])
def test_no_calls(value):
    assert read_tool_calls(value, "row 1") == ()


def test_json_text_and_one_call_alone():
    assert read_tool_calls(json.dumps([{"name": "f"}]), "row 1") == (ToolCall("f", {}),)
    assert read_tool_calls({"name": "f", "arguments": ""}, "row 1") == (ToolCall("f", {}),)


def test_arguments_that_an_agent_garbled_stand_as_they_are_and_people_are_told():
    garbled = [{"name": "f", "arguments": '{"a": 1'}]
    assert read_tool_calls(garbled, "row 1") == (ToolCall("f", '{"a": 1'),)
    with pytest.raises(InputError, match="arguments are a JSON object"):
        read_tool_calls(garbled, "row 1", made_by_people=True)


def test_every_entry_that_is_no_call_is_told_at_once():
    with pytest.raises(InputError) as caught:
        read_tool_calls(
            [3, {"arguments": {}}, {"name": "f", "arguments": 5}, {"name": "g"}], "row 7"
        )
    assert len(caught.value.problems) == 3
    assert all(problem.where == "row 7" for problem in caught.value.problems)


def test_a_call_as_people_read_it():
    assert str(CALL) == 'search(city="巴黎", days=[1, 2], filter={"open": true})'
