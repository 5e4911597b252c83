"""Each finding by a template that must have it, and a near one that must not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from metajudge.templates.prompt_lint import CODES, lint_template
from tests.templates.linted import codes, found, template

RULE = "rule-contradicts-definition"
OVERLAP = "definitions-overlap"
BOTH = "only-contradictions-and-unsupported"
ALSO_SUMMARY = "the context backs every part of the claim, also as a summary of several details."
ALSO_SUMMARY_ZH = "陈述的每一部分都有材料支持，包括对多处内容的概括。"
FIRES = [
    # A rule against a definition: kinds of support.
    (RULE, "en", {"yes": ALSO_SUMMARY, "rule": "Do not sum up or interpret statements."}),
    (RULE, "en", {"yes": ALSO_SUMMARY, "rule": "A summary is {{ idk }}."}),
    (RULE, "en", {"yes": ALSO_SUMMARY, "rule": "Never say {{ yes }} to a summary."}),
    (RULE, "en", {"yes": ALSO_SUMMARY, "rule": "Summaries do not count as support."}),
    (RULE, "en", {"yes": "the context states every part of the claim word for word.",
                  "rule": "A fair summary of several details is {{ yes }}."}),
    (RULE, "en", {"idk": "the claim is not explicitly stated in the context.",
                  "rule": "Say {{ yes }} if the claim can be inferred from the context."}),
    (RULE, "en", {"yes": "every part follows from the context, without inference.",
                  "rule": "An inference from two statements counts as support."}),
    (RULE, "en", {"yes": "every part of the claim is backed, or is common knowledge."}),
    (RULE, "zh", {"yes": ALSO_SUMMARY_ZH, "rule": "不要概括或解读材料。"}),
    (RULE, "zh", {"yes": ALSO_SUMMARY_ZH, "rule": "概括一律选“{{ idk }}”。"}),
    (RULE, "zh", {"yes": ALSO_SUMMARY_ZH, "rule": "归纳不算依据。"}),
    (RULE, "zh", {"yes": "材料逐字写明了陈述的每一部分。", "rule": "合理的概括选“{{ yes }}”。"}),
    (RULE, "zh", {"yes": "陈述的每一部分都有依据，或者属于常识。"}),
    # Parts of a claim, absence, and conflicts.
    (RULE, "en", {"rule": "One supported part is enough."}),
    (RULE, "zh", {"rule": "有一个部分得到支持即可选“{{ yes }}”。"}),
    (RULE, "en", {"rule": "A claim that is not mentioned in the context is {{ no }}."}),
    (RULE, "zh", {"rule": "材料没有提到的内容选“{{ no }}”。"}),
    (RULE, "en", {"rule": "A claim that conflicts with the context is {{ idk }}."}),
    (RULE, "zh", {"rule": "与材料矛盾的陈述选“{{ idk }}”。"}),
    # Definitions that overlap.
    (OVERLAP, "en", {"no": "the claim contradicts the context or is not mentioned in it."}),
    (OVERLAP, "en", {"yes": "no part of the claim contradicts the context."}),
    (OVERLAP, "en", {"idk": "the claim conflicts with the context."}),
    (OVERLAP, "en", {"no": "the context does not say whether the claim holds."}),
    (OVERLAP, "zh", {"no": "陈述与材料矛盾，或材料未提及。"}),
    (OVERLAP, "zh", {"yes": "陈述的每一部分都不与材料矛盾。"}),
    # Rules among themselves.
    ("rules-contradict", "en", {"rules": [
        "Use no knowledge of your own. Part by part.", "Half of it is {{ yes }}.",
        "Half of it is {{ idk }}."]}),
    ("rules-contradict", "en", {"rules": ["Do not use outside knowledge.",
                                          "You may use general knowledge for units."]}),
    ("rules-contradict", "zh", {"rules": ["不得使用外部知识。", "可以使用常识判断。"]}),
    # Only contradictions fail, beside unsupported fails.
    (BOTH, "en", {"rules": ["Use no knowledge of your own.", "Only contradictions fail.",
                            "Unsupported claims fail."]}),
    (BOTH, "en", {"no": "the context contradicts the claim, or does not mention it.",
                  "rule": "Say {{ no }} only if the context directly contradicts the claim."}),
    (BOTH, "zh", {"rules": ["不得使用你自己的知识。", "只有直接矛盾才选“{{ no }}”。",
                            "材料没有提到的也选“{{ no }}”。"]}),
    (BOTH, "zh", {"rules": ["不得使用知识。", "只有矛盾才不合格。", "无依据的陈述不合格。"]}),
    ("yes-without-support", "en", {"yes": "nothing in the context contradicts any part.",
                                   "idk": "", "labels": {"yes": "ok", "no": "wrong"}}),
    # The form of the answer.
    ("label-before-reason", "en", {"answer": {"form": "label_first"}}),
    ("label-before-reason", "zh", {"answer": {"form": "label_first", "json": True}}),
    ("label-before-reason", "en", {"answer": {"form": "reason_first"},
                                   "rule": "First give your verdict, then explain it."}),
    ("label-before-reason", "zh", {"answer": {"form": "reason_first"},
                                   "rule": "先给出结论，再说明理由。"}),
    ("form-contradicted", "en", {"answer": {"form": "label_first"},
                                 "rule": "Quote the evidence before you choose a label."}),
    ("form-contradicted", "en", {"answer": {"form": "reason_first"}, "rule": "Use one word."}),
    ("form-contradicted", "zh", {"answer": {"form": "reason_first"}, "rule": "不要解释。"}),
    ("form-contradicted", "en", {"rule": "Answer as JSON."}),
    ("reason-not-in-form", "en", {"rule": "Think step by step."}),
    ("reason-not-in-form", "en", {"rule": "Read it twice and explain your choice."}),
    ("reason-not-in-form", "zh", {"rule": "请逐步思考并说明理由。"}),
    ("reason-hint-unused", "en", {"reason_hint": "quote the words"}),
    ("example-without-reason", "en", {"answer": {"form": "reason_first"}, "examples": [
        {"context": "Tea costs 2 euros.", "claim": "Tea costs 2 euros.", "label": "yes"}]}),
    # What is not said.
    ("no-compound-rule", "en", {"yes": "the context backs the claim.",
                                "no": "the context contradicts it."}),
    ("no-compound-rule", "zh", {"yes": "材料支持陈述。", "no": "材料与陈述矛盾。",
                                "idk": "材料没有提到。"}),
    ("no-knowledge-rule", "en", {"rules": []}),
    ("no-knowledge-rule", "zh", {"rules": []}),
    ("forced-choice", "en", {"idk": "", "labels": {"yes": "yes", "no": "no"}}),
    ("idk-means-unsure", "en", {"idk": "you are not sure."}),
    ("idk-means-unsure", "zh", {"idk": "难以判断。"}),
    # The wording.
    ("placeholder-left", "en", {"ask": "Is {claim} backed by the context?"}),
    ("placeholder-left", "en", {"rule": "Read <context> closely."}),
    ("placeholder-left", "zh", {"rule": "请阅读【材料】。"}),
    ("threshold-in-words", "en", {"rule": "Say {{ yes }} if at least 80% of the claim is backed."}),
    ("threshold-in-words", "en", {"rule": "Answer when your confidence is above 0.8."}),
    ("threshold-in-words", "zh", {"rule": "至少80%的内容有依据时选“{{ yes }}”。"}),
    ("threshold-in-words", "zh", {"rule": "置信度高于0.8时才回答。"}),
    ("double-negation", "en", {"rule": "A claim that is not unsupported is {{ yes }}."}),
    ("double-negation", "en", {"rule": "Do not doubt a claim unless it is not in the context."}),
    ("double-negation", "zh", {"rule": "不是没有依据的陈述选“{{ yes }}”。"}),
    ("too-long", "en", {"rule": "Read every line of the context with care. " * 9}),
    ("too-long", "zh", {"rules": ["不得使用常识。", *(f"第{n}条：认真读。" for n in range(13))]}),
    ("language-mixed", "en", {"rule": "仔细阅读材料。"}),
    ("language-mixed", "zh", {"rule": "Read the context with care."}),
    ("language-mixed", "zh", {"labels": {"yes": "yes", "no": "no", "idk": "unknown"}}),
    ("language-mixed", "zh", {"examples": [
        {"context": "Tea costs 2.", "claim": "Tea costs 2.", "label": "yes"}]}),
    ("label-word-not-offered", "en", {"rule": 'Say "supported" if it is backed.'}),
    ("label-word-not-offered", "en", {"labels": "letters", "rule": "Say yes if it is backed."}),
    ("label-word-not-offered", "zh", {"rule": "有依据就选“支持”。"}),
    ("label-word-written-out", "en", {"rule": 'Say "yes" if it is backed.'}),
    ("label-word-written-out", "zh", {"rule": "有依据就选“是”。"}),
    ("label-word-everyday", "en", {"answer": {"form": "reason_first"},
                                   "labels": {"yes": "right", "no": "wrong", "idk": "unstated"}}),
    ("label-word-everyday", "zh", {"answer": {"form": "reason_first"},
                                   "labels": {"yes": "对", "no": "错", "idk": "未提及"}}),
    ("rule-repeated", "en", {"rules": ["Use no knowledge of your own at all.",
                                       "Use no knowledge of your own at all!"]}),
    ("examples-of-one-label", "en", {"examples": [
        {"context": "Tea costs 2.", "claim": "Tea costs 2.", "label": "yes"},
        {"context": "It rained in May.", "claim": "May had rain.", "label": "yes"}]}),
]  # fmt: skip
SPARES = [
    # Narrowed rules say nothing of the kind as such.
    (RULE, "en", {"yes": ALSO_SUMMARY, "rule": "A summary that adds a detail is {{ idk }}."}),
    (RULE, "en", {"yes": ALSO_SUMMARY, "rule": "Do not accept a loose summary."}),
    (RULE, "en", {"yes": ALSO_SUMMARY, "rule": "A summary is {{ yes }}, a guess is {{ idk }}."}),
    (RULE, "en", {"yes": ALSO_SUMMARY, "rule": "A wrong total is {{ no }}, even in a summary."}),
    (RULE, "en", {"yes": ALSO_SUMMARY, "rule": "Do not infer anything that the context lacks."}),
    (RULE, "en", {"yes": "the context backs every part, word for word or as a summary.",
                  "rule": "A summary is {{ yes }}."}),
    (RULE, "en", {"yes": "the context states every part of the claim word for word.",
                  "rule": "Do not combine or sum up statements."}),
    (RULE, "en", {"rule": "A fair summary is {{ yes }}, even if it is not explicitly stated."}),
    (RULE, "en", {"rule": "General knowledge, however certain, is no support: that is {{ idk }}."}),
    (RULE, "en", {"rule": "What is not in the context is {{ idk }}, even if it is well known."}),
    (RULE, "zh", {"yes": ALSO_SUMMARY_ZH, "rule": "概括中添加的细节选“{{ idk }}”。"}),
    (RULE, "zh", {"yes": ALSO_SUMMARY_ZH, "rule": "不要过度推断。"}),
    (RULE, "zh", {"yes": ALSO_SUMMARY_ZH, "rule": "合理的概括，即使没有原句，也选“{{ yes }}”。"}),
    (RULE, "zh", {"rule": "常识再确定也不算依据，应选“{{ idk }}”。"}),
    (RULE, "zh", {"rule": "材料没有给出的内容，即使众所周知，也选“{{ idk }}”。"}),
    (RULE, "en", {"rule": "One contradicted part makes the claim {{ no }}."}),
    (RULE, "en", {"rule": "A claim that is not mentioned is not {{ no }}."}),
    (RULE, "en", {"rule": "Being incomplete or worded differently is no contradiction."}),
    (RULE, "en", {"rule": "Passages that contradict each other settle nothing: {{ idk }}."}),
    (RULE, "zh", {"rule": "几段材料互相矛盾时选“{{ idk }}”。"}),
    (OVERLAP, "en", {"no": "the claim contradicts the context and is not merely unmentioned."}),
    (OVERLAP, "en", {"yes": "the context backs every part, and nothing contradicts it."}),
    (OVERLAP, "en", {"idk": "nothing conflicts, but the context does not give some part."}),
    (OVERLAP, "en", {"idk": "the context neither agrees with the claim nor contradicts it."}),
    (OVERLAP, "en", {"yes": "every part is given; nothing that the context does not say."}),
    (OVERLAP, "zh", {"idk": "没有冲突，但陈述中有某一部分材料没有给出。"}),
    (OVERLAP, "zh", {"idk": "材料与陈述既不一致也不矛盾。"}),
    (OVERLAP, "zh", {"yes": "陈述的每一部分都有材料支持，与材料不矛盾。"}),
    ("rules-contradict", "en", {"rules": ["Use no outside knowledge.", "Half of it is {{ idk }}.",
                                          "All of it is {{ yes }}."]}),
    (BOTH, "en", {"rule": "Say {{ no }} only if the context directly contradicts the claim."}),
    (BOTH, "en", {"rules": ["Use no knowledge of your own.", "Only contradictions fail.",
                            "Unsupported claims are {{ idk }}."]}),
    (BOTH, "zh", {"rules": ["不得使用你自己的知识。", "只有直接矛盾才选“{{ no }}”。",
                            "材料没有提到的不要选“{{ no }}”。"]}),
    ("yes-without-support", "en", {"yes": "the context backs every part.", "idk": "",
                                   "labels": {"yes": "ok", "no": "wrong"}}),
    ("label-before-reason", "en", {"answer": {"form": "reason_first"},
                                   "rule": "First quote the evidence, then give the verdict."}),
    ("label-before-reason", "zh", {"answer": {"form": "reason_first"},
                                   "rule": "先摘出原文，再给出结论。"}),
    ("form-contradicted", "en", {"rule": "Answer in one word."}),
    ("form-contradicted", "en", {"rule": "Answer as JSON.",
                                 "answer": {"form": "label_only", "json": True}}),
    ("form-contradicted", "en", {"rule": "Never answer as JSON."}),
    ("reason-not-in-form", "en", {"rule": "Do not explain your choice."}),
    ("reason-not-in-form", "en", {"rule": "Claims that explain a cause need it in the context."}),
    ("reason-not-in-form", "zh", {"rule": "不要说明理由。"}),
    ("reason-hint-unused", "en", {"reason_hint": "quote", "answer": {"form": "reason_first"}}),
    ("example-without-reason", "en", {"answer": {"form": "reason_first"}, "examples": [
        {"context": "Tea costs 2.", "claim": "Tea costs 2.", "label": "yes", "reason": "2"}]}),
    ("no-compound-rule", "en", {"yes": "the context backs the claim in full."}),
    ("no-compound-rule", "zh", {}),
    ("no-knowledge-rule", "en", {"rules": ["Judge from the context alone."]}),
    ("no-knowledge-rule", "zh", {"rules": ["只根据材料判断。"]}),
    ("forced-choice", "en", {"no": "it is contradicted or not mentioned.", "idk": "",
                             "labels": {"yes": "ok", "no": "wrong"}}),
    ("idk-means-unsure", "en", {"idk": "the context does not say, so that nobody can be sure."}),
    ("idk-means-unsure", "zh", {"idk": "材料没有提到，无法判断。"}),
    ("placeholder-left", "en", {"rule": "A wrong sign (< or >) in a claim is {{ no }}."}),
    ("placeholder-left", "zh", {"rule": "材料没有给出的选“{{ idk }}”。"}),
    ("threshold-in-words", "en", {"rule": "A number such as 80% has to be the same."}),
    ("threshold-in-words", "zh", {"rule": "像80%这样的数字必须相同。"}),
    ("double-negation", "en", {"rule": "Do not infer causes that are not stated."}),
    ("double-negation", "zh", {"rule": "不要因为材料没有提到就选“{{ no }}”。"}),
    ("too-long", "en", {"rule": "Read every line of the context with care."}),
    ("language-mixed", "en", {"labels": "letters", "rule": "Read “支持” as it stands."}),
    ("language-mixed", "zh", {"rule": "PDU session 等术语须一致，JSON 除外。"}),
    ("label-word-not-offered", "en", {"rule": "Say {{ yes }} if it is supported."}),
    ("label-word-not-offered", "zh", {"rule": "材料支持就选“{{ yes }}”。"}),
    ("label-word-written-out", "en", {"rule": "Say {{ yes }}, and no other word."}),
    ("label-word-everyday", "en", {"labels": {"yes": "right", "no": "wrong", "idk": "unstated"}}),
    ("label-word-everyday", "zh", {"answer": {"form": "reason_first"},
                                   "labels": {"yes": "有据", "no": "相悖", "idk": "未载"}}),
    ("rule-repeated", "en", {"rules": ["Use no knowledge of your own.", "Read with care."]}),
    ("examples-of-one-label", "en", {"examples": [
        {"context": "Tea costs 2.", "claim": "Tea costs 2.", "label": "yes"},
        {"context": "It rained in May.", "claim": "May was dry.", "label": "no"}]}),
]  # fmt: skip


ALONE = CODES[: CODES.index("template-against-policy")]


def test_each_check_has_a_case_that_fires_and_one_that_is_spared():
    assert {code for code, _, _ in FIRES} == set(ALONE)
    assert {code for code, _, _ in SPARES} == set(ALONE)


def test_the_recipe_names_each_check():
    recipe = Path(__file__).parents[2] / "docs/recipes/lint.md"
    named = re.findall(r"`([a-z]+(?:-[a-z]+)+)`", recipe.read_text(encoding="utf-8"))
    assert set(CODES) <= set(named)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_sound_template_has_no_finding(language):
    assert found(language) == ()


@pytest.mark.parametrize(("code", "language", "changes"), FIRES)
def test_it_fires(code, language, changes):
    assert code in codes(language, **changes)


@pytest.mark.parametrize(("code", "language", "changes"), SPARES)
def test_a_near_miss_is_spared(code, language, changes):
    assert code not in codes(language, **changes)


def test_a_finding_has_severity_place_quote_reason_and_mend():
    spoilt = template(yes=ALSO_SUMMARY, rule="Do not sum up. Read on.")
    (finding,) = lint_template(spoilt, where="mine.yaml", lines={"rules": 9, "rules[1]": 11})
    assert (finding.severity, finding.where, finding.line) == ("error", "mine.yaml", 11)
    assert finding.field == "rules[1]"
    assert finding.quote == "Do not sum up."
    assert "definitions.yes: “the context backs every part" in finding.why
    assert finding.mend


def test_text_that_was_made_data_is_quoted_as_it_reads():
    data = "{% raw %}every part of {{ claim }} is backed.{% endraw %}"
    (finding,) = found(yes=data)
    assert finding.code == "placeholder-left"
    assert finding.quote == "every part of {{ claim }} is backed."
    assert finding.why.startswith("{{ claim }} looks like")
    assert found(yes="{% raw %}every part, a {{ included, is backed.{% endraw %}") == ()


def test_labels_are_quoted_in_the_template_s_own_words():
    (finding,) = found("zh", yes=ALSO_SUMMARY_ZH, rule="概括一律选“{{ idk }}”。", labels="relation")
    assert finding.quote == "概括一律选未提及。"


def test_errors_come_first_and_the_same_conflict_once():
    spoilt = found(
        yes=ALSO_SUMMARY,
        rule="Do not sum up, combine or interpret: no summary.",
        answer={"form": "label_first", "json": True},
    )
    assert [finding.severity for finding in spoilt] == ["error", "warning"]


def test_written_out_labels_are_read_like_placeholders():
    assert RULE in codes(yes=ALSO_SUMMARY, rule="A summary is idk.")
    assert RULE in codes("zh", yes=ALSO_SUMMARY_ZH, rule="概括选不知道。")
