from __future__ import annotations

import pytest

from metajudge.experiment.token_gauge import Span, characters, token_gauge
from metajudge.judges.judge import Request
from metajudge.templates.message import Message
from metajudge.verdicts.verdict import Reply

ENGLISH = "The town library lends books for 28 days, and a loan can be renewed twice online. " * 8
CHINESE = "地下停车场每日六时至二十四时开放，前三十分钟免费，之后每小时五元，每日最高四十元。" * 8


def ask(text):
    return Request((Message("system", "Check."), Message("user", text)), 1)


@pytest.mark.parametrize("text", [ENGLISH, CHINESE], ids=["en", "zh"])
def test_characters_bracket_a_real_tokenizer(text):
    gauge = token_gauge("openai/gpt-4", [])
    assert gauge.basis == "tokenizer cl100k_base"
    real, rough = gauge.of(ask(text)), characters(ask(text))
    assert rough.low <= real.low <= real.high <= rough.high


def test_a_relative_s_vocabulary_widens_the_range():
    gauge = token_gauge("litellm:openai/gpt-4o-mini", [])
    assert "an older relative of the model's o200k_base" in gauge.basis
    exact = token_gauge("openai/gpt-4", []).of(ask(ENGLISH))
    span = gauge.of(ask(ENGLISH))
    assert span.low < exact.low <= exact.high < span.high


def test_a_model_without_a_tokenizer_is_counted_by_characters():
    for spec in ("openai/no-such-model", "hosted_vllm/mine", "local:qwen2.5-coder-1.5b"):
        assert token_gauge(spec, []).basis.startswith("assumed: 3 to 5 characters a token")


def test_stored_replies_of_the_same_judge_come_first():
    stored = [(ask(ENGLISH), Reply("yes", prompt_tokens=200))] * 20
    gauge = token_gauge("openai/gpt-4", stored)
    assert gauge.basis == "token counts of 20 stored replies of this judge"
    assert gauge.of(ask(ENGLISH)) == pytest.approx(Span(180, 220))
    assert gauge.of(ask(CHINESE)) == characters(ask(CHINESE))
    few = token_gauge("hosted_vllm/mine", stored[:19])
    assert few.basis.startswith("assumed")
