"""Axes of a space of parts, and the templates that its settings make."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

from metajudge.templates import Template, catalogue, read_wordings
from metajudge.templates.lint import template_problems
from metajudge.templates.parts import Axis
from metajudge.templates.wording_files import write_wording
from tests.templates.made import YAML, write
from tests.templates.parts_spaces import BOTH, full, space, template_of, with_pool
from tests.templates.test_parentage import PARENTAGE


def test_the_axes_are_structures_then_the_texts_of_each_language() -> None:
    axes = full().axes(BOTH)
    literal, tolerant = (("base", ("literal",)),), (("base", ("summary-tolerant",)),)
    both = (True, False)
    assert axes == (
        Axis("base", ("literal", "summary-tolerant")),
        Axis("labels", ("words", "letters")),
        Axis("answer", ("label_only", "reason_first json")),
        Axis("layout", ("context_first", "claim_last")),
        Axis("en.ask", ("base", "0", "1")),
        Axis("en.definition.idk", ("base", "0")),
        Axis("en.rule.literal.0", both, literal),
        Axis("en.rule.literal.1", both, literal),
        Axis("en.rule.summary-tolerant.0", both, tolerant),
        Axis("en.rule.summary-tolerant.1", both, tolerant),
        Axis("en.rule.0", (False, True)),
        Axis("en.rule.1", (False, True)),
        Axis("zh.ask", ("base", "0")),
        Axis("zh.definition.yes", ("base", "0")),
        Axis("zh.definition.idk", ("base", "0", "1")),
        Axis("zh.rule.literal.0", both, literal),
        Axis("zh.rule.literal.1", both, literal),
        Axis("zh.rule.summary-tolerant.0", both, tolerant),
        Axis("zh.rule.summary-tolerant.1", both, tolerant),
        Axis("zh.rule.0", (False, True)),
    )
    assert full().axes(["en"]) == tuple(axis for axis in axes if not axis.name.startswith("zh."))
    assert full().axes(["zh-CN", "zh"]) == full().axes(["zh"])


def test_what_is_not_declared_is_not_searched() -> None:
    assert space().axes(BOTH) == ()
    assert space(labels=["letters"], layouts=["claim_last"]).axes(BOTH) == ()
    assert [axis.name for axis in space(rules={"en": []}).axes(BOTH)] == [
        "en.rule.literal.0",
        "en.rule.literal.1",
    ]


@pytest.mark.parametrize("name", list(catalogue()))
def test_the_usual_choices_make_the_base_itself(name: str) -> None:
    opened = full(bases=list(catalogue()), labels=[], answers=[], layouts=[]).opened(BOTH)
    made = opened.build(opened.completed({"base": name}))
    base = catalogue()[name]
    assert opened.parents({"base": name}) == base
    for language in BOTH:
        template = template_of(made, language)
        assert template.fingerprint == base.by_language[language].fingerprint
        assert (template.family, template.version) == (base.by_language[language].family, "1.0.0")
        assert base.by_language[language].label in template.purpose


def test_a_setting_puts_each_part_in_its_place() -> None:
    opened = full().opened(BOTH)
    made = opened.build(
        opened.completed(
            {
                "base": "summary-tolerant",
                "labels": "letters",
                "answer": "reason_first json",
                "layout": "claim_last",
                "en.ask": "1",
                "en.definition.idk": "0",
                "en.rule.summary-tolerant.0": False,
                "en.rule.1": True,
                "zh.definition.idk": "1",
            }
        )
    )
    en, zh = template_of(made), template_of(made, "zh")
    base = template_of(catalogue()["summary-tolerant"])
    assert en.ask == "Is the claim backed?"
    assert en.definitions == {**base.definitions, "idk": "open."}
    assert en.rules == (base.rules[1], "Sums are {{ yes }}.")
    assert "Sums are A." in en.render(["c"], ["x"])[1].content
    assert (en.dialect.name, en.answer.form, en.answer.json_) == ("letters", "reason_first", True)
    assert (zh.layout, zh.ask, zh.definitions["idk"]) == ("claim_last", None, "不清楚。")
    assert zh.dialect == en.dialect
    assert len(zh.rules) == 2


def test_a_structure_that_is_listed_once_is_always_taken() -> None:
    opened = space(labels=["letters"], layouts=["claim_last"], claims_per_call=[5]).opened(BOTH)
    template = template_of(opened.build({}))
    assert (template.dialect.name, template.layout) == ("letters", "claim_last")
    assert (template.claims_per_call, template.answer.json_) == (5, True)


def test_several_claims_a_call_are_answered_as_json() -> None:
    given = full(claims_per_call=[1, 5], asks={"en": ["Is it so?"]})
    opened = given.opened(BOTH)
    assert Axis("en.ask", ("base", "0"), (("claims_per_call", (1,)),)) in opened.axes
    five = opened.completed({"claims_per_call": 5, "en.ask": "0"})
    assert "en.ask" not in five
    template = template_of(opened.build(five))
    assert (template.answer.json_, template.ask) == (True, None)
    assert template_of(opened.build(opened.completed({"en.ask": "0"}))).ask == "Is it so?"
    given.check(".", BOTH)


def test_settings_that_make_the_same_prompts_have_one_name() -> None:
    same = catalogue()["literal"].by_language["en"]
    assert isinstance(same, Template)
    opened = space(definitions={"en": {"yes": [same.definitions["yes"], "so."]}}).opened(BOTH)
    names = [opened.build({"en.definition.yes": value}).name for value in ("base", "0", "1")]
    assert names[0] == names[1] != names[2]
    assert all(name.startswith("search-") and len(name) == len("search-") + 8 for name in names)


def test_the_name_depends_on_every_language() -> None:
    assert full().build(full().opened(["en"]).completed({}), ["en"]).name != (
        full().build(full().opened(BOTH).completed({}), BOTH).name
    )


def test_every_setting_of_a_small_space_makes_a_template_of_its_own(tmp_path: Path) -> None:
    given = space(
        asks={"en": ["Is it so?"]}, rules={"en": ["Be fair."]}, labels=["words", "letters"]
    )
    opened = given.opened(["en"])
    names = [axis.name for axis in opened.axes]
    settings = [
        dict(zip(names, values, strict=True))
        for values in product(*(axis.choices for axis in opened.axes))
    ]
    made = [opened.build(setting) for setting in settings]
    assert len({wording.name for wording in made}) == len(settings) == 2**5
    for wording in made:
        assert template_problems(template_of(wording), "test") == []
        assert read_wordings(write_wording(wording, tmp_path))[wording.name] == wording


def test_bases_are_read_from_files_and_globs(tmp_path: Path) -> None:
    told = f"{YAML}parentage: {json.dumps(PARENTAGE)}\n"
    write(tmp_path, told)
    write(tmp_path, YAML.replace("language: en", "language: zh"), "plain.zh.yaml")
    for entries in (["plain.*.yaml"], ["plain.en.yaml", "plain.zh.yaml"]):
        given = space(bases=["literal", *entries])
        assert given.axes(BOTH, tmp_path)[0] == Axis("base", ("literal", "plain"))
        made = given.build({"base": "plain"}, BOTH, tmp_path)
        assert template_of(made).rules == ("Read with care.",)
        assert template_of(made).parentage is None


def test_the_text_behind_a_choice_is_told() -> None:
    opened = full().opened(BOTH)
    assert opened.text_of("en.ask", "1") == "Is the claim backed?"
    assert opened.text_of("zh.definition.idk", "0") == "没有。"
    assert opened.text_of("zh.rule.0", True) == opened.text_of("zh.rule.0", False) == "公平。"
    shipped = template_of(catalogue()["literal"]).rules[1]
    assert opened.text_of("en.rule.literal.1", False) == shipped
    for axis, value in (("en.ask", "base"), ("labels", "letters"), ("en.ask", "7"), ("x", "0")):
        assert opened.text_of(axis, value) is None


def test_the_fingerprint_is_of_all_that_decides_a_template(tmp_path: Path) -> None:
    given = with_pool(tmp_path)
    first = given.opened(BOTH, tmp_path).fingerprint
    assert given.opened(["zh", "en"], tmp_path).fingerprint != ""
    assert given.opened(BOTH, tmp_path).fingerprint == first
    other = tmp_path / "other"
    other.mkdir()
    with_pool(other)
    assert given.opened(BOTH, other).fingerprint == first
    others = [
        with_pool(tmp_path, seed=1),
        given.model_copy(update={"bases": ("summary-tolerant",)}),
        given.model_copy(update={"labels": ("letters",)}),
        given.model_copy(update={"asks": {"en": ("Is it so?",)}}),
        given.model_copy(update={"asks": {"en": ("Is it so",)}}),
    ]
    prints = {one.opened(BOTH, tmp_path).fingerprint for one in others}
    pool = tmp_path / "pool.jsonl"
    pool.write_text(pool.read_text(encoding="utf-8").replace("Case 1", "Case A"), encoding="utf-8")
    prints |= {given.opened(BOTH, tmp_path).fingerprint, given.opened(["en"], tmp_path).fingerprint}
    assert len(prints | {first}) == len(others) + 3
