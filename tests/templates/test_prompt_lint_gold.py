"""Templates beside a gold set: its labelling policy, its languages, and its texts."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from metajudge.gold.claim import Claim, Context, GoldManifest, LabellingPolicy
from metajudge.gold.goldset import GoldSet
from metajudge.templates import catalogue, paraphrased
from metajudge.templates.prompt_lint import lint_template, lint_templates, named_templates
from tests.templates.linted import template

TEXTS = {
    "en": (
        "The reading room opens at nine. Members may take home five books at a time, and each "
        "loan runs for three weeks unless somebody else has asked for the book.",
        "A member can borrow up to five books for three weeks each.",
    ),
    "zh": (
        "阅览室上午九点开放。会员每次最多可以借五本书，借期三周，有人预约的除外。",
        "会员一次最多能借五本书，每本借三周。",
    ),
}


def gold(policy: dict[str, Any] | None = None, labels=("yes", "no", "idk"), langs=("en", "zh")):
    """A set with a claim of each label in each language; one more names the labels' words."""
    contexts = {lang: Context(context_id=lang, passages=(TEXTS[lang][0],)) for lang in langs}
    claims = [
        Claim(
            claim_id=f"{lang}-{label}",
            answer_id=lang,
            context_id=lang,
            lang=lang,
            claim=TEXTS[lang][1] if label == labels[0] else f"{'第' * 3}{label} {lang} 7",
            label=label,
        )
        for lang in langs
        for label in labels
    ]
    space = "binary" if "supported" in labels else "ternary"
    manifest = GoldManifest(
        name="loans",
        version="1.0.0",
        languages=langs,
        label_space=space,
        labelling_policy=LabellingPolicy(version="2.0.0", **(policy or {})),
        licence="CC0-1.0",
        provenance="made for this test",
        label_source="author",
    )
    return GoldSet(manifest, tuple(claims), contexts)


def codes(goldset: GoldSet, language: str = "en", **changes: Any) -> set[str]:
    return {f.code for f in lint_template(template(language, **changes), gold=goldset)}


def example(language: str, context: str, claim: str) -> dict[str, Any]:
    return {"examples": [{"context": context, "claim": claim, "label": "yes"}]}


OTHER = {
    "en": ("Bread is baked at five in the morning.", "Baking begins early."),
    "zh": ("面包每天清晨五点出炉。", "面包很早就烤好了。"),
}


@pytest.mark.parametrize(
    ("language", "policy", "changes"),
    [
        ("en", {"support": {"summary": True}}, {"rule": "Do not sum up."}),
        ("en", {"support": {"inference": False}}, {"rule": "An inference is {{ yes }}."}),
        ("en", {"rules": ("Summary: yes, when nothing is added.",)}, {"rule": "Do not sum up."}),
        ("en", {"rules": ("概括：是，不得添加内容。",)}, {"rule": "Do not sum up."}),
        ("en", {"slice_labels": {"outside_true": ("idk",)}},
         {"idk": "nothing else fits.", "no": "the context does not say so."}),
        ("zh", {"support": {"summary": True}}, {"rule": "不要概括。"}),
        ("zh", {"support": {"common_knowledge": False}}, {"rules": ["可以使用常识。"]}),
    ],
)  # fmt: skip
def test_a_template_against_the_policy(language, policy, changes):
    assert "template-against-policy" in codes(gold(policy), language, **changes)


@pytest.mark.parametrize(
    ("language", "policy", "changes"),
    [
        ("en", {"support": {"summary": False}}, {"rule": "Do not sum up."}),
        ("en", {"support": {"summary": True}}, {"rule": "A loose summary is {{ idk }}."}),
        ("en", {"rules": ("Summary: no. Say what stands there.",)}, {"rule": "Do not sum up."}),
        ("en", {"rules": ("Nothing from outside is support, however well known.",)}, {}),
        ("en", {"slice_labels": {"outside_true": ("idk",)}}, {}),
        ("zh", {"support": {"summary": True}}, {"rule": "概括中添加的内容选“{{ idk }}”。"}),
        ("zh", {"support": {"common_knowledge": False}}, {}),
    ],
)  # fmt: skip
def test_a_template_with_the_policy(language, policy, changes):
    assert "template-against-policy" not in codes(gold(policy), language, **changes)


def test_kinds_that_the_policy_settles_and_the_template_does_not_name():
    policy = {"support": {"summary": True, "common_knowledge": False}}
    told = lint_template(template(), gold=gold(policy))
    (untold,) = [finding for finding in told if finding.code == "policy-not-told"]
    assert "settles summary;" in untold.why
    silent = codes(gold(policy), rule="A summary is {{ yes }}.")
    assert "policy-not-told" not in silent


def test_labels_that_the_template_does_not_offer():
    two = {"idk": "", "labels": {"yes": "ok", "no": "wrong"}}
    assert "labels-not-of-gold" in codes(gold(), **two)
    assert "labels-not-of-gold" not in codes(gold(labels=("supported", "unsupported")), **two)
    assert "labels-not-of-gold" not in codes(gold(labels=("yes", "no")), **two)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_b105_examples_that_stand_in_the_gold_set(language):
    context, claim = TEXTS[language]
    other = OTHER[language]
    leaks = [
        (context, other[1]),
        (other[0], claim),
        (other[0], claim.upper().replace(",", "， ")),
        (context[: len(context) // 2 + 10], other[1]),
        (f"{other[0]} {claim}", other[1]),
        (other[0], claim[:-1] + ("s." if language == "en" else "吧。")),
    ]
    for leak in leaks:
        assert "example-leaks-gold" in codes(gold(), language, **example(language, *leak)), leak
    assert "example-leaks-gold" not in codes(gold(), language, **example(language, *other))


def test_b105_the_reason_of_an_example_leaks_too():
    shown = example("en", *OTHER["en"])["examples"][0]
    leaking = {"examples": [{**shown, "reason": f"As they say: {TEXTS['en'][1]}"}]}
    (finding,) = (
        f
        for f in lint_template(template("en", **leaking), gold=gold())
        if f.code == "example-leaks-gold"
    )
    assert finding.field == "examples[0].reason"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_rules_that_hold_words_of_the_gold_set(language):
    context, claim = TEXTS[language]
    assert "text-leaks-gold" in codes(gold(), language, rule=f"例: {claim}")
    assert "text-leaks-gold" in codes(gold(), language, rule=context)
    assert "text-leaks-gold" not in codes(gold(), language, rule=OTHER[language][0])


def test_the_line_of_a_leak_is_that_of_the_example():
    leaking = template(**example("en", *TEXTS["en"]))
    findings = lint_template(leaking, where="t.yaml", lines={"examples[0].claim": 9}, gold=gold())
    places = {f.field: f.line for f in findings if f.code == "example-leaks-gold"}
    assert places == {"examples[0].context": None, "examples[0].claim": 9}


def test_languages_of_the_gold_set_that_a_wording_lacks():
    both = [template("en"), template("zh")]

    def told(templates, goldset):
        from metajudge.templates.prompt_lint import PlacedTemplate

        placed = [PlacedTemplate(one, one.label) for one in templates]
        return [f.why for f in lint_templates(placed, goldset) if f.code == "language-not-covered"]

    (why,) = told(both[:1], gold())
    assert "claims in zh" in why
    assert told(both, gold()) == []
    assert told(both[:1], gold(langs=("en",))) == []


def test_label_words_in_claims():
    spoken = {"labels": {"yes": "books", "no": "euros", "idk": "unstated"}}
    prose = spoken | {"answer": {"form": "reason_first"}}
    found = {f.code: f.severity for f in lint_template(template(**prose), gold=gold())}
    assert found["label-word-in-claims"] == "warning"
    found = {f.code: f.severity for f in lint_template(template(**spoken), gold=gold())}
    assert found["label-word-in-claims"] == "note"
    rare = {"labels": {"yes": "book", "no": "euro", "idk": "unstated"}}
    assert "label-word-in-claims" not in codes(gold(), **rare)
    assert "label-word-in-claims" in codes(
        gold(), "zh", labels={"yes": "借", "no": "相悖", "idk": "未载"}
    )
    letters = codes(gold(), labels="letters")
    assert "label-word-in-claims" in letters


def test_what_is_said_of_the_shipped_catalogue():
    told = [(f.severity, f.code, f.where) for f in lint_templates(named_templates([*catalogue()]))]
    assert Counter(told) == Counter(
        [
            *(
                ("note", code, f"{name}.{lang}.yaml")
                for name, code_list in (
                    ("literal", ["no-compound-rule"]),
                    ("contradiction-only", ["no-compound-rule", "no-knowledge-rule"]),
                    ("evidence-first", ["no-knowledge-rule"]),
                )
                for lang in ("en", "zh")
                for code in code_list
            ),
            *[("note", "label-word-everyday", "evidence-first.en.yaml")] * 2,
            *[("note", "label-word-everyday", "evidence-first.zh.yaml")] * 2,
        ]
    )


def test_authored_rewordings_have_no_error_and_no_more_codes_than_their_templates():
    for wording in catalogue().values():
        for source in wording.by_language.values():
            plain = {finding.code for finding in lint_template(source)}
            for number in (1, 2):
                reworded = paraphrased(source, number, "test")
                assert {finding.code for finding in lint_template(reworded)} <= plain, reworded
