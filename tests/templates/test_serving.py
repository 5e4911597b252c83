"""Which template asks which metric's question, and that nothing of faithfulness moved."""

from __future__ import annotations

from typing import get_args

import pytest

from metajudge.gold.claim import METRIC_NAMES, TWO_LABELS, MetricName
from metajudge.templates.catalogue import (
    catalogue,
    catalogue_wording,
    metric_of,
    shipped_wordings,
)
from metajudge.templates.frame import FrameLanguage, FrameName, frame_for
from metajudge.templates.lint import template_problems
from metajudge.templates.peers import peer_template
from metajudge.templates.prompt_lint.lint import lint_template
from metajudge.templates.serving import FRAME_OF, serves, serving_problems
from metajudge.templates.template import Template
from metajudge.verdicts.parse import parse_reply
from metajudge.verdicts.verdict import Reply

METRICS = [name for name in METRIC_NAMES if name != "faithfulness"]
FINGERPRINTS = {
    ("literal", "en"): "28ebbac01cf3d9871b40740ab9b1cea7868435d92656024937696a185c773b7c",
    ("literal", "zh"): "6552083d2f7c885e6d2923b34280bee6d4e4bf00d3e2b3952dbefebab4262934",
    ("summary-tolerant", "en"): "c21c165f22ebddf61017d0e5569c9218d922375a3516e346a5d4a31aa64ea416",
    ("evidence-first", "zh"): "be2c28899ec4ad71d5c7bb7618e313c2038996dae83de169e00b8b24c3afb9d7",
}
"""Of wordings that releases pin and recordings are keyed by."""


def templates(metric: MetricName) -> list[Template]:
    """Every shipped template of a metric."""
    sources = [s for w in catalogue(metric).values() for s in w.by_language.values()]
    return [source for source in sources if isinstance(source, Template)]


@pytest.mark.parametrize("metric", METRICS)
def test_each_metric_has_three_wordings_in_two_languages(metric: MetricName) -> None:
    wordings = catalogue(metric)
    assert len(wordings) == 3
    for wording in wordings.values():
        assert set(wording.by_language) == {"en", "zh"}
        assert metric_of(wording.name) == metric
    labels = {"yes", "no"} if metric in TWO_LABELS else {"yes", "no", "idk"}
    for template in templates(metric):
        assert template.frame == FRAME_OF[metric]
        assert set(template.dialect.words) == labels
        assert template_problems(template, template.label) == []
        found = lint_template(template)
        assert [f for f in found if f.severity != "note"] == [], template.label


@pytest.mark.parametrize("metric", METRIC_NAMES)
def test_every_right_answer_reads_as_its_label(metric: MetricName) -> None:
    for template in templates(metric):
        for label in template.dialect.words:
            (verdict,) = parse_reply(Reply(template.sample_answer(label)), template, ["1"])
            assert verdict.label == label, template.label


def test_names_are_used_once() -> None:
    counts = [name for metric in METRIC_NAMES for name in catalogue(metric)]
    assert len(counts) == len(set(counts)) == len(shipped_wordings())
    assert catalogue_wording("helpful-passage").name == "helpful-passage"
    assert "helpful-passage" not in catalogue()


@pytest.mark.parametrize("language", get_args(FrameLanguage))
@pytest.mark.parametrize("name", get_args(FrameName))
def test_every_frame_shows_unit_and_evidence_verbatim(
    name: FrameName, language: FrameLanguage
) -> None:
    odd = "{claim} {{ yes }} {% raw %} <b>"
    template = Template(
        name="t",
        version="1.0.0",
        family="t",
        language=language,
        frame=name,
        dialect="words",
        definitions={"yes": "a", "no": "b", "idk": "c"},
    )
    shown = template.render((f"E {odd}",), (f"U {odd}",))[1].content
    frame = frame_for(language, name)
    assert f"{frame.context_head}\nE {odd}" in shown
    assert f"{frame.claim_head}U {odd}" in shown
    assert frame.verdict_marker == frame_for(language).verdict_marker
    assert frame.empty_context in template.render((), ("u",))[1].content


def test_frames_change_the_fingerprint_and_claims_are_written_as_before() -> None:
    literal = catalogue()["literal"].by_language["en"]
    assert isinstance(literal, Template)
    assert "frame" not in literal.model_dump()
    sentence = Template.model_validate(literal.model_dump(by_alias=True) | {"frame": "sentence"})
    assert sentence.model_dump()["frame"] == "sentence"
    assert sentence.fingerprint != literal.fingerprint
    assert Template.model_validate(literal.model_dump(by_alias=True)) == literal


@pytest.mark.parametrize(("name", "language"), list(FINGERPRINTS))
def test_fingerprints_of_faithfulness_stay(name: str, language: str) -> None:
    source = catalogue()[name].by_language[language]
    assert source.fingerprint == FINGERPRINTS[name, language]


def test_a_template_of_another_metric_is_named_with_its_mend() -> None:
    literal = catalogue()["literal"].by_language["en"]
    assert serves(literal, "context_recall")
    assert not serves(literal, "groundedness")
    (problem,) = serving_problems([literal, literal], "groundedness", "experiment.yaml")
    assert "'sentence'" in problem.law
    assert "gold for faithfulness, context_recall" in problem.mend


def test_a_peers_prompt_asks_about_claims() -> None:
    peer = peer_template("deepeval:faithfulness", "en")
    assert serves(peer, "faithfulness")
    assert list(serving_problems([peer], "context_relevance", "x"))
