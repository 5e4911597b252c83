"""What annotators of a metric's gold are told: its question, its unit, its labels, its rules."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from metajudge.gold.claim import METRIC_NAMES, LabellingPolicy, MetricName
from metajudge.gold.datasheet import datasheet
from metajudge.gold.exporters.export import export_goldset
from metajudge.gold.exporters.form import Wishes
from metajudge.gold.exporters.label_studio import labelling_config
from metajudge.gold.goldset import GoldSet, load_goldset
from metajudge.gold.guideline import guideline
from metajudge.gold.lint import check_goldset
from metajudge.gold.metric_checks import metric_labels
from metajudge.gold.metric_texts import Spoken, metric_texts
from metajudge.report.guideline_html import guideline_page
from metajudge.report.guideline_text import guideline_markdown, guideline_text
from tests.gold.test_metric_checks import folder

OTHERS: list[MetricName] = [m for m in METRIC_NAMES if m not in ("faithfulness", "context_recall")]


@pytest.fixture
def relevance(tmp_path: Path) -> GoldSet:
    return load_goldset(folder(tmp_path / "gold", "context_relevance"))


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("metric", OTHERS)
def test_every_metric_that_is_not_about_claims_has_its_own_words(
    metric: MetricName, lang: Spoken
) -> None:
    texts = metric_texts(metric, lang)
    assert texts is not None and set(texts.labels) == set(metric_labels(metric))
    told = [texts.unit, texts.evidence, texts.empty, texts.ask, texts.lead]
    told += [part for words in texts.labels.values() for part in (words.means, words.text)]
    assert all(bool(re.search(r"[\u4e00-\u9fff]", text)) == (lang == "zh") for text in told)


def test_claims_are_asked_about_in_the_usual_words() -> None:
    policy = LabellingPolicy(version="1")
    assert metric_texts("context_recall", "en") is None
    assert guideline(policy, metric="context_recall") == guideline(policy)


def test_the_guideline_has_the_metric_s_question_labels_and_the_set_s_rules() -> None:
    policy = LabellingPolicy(version="1", rules=("A title helps nobody.",))
    guide = guideline(policy, metric="context_relevance")
    assert guide.lead.startswith("Does at least one sentence of the passage help")
    assert [text.label for text in guide.labels] == ["yes", "no"]
    for shown in (guideline_text(guide), guideline_markdown(guide), guideline_page(guide)):
        assert "A title helps nobody." in shown
        assert "Hard cases" not in shown and "counts as support" not in shown
    binary = guideline(policy, "binary", "zh", "groundedness")
    assert [text.name for text in binary.labels] == ["supported", "unsupported"]
    assert binary.labels[1].text == "其他一切情况"


def test_lint_and_datasheet_know_the_labels_of_the_metric(relevance: GoldSet) -> None:
    assert not [f for f in check_goldset(relevance).findings if f.code == "label-absent"]
    page = datasheet(relevance)
    assert "| gold for · 指标 | context\\_relevance |" in page
    assert "ternary: yes, no |" in page and "| idk |" not in page
    without = replace(relevance, claims=relevance.claims[:1])
    found = [f.message for f in check_goldset(without).findings if f.code == "label-absent"]
    assert found == ["no claim has the label 'no'"]


def test_label_studio_offers_the_labels_of_the_metric(relevance: GoldSet) -> None:
    config = labelling_config(relevance, Wishes(lang="en"))
    assert '<Header value="Passage"/>' in config and '<Header value="Question"/>' in config
    assert 'alias="yes"' in config and 'alias="idk"' not in config and "slice" not in config


def test_an_export_says_how_it_is_read_back(relevance: GoldSet, tmp_path: Path) -> None:
    notes = export_goldset(relevance, tmp_path / "a.csv").notes
    assert any("import it with --metric context_relevance" in note for note in notes)
    copy = tmp_path / "copy"
    whole = export_goldset(relevance, copy, "folder")
    assert not any("--metric" in note for note in whole.notes)
    assert load_goldset(copy).manifest.metric == "context_relevance"
