"""Whole paragraphs, as optimisers and people write them: sound ones, and one bad sentence each."""

import pytest

from tests.templates.linted import found

SOUND = {
    "en": [
        "You are a careful fact checker. Read the context, then decide whether it supports the "
        "claim. A claim is supported when a reader who trusts the context would accept it, even "
        "when the wording differs.",
        "First look for sentences that mention the same entities; then compare numbers, dates and "
        "names. Pay special attention to negations and quantifiers such as all, most and only.",
        "If every detail is backed, the answer is yes. If a detail is contradicted, the answer is "
        "no. If details are missing and nothing is contradicted, the answer is idk.",
        "Judge strictly by the context. Do not rely on outside knowledge. Summaries that combine "
        "several sentences are fine as long as they add nothing new.",
        "Claims that merely rephrase the context are supported. Claims that add causes, motives "
        "or evaluations not given in the context must be labelled idk, not no.",
        "Consider the claim true only if the context says so, directly or by clear implication. "
        "An absence of information is not a contradiction.",
        "Break the claim into parts and verify each one. A part may be verified by a paraphrase, "
        "a summary or a simple calculation. If any part cannot be verified, do not answer yes.",
        "The label idk must be used whenever the context is silent about some part, even if the "
        "rest of the claim is right; do not use no in this case.",
        "A faithful claim does not contradict the context and does not add information. A claim "
        "that adds information is idk; a claim that contradicts it is no.",
        "Be careful: a general statement is only yes if the context states it generally. Do not "
        "infer intent. Do not assume that lists are complete unless the context says so.",
        "If one part is contradicted while another is missing, contradiction wins and the label is "
        "no. Some claims combine a supported and an unsupported half; these are idk.",
    ],
    "zh": [
        "你是一名严谨的核查员。请逐条核对陈述与材料是否一致，只要意思相同，措辞不同也算支持。",
        "先找出材料中与陈述相关的句子，再比较数字、时间和名称。材料没有说到的内容，不要判为否。",
        "如果陈述的每个细节都有依据，选是；如果与材料相矛盾，选否；如果材料没有提到，选不知道。",
        "对多句话的合理概括可以算有依据，但不得增加材料中没有的原因、目的或评价。",
        "判断时只看材料，不要依靠常识。缺少依据不等于矛盾，应选不知道。",
        "注意：材料没有否定的内容并不等于得到支持。",
        "把陈述拆成几点，每一点都要核实；可以通过转述、概括或简单计算来核实。任何一点无法核实，就不能选是。",
        "一般性的结论只有在材料作出同样的一般性说明时才选是。不要推断意图。",
        "逐步处理陈述：找出每个断言，在材料中寻找依据，然后才确定标签。",
        "绝不放过没有依据的细节，即使其余部分有依据。",
        "超出材料所示的概括，例如由一例推及全部，选不知道。",
    ],
}
SPOILT = [
    ("en", "Compare names and dates. If a detail is missing from the context, the answer is no. "
           "Read on to the end."),
    ("en", "You may rely on your own knowledge of the field. Compare names and dates."),
    ("en", "Compare names and dates. Treat anything that is not mentioned as no."),
    ("en", "Read all passages. When nothing in the context contradicts the claim, answer yes."),
    ("en", "A claim is no as soon as something is unsupported. Only contradictions are no."),
    ("en", "A fair summary is yes. Compare names and dates. Do not sum up."),
    ("en", "Answer supported or unsupported. Say 'not mentioned' if the context is silent."),
    ("en", "Read all passages, then think step by step."),
    ("zh", "先比较名称和日期。材料没有提到的细节一律选否。请读完全文。"),
    ("zh", "可以运用你自己的知识。请比较名称和日期。"),
    ("zh", "请读完全部材料。只要材料没有与陈述矛盾，就选是。"),
    ("zh", "先比较名称和日期，再逐步思考。"),
    ("zh", "合理的概括选是。先比较名称和日期。不得概括。"),
    ("zh", "有依据时回答“支持”，没有提到时回答“未提及”。"),
]  # fmt: skip


@pytest.mark.parametrize("field", ["ask", "rule"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_sound_prose_has_no_error_and_no_warning(language, field):
    for text in SOUND[language]:
        told = [f for f in found(language, **{field: text}) if f.severity != "note"]
        assert told == [], text


@pytest.mark.parametrize(("language", "text"), SPOILT)
def test_one_bad_sentence_in_a_paragraph_is_an_error(language, text):
    for field in ("ask", "rule"):
        errors = [f for f in found(language, **{field: text}) if f.severity == "error"]
        assert errors
        assert {finding.field for finding in errors} <= {"ask", "rules[0]", "rules[1]", *_defined()}


def _defined():
    return {f"definitions.{label}" for label in ("yes", "no", "idk")}
