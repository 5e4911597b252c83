from __future__ import annotations

import difflib
import re
from itertools import combinations

import pytest

from metajudge.errors import TemplateError
from metajudge.templates import Template, catalogue, changed, paraphrased
from metajudge.templates.lint import template_problems
from metajudge.templates.paraphrase import read_paraphrases, shipped_paraphrases
from tests.templates.made import make

SHIPPED = [
    t for w in catalogue().values() for t in w.by_language.values() if isinstance(t, Template)
]
IDS = [template.label for template in SHIPPED]
PLACEHOLDER = re.compile(r"\{\{ \w+ \}\}")
ENTRY = "- {definitions: {yes: a., no: b., idk: c.}, rules: []}\n"


def three_wordings(template: Template) -> list[Template]:
    found = [template, *(paraphrased(template, number, "test") for number in (1, 2))]
    return [wording for wording in found if wording is not None]


@pytest.mark.parametrize("template", SHIPPED, ids=IDS)
def test_each_shipped_template_has_two_sound_paraphrases(template: Template) -> None:
    three = three_wordings(template)
    assert len({wording.fingerprint for wording in three}) == 3
    for wording in three:
        assert template_problems(wording, "test") == []
        assert (wording.name, wording.answer, wording.layout, wording.dialect) == (
            template.name,
            template.answer,
            template.layout,
            template.dialect,
        )


@pytest.mark.parametrize("template", SHIPPED, ids=IDS)
def test_every_text_is_really_reworded(template: Template) -> None:
    for one, other in combinations(three_wordings(template), 2):
        assert one.ask != other.ask
        pairs = [(one.definitions[label], other.definitions[label]) for label in one.definitions]
        pairs += list(zip(one.rules, other.rules, strict=True))
        if template.reason_hint is not None:
            pairs.append((one.reason_hint or "", other.reason_hint or ""))
        for a, b in pairs:
            assert difflib.SequenceMatcher(None, a, b).ratio() < 0.85, (a, b)


@pytest.mark.parametrize("template", SHIPPED, ids=IDS)
def test_paraphrases_keep_labels_rules_and_placeholders(template: Template) -> None:
    for wording in three_wordings(template)[1:]:
        assert list(wording.definitions) == list(template.definitions)
        assert (wording.reason_hint is None) == (template.reason_hint is None)
        for own, shipped in zip(wording.rules, template.rules, strict=True):
            assert PLACEHOLDER.findall(own) == PLACEHOLDER.findall(shipped)
        for label, text in wording.definitions.items():
            assert PLACEHOLDER.findall(text) == PLACEHOLDER.findall(template.definitions[label])


@pytest.mark.parametrize("template", SHIPPED, ids=IDS)
def test_a_batch_is_asked_about_each_claim(template: Template) -> None:
    answer = {"form": template.answer.form, "json": True}
    batch = changed(template, "test", claims_per_call=5, answer=answer)
    for number, shipped in enumerate(shipped_paraphrases(template.name, template.language), 1):
        found = paraphrased(batch, number, "test")
        assert found is not None
        assert found.ask == shipped.ask_batch != shipped.ask
        assert found.claims_per_call == 5


@pytest.mark.parametrize("field", ["definitions", "rules", "ask", "reason_hint"])
def test_paraphrases_of_another_text_are_not_used(field: str) -> None:
    template = SHIPPED[0]
    own = {
        "definitions": {**template.definitions, "no": "it says otherwise."},
        "rules": template.rules[:1],
        "ask": "Well?",
        "reason_hint": "say why",
    }
    assert paraphrased(changed(template, "test", **{field: own[field]}), 1, "test") is None


def test_a_template_of_another_name_has_none() -> None:
    assert paraphrased(make(), 1, "test") is None


def test_there_are_two_paraphrases() -> None:
    with pytest.raises(TemplateError, match=r"e\.yaml: paraphrase: .* 1 to 2 \(got 3\)"):
        paraphrased(SHIPPED[0], 3, "e.yaml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ENTRY, "at least 2"),
        (ENTRY * 3, "at most 2"),
        (ENTRY + ENTRY.replace("rules", "rule"), r"Did you mean 'rules'\?"),
        (ENTRY + ENTRY.replace("b.", '""'), r"p\.yaml:2: \[1\]\.definitions\.no: .*empty"),
        ("definitions: {}", "must be a list"),
    ],
)
def test_a_faulty_file_is_refused(text: str, message: str) -> None:
    with pytest.raises(TemplateError, match=message):
        read_paraphrases(text, "p.yaml")
