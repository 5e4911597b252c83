"""Our judge as a DSPy model."""

from __future__ import annotations

from typing import Any

import pytest

from metajudge.judges.judge import Request
from metajudge.verdicts.verdict import Reply

dspy = pytest.importorskip("dspy")
proposing = pytest.importorskip("metajudge.judges.proposing")


class Asked:
    def __init__(self, text: str = "fine", **reply: Any) -> None:
        self.requests: list[Request] = []
        self.reply = Reply(text, **reply)

    def __call__(self, request: Request) -> Reply:
        self.requests.append(request)
        return self.reply


def test_the_reply_comes_back_as_text() -> None:
    ask = Asked("你好", finish_reason="length", prompt_tokens=3, completion_tokens=2)
    model = proposing.proposer_model(proposing.ProposerEngine(ask))
    with dspy.context(disable_history=True):
        assert model("propose") == ["你好"]
    (request,) = ask.requests
    assert [tuple(message) for message in request.messages] == [("user", "propose")]
    assert request.max_tokens == proposing.MAX_TOKENS
    assert request.top_logprobs == 0


def test_half_a_surrogate_pair_is_no_text_to_send_on() -> None:
    model = proposing.proposer_model(proposing.ProposerEngine(Asked("a\ud800b")))
    with dspy.context(disable_history=True):
        assert model("propose") == ["a?b"]


def test_a_prompt_that_comes_again_is_another_draw_and_not_dspys_cache() -> None:
    ask = Asked()
    model = proposing.proposer_model(proposing.ProposerEngine(ask))
    with dspy.context(disable_history=True):
        for _ in range(2):
            model("propose")
        model.copy(rollout_id=7, temperature=1.0)("propose")
        model("another")
    assert [request.repeat for request in ask.requests] == [0, 1, 2, 0]


def test_the_note_ends_the_system_message() -> None:
    ask = Asked("[[ ## answer ## ]]\nyes\n\n[[ ## completed ## ]]")
    model = proposing.proposer_model(proposing.ProposerEngine(ask, "Mind the form."))
    with dspy.context(lm=model, adapter=dspy.ChatAdapter(), disable_history=True):
        assert dspy.Predict("question -> answer")(question="q").answer == "yes"
        model("alone")
    first, second = ask.requests
    assert first.messages[0].role == "system"
    assert first.messages[0].content.endswith("\n\nMind the form.")
    assert second.messages[0].content == "Mind the form."


class Over(BaseException):
    """Nothing more can be asked."""


@pytest.mark.parametrize("error", [Over("spent"), RuntimeError("down")])
def test_what_cannot_be_asked_is_not_asked_again(error: BaseException) -> None:
    seen = []

    def ask(request: Request) -> Reply:
        seen.append(request)
        raise error

    model = proposing.proposer_model(proposing.ProposerEngine(ask))
    expected = Over if isinstance(error, Over) else Exception
    with dspy.context(disable_history=True), pytest.raises(expected):
        model("propose")
    assert len(seen) == 1


def test_the_form_is_told_in_the_language_of_the_template() -> None:
    assert "“是：…”、“否：…”" in proposing.form_note("zh", ["是", "否"])
    assert "“yes: …”, “no: …”" in proposing.form_note("en", ["yes", "no"])
