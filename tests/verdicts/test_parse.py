"""One parser for every judge; the field-report classes of reading a reply."""

from __future__ import annotations

import math
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metajudge.templates.dialect import LETTERS, RELATION, WORDS, Dialect
from metajudge.templates.template import Template
from metajudge.verdicts.parse import parse_reply
from metajudge.verdicts.verdict import Reply, TokenLogprob, Verdict

DEFINITIONS = {"yes": "backed", "no": "conflicts", "idk": "not given"}
BINARY = Dialect(name="binary", words={"yes": "yes", "no": "no"})
NUMBERS = Dialect(
    name="numbers",
    words={"yes": "1", "no": "0"},
    spellings={"yes": ("true",), "no": ("false",)},
)


def template(
    form: str = "label_only",
    *,
    json: bool = False,
    dialect: Dialect = WORDS["en"],
    language: str = "en",
    claims_per_call: int = 1,
) -> Template:
    return Template.model_validate(
        {
            "name": "t",
            "version": "1.0.0",
            "family": "t",
            "language": language,
            "labels": dialect.model_dump(),
            "definitions": {label: DEFINITIONS[label] for label in dialect.words},
            "answer": {"form": form, "json": json},
            "claims_per_call": claims_per_call,
        }
    )


LABEL_ONLY = template()
REASON_FIRST = template("reason_first")
LABEL_FIRST = template("label_first")
JSON = template("reason_first", json=True)
JSON_LABEL_FIRST = template("label_first", json=True)
ZH = template("reason_first", dialect=RELATION["zh"], language="zh")


def read(text: str, asked: Template = LABEL_ONLY, finish: str | None = "stop") -> Verdict:
    (verdict,) = parse_reply(Reply(text, finish_reason=finish), asked, ["1"])
    assert (verdict.label is None) != (verdict.failure is None)
    return verdict


def outcome(text: str, asked: Template = LABEL_ONLY, finish: str | None = "stop") -> str:
    verdict = read(text, asked, finish)
    return str(verdict.label or verdict.failure)


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


def tokens(**shares: float) -> tuple[TokenLogprob, ...]:
    return tuple(TokenLogprob(t.replace("_", " "), math.log(p)) for t, p in shares.items())


def test_label_only_text_goes_before_probabilities() -> None:
    first = tokens(_no=0.7, yes=0.2)
    (verdict,) = parse_reply(Reply("yes", first_token=first), LABEL_ONLY, ["1"])
    assert verdict.label == "yes"
    assert verdict.probabilities is not None
    assert verdict.probabilities.no == pytest.approx(7 / 9)
    assert verdict.label_mass == pytest.approx(0.9)


def test_label_only_falls_back_to_the_top_label_above_the_floor() -> None:
    cut = Reply("not", finish_reason="length", first_token=tokens(not_=0.6, supported=0.3))
    asked = template(dialect=RELATION["en"])
    (verdict,) = parse_reply(cut, asked, ["1"])
    assert (verdict.label, verdict.repaired) == ("idk", True)
    low = Reply("The", first_token=tokens(The=0.95, yes=0.05))
    (verdict,) = parse_reply(low, LABEL_ONLY, ["1"])
    assert (verdict.failure, verdict.probabilities) == ("unparsable", None)
    assert verdict.label_mass == pytest.approx(0.05)


def test_probabilities_never_overrule_a_refusal_or_a_foreign_label() -> None:
    first = tokens(yes=0.5, idk=0.4)
    binary = template(dialect=BINARY)
    (verdict,) = parse_reply(Reply("idk", first_token=first), binary, ["1"])
    assert verdict.failure == "label_not_offered"
    sorry = Reply("I'm sorry, I cannot help with that.", first_token=tokens(I=0.8, yes=0.2))
    assert parse_reply(sorry, LABEL_ONLY, ["1"])[0].failure == "refused"


def test_b54_missing_logprobs_keep_the_verdict() -> None:
    (verdict,) = parse_reply(Reply("yes", first_token=()), LABEL_ONLY, ["1"])
    assert (verdict.label, verdict.probabilities, verdict.label_mass) == ("yes", None, None)


def test_b55_probabilities_only_at_the_place_of_the_verdict() -> None:
    first = tokens(yes=0.9, no=0.1)
    text = "Yes is what one might say.\nVerdict: no"
    (verdict,) = parse_reply(Reply(text, first_token=first), REASON_FIRST, ["1"])
    assert (verdict.label, verdict.probabilities) == ("no", None)
    (verdict,) = parse_reply(Reply('{"verdict": "no"}', first_token=first), JSON, ["1"])
    assert verdict.probabilities is None
    (verdict,) = parse_reply(Reply("no. It is 500.", first_token=first), LABEL_FIRST, ["1"])
    assert verdict.probabilities is not None


ODD = st.text(alphabet=string.printable + '是否，。：{}[]"\\<>*`', max_size=80) | st.text(
    max_size=40
)


@settings(max_examples=150, deadline=None)
@given(text=ODD, finish=st.sampled_from(["stop", "length", None]))
def test_never_raises_and_always_gives_one_verdict_per_claim(text: str, finish: str | None) -> None:
    batch = template(json=True, claims_per_call=3)
    for asked, ids in ((LABEL_ONLY, ["1"]), (JSON, ["1"]), (ZH, ["1"]), (batch, ["1", "2", "3"])):
        verdicts = parse_reply(Reply(text, finish_reason=finish), asked, ids)
        assert len(verdicts) == len(ids)
        assert all((v.label is None) != (v.failure is None) for v in verdicts)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 50_000,
        '{"a":' * 50_000,
        "*" * 50_000,
        "Verdict:" + "*" * 50_000,
        "9" * 50_000,
        '{"a":' * 9_000 + "}" * 9_000,
    ],
)
def test_hostile_text_is_read_quickly(text: str) -> None:
    batch = template(json=True, claims_per_call=2)
    for asked in (LABEL_ONLY, JSON, batch):
        assert parse_reply(Reply(text), asked, ["1"])[0].failure == "unparsable"
