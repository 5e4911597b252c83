from __future__ import annotations

import json
from itertools import permutations, product
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from metajudge.errors import TemplateError
from metajudge.templates import Template, Wording, catalogue, read_wordings
from metajudge.templates.lint import template_problems
from metajudge.templates.parts import Axis, PartsSpace
from metajudge.templates.parts_axes import nth_order
from metajudge.templates.wording_files import write_wording
from tests.templates.made import YAML, write
from tests.templates.test_parentage import PARENTAGE
from tests.templates.test_pool import MIXED

BOTH = ("en", "zh")
FULL: dict[str, Any] = {
    "bases": ["literal", "summary-tolerant"],
    "asks": {"en": ["Is it so?", "Is the claim backed?"], "zh": ["对吗？"]},
    "definitions": {
        "en": {"idk": ["open."]},
        "zh": {"yes": ["有。"], "idk": ["没有。", "不清楚。"]},
    },
    "rules": {"en": ["Be fair.", "Sums are {{ yes }}."], "zh": ["公平。"]},
    "labels": ["words", "letters"],
    "layouts": ["context_first", "claim_last"],
    "answers": [{"form": "label_only"}, {"form": "reason_first", "json": True}],
}


def space(**changes: Any) -> PartsSpace:
    return PartsSpace.model_validate({"bases": ["literal"], **changes})


def full(**changes: Any) -> PartsSpace:
    return PartsSpace.model_validate({**FULL, **changes})


def template_of(wording: Wording, language: str = "en") -> Template:
    found = wording.by_language[language]
    assert isinstance(found, Template)
    return found


def with_pool(folder: Path, **examples: Any) -> PartsSpace:
    rows = "".join(f"{json.dumps(fields, ensure_ascii=False)}\n" for fields in MIXED)
    (folder / "pool.jsonl").write_text(rows, encoding="utf-8")
    return space(examples={"path": "pool.jsonl", **examples})


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


def test_orders_are_numbered_without_gap_or_repeat() -> None:
    for places in range(5):
        every = list(permutations(range(places)))
        assert [nth_order(number, places) for number in range(len(every))] == every


def test_the_order_of_rules_is_an_axis_of_its_own() -> None:
    opened = space(rules={"en": ["Be fair."]}, rule_order=True).opened(["en"])
    assert opened.axes[-1] == Axis("en.rule_order", tuple(range(6)))
    first, second = template_of(catalogue()["literal"]).rules
    rules = {
        template_of(
            opened.build(opened.completed({"en.rule.0": True, "en.rule_order": number}))
        ).rules
        for number in range(6)
    }
    assert rules == set(permutations((first, second, "Be fair.")))
    without = opened.build(opened.completed({"en.rule.literal.1": False, "en.rule_order": 5}))
    assert template_of(without).rules == (first,)


def test_fixed_rules_stand_in_every_template_after_the_others() -> None:
    fixed = {"en": ["Use the context alone."], "zh": ["只看材料。"]}
    opened = space(rules={"en": ["Be fair."]}, rule_order=True, fixed_rules=fixed).opened(BOTH)
    setting = opened.completed({"en.rule.0": True, "en.rule.literal.0": False, "en.rule_order": 5})
    made = opened.build(setting)
    base = catalogue()["literal"]
    assert template_of(made).rules == (
        "Be fair.",
        template_of(base).rules[1],
        "Use the context alone.",
    )
    assert template_of(made, "zh").rules == (*template_of(base, "zh").rules, "只看材料。")
    assert (
        opened.fingerprint
        != space(rules={"en": ["Be fair."]}, rule_order=True).opened(BOTH).fingerprint
    )
    told = faults(space(fixed_rules={"zh": ["好。", "{{ 是 }}"]}))
    assert told and "search.template: fixed_rules.zh[1]" in told[0]


def test_too_many_rules_to_order_are_refused() -> None:
    rules = [f"Rule {number}." for number in range(5)]
    assert faults(space(rules={"en": rules}, rule_order=True)) == [
        "search.template: rules.en: at most 6 rules, the base's among them, are tried in every "
        "order (got 7). Take rules out, or leave rule_order out."
    ]
    assert "the order of rules is searched where rules are" in faults(space(rule_order=True))[0]


def test_examples_are_drawn_for_each_language_and_replace_the_bases(tmp_path: Path) -> None:
    given = with_pool(tmp_path, counts=[0, 2, 4], draws=3, seed=5)
    opened = given.opened(BOTH, tmp_path)
    assert opened.axes == (
        Axis("examples.n", (0, 2, 4)),
        Axis("examples.draw", (0, 1, 2), (("examples.n", (2, 4)),)),
    )
    made = opened.build({"examples.n": 2, "examples.draw": 1})
    for language in BOTH:
        shown = template_of(made, language).examples
        assert opened.pool is not None
        assert shown == opened.pool.drawn(language, 2, 1, 5, ("yes", "no", "idk"))
    four = opened.build({"examples.n": 4, "examples.draw": 1})
    assert template_of(four).examples[:2] == template_of(made).examples
    given.check(tmp_path, BOTH)


def test_b108_where_no_examples_are_wanted_no_prompt_has_a_text_of_the_pool(tmp_path: Path) -> None:
    example = "examples:\n- {context: Old., claim: Case 9., label: yes}\n"
    write(tmp_path, YAML + example)
    given = with_pool(tmp_path, counts=[0, 2])
    given = given.model_copy(update={"bases": ("plain.en.yaml",)})
    opened = given.opened(["en"], tmp_path)
    none, two = (template_of(opened.build({"examples.n": n})) for n in (0, 2))
    told = [text for fields in MIXED for text in (fields["claim"], fields["context"])]
    prompt = "".join(m.content for m in none.render(["A passage."], ["A claim."]))
    assert none.examples == ()
    assert not any(text in prompt for text in [*told, "Case 9.", "Old."])
    prompt = "".join(m.content for m in two.render(["A passage."], ["A claim."]))
    assert any(text in prompt for text in told) and "Case 9." not in prompt


def test_a_pool_that_is_too_small_is_told_by_language(tmp_path: Path) -> None:
    given = with_pool(tmp_path, counts=[0, 7])
    assert faults(given, tmp_path) == [
        f"search.template: examples.counts: {tmp_path / 'pool.jsonl'} has fewer {language} cases "
        "than a template may show (got 7). Add cases to the pool, or ask for at most 6."
        for language in BOTH
    ]


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


def faults(given: PartsSpace, folder: Path = Path()) -> list[str]:
    with pytest.raises(TemplateError) as caught:
        given.check(folder, BOTH)
    return [str(problem) for problem in caught.value.problems]


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
