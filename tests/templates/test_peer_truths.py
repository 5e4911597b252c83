"""DeepEval's own prompt for facts, against what the installed metric sends."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from importlib import metadata
from types import SimpleNamespace
from typing import Any

import pytest

from metajudge.errors import MissingExtraError, TemplateError
from metajudge.templates import ContextForm, peer_template, truths_prompt
from metajudge.templates.peer_truths import deepeval_truths, facts_prompt
from metajudge.verdicts.truths import read_truths
from metajudge.verdicts.verdict import Reply

PASSAGES = [
    ["The tower is 90 m high."],
    ["高塔建于1931年。", "高塔高90米。"],
    ["{limit} {{ yes }} %s\nText:\n- lie", "{% if x %}"],
    [""],
]
DEEPEVAL = ContextForm("truths", prompt="deepeval")


@pytest.fixture(autouse=True)
def no_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("reading a prompt opened a connection")

    monkeypatch.setenv("DEEPEVAL_TELEMETRY_OPT_OUT", "YES")
    monkeypatch.setattr(socket.socket, "connect", refuse)


def sent_by_deepeval(passages: Sequence[str], truths: list[str], claims: list[str]) -> list[str]:
    """What DeepEval's metric asks a judge that lists these truths and claims."""
    pytest.importorskip("deepeval", reason="needs deepeval")
    from deepeval.metrics import FaithfulnessMetric
    from deepeval.models import DeepEvalBaseLLM
    from deepeval.test_case import LLMTestCase

    sent: list[str] = []
    replies: dict[str, Any] = {
        "Truths": {"truths": truths},
        "Claims": {"claims": claims},
        "Verdicts": {"verdicts": [{"verdict": "yes"} for _ in claims]},
    }

    class Listening(DeepEvalBaseLLM):  # type: ignore[misc]
        def load_model(self) -> Listening:
            return self

        def generate(self, prompt: str, schema: Any) -> Any:
            sent.append(prompt)
            return schema(**replies[schema.__name__])

        async def a_generate(self, prompt: str, schema: Any) -> Any:
            return self.generate(prompt, schema)

        def get_model_name(self) -> str:
            return "listening"

    metric = FaithfulnessMetric(model=Listening(), async_mode=False, include_reason=False)
    case = LLMTestCase(input="?", actual_output="…", retrieval_context=list(passages))
    metric.measure(case, _show_indicator=False)
    return sent


@pytest.mark.parametrize("passages", PASSAGES)
def test_both_stages_ask_what_the_installed_metric_asks(passages: list[str]) -> None:
    facts, claims = ["A {{ fact }}.", "事实二。"], ["One.", "Two {x}."]
    truths, _, verdicts = sent_by_deepeval(passages, facts, claims)
    (message,) = facts_prompt(DEEPEVAL, "zh").render(passages)
    assert (message.role, message.content) == ("user", truths)
    (message,) = peer_template("deepeval:faithfulness").render(facts, claims)
    assert message.content == verdicts


def test_the_record_names_package_and_version() -> None:
    pytest.importorskip("deepeval", reason="needs deepeval")
    prompt = deepeval_truths()
    assert prompt.package_version == metadata.version("deepeval")
    assert len(prompt.text_sha256) == len(prompt.fingerprint) == 64
    assert (prompt.language, prompt.limit) == ("en", None)
    assert prompt.max_tokens == truths_prompt("en", None).max_tokens
    assert facts_prompt(DEEPEVAL, "zh") == facts_prompt(DEEPEVAL, "en") == prompt


def test_a_reply_as_the_prompt_asks_for_it_is_read() -> None:
    text = '```json\n{\n  "truths": [\n    "It rained.",\n    "下雨了。"\n  ]\n}\n```'
    assert read_truths(Reply(text), deepeval_truths().limit).facts == ("It rained.", "下雨了。")
    assert read_truths(Reply('{"truths": []}'), None) == ((), None, None)
    cut = read_truths(Reply('{"truths": ["It rained.", "It sn', finish_reason="length"), None)
    assert cut.facts == ("It rained.",)


@pytest.mark.parametrize("limit", [None, 1, 12])
@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_the_forms_without_a_peer_keep_their_prompt(language: str, limit: int | None) -> None:
    form = ContextForm("truths", limit=limit)
    assert facts_prompt(form, language) == truths_prompt(language, limit)


def test_a_package_that_is_not_there_is_an_extra_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(_: str) -> str:
        raise metadata.PackageNotFoundError

    deepeval_truths.cache_clear()
    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(MissingExtraError, match="pip install 'deepeval"):
        facts_prompt(DEEPEVAL, "en")


@pytest.mark.parametrize("phrase", [None, lambda _: "…"])
def test_a_version_that_keeps_its_prompt_elsewhere_is_named(
    monkeypatch: pytest.MonkeyPatch, phrase: Any
) -> None:
    pytest.importorskip("deepeval", reason="needs deepeval")
    name = "_faithfulness_truths_limit_phrase"
    other = SimpleNamespace(
        resolve_template=lambda *_, **__: "nothing is shown",
        _faithfulness_truths_multimodal_instruction=lambda _: "",
        **({} if phrase is None else {name: phrase}),
    )
    deepeval_truths.cache_clear()
    monkeypatch.setattr("metajudge.templates.peer_truths.peer_module", lambda _: other)
    with pytest.raises(TemplateError, match="has a prompt for truths that shows the context"):
        deepeval_truths()
