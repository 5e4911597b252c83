"""Rules of a space of parts: their order, and those that stand in every template."""

from __future__ import annotations

from itertools import permutations

from metajudge.templates import catalogue
from metajudge.templates.parts import Axis
from metajudge.templates.parts_axes import nth_order
from tests.templates.parts_spaces import BOTH, faults, space, template_of


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
