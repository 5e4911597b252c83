"""Answers that state nothing."""

from __future__ import annotations

import pytest

from metajudge.scoring.statements import is_statement_free


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "IDK",
        "I don't know",
        "I don’t know.",
        "I do not know the answer to this question.",
        "Sorry, I cannot help",
        "Sorry, I can't help with that.",
        "I'm sorry, but I don't have enough information to answer your question.",
        "Unfortunately, I cannot answer this question based on the provided context.",
        "There is not enough information in the context to answer.",
        "I am not able to answer that. Please contact support.",
        "Sorry, I can't help. Please consult a doctor.",
        "Please contact our customer support team for more information.",
        "Please try again later.",
        "Hello! How can I help you today?",
        "N/A",
        "我不知道。",
        "抱歉，我无法回答这个问题。",
        "对不起，根据提供的资料，我无法回答该问题。",
        "很抱歉，目前没有相关信息。",
        "抱歉，我无法根据提供的资料回答这个问题。",
        "不能从上下文中确定答案。",
        "这个问题我不清楚，请咨询客服。",
        "请联系相关部门的工作人员，请换个说法重新提问。",
        "您好，请问有什么可以帮您的吗？",
        "I hope this helps! Feel free to ask if you have any other questions.",
        "You're welcome. Please don't hesitate to reach out.",
        "希望以上信息对您有所帮助。如有其他问题，欢迎随时提问。",
    ],
)
def test_b31_refusals_make_no_statement_every_time(text: str) -> None:
    assert [is_statement_free(text) for _ in range(5)] == [True] * 5


@pytest.mark.parametrize(
    "text",
    [
        "The cap is 500.",
        "Sorry, the cap is 500.",
        "I don't know who approved it, but the cap is 500.",
        "I cannot recommend more than 40 mg a day.",
        "The policy cannot be changed.",
        "No fee is due.",
        "Yes.",
        "No, it is not included.",
        "The answer is unknown to most employees.",
        "上限为500元。",
        "抱歉，上限为500元。",
        "我不知道谁批准的，但上限为500元。",
        "材料没有说明税费，上限为500元。",
        "该药不能与酒精同服。",
        "该药不能根据体重确定剂量。",
        "我们无法根据现有资料确定上限为500元。",
        "无法从资料" + "的信息" * 300 + "九点",
        "Try taking 5000 mg of it every hour.",
        "I don't know. Please ask for the refund of ten euros that everybody gets.",
        "Contact the desk that opens at nine.",
        "I hope this helps: the desk opens at nine.",
        "Let me know if you have paid the fee of 10 euros.",
        "希望对您有帮助，九点开门。",
        "如果您有会员卡，可以打折。",
        "抱歉。请联系客服五元退款保证到账。",
        "I don't know. " * 100,
        # Words with two readings each would be tried in every combination.
        "I cannot answer" + " the answer" * 30 + " at nine.",
        "Please try" + " an answer to this question" * 18 + " at nine.",
        "请联系" + "更多具体的信息" * 40 + "九点",
    ],
)
def test_b31_one_statement_is_enough(text: str) -> None:
    assert not is_statement_free(text)
