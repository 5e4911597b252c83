"""The labelling page of another metric's gold asks that metric's question and offers its labels."""

from __future__ import annotations

import re

import pytest

from tests.labelling.desks import Visitor, events, gold_folder


def relevance(place, **more):
    rows = [{"claim": "When does it open?"}, {"claim": "几点开门？", "lang": "zh"}]
    return gold_folder(
        place, rows, passages=["It opens at nine."], more="metric: context_relevance\n", **more
    )


@pytest.mark.parametrize(
    ("language", "told"),
    [
        (
            "en",
            ("Does at least one sentence of the passage help", ">Passage", ">Question<", ">yes<"),
        ),
        (
            "zh",
            ("段落中是否至少有一句话有助于回答", ">段落", ">问题<", ">有帮助<", "yes · 有话可用"),
        ),
    ],
)
def test_unit_evidence_and_question_are_the_metric_s(tmp_path, language, told):
    visitor = Visitor(relevance(tmp_path / "gold"), language=language)
    visitor.see()
    for text in told:
        assert text in visitor.text, text
    assert re.findall(r'data-keys="([^"]+)"', visitor.text) == ["1 y", "2 n"]
    assert "data-slice" not in visitor.text and "<kbd>k</kbd>" not in visitor.text
    assert "<h3></h3>" not in visitor.text and "Hard cases" not in visitor.text


def test_a_label_that_the_metric_does_not_have_is_not_saved(tmp_path):
    folder = relevance(tmp_path / "gold")
    visitor = Visitor(folder, language="zh")
    visitor.see()
    visitor.label("idk")
    assert visitor.answer.status_code == 400 and events(folder) == ()
    visitor.see()
    visitor.label("yes")
    assert 'data-said="已保存：有帮助"' in visitor.text
    assert "有帮助" in visitor.see("/history")


def test_a_binary_set_of_a_metric_says_what_unsupported_is(tmp_path):
    visitor = Visitor(relevance(tmp_path / "gold", space="binary"))
    visitor.see()
    means = re.findall(r'<span class="label-means">([^<]+)<', visitor.text)
    assert means == ["something in it helps", "anything else"]
