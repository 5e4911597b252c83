"""The drop-in for DeepEval, run in the installed DeepEval with a model that knows a table."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from metajudge.errors import ReleaseError
from metajudge.release.bundle import Release
from metajudge.release.emit import kinds
from metajudge.release.emit.writing import emitted
from metajudge.templates.template import Template
from tests.event_loop import own_loop
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

pytest.importorskip("deepeval", reason="DeepEval is not installed here")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def run(metric: Any) -> Any:
    with own_loop():
        return metric.measure(test_case(), _show_indicator=False)


def table_model(reply: Any) -> Any:
    """A DeepEval model that answers from a function of the prompt and keeps its prompts."""
    from deepeval.models import DeepEvalBaseLLM

    class TableModel(DeepEvalBaseLLM):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            self.prompts: list[str] = []
            super().__init__("table")

        def load_model(self) -> Any:
            return self

        def generate(self, prompt: str) -> str:
            self.prompts.append(prompt)
            return str(reply(prompt))

        async def a_generate(self, prompt: str) -> str:
            return self.generate(prompt)

        def get_model_name(self) -> str:
            return "table"

    return TableModel()


def test_case(passages: Sequence[str] = PASSAGES, answer: str = "An answer.") -> Any:
    from deepeval.test_case import LLMTestCase

    return LLMTestCase(input="?", actual_output=answer, retrieval_context=list(passages))


test_case.__test__ = False  # type: ignore[attr-defined]


def in_form(template: Template) -> Any:
    return lambda prompt: reply_text(asked_claims(prompt), template)


def measured(
    drop_in: ModuleType, template: Template, *, run_async: bool, **kwargs: Any
) -> tuple[Any, Any]:
    model = table_model(in_form(template))
    kwargs.setdefault("claims", CLAIMS)
    metric = drop_in.faithfulness_metric(model, async_mode=run_async, **kwargs)
    run(metric)
    return metric, model


@pytest.mark.parametrize("run_async", [False, True])
@pytest.mark.parametrize(
    "policy", ["strict", "lenient", "deepeval(penalize)", "map(yes=1,no=0,idk=1)"]
)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_same_claims_same_messages_verdicts_and_score(
    tmp_path: Path, policy: str, lang: str, run_async: bool
) -> None:
    release = made(tmp_path / "r", policy=policy)
    own = own_path(release, lang)
    template = own_template(lang=lang)
    with imported(release, "deepeval", tmp_path / "out") as drop_in:
        metric, model = measured(drop_in, template, run_async=run_async, language=lang)
    assert model.prompts == ["\n\n".join(m["content"] for m in call) for call in own.messages]
    assert metric.labels == own.labels == list(LABELS.values())
    assert own.score is not None
    assert abs(metric.score - own.score) <= 1e-9
    assert metric.is_successful() is (own.score >= 0.6)


@pytest.mark.parametrize(
    "changes",
    [
        {"answer": {"form": "label_first"}},
        {"answer": {"form": "reason_first"}},
        {"answer": {"form": "label_first", "json": True}},
        {"answer": {"form": "label_only", "json": True}, "claims_per_call": 3},
        {"labels": "letters", "layout": "instructions_first"},
        {"labels": "relation", "layout": "claim_last"},
    ],
    ids=str,
)
def test_every_answer_form_dialect_and_layout_is_asked_and_read_as_the_release_does(
    tmp_path: Path, changes: Mapping[str, Any]
) -> None:
    template = own_template(**changes)
    release = made(tmp_path / "r", [template])
    own = own_path(release)
    with imported(release, "deepeval", tmp_path / "out") as drop_in:
        metric, model = measured(drop_in, template, run_async=False)
    assert model.prompts == ["\n\n".join(m["content"] for m in call) for call in own.messages]
    assert (metric.labels, metric.score) == (own.labels, pytest.approx(own.score, abs=1e-9))


def test_judged_text_arrives_verbatim_in_metric_and_template_B37(tmp_path: Path) -> None:
    release = made(tmp_path / "r")
    with imported(release, "deepeval", tmp_path / "out") as drop_in:
        for text in NASTY:
            for prompt in (
                drop_in.ReleaseFaithfulnessTemplate.generate_verdicts([text], text),
                drop_in.filled(drop_in.LANGUAGES["zh"], [text], [text])[1]["content"],
            ):
                assert prompt.count(text) == 2


def test_the_template_class_gives_deepeval_the_words_and_the_json_that_it_expects(
    tmp_path: Path,
) -> None:
    from deepeval.metrics import FaithfulnessMetric

    release = made(tmp_path / "r", [own_template(lang="zh")])
    answers = {"truths": list(PASSAGES), "claims": list(PLAIN)}

    def reply(prompt: str) -> str:
        if '"verdicts"' not in prompt or "材料：" not in prompt:
            return json.dumps(answers)
        said = [
            {"id": i, "verdict": "borderline" if LABELS[c] == "idk" else LABELS[c]}
            for i, c in enumerate(asked_claims(prompt, PLAIN), 1)
        ]
        return json.dumps({"verdicts": said})

    model = table_model(reply)
    with imported(release, "deepeval", tmp_path / "out") as drop_in:
        assert drop_in.UNSURE == "borderline"
        metric = FaithfulnessMetric(
            evaluation_template=drop_in.ReleaseFaithfulnessTemplate,
            penalize_ambiguous_claims=drop_in.PENALIZE,
            model=model,
            include_reason=False,
            async_mode=False,
        )
        run(metric)
    assert [v.verdict.value for v in metric.verdicts] == ["yes", "no", "borderline"]
    assert metric.score == pytest.approx(1 / 3, abs=1e-9)
    prompt = model.prompts[-1]
    assert "每个verdict填yes、no或borderline。" in prompt
    assert "\n\n".join(PASSAGES) in prompt
    assert not any(0xE000 <= ord(char) <= 0xE003 for char in prompt)


def test_versions_that_say_idk_are_asked_for_idk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from deepeval.metrics.faithfulness import faithfulness

    class Older(BaseModel):
        verdict: Literal["yes", "no", "idk"]
        reason: str | None = None

    monkeypatch.setattr(faithfulness, "FaithfulnessVerdict", Older)
    with imported(made(tmp_path / "r"), "deepeval", tmp_path / "out") as drop_in:
        asked = drop_in.ReleaseFaithfulnessTemplate.generate_verdicts(
            claims=list(PLAIN), retrieval_context="c", multimodal=False
        )
        assert asked.endswith("Each verdict is yes, no or idk.")
        metric, _ = measured(drop_in, own_template(), run_async=False, claims=PLAIN)
    assert [verdict.verdict for verdict in metric.verdicts] == ["yes", "no", "idk"]


def test_policies_that_deepeval_cannot_express_are_refused_with_what_can(tmp_path: Path) -> None:
    for number, policy in enumerate(
        ("partial(0.5)", "drop_idk", "expected", "map(yes=0.5,no=0,idk=0)")
    ):
        release = made(tmp_path / str(number), policy=policy)
        with pytest.raises(ReleaseError, match=r"lenient.*strict.*cannot express the policy"):
            emitted(release, "deepeval")


def test_a_template_that_shows_the_question_is_refused(tmp_path: Path) -> None:
    release = made(tmp_path, [own_template().model_copy(update={"show_question": True})])
    with pytest.raises(ReleaseError, match="does not see the user's question"):
        emitted(release, "deepeval")


def test_a_divided_prior_is_told_in_docstring_notes_and_differences(tmp_path: Path) -> None:
    release = made(tmp_path / "r", reading="batch_corrected", prior=(0.5, 0.3, 0.2))
    made_of = emitted(release, "deepeval")
    told = "asks the same words, reads the plain label; figures of the release do not hold for it"
    assert told in made_of.drop_in.differences[0]
    for text in made_of.texts.values():
        assert told in " ".join(text.split())
    assert emitted(made(tmp_path / "top"), "deepeval").drop_in.differences == ()


def test_a_penalty_that_contradicts_the_policy_is_refused(tmp_path: Path) -> None:
    release = made(tmp_path / "r", policy="lenient")
    with imported(release, "deepeval", tmp_path / "out") as drop_in:
        model = table_model(str)
        assert drop_in.faithfulness_metric(model).penalize_ambiguous_claims is False
        with pytest.raises(ValueError, match=r"policy of faithfulness-verdict@1\.0\.0 is lenient"):
            drop_in.faithfulness_metric(model, penalize_ambiguous_claims=True)
        with pytest.raises(ValueError, match="eval_mode is 'llm'"):
            drop_in.faithfulness_metric(model, eval_mode="hybrid")


def test_a_copied_metric_keeps_its_judge_its_claims_and_its_language_B79(tmp_path: Path) -> None:
    from deepeval.metrics.utils import copy_metrics

    with imported(made(tmp_path / "r"), "deepeval", tmp_path / "out") as drop_in:
        model = table_model(in_form(own_template(lang="zh")))
        metric = drop_in.faithfulness_metric(model, claims=PLAIN, language="zh", threshold=0.3)
        run(metric)
        (copied,) = copy_metrics([metric])
        run(copied)
    assert copied is not metric
    assert (copied.labels, copied.score, copied.threshold) == (metric.labels, metric.score, 0.3)
    assert copied.model is model


def test_evaluate_takes_claims_by_answer_and_one_failure_stays_with_its_row_B78(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from deepeval import evaluate
    from deepeval.evaluate.configs import CacheConfig, DisplayConfig, ErrorConfig

    monkeypatch.chdir(tmp_path)
    by_answer = {"first": PLAIN[:1], "nothing": [], "second": PLAIN}
    with imported(made(tmp_path / "r"), "deepeval", tmp_path / "out") as drop_in:
        metric = drop_in.faithfulness_metric(table_model(in_form(own_template())), claims=by_answer)
        with own_loop():
            told = evaluate(
                [test_case(answer=answer) for answer in by_answer],
                [metric],
                error_config=ErrorConfig(ignore_errors=True),
                display_config=DisplayConfig(show_indicator=False, print_results=False),
                cache_config=CacheConfig(write_cache=False),
            )
    rows = {row.actual_output: row.metrics_data[0] for row in told.test_results}
    assert rows["first"].score == 1.0
    assert rows["second"].score == pytest.approx(1 / 3)
    assert rows["nothing"].score is None
    assert "no claims" in rows["nothing"].error


def test_claims_are_extracted_by_deepeval_when_none_are_given(tmp_path: Path) -> None:
    template = own_template()

    def reply(prompt: str) -> str:
        if "Context:\n" not in prompt:
            return json.dumps({"claims": list(PLAIN)})
        return reply_text(asked_claims(prompt), template)

    with imported(made(tmp_path / "r"), "deepeval", tmp_path / "out") as drop_in:
        model = table_model(reply)
        metric = drop_in.faithfulness_metric(model, async_mode=False)
        run(metric)
    assert metric.labels == [LABELS[claim] for claim in PLAIN]
    assert len(model.prompts) == 1 + len(PLAIN)


def test_an_answer_without_claims_or_labels_is_an_error_and_no_score_B30(tmp_path: Path) -> None:
    with imported(made(tmp_path / "r"), "deepeval", tmp_path / "out") as drop_in:
        for claims, why in (((), "no claims"), ((NASTY[3],), "no verdicts")):
            metric = drop_in.faithfulness_metric(
                table_model(in_form(own_template())), claims=claims, async_mode=False
            )
            with pytest.raises(ValueError, match=why):
                metric.measure(test_case(), _show_indicator=False)


def test_the_groundedness_metric_runs_in_geval_with_the_release_s_definitions(
    tmp_path: Path,
) -> None:
    with imported(made(tmp_path / "r"), "deepeval", tmp_path / "out") as drop_in:
        model = table_model(lambda _: json.dumps({"score": 8, "reason": "most of it"}))
        metric = drop_in.groundedness_metric(model, language="zh", async_mode=False)
        run(metric)
    assert metric.score == pytest.approx(0.8)
    assert "是：陈述的每一部分都有材料依据" in model.prompts[-1]
    assert PASSAGES[0] in model.prompts[-1]


def test_another_version_is_refused_at_emit_time_and_at_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from importlib import metadata

    release = made(tmp_path / "r")
    found = emitted(release, "deepeval")
    monkeypatch.setattr(metadata, "version", lambda _: "2.9.7")
    with pytest.raises(ReleaseError, match=r"written for deepeval >=3\.7,<5"):
        emitted(release, "deepeval")
    monkeypatch.setattr(kinds.Kind, "installed", lambda _: None)
    assert emitted(release, "deepeval").texts == found.texts
    with pytest.raises(ImportError, match=r"deepeval >=3\.7,<5 \(tested with 4\.3\.1\)"):
        with imported(release, "deepeval", tmp_path / "out"):
            pass


def test_the_emitted_module_needs_no_metajudge(tmp_path: Path) -> None:
    release: Release = made(tmp_path / "r")
    for name, text in emitted(release, "deepeval").texts.items():
        if name.endswith(".py"):
            compile(text, name, "exec")
            assert "import metajudge" not in text
            assert "from metajudge" not in text


def test_a_reason_is_made_from_the_claims_that_cost_points_B29(tmp_path: Path) -> None:
    template = own_template()

    def reply(prompt: str) -> str:
        if "Contradictions:" in prompt:
            return json.dumps({"reason": "so it says"})
        return reply_text(asked_claims(prompt), template)

    with imported(made(tmp_path / "r"), "deepeval", tmp_path / "out") as drop_in:
        model = table_model(reply)
        metric = drop_in.faithfulness_metric(
            model, claims=PLAIN, include_reason=True, async_mode=False
        )
        run(metric)
    asked = model.prompts[-1].rpartition("Contradictions:")[2]
    assert "None" not in asked
    assert [claim in asked for claim in PLAIN] == [LABELS[claim] != "yes" for claim in PLAIN]


def test_one_claim_given_as_a_text_is_one_claim(tmp_path: Path) -> None:
    with imported(made(tmp_path / "r"), "deepeval", tmp_path / "out") as drop_in:
        model = table_model(in_form(own_template()))
        for claims in (PLAIN[0], {"An answer.": PLAIN[0]}):
            metric = drop_in.faithfulness_metric(model, claims=claims, async_mode=False)
            run(metric)
            assert metric.labels == ["yes"]
