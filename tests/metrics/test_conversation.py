"""Messages in every form that records have them, as turns."""

from __future__ import annotations

from typing import Any

import pytest

from metajudge.errors import InputError
from metajudge.metrics.computed.agents import TOOL_CALL_METRICS
from metajudge.metrics.evaluate import evaluate
from metajudge.metrics.inputs import read_rows_for_metrics
from metajudge.metrics.row import Turn

BOOK = {"name": "book", "arguments": {"seats": 2}}
FORMS: dict[str, list[Any]] = {
    "openai": [
        {"role": "user", "content": "Book two seats."},
        {"role": "assistant", "content": None, "tool_calls": [{"function": BOOK}]},
        {"role": "tool", "content": "ok"},
        {"role": "assistant", "content": "Done."},
    ],
    "openai parts": [
        {"role": "user", "content": [{"type": "text", "text": "Book two seats."}]},
        {"role": "assistant", "content": "", "function_call": BOOK},
        {"role": "function", "content": "ok"},
        {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
    ],
    "openai responses": [
        {"role": "user", "content": [{"type": "input_text", "text": "Book two seats."}]},
        {"type": "reasoning", "summary": []},
        {"type": "function_call", "name": "book", "arguments": '{"seats": 2}'},
        {"type": "function_call_output", "output": "ok"},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Done."}],
        },
    ],
    "anthropic": [
        {"role": "user", "content": "Book two seats."},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Which tool?"},
                {"type": "tool_use", "name": "book", "input": {"seats": 2}},
            ],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "content": [{"type": "text", "text": "ok"}]}],
        },
        {"role": "assistant", "content": "Done."},
    ],
    "langchain over anthropic": [
        {"type": "human", "content": "Book two seats."},
        {
            "type": "ai",
            "content": [{"type": "tool_use", "name": "book", "input": {"seats": 2}}],
            "tool_calls": [{"name": "book", "args": {"seats": 2}}],
        },
        {"type": "tool", "content": "ok"},
        {"type": "ai", "content": "Done."},
    ],
    "calls as text": [
        {"role": "User", "content": "Book two seats."},
        {
            "role": "ASSISTANT",
            "content": "",
            "tool_calls": '[{"name": "book", "args": {"seats": 2}}]',
        },
        {"role": "tool", "content": "ok"},
        {"role": "bot", "content": "Done."},
    ],
}


def read(messages: list[Any]) -> tuple[Turn, ...]:
    (row,) = read_rows_for_metrics([{"answer_id": "a", "messages": messages}]).rows
    return row.turns or ()


@pytest.mark.parametrize("messages", FORMS.values(), ids=list(FORMS))
def test_b19_every_form_is_the_same_conversation(messages: list[Any], tmp_path: Any) -> None:
    turns = read(messages)
    assert [(turn.role, turn.content) for turn in turns] == [
        ("user", "Book two seats."),
        ("assistant", ""),
        ("tool", "ok"),
        ("assistant", "Done."),
    ]
    assert [len(turn.tool_calls) for turn in turns] == [0, 1, 0, 0]
    row = {"answer_id": "a", "messages": messages, "expected_tools": [BOOK]}
    found = evaluate([row], [*TOOL_CALL_METRICS, "turns"], store=tmp_path / "s.sqlite")
    assert {name: score.score for name, score in found.rows[0].scores.items()} == {
        **dict.fromkeys(TOOL_CALL_METRICS, 1.0),
        "turns": 1.0,
    }


@pytest.mark.parametrize(
    ("messages", "roles"),
    [
        (["在吗？", "在的。", "几点开门？"], ["user", "assistant", "user"]),
        (
            [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Yes?"}],
            ["user", "assistant"],
        ),
        (
            [{"role": "用户", "content": "在吗？"}, {"role": "助手", "content": "在。"}],
            ["user", "assistant"],
        ),
        ([{"role": "narrator", "content": "Later."}], ["narrator"]),
    ],
)
def test_who_speaks(messages: list[Any], roles: list[str]) -> None:
    assert [turn.role for turn in read(messages)] == roles


def test_what_is_no_text_is_named_and_a_tool_may_give_back_nothing() -> None:
    seen = {"type": "image_url", "image_url": {"url": "…"}}
    parts = [{"type": "text", "text": "Which bird?"}, seen]
    turns = read([{"role": "user", "content": parts}, {"role": "tool", "content": "null"}])
    assert [turn.content for turn in turns] == ["Which bird?\n[image_url]", "null"]


@pytest.mark.parametrize(
    ("message", "field"),
    [
        (5, "turns[0]"),
        ({"role": "user", "content": 5}, "turns[0].content"),
        ({"role": "user", "content": [5]}, "turns[0].content[0]"),
        ({"role": "user", "content": [{"type": "text"}]}, "turns[0].content[0]"),
        ({"role": "user", "content": "\ud800"}, "turns[0].content"),
    ],
)
def test_what_cannot_be_read_is_named(message: Any, field: str) -> None:
    with pytest.raises(InputError) as caught:
        read([message])
    assert [problem.field for problem in caught.value.problems] == [field]
