"""The drop-in for Ragas, run in the installed Ragas against a model that answers from a table."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import ReleaseError
from metajudge.release.emit.writing import emitted
from metajudge.templates.peers import peer_module
from metajudge.templates.template import Template
from tests.release.emit.made import (
    CLAIMS,
    LABELS,
    NASTY,
    PASSAGES,
    PLAIN,
    asked_claims,
    imported,
    made,
    own_path,
    own_template,
    reply_text,
)

pytest.importorskip("ragas", reason="Ragas is not installed here")
peer_module("ragas.metrics.collections")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def table_llm(template: Template, statements: tuple[str, ...] = PLAIN) -> Any:
    """A Ragas model that fills in the answer asked for, as the template's judge would."""
    from ragas.llms.base import InstructorBaseRagasLLM

    class TableLLM(InstructorBaseRagasLLM):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            self.prompts: list[str] = []

        def generate(self, prompt: str, response_model: Any) -> Any:
            self.prompts.append(prompt)
            if "statements" in response_model.model_fields:
                return response_model(statements=list(statements))
            said = json.loads(reply_text(asked_claims(prompt), template))
            return response_model(**({"verdicts": said} if isinstance(said, list) else said))

        async def agenerate(self, prompt: str, response_model: Any) -> Any:
            return self.generate(prompt, response_model)

    return TableLLM()


def as_json(template: Template) -> Template:
    answer = template.answer.model_copy(update={"json_": True})
    return template.model_copy(update={"answer": answer})


@pytest.mark.parametrize("policy", ["strict", "lenient", "partial(0.5)", "drop_idk", "ragas"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_release_that_asks_for_json_keeps_its_messages_verdicts_and_score(
    tmp_path: Path, policy: str, lang: str
) -> None:
    template = own_template(lang=lang, answer={"form": "label_first", "json": True})
    release = made(tmp_path / "r", [template], policy=policy)
    own = own_path(release, lang)
    assert emitted(release, "ragas").drop_in.differences == ()
    with imported(release, "ragas", tmp_path / "out") as drop_in:
        llm = table_llm(template)
        metric = drop_in.ReleaseFaithfulness(llm=llm, language=lang)
        told = metric.score(retrieved_contexts=list(PASSAGES), claims=list(CLAIMS))
        labels = asyncio.run(metric.labels_of(CLAIMS, PASSAGES))
    assert llm.prompts[: len(CLAIMS)] == [
        "\n\n".join(message["content"] for message in call) for call in own.messages
    ]
    assert labels == own.labels == list(LABELS.values())
    assert own.score is not None
    assert abs(told.value - own.score) <= 1e-9
    assert f"policy {policy}" in told.reason
    assert f"no: {CLAIMS[1]}" in told.reason


@pytest.mark.parametrize(
    "changes",
    [
        {"labels": "letters", "layout": "instructions_first"},
        {"answer": {"form": "reason_first"}},
        {"answer": {"form": "label_only", "json": True}, "claims_per_call": 3},
    ],
    ids=str,
)
def test_other_answer_forms_keep_verdicts_and_score_and_tell_the_difference(
    tmp_path: Path, changes: Mapping[str, Any]
) -> None:
    template = own_template(**changes)
    release = made(tmp_path / "r", [template])
    own = own_path(release)
    made_of = emitted(release, "ragas")
    assert len(made_of.drop_in.differences) == 1
    for text in made_of.texts.values():
        assert made_of.drop_in.differences[0][:40] in " ".join(text.split())
    with imported(release, "ragas", tmp_path / "out") as drop_in:
        llm = table_llm(as_json(template))
        metric = drop_in.ReleaseFaithfulness(llm=llm)
        told = metric.score(retrieved_contexts=list(PASSAGES), claims=list(CLAIMS))
    assert told.value == pytest.approx(own.score, abs=1e-9)
    shown = [message["content"] for message in own.messages[0]]
    question = template.question_block.rpartition("\n")[0]
    assert llm.prompts[0].startswith(shown[0])
    assert question in llm.prompts[0]
    assert PASSAGES[0] in llm.prompts[0]


def test_judged_text_arrives_verbatim_B37(tmp_path: Path) -> None:
    with imported(made(tmp_path / "r"), "ragas", tmp_path / "out") as drop_in:
        for lang in ("en", "zh"):
            prompt = drop_in.ReleasePrompt(lang)
            for text in NASTY:
                asked = drop_in.ClaimsAsked(passages=[text], claims=[text])
                assert prompt.to_string(asked).count(text) == 2


def test_statements_are_extracted_by_ragas_when_no_claims_are_given(tmp_path: Path) -> None:
    template = as_json(own_template())
    with imported(made(tmp_path / "r"), "ragas", tmp_path / "out") as drop_in:
        llm = table_llm(template)
        metric = drop_in.ReleaseFaithfulness(llm=llm)
        told = metric.batch_score(
            [{"user_input": "?", "response": "An answer.", "retrieved_contexts": list(PASSAGES)}]
        )
        with pytest.raises(ValueError, match="give claims, or response and user_input"):
            metric.score(retrieved_contexts=list(PASSAGES))
    assert told[0].value == pytest.approx(1 / 3)
    assert len(llm.prompts) == 1 + len(PLAIN)


def test_no_claims_and_no_verdicts_are_nan_with_a_reason_B30(tmp_path: Path) -> None:
    with imported(made(tmp_path / "r"), "ragas", tmp_path / "out") as drop_in:
        metric = drop_in.ReleaseFaithfulness(llm=table_llm(as_json(own_template())))
        for claims, why in (([], "no claims"), ([NASTY[3]], "no verdicts")):
            told = metric.score(retrieved_contexts=list(PASSAGES), claims=claims)
            assert math.isnan(told.value)
            assert why in told.reason


def test_a_release_that_shows_the_question_gets_it(tmp_path: Path) -> None:
    template = as_json(own_template().model_copy(update={"show_question": True}))
    release = made(tmp_path / "r", [template])
    own = own_path(release, question="When {{claims}}?")
    with imported(release, "ragas", tmp_path / "out") as drop_in:
        llm = table_llm(template)
        metric = drop_in.ReleaseFaithfulness(llm=llm)
        metric.score(
            user_input="When {{claims}}?", retrieved_contexts=list(PASSAGES), claims=list(CLAIMS)
        )
    assert llm.prompts == ["\n\n".join(m["content"] for m in call) for call in own.messages]


def test_adapting_takes_the_release_s_own_language_and_translates_nothing(tmp_path: Path) -> None:
    with imported(made(tmp_path / "r"), "ragas", tmp_path / "out") as drop_in:
        prompt = drop_in.ReleasePrompt()
        assert prompt.language == "english"
        chinese = asyncio.run(prompt.adapt("chinese", llm=None))
        assert chinese.language == "chinese"
        assert "材料是否支持" in chinese.instruction
        with pytest.raises(ValueError, match="en, zh"):
            asyncio.run(prompt.adapt("french", llm=None))


def test_probability_policies_and_other_versions_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from importlib import metadata

    with pytest.raises(ReleaseError, match="no label probabilities"):
        emitted(made(tmp_path / "e", policy="expected"), "ragas")
    release = made(tmp_path / "r")
    monkeypatch.setattr(metadata, "version", lambda _: "0.3.9")
    with pytest.raises(ReleaseError, match=r"written for ragas >=0\.4\.3,<0\.5"):
        emitted(release, "ragas")
