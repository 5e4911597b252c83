"""The drop-in for DSPy, run in the installed DSPy against a model that answers from a table."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import ReleaseError
from metajudge.release.emit.writing import emitted, write_texts
from metajudge.templates.template import Template
from tests.release.emit.made import (
    CLAIMS,
    LABELS,
    NASTY,
    PASSAGES,
    asked_claims,
    imported,
    made,
    own_path,
    own_template,
    reply_text,
)

pytest.importorskip("dspy", reason="DSPy is not installed here")


class TableEngine:
    """A DSPy engine that answers as a template's judge would, and keeps its messages."""

    def __init__(self, reply: Any) -> None:
        self.reply = reply
        self.asked: list[list[dict[str, str]]] = []

    def complete(self, request: Any) -> Any:
        from dspy.lm15 import Message, Response, TextPart, Usage

        system = request.system
        if system is not None and not isinstance(system, str):
            system = "".join(part.text for part in system)
        head = [] if system is None else [{"role": "system", "content": system}]
        told = head + [{"role": m.role, "content": m.text} for m in request.messages]
        self.asked.append(told)
        return Response(
            id=None,
            model="table",
            message=Message.assistant([TextPart(self.reply(told[-1]["content"]))]),
            finish_reason="stop",
            usage=Usage(input_tokens=0, output_tokens=0, total_tokens=0),
        )


class AsyncTableEngine:
    def __init__(self, engine: TableEngine) -> None:
        self.engine = engine

    async def complete(self, request: Any) -> Any:
        return self.engine.complete(request)


def table_lm(reply: Any) -> tuple[Any, TableEngine]:
    import dspy

    engine = TableEngine(reply)
    return dspy.LM(
        "table", engine=engine, async_engine=AsyncTableEngine(engine), cache=False
    ), engine


def in_form(template: Template) -> Any:
    return lambda prompt: reply_text(asked_claims(prompt), template)


@pytest.mark.parametrize("run_async", [False, True])
@pytest.mark.parametrize("policy", ["strict", "lenient", "partial(0.25)", "drop_idk"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_same_claims_same_messages_verdicts_and_score(
    tmp_path: Path, lang: str, policy: str, run_async: bool
) -> None:
    import dspy

    release = made(tmp_path / "r", policy=policy)
    own = own_path(release, lang)
    lm, engine = table_lm(in_form(own_template(lang=lang)))
    with imported(release, "dspy", tmp_path / "out") as drop_in, dspy.context(lm=lm):
        judge = drop_in.ReleaseJudge(lang)
        told = {"passages": PASSAGES, "claims": CLAIMS}
        said = asyncio.run(judge.acall(**told)) if run_async else judge(**told)
    assert sorted(engine.asked, key=str) == sorted(own.messages, key=str)
    assert said.verdicts == own.labels == list(LABELS.values())
    assert own.score is not None
    assert abs(said.score - own.score) <= 1e-9


@pytest.mark.parametrize(
    "changes",
    [
        {"answer": {"form": "reason_first"}},
        {"answer": {"form": "label_first", "json": True}},
        {"answer": {"form": "label_only", "json": True}, "claims_per_call": 3},
        {"labels": "letters+1"},
    ],
    ids=str,
)
def test_every_answer_form_is_asked_and_read_as_the_release_does(
    tmp_path: Path, changes: Mapping[str, Any]
) -> None:
    import dspy

    template = own_template(**changes)
    release = made(tmp_path / "r", [template])
    own = own_path(release)
    lm, engine = table_lm(in_form(template))
    with imported(release, "dspy", tmp_path / "out") as drop_in, dspy.context(lm=lm):
        said = drop_in.ReleaseJudge()(passages=PASSAGES, claims=CLAIMS)
    assert engine.asked == own.messages
    assert (said.verdicts, said.score) == (own.labels, pytest.approx(own.score, abs=1e-9))


def test_settings_are_as_they_were_and_the_adapter_holds_for_the_judge_alone(
    tmp_path: Path,
) -> None:
    import dspy

    before = (dspy.settings.adapter, dspy.settings.lm)
    lm, _ = table_lm(in_form(own_template()))
    with imported(made(tmp_path / "r"), "dspy", tmp_path / "out") as drop_in:
        with dspy.context(lm=lm):
            drop_in.ReleaseJudge()(passages=PASSAGES, claims=CLAIMS)
            assert dspy.settings.adapter is before[0]
        with pytest.raises(ValueError, match="has no demonstrations"):
            drop_in.ReleaseAdapter().format(None, [{"a": 1}], {})
    assert (dspy.settings.adapter, dspy.settings.lm) == before


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_saved_program_is_read_by_predict_and_asks_the_release_s_question(
    tmp_path: Path, lang: str
) -> None:
    import dspy

    release = made(tmp_path / "r")
    out = tmp_path / "out"
    template = own_template(lang=lang)
    word = template.dialect.words["no"]
    lm, engine = table_lm(lambda _: f"[[ ## verdict ## ]]\n{word}\n\n[[ ## completed ## ]]")
    with imported(release, "dspy", out) as drop_in:
        saved = out / f"faithfulness-verdict.dspy.{lang}.json"
        for program in (
            dspy.Predict(drop_in.verdict_signature(lang)),
            dspy.Predict("context: list[str], claim -> verdict"),
        ):
            program.load(saved)
            with dspy.context(lm=lm, adapter=dspy.ChatAdapter()):
                assert program(context=list(PASSAGES), claim=CLAIMS[0]).verdict == word
        question = template.question_block.rpartition("\n")[0]
        assert program.signature.instructions == question
        assert question.splitlines()[1] in engine.asked[-1][0]["content"]
        again = dspy.Predict(drop_in.verdict_signature(lang))
        again.load(saved)
        fresh = dspy.Predict(drop_in.verdict_signature(lang)).dump_state()
        assert again.dump_state()["signature"] == fresh["signature"]


def test_judged_text_arrives_verbatim_B37(tmp_path: Path) -> None:
    import dspy

    lm, engine = table_lm(lambda _: "yes")
    with imported(made(tmp_path / "r"), "dspy", tmp_path / "out") as drop_in, dspy.context(lm=lm):
        for text in NASTY:
            drop_in.ReleaseJudge()(passages=[text], claims=[text])
            assert engine.asked[-1][1]["content"].count(text) == 2


def test_empty_replies_are_claims_without_a_label(tmp_path: Path) -> None:
    import dspy

    lm, _ = table_lm(lambda _: "")
    with imported(made(tmp_path / "r"), "dspy", tmp_path / "out") as drop_in, dspy.context(lm=lm):
        said = drop_in.ReleaseJudge()(passages=PASSAGES, claims=CLAIMS[:2])
        nothing = drop_in.ReleaseJudge()(passages=PASSAGES, claims=[])
    assert (said.verdicts, said.score) == ([None, None], None)
    assert (nothing.verdicts, nothing.score) == ([], None)


def test_probability_policies_are_refused_and_priors_are_told(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="no label probabilities"):
        emitted(made(tmp_path / "e", policy="expected"), "dspy")
    release = made(tmp_path / "r", reading="batch_corrected", prior=(0.5, 0.3, 0.2))
    (told,) = emitted(release, "dspy").drop_in.differences
    assert "reads the plain label; figures of the release do not hold for it" in told


def test_the_saved_program_is_the_same_on_every_machine(tmp_path: Path) -> None:
    texts = emitted(made(tmp_path / "r"), "dspy").texts
    paths = write_texts(texts, tmp_path / "out")
    saved = json.loads(next(p for p in paths if p.name.endswith("en.json")).read_text("utf-8"))
    assert saved["metadata"] == {"dependency_versions": {}}
    assert saved["lm"] is None
