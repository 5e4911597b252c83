from __future__ import annotations

from typing import Any

import pytest

from metajudge.judges import open_judge
from metajudge.judges.judge import Request, call_key
from metajudge.report.translated import translated
from metajudge.runner.call import Call
from metajudge.runner.reply_notes import reply_notes
from metajudge.templates.message import Message
from metajudge.verdicts.verdict import Reply, TokenLogprob

JUDGE = open_judge("openai/m")
YES = (TokenLogprob("yes", -0.1),)


def told(replies: list[Reply], top_logprobs: int = 20) -> list[str]:
    calls = []
    for number in range(len(replies) + 1):
        request = Request((Message("user", f"claim {number}"),), 8, top_logprobs)
        calls.append(Call(call_key(JUDGE.identity, request), request))
    keys = [call.key for call in calls]
    return reply_notes(JUDGE, calls, dict(zip(keys, replies, strict=False)))


def reply(**fields: Any) -> Reply:
    usual: dict[str, Any] = {"first_token": YES, "cost_usd": 0.1, "model": "m-1"}
    return Reply("yes", **(usual | fields))


def test_replies_as_asked_for_need_no_note() -> None:
    assert told([reply(), reply(settings={"seed": 3})]) == []


@pytest.mark.parametrize(
    ("fields", "note", "chinese"),
    [
        (
            {"settings": {"temperature": "not sent"}},
            "1 of 3 replies came without temperature, which the server refuses",
            "j：3 次答复中有 1 次未带 temperature（服务器拒绝该设置）",
        ),
        (
            {"first_token": ()},
            "1 of 3 replies came without the label probabilities asked for",
            "j：3 次答复中有 1 次没有返回所要求的标签概率",
        ),
        (
            {"model": "m-2"},
            "the replies come from more than one model: m-1 (2), m-2 (1)",
            "j：答复来自多个模型：m-1 (2), m-2 (1)",
        ),
        (
            {"cost_usd": None},
            "1 of 3 replies came without a known price; costs leave them out",
            "j：3 次答复中有 1 次价格未知，费用未计入",
        ),
    ],
)
def test_what_differs_is_counted_in_both_languages(
    fields: dict[str, Any], note: str, chinese: str
) -> None:
    assert told([reply(), reply(**fields), reply()]) == [note]
    assert translated(f"j: {note}", "zh") == chinese


def test_a_call_without_a_lasting_reply_and_one_that_asked_for_nothing_count_for_nothing() -> None:
    lost = Reply("", failure="timeout", settings={"seed": "not sent"})
    assert told([reply(), lost]) == []
    assert told([reply(first_token=())], top_logprobs=0) == []
