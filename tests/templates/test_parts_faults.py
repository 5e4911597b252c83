"""What is refused of a space of parts and of its settings, with every fault at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from metajudge.errors import TemplateError
from tests.templates.made import YAML, write
from tests.templates.parts_spaces import BOTH, faults, full, space


def test_every_fault_of_a_space_at_once(tmp_path: Path) -> None:
    write(tmp_path, YAML.replace("name: plain", "name: literal"), "literal.en.yaml")
    write(tmp_path, YAML.replace("rules:", "rulse:"), "broken.en.yaml")
    (tmp_path / "pool.jsonl").write_text('{"lang": "en"}\n', encoding="utf-8")
    given = space(
        bases=["litteral", "none.yaml", "no*.yaml", "broken.en.yaml", "ragas:faithfulness"],
        asks={"en": ["Is {{ it }} so?"]},
        definitions={"zh": {"idk": ["{{ idk"]}},
        rules={"zh": ["好。", "{% if x %}"]},
        labels=["words", "leters"],
        examples={"path": "pool.jsonl"},
    )
    told = faults(given, tmp_path)
    for wanted in (
        "search.template: bases[0]: no shipped template has this name",
        "Did you mean 'literal'?",
        f"{tmp_path / 'none.yaml'}: no such file",
        "search.template: bases[2]: there is no such file to start from",
        "broken.en.yaml:10: rulse: there is no such field",
        "search.template: bases[4]: no shipped template has this name, and only templates have",
        "pool.jsonl:1: context: this field is needed",
        "search.template: asks.en[0]: a placeholder is a label the dialect offers",
        "search.template: definitions.zh.idk[0]: placeholders are written {{ yes }}",
        "search.template: rules.zh[1]: placeholders are written",
        "search.template: labels[1]: a dialect is one of words, relation, letters",
    ):
        assert any(wanted in line for line in told), wanted


def test_a_base_that_lacks_a_language_or_has_a_shipped_name_is_refused(tmp_path: Path) -> None:
    write(tmp_path, YAML)
    assert faults(space(bases=["plain.en.yaml"]), tmp_path) == [
        "search.template: bases: a base speaks the language of the claims (en, zh) (got 'plain'). "
        "Add a zh template of this name, or narrow gold.languages."
    ]
    space(bases=["plain.en.yaml"]).check(tmp_path, ["en"])
    write(tmp_path, YAML.replace("name: plain", "name: literal"), "literal.en.yaml")
    told = faults(space(bases=["literal", "literal.en.yaml"]), tmp_path)
    assert any("a base's name is its own" in line for line in told)


def test_a_choice_that_makes_a_faulty_template_is_found_without_a_search(tmp_path: Path) -> None:
    binary = YAML.replace("labels: words", "labels: {yes: so, no: not so}")
    write(tmp_path, binary.replace("  idk: it says nothing.\n", ""))
    one: dict[str, Any] = {"bases": ["plain.en.yaml"], "labels": ["words"]}
    with pytest.raises(TemplateError, match=r"definitions.idk: each label the dialect offers"):
        space(**one).check(tmp_path, ["en"])
    one = {"bases": ["plain.en.yaml"], "rules": {"en": ["Else it is {{ idk }}."]}}
    with pytest.raises(TemplateError, match=r"a label the dialect offers \(no, yes\)"):
        space(**one).check(tmp_path, ["en"])
    one["definitions"] = {"en": {"idk": ["open."]}}
    with pytest.raises(TemplateError, match=r"definitions.idk: a definition belongs to a label"):
        space(**one).check(tmp_path, ["en"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bases": []}, "at least one is needed"),
        ({"bases": ["literal", "literal"]}, "literal stands more than once"),
        ({"asks": {"en": ["  "]}}, "must not be empty"),
        ({"asks": {"de": ["Stimmt es?"]}}, "'en' or 'zh'"),
        ({"rules": {"en": ["a", "a"]}}, "a stands more than once"),
        ({"definitions": {"en": {"maybe": ["a"]}}}, "'yes', 'no' or 'idk'"),
        ({"claims_per_call": [0]}, "greater than or equal to 1"),
        ({"claims_per_call": [True]}, "valid integer"),
        ({"rule_order": 1}, "valid boolean"),
        ({"layouts": ["claim_first"]}, "'claim_last'"),
        ({"answers": [{"form": "label_only", "extra": 1}]}, "Extra inputs"),
        ({"examples": {"path": "p", "counts": []}}, "at least one is needed"),
        ({"examples": {"path": "p", "counts": [-1]}}, "greater than or equal to 0"),
        ({"examples": {"path": "p", "draws": 0}}, "greater than or equal to 1"),
        ({"rule": {"en": ["a"]}}, "Extra inputs"),
    ],
    ids=str,
)
def test_a_faulty_declaration_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        space(**changes)


def test_a_setting_that_is_none_of_the_space_is_refused_with_every_fault() -> None:
    opened = full().opened(BOTH)
    setting = opened.completed({})
    del setting["zh.ask"]
    setting |= {
        "en.asc": "0",
        "layout": "claim_first",
        "en.rule.0": 1,
        "en.rule.summary-tolerant.0": True,
    }
    with pytest.raises(TemplateError) as caught:
        opened.build(setting)
    told = sorted(str(problem) for problem in caught.value.problems)
    assert told == [
        "search.template: en.asc: a setting holds axes of the space. Did you mean 'en.ask'?",
        "search.template: en.rule.0: a setting takes one of the axis's choices (got 1). "
        "Give it one of: False, True.",
        "search.template: en.rule.summary-tolerant.0: this axis is active only where base is one "
        "of summary-tolerant (got True). Leave it out.",
        "search.template: layout: a setting takes one of the axis's choices (got 'claim_first'). "
        "Give it one of: 'context_first', 'claim_last'.",
        "search.template: zh.ask: a setting has a value for each active axis. "
        "Give it one of: 'base', '0'.",
    ]
