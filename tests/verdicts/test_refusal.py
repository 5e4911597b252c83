"""Refusals are told from other text without a verdict."""

from __future__ import annotations

import pytest

from metajudge.verdicts.refusal import is_refusal


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't assist with that.",
        "I’m sorry, I cannot help with this request.",
        "I cannot comply with this.",
        "I am unable to answer that.",
        "As an AI language model, I cannot give legal advice.",
        "抱歉，我无法回答这个问题。",
        "对不起，我不能提供该内容。",
        "我无法提供这方面的判断。",
        "作为一个人工智能语言模型，我无法判断。",
    ],
)
def test_refusals(text: str) -> None:
    assert is_refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "I cannot find the figure in the context.",
        "The user is sorry and cannot help it.",
        "It cannot be assisted.",
        "材料中无法找到该数字。",
        "yes",
        "",
    ],
)
def test_other_text(text: str) -> None:
    assert not is_refusal(text)
