"""One parser for every judge; the field-report classes of reading a reply."""

from __future__ import annotations

import pytest

from metajudge.templates.dialect import LETTERS, RELATION, WORDS
from metajudge.verdicts.parse import parse_reply
from metajudge.verdicts.verdict import Reply
from tests.verdicts.parsing import (
    BINARY,
    JSON,
    JSON_LABEL_FIRST,
    LABEL_FIRST,
    LABEL_ONLY,
    NUMBERS,
    REASON_FIRST,
    ZH,
    outcome,
    read,
    template,
)


@pytest.mark.parametrize(
    "text",
    [
        "yes",
        "Yes",
        "YES.",
        " yes\n",
        "**yes**",
        "**Yes.**",
        '"yes"',
        "“yes”",
        "「yes」",
        "yes。",
        "ｙｅｓ",
    ],
)
def test_strict_form_is_not_repaired(text: str) -> None:
    verdict = read(text)
    assert (verdict.label, verdict.repaired) == ("yes", False)


@pytest.mark.parametrize(
    ("text", "label"), [("支持", "yes"), ("矛盾。", "no"), ("“未提及”", "idk"), ("【支持】", "yes")]
)
def test_native_chinese_words(text: str, label: str) -> None:
    asked = template(dialect=RELATION["zh"], language="zh")
    assert (outcome(text, asked), read(text, asked).repaired) == (label, False)


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"reason": "r", "verdict": "no"}\n```\nBraces {like these} follow.',
        '```JSON\n{"reason": "r", "verdict": "no"}\n```',
        'Here {it} is: {"reason": "r", "verdict": "no"} I hope {that} helps.',
        '{"reason": "r", "verdict": "no"}',
    ],
)
def test_b02_fenced_json_with_prose_around_it(text: str) -> None:
    verdict = read(text, JSON)
    assert (verdict.label, verdict.reason) == ("no", "r")
    assert verdict.repaired == (not text.startswith("{"))


@pytest.mark.parametrize(
    "text", ["", "  \n", "<think>long thoughts</think>", "<think>x</think>\n "]
)
def test_b04_empty_answer_is_empty(text: str) -> None:
    assert outcome(text) == "empty"
    assert outcome(text, JSON) == "empty"
    assert outcome(text, template(json=True, claims_per_call=3)) == "empty"


def test_b05_truncated_reply_is_never_read_from_half_an_object() -> None:
    for text in ('{"verdict": "yes", "reason": "the con', '{"reason": "a", "verdict": "yes"'):
        verdict = read(text, JSON_LABEL_FIRST, "length")
        assert verdict.failure == "truncated"
        assert "max_tokens" in (verdict.detail or "")
    assert outcome('{"verdict": "yes", "reason": "the con', JSON, "stop") == "unparsable"
    assert outcome('{"a": {"verdict": "yes"}, "verdict": "n', JSON, "length") == "truncated"


def test_b05_a_label_only_reply_cut_after_the_label_is_fine() -> None:
    assert outcome("yes", finish="length") == "yes"
    assert outcome("Yes, the context", finish="length") == "yes"
    assert outcome("no.", finish="length") == "no"
    assert outcome("The context says", finish="length") == "truncated"


def test_b05_a_cut_marker_line_may_hold_half_a_label() -> None:
    asked = template("reason_first", dialect=RELATION["en"])
    assert outcome("Reason.\nVerdict: supported", asked, "length") == "truncated"
    assert outcome("Verdict: supported\nThe context s", asked, "length") == "yes"
    assert outcome("supported", asked, "length") == "truncated"


def test_b07_an_unknown_marker_is_not_a_verdict() -> None:
    assert outcome("GRID: yes", REASON_FIRST) == "unparsable"
    assert outcome("Some reason.\nGRID: yes", REASON_FIRST) == "unparsable"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("yes", "yes"),
        ("YES", "yes"),
        ("y", "unparsable"),
        ("yn", "unparsable"),
        ("yesno", "unparsable"),
        ("ye", "unparsable"),
        ("yes no", "unparsable"),
        ("no evidence of that", "unparsable"),
        ("nope", "unparsable"),
        ("I don’t know.", "idk"),
    ],
)
def test_b08_only_whole_declared_labels(text: str, expected: str) -> None:
    for asked in (LABEL_ONLY, LABEL_FIRST, REASON_FIRST, JSON):
        assert outcome(text, asked) == expected
    assert outcome(f'{{"verdict": "{text}"}}', JSON) == expected
    assert outcome(f"Reason.\nVerdict: {text}", REASON_FIRST) == expected


def test_b09_a_label_this_template_does_not_offer() -> None:
    binary = template("reason_first", dialect=BINARY)
    for text in (
        "idk",
        "I don't know.",
        "Verdict: idk",
        '{"verdict": "idk"}',
        "borderline",
        "支持",
    ):
        assert outcome(text, binary) == "label_not_offered"
    assert outcome("idk", REASON_FIRST) == "idk"
    letters = template(dialect=LETTERS["en"])
    assert outcome("D", letters) == "label_not_offered"
    assert outcome("yes", letters) == "label_not_offered"
    assert "yes, no" in (read("idk", binary).detail or "")


def test_b10_an_echo_of_rules_or_labels_is_not_read() -> None:
    echo = (
        "Does the context support the claim?\n- yes: the context backs it.\n"
        "- no: it conflicts.\n- idk: it is not given.\nVerdict: yes, no or idk."
    )
    assert outcome(echo, REASON_FIRST) == "unparsable"
    assert outcome(f"{echo}\nThe cap is 500.\nVerdict: no", REASON_FIRST) == "no"
    assert outcome(f"{echo}\nno", LABEL_ONLY) == "no"
    for scale in (
        "yes/no/idk",
        "yes|no|idk",
        "yes, no, or idk",
        "yes or no",
        "Verdict: yes/no/idk",
    ):
        assert outcome(scale, LABEL_ONLY) == "unparsable"
    assert outcome("结论：支持、矛盾或未提及", ZH) == "unparsable"
    assert outcome('Form: {"verdict": "yes|no|idk"}\n{"verdict": "no"}', JSON) == "no"
    assert outcome("The scale is 0 to 3.", template(dialect=NUMBERS)) == "unparsable"


@pytest.mark.parametrize("text", ['{"verdict":"yes","reason":null}', '{"verdict": "yes"}'])
def test_b12_missing_or_null_reason(text: str) -> None:
    verdict = read(text, JSON)
    assert (verdict.label, verdict.reason, verdict.repaired) == ("yes", None, False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"Claims": []}', "unparsable"),
        ("[]", "unparsable"),
        ("{}", "unparsable"),
        ("null", "unparsable"),
        ('"yes"', "yes"),
        ('{"answer": "yes"}', "yes"),
        ('{"VERDICT": "yes"}', "yes"),
        ('{" Verdict ": "yes", "verdict": "yes"}', "yes"),
        ('{"verdict": "yes", "verdict": "no"}', "unparsable"),
        ('{"Verdict": "yes", "verdict": "no"}', "unparsable"),
        ('{"verdict": "yes", "answer": "the cap is 500"}', "yes"),
        ('[{"verdict": "no"}]', "no"),
        ('["no"]', "no"),
        ('{"output": {"verdict": "no"}}', "no"),
        ('{"verdicts": [{"verdict": "no"}]}', "no"),
        ('{"verdict": ["yes"]}', "unparsable"),
        ('{"verdict": null}', "unparsable"),
        ('{"verdict": "yes"} {"verdict": "no"}', "unparsable"),
        ('Verdict: yes\n{"verdict": "no"}', "unparsable"),
        ("{'verdict': 'yes'}", "unparsable"),
    ],
)
def test_b13_odd_json_ends_in_a_stated_rule_or_a_failure(text: str, expected: str) -> None:
    assert outcome(text, JSON) == expected


def test_b13_only_the_exact_key_is_the_strict_form() -> None:
    assert not read('{"verdict": "yes"}', JSON).repaired
    for text in ('{"Verdict": "yes"}', '{"label": "yes"}', '[{"verdict": "yes"}]', "yes"):
        assert read(text, JSON).repaired


def test_b14_a_bad_escape_is_mended_alone() -> None:
    verdict = read(r'{"reason": "it costs \$5 and C:\\dir", "verdict": "no"}', JSON)
    assert (verdict.label, verdict.reason) == ("no", r"it costs \$5 and C:\dir")
    assert verdict.repaired
    assert outcome('{"reason": "two\nlines", "verdict": "no"}', JSON) == "no"


@pytest.mark.parametrize(
    "text",
    [
        "Use `{verdict: yes}` when sure.",
        "{verdict: yes}",
        "`{'verdict': 'yes'}`",
        "I would say {yes}.",
        '{"verdict": yes}',
        '{"reason": "a "quote" here", "inner": {"verdict": "yes"}, "verdict": "no"',
        "Sometimes the verdict: yes is right.",
    ],
)
def test_b15_prose_pseudo_json_is_never_read(text: str) -> None:
    for asked in (JSON, LABEL_ONLY, REASON_FIRST):
        assert outcome(text, asked) == "unparsable"


def test_b16_a_verdict_that_contradicts_its_reason_is_stored_as_given() -> None:
    verdict = read('{"verdict":"yes","reason":"the context contradicts the claim"}', JSON)
    assert (verdict.label, verdict.reason) == ("yes", "the context contradicts the claim")


@pytest.mark.parametrize(
    "text",
    [
        "LABEL: no EXPLANATION: the cap is 500.",
        "no EXPLANATION: the cap is 500.",
        "No. The cap is 500.",
        "no - the cap is 500.",
        "**No**, the cap is 500.",
        "Verdict: no\nThe cap is 500.",
        "Verdict: no\nReason: the cap is 500.",
        "**Verdict:** no\n\nThe cap is 500.",
        "### Verdict: **No**\nThe cap is 500.",
        "The cap is 500.\nVerdict: no",
        "The cap is 500.\n**Final verdict**: no.",
        "The cap is 500. So the answer is no.",
        "The cap is 500.\n\nNo.",
        "The cap is 500.\nVerdict:\nno",
        "```\nVerdict: no\n```",
    ],
)
def test_b17_label_before_or_without_the_marker(text: str) -> None:
    for asked in (LABEL_FIRST, REASON_FIRST, LABEL_ONLY, JSON):
        assert outcome(text, asked) == "no"


@pytest.mark.parametrize(
    "text",
    [
        "Verdict: yes\nVerdict: no",
        "Yes, and no.",
        "Yes. No, wait.",
        "yes\nOn second thought it is open.\nno",
        "It is not yes.",
        "The claim is not supported, so I cannot say yes.",
        "Verdict: not yes",
        "Verdict: yes?",
        "The answer is no longer clear.",
        "A: the context backs it\nB: it conflicts",
    ],
)
def test_b17_ambiguous_or_negated_mentions_are_failures(text: str) -> None:
    for asked in (LABEL_FIRST, REASON_FIRST, LABEL_ONLY):
        assert outcome(text, asked) == "unparsable"


def test_b17_the_form_asked_for_is_not_repaired() -> None:
    assert not read("Verdict: no\nThe cap is 500.", LABEL_FIRST).repaired
    assert not read("The cap is 500.\nVerdict: no", REASON_FIRST).repaired
    assert read("The cap is 500.\nVerdict: no", LABEL_FIRST).repaired
    assert read("Verdict: no\nThe cap is 500.", REASON_FIRST).repaired
    assert read("The cap is 500.\nVerdict: no", REASON_FIRST).reason == "The cap is 500."
    assert read("Verdict: no\nReason: it is 500.", LABEL_FIRST).reason == "it is 500."


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("材料写明上限为500元。\n结论：支持", "yes"),
        ("判断：矛盾。\n上限不同。", "no"),
        ("**结论**：未提及", "idk"),
        ("支持。材料写明了。", "yes"),
        ("最终答案：【矛盾】", "no"),
        ('{"理由": "材料写明", "结论": "支持"}', "yes"),
        ("不支持", "unparsable"),
        ("结论：不支持", "unparsable"),
        ("结论：支持吗", "unparsable"),
    ],
)
def test_chinese_markers_and_punctuation(text: str, label: str) -> None:
    assert outcome(text, ZH) == label


def test_chinese_yes_needs_to_stand_alone() -> None:
    asked = template(dialect=WORDS["zh"], language="zh")
    assert outcome("是。", asked) == "yes"
    assert outcome("是，材料写明了。", asked) == "yes"
    for text in ("是否支持尚不清楚", "判断是否：见上", "否定", "不"):
        assert outcome(text, asked) == "unparsable"


def test_letters() -> None:
    asked = template(dialect=LETTERS["en"])
    for text in ("B", "b.", "(B)", "B)", "B: it conflicts", "**B**", "Answer: B"):
        assert outcome(text, asked) == "no"
    assert outcome("A, B or C", asked) == "unparsable"


def test_b18_booleans_and_numbers_need_a_declared_map() -> None:
    mapped = template(json=True, dialect=NUMBERS)
    for value in ("true", '"true"', "1", '"1"'):
        assert outcome(f'{{"verdict": {value}}}', mapped) == "yes"
        assert outcome(f'{{"verdict": {value}}}', JSON) == "unparsable"
    assert outcome('{"verdict": false}', mapped) == "no"
    assert outcome('{"verdict": 1.0}', mapped) == "unparsable"
    assert outcome('{"verdict": 7}', mapped) == "unparsable"


def test_b19_a_stringified_object_is_no_answer() -> None:
    assert outcome("[object Object]") == "unparsable"
    assert outcome("[object Object]", JSON) == "unparsable"


@pytest.mark.parametrize("text", ["The cap is 500.", "Reason: the cap is 500."])
def test_b21_a_missing_marker_is_a_failure(text: str) -> None:
    assert outcome(text, REASON_FIRST) == "unparsable"


def test_thoughts_are_no_answer() -> None:
    assert outcome("<think>Verdict: yes</think>\nno") == "no"
    assert outcome("it could be yes</think>no") == "no"
    assert read("<think>hm</think>no").repaired
    assert outcome("<think>Verdict: yes", REASON_FIRST) == "unparsable"
    assert outcome("<think>Verdict: yes", REASON_FIRST, "length") == "truncated"


def test_refusals() -> None:
    for text in ("I'm sorry, but I can't assist with that.", "抱歉，我无法回答这个问题。"):
        assert outcome(text, REASON_FIRST) == "refused"
    (verdict,) = parse_reply(Reply("yes", finish_reason="content_filter"), LABEL_ONLY, ["1"])
    assert verdict.failure == "refused"
    assert "content filter" in (verdict.detail or "")


def test_a_failed_call_fails_each_claim() -> None:
    reply = Reply("", failure="timeout", failure_detail="no answer in 60 s")
    batch = template(json=True, claims_per_call=2)
    verdicts = parse_reply(reply, batch, ["1", "2"])
    assert [(v.failure, v.detail) for v in verdicts] == [("timeout", "no answer in 60 s")] * 2
