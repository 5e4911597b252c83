"""Claims drawn from answers: replies read, lists matched, and the spread by extraction alone."""

from __future__ import annotations

import numpy as np
import pytest

from metajudge.agreement.bootstrap import cluster_weights
from metajudge.judges.scripted import Script, ScriptedJudge
from metajudge.release.answers import Answer
from metajudge.release.claim_matching import matched_claims
from metajudge.release.consult.units import Units
from metajudge.release.extraction import (
    NOT_MADE,
    Extracted,
    plan_extractions,
    read_claims,
    read_extractions,
    with_claims,
)
from metajudge.release.extraction_spread import extraction_spread, over_draws
from metajudge.verdicts.verdict import Reply

JUDGE = ScriptedJudge("scripted:x", Script(name="x", replies=("idk",)), "0")


def asked(answer_id: str, text: str | None = "Tea is hot.", lang: str = "en") -> Answer:
    return Answer(answer_id, ("C.",), None, answer=text, lang=lang)


@pytest.mark.parametrize(
    "text",
    [
        "- The fee is 10 euros.\n- It is paid monthly.",
        "Here are the statements:\n1. The fee is 10 euros.\n2. It is paid monthly.",
        "The fee is 10 euros.\nIt is paid monthly.",
        '```json\n["The fee is 10 euros.", "It is paid monthly."]\n```',
        '{"claims": ["The fee is 10 euros.", "It is paid monthly."]}',
        '[{"statement": "The fee is 10 euros."}, {"statement": "It is paid monthly."}]',
        "<think>Which ones?</think>\n- The fee is 10 euros.\n- It is paid monthly.",
    ],
)
def test_b02_b13_lists_of_every_usual_form_are_read(text):
    assert read_claims(Reply(text)).claims == ("The fee is 10 euros.", "It is paid monthly.")


def test_b120_numbers_and_abbreviations_are_not_split():
    found = read_claims(Reply("- The dose is 3.5 mg, e.g. in the U.S.\n- v1.2.3 is out."))
    assert found.claims == ("The dose is 3.5 mg, e.g. in the U.S.", "v1.2.3 is out.")


def test_chinese_lists_are_read():
    found = read_claims(Reply("1、会话由SMF建立。\n2、UPF转发数据。"))
    assert found.claims == ("会话由SMF建立。", "UPF转发数据。")


@pytest.mark.parametrize(
    "text", ["NONE", "无", "None.", "- NONE", "There are no claims.", "没有陈述"]
)
def test_none_is_an_answer_no_claims(text):
    assert read_claims(Reply(text)) == Extracted((), None, None)


@pytest.mark.parametrize(
    ("reply", "failure"),
    [
        (Reply("   "), "empty"),
        (Reply("- The fee is 10 euros.\n- It is", finish_reason="length"), "truncated"),
        (Reply("I'm sorry, but I can't help with that."), "refused"),
        (Reply("抱歉，我无法回答。"), "refused"),
        (Reply("", finish_reason="content_filter"), "refused"),
        (Reply('{"claims": 3}'), "unparsable"),
        (Reply("", failure="timeout", failure_detail="no answer within 5 s"), "timeout"),
    ],
)
def test_b05_b23_what_cannot_be_read_whole_is_a_failure_never_fewer_claims(reply, failure):
    found = read_claims(reply)
    assert found.failure == failure
    assert found.claims == ()
    assert found.detail
    assert "fact" not in found.detail
    assert not found.known


def test_each_draw_is_a_call_of_its_own_and_given_claims_need_none():
    answers = [asked("a"), Answer("b", ("C.",), ()), asked("c", "茶是热的。", "zh")]
    planned = plan_extractions(answers, JUDGE, repeats=3)
    assert [(e.answer, e.draw) for e in planned] == [(i, d) for i in (0, 2) for d in range(3)]
    assert len({entry.call.key for entry in planned}) == 6
    assert planned[3].prompt.language == "zh"
    assert [entry.call.request.repeat for entry in planned[:3]] == [0, 1, 2]


def test_a_call_without_a_reply_is_open_not_failed():
    planned = plan_extractions([asked("a")], JUDGE, repeats=2)
    found = read_extractions(planned, {planned[0].call.key: Reply("- Tea is hot.")})
    assert found == {0: (Extracted(("Tea is hot.",)), NOT_MADE)}
    assert [claim.claim_id for claim in with_claims(asked("a"), found[0][0]).claims or ()] == [
        "a#1"
    ]


def test_claims_are_matched_by_wording_one_to_one():
    one = ["The SMF sets up the session.", "The UPF forwards packets.", "It is fast."]
    other = ["the upf forwards the packets", "The SMF sets up a session!", "Tea is warm."]
    assert matched_claims(one, other) == ((0, 1), (1, 0))
    assert matched_claims(["A b.", "A b."], ["a B"]) == ((0, 0),)
    assert matched_claims([], ["A."]) == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The cap is 500 a night.", "The cap is 350 a night."),
        ("The fee is refunded.", "The fee is not refunded."),
        ("上限是每晚500元。", "上限是每晚350元。"),
        ("费用可以退还。", "费用不可以退还。"),
    ],
)
def test_another_number_or_a_negation_is_another_claim(one, other):
    assert matched_claims([one], [other]) == ()


def test_chinese_claims_match_by_their_characters():
    one = ["SMF负责建立会话。", "UPF转发用户面数据。"]
    other = ["UPF转发用户面的数据", "SMF负责会话的建立。"]
    assert matched_claims(one, other) == ((0, 1), (1, 0))


def test_sd_and_range_over_the_draws_that_have_a_score():
    found = over_draws(np.array([[0.5, 1.0, np.nan], [0.2, 0.2, 0.2], [np.nan, 0.4, np.nan]]))
    assert found.sd[0] == pytest.approx(np.std([0.5, 1.0], ddof=1))
    assert found.sd[1] == pytest.approx(0.0, abs=1e-12)
    assert np.isnan([found.sd[2], found.low[2], found.high[2]]).all()
    assert (found.low[0], found.high[0]) == (0.5, 1.0)


def units(n: int) -> Units:
    weights = cluster_weights(n, 200, np.random.default_rng(1))
    return Units(np.arange(n), weights, 0.95)


def test_the_spread_that_extraction_alone_puts_on_scores():
    """Half of the answers are split into three or five claims: the field's +-0.1, measured."""
    n = 40
    scores = np.array([[0.8, 0.6] if i % 2 else [0.8, 0.8] for i in range(n)])
    three = Extracted(tuple(f"Claim {word}." for word in ("one", "two", "three")))
    five = Extracted((*three.claims, "Tea is warm.", "Nobody asked for it."))
    drawn = [(three, five) if i % 2 else (three, three) for i in range(n)]
    found = extraction_spread(scores, drawn, units(n), threshold=0.7)
    assert found.score_sd.value == pytest.approx(np.std([0.8, 0.6], ddof=1) / 2, abs=1e-6)
    assert found.score_sd.low < found.score_sd.value < found.score_sd.high
    assert found.score_range.value == pytest.approx(0.1)
    assert found.largest_range == pytest.approx(0.2)
    assert found.pass_changes.value == 0.5
    assert found.recurrence.value == pytest.approx((20 * 6 + 20 * 6) / (20 * 6 + 20 * 8), abs=1e-6)
    assert found.claims_sd.value == pytest.approx(np.std([3, 5], ddof=1) / 2, abs=1e-6)


def test_failed_draws_are_left_out_of_the_spread_and_nothing_measured_is_null():
    lost = Extracted((), "truncated", "cut")
    scores = np.array([[0.5, np.nan], [np.nan, np.nan]])
    drawn = [(Extracted(("A.",)), lost), (lost, lost)]
    found = extraction_spread(scores, drawn, units(2), threshold=0.5)
    assert found.score_sd.value is None
    assert found.score_sd.reason == "no answer is scored in two draws"
    assert found.largest_range is None
    assert found.recurrence.value is None
    assert "nan" not in found.model_dump_json().casefold()


def test_one_context_gives_a_spread_and_no_interval():
    drawn = [(Extracted(("A.",)), Extracted(("A.", "B.")))]
    alone = Units(np.array([0]), np.ones((10, 1), np.float32), 0.95)
    found = extraction_spread(np.array([[1.0, 0.5]]), drawn, alone, threshold=0.5)
    assert found.score_range.value == 0.5
    assert found.score_range.low is None
    assert found.score_range.reason == "no interval: one context"
