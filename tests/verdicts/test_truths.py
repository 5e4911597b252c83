from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from metajudge.verdicts import FAILURES, Reply, Truths, read_truths

TWO = ("The tower is 90 m high.", "It was built in 1931.")
TWO_ZH = ("高塔高90米。", "高塔建于1931年。")


def facts(text: str, limit: int | None = None) -> tuple[str, ...]:
    read = read_truths(Reply(text, finish_reason="stop"), limit)
    assert read.failure is None
    return read.facts


def cut(text: str, limit: int | None = None) -> Truths:
    return read_truths(Reply(text, finish_reason="length"), limit)


@pytest.mark.parametrize(
    "form",
    [
        "- {0}\n- {1}",
        "-  {0}\n\n-  {1}\n",
        "* {0}\n* {1}",
        "+ {0}\n+ {1}",
        "• {0}\n• {1}",
        "•{0}\n•{1}",
        "-{0}\n-{1}",
        "– {0}\n– {1}",
        "1. {0}\n2. {1}",
        "1.{0}\n2.{1}",
        "1) {0}\n2) {1}",
        "1.) {0}\n2.) {1}",
        "1: {0}\n2: {1}",
        "(1) {0}\n(2) {1}",
        "（1）{0}\n（2）{1}",
        "１．{0}\n２．{1}",
        "1、{0}\n2、{1}",
        "1： {0}\n2： {1}",
        "①{0}\n②{1}",
        "一、{0}\n二、{1}",
        "（一）{0}\n（二）{1}",
        "第1条：{0}\n第2条：{1}",
        "[1] {0}\n[2] {1}",
        "【1】{0}\n【2】{1}",
        "Fact 1: {0}\nFact 2: {1}",
        "事实1：{0}\n事实2：{1}",
        "**1.** {0}\n**2.** {1}",
        "- **{0}**\n- **{1}**",
        "- 1. {0}\n- 2. {1}",
        "{0}\n{1}",
        "{0}\n\n{1}",
        "Here are the facts:\n\n- {0}\n- {1}",
        "以下是材料中的事实：\n1. {0}\n2. {1}",
        "# Facts\n{0}\n{1}",
        "- Facts about the tower:\n  - {0}\n  - {1}",
        "```\n- {0}\n- {1}\n```",
        "```markdown\r\n- {0}\r\n- {1}\r\n```\r\n",
        "<think>1. Not this.\n2. Nor this.</think>\n- {0}\n- {1}",
        "- {0}\n- {1}\n---",
        "- {0}\n- {1}\n- NONE",
    ],
)
@pytest.mark.parametrize("two", [TWO, TWO_ZH])
def test_every_list_form_gives_the_facts(form: str, two: tuple[str, str]) -> None:
    assert facts(form.format(*two)) == two


@pytest.mark.parametrize("two", [TWO, TWO_ZH])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_json_forms_give_the_facts(two: tuple[str, str], ascii_only: bool) -> None:
    for shape in (
        list(two),
        {"facts": list(two)},
        {"language": "en", "truths": list(two)},
        [{"fact": text} for text in two],
        [{"id": 1, "statement": text, "source": "passage 1"} for text in two],
        {"truths": [{"内容": text} for text in two]},
        {"1": two[0], "2": two[1]},
        [*two, None],
    ):
        for indent in (None, 2):
            text = json.dumps(shape, ensure_ascii=ascii_only, indent=indent)
            assert facts(text) == two
            assert facts(f"```json\n{text}\n```") == two
            assert facts(f"Here is the list:\n{text}") == two
    assert facts("\n".join(json.dumps({"fact": text}) for text in two)) == two


@pytest.mark.parametrize(
    "fact",
    [
        "3.5 mg were given.",
        "1.2.3 is the newest version.",
        "2.x is no longer kept.",
        "3:0 was the score.",
        "1:30 was the time.",
        "1931 saw the tower built.",
        "2024. was written on the wall.",
        "90 m is its height.",
        "-5 °C was measured.",
        "－5℃是最低气温。",
        "+5 % was the rise.",
        ".5 mg were given.",
        "1,200 people came.",
        "1、2、3号楼共用一个入口。",
        "3、4月雨水最多。",
        "一、二线城市房价上涨。",
        "3.5毫克为每日剂量。",
        "2020年收入增长12.5%。",
        "10%的用户离开。",
        "e.g. the U.S. grew.",
    ],
)
def test_b120_digits_at_the_start_of_a_fact_stay(fact: str) -> None:
    assert facts(fact) == (fact,)
    assert facts(f"- {fact}\n- Another.") == (fact, "Another.")
    assert facts(f"1. {fact}\n2. Another.") == (fact, "Another.")
    assert facts(f"1. Another.\n2. {fact}") == ("Another.", fact)
    assert facts(f"（1）另一条。\n（2）{fact}") == ("另一条。", fact)
    assert facts(f"{fact}\nAnother.") == (fact, "Another.")


def test_b120_a_number_without_a_gap_is_read_by_its_place_in_the_list() -> None:
    assert facts("1.公司在北京。\n2.2020年收入增长。\n3.产品有3种。") == (
        "公司在北京。",
        "2020年收入增长。",
        "产品有3种。",
    )
    assert facts("1、2号楼共用入口。\n2、门朝南。") == ("2号楼共用入口。", "门朝南。")
    # Where the list is written with gaps, a number without one is the fact's own.
    assert facts("1. Two doses were given:\n2.5 mg each.\n2. It helped.") == (
        "Two doses were given: 2.5 mg each.",
        "It helped.",
    )


def test_a_wrapped_fact_is_put_together() -> None:
    assert facts("- The tower is\n  90 m high.\n- It was built\nin 1931.") == TWO
    assert facts("1. 高塔高\n   90米。\n2. 高塔建于1931年。") == ("高塔高 90米。", TWO_ZH[1])
    assert facts("- 高塔位于\n  河边。") == ("高塔位于河边。",)


def test_remarks_after_the_list_are_left_out_and_counted() -> None:
    read = read_truths(Reply("- A tower.\n- A river.\n\nI hope this helps!\nBye."), None)
    assert read.facts == ("A tower.", "A river.")
    assert read.detail == "lines outside the list left out: 2"


@pytest.mark.parametrize("text", ["", "   ", "\n\t\n", "　", "```\n```", "<think>x</think>\n "])
def test_b23_white_space_is_a_failure_and_no_empty_context(text: str) -> None:
    read = read_truths(Reply(text, finish_reason="stop"), 12)
    assert read == Truths((), "empty", "empty reply")


@pytest.mark.parametrize(
    "text",
    [
        "NONE",
        "None.",
        "- NONE",
        "**NONE**",
        "无",
        "无。",
        "“无”",
        "- 无",
        "1. 无",
        "没有",
        "NONE\n\nThe context states no fact.",
        "NONE. The context is a greeting.",
        "无。材料只是一句问候。",
        "无（材料为空）",
        "No facts are stated.",
        "The context does not state any facts.",
        "材料为空。",
        "材料中没有陈述任何事实。",
        "<think>空的</think>无",
        "[]",
        "```json\n[]\n```",
        '{"facts": []}',
        '["NONE"]',
    ],
)
def test_none_is_an_answer_without_facts(text: str) -> None:
    assert read_truths(Reply(text), 12) == Truths((), None, None)


@pytest.mark.parametrize(
    "text",
    ["None of the ships returned.", "无锡位于江苏省。", "没有人受伤。", "NONE OF THEM CAME."],
)
def test_facts_that_begin_like_none_stay(text: str) -> None:
    assert facts(text) == (text,)
    assert facts(f"- {text}") == (text,)


@pytest.mark.parametrize("failure", FAILURES)
def test_a_failed_call_stays_that_failure(failure: str) -> None:
    reply = Reply("- A fact.", failure=failure, failure_detail="HTTP 500")  # type: ignore[arg-type]
    assert read_truths(reply, None) == Truths((), failure, "HTTP 500")  # type: ignore[arg-type]
    unsaid = read_truths(Reply("", failure=failure), None)  # type: ignore[arg-type]
    assert unsaid.detail == f"the call ended in {failure}"


@pytest.mark.parametrize("reason", ["content_filter", "SAFETY", "refusal"])
def test_a_withheld_reply_is_a_refusal(reason: str) -> None:
    assert read_truths(Reply("- A", finish_reason=reason), None).failure == "refused"


@pytest.mark.parametrize(
    "text", ["I'm sorry, but I can't assist with that.", "- 抱歉，我无法提供这些内容。"]
)
def test_a_refusal_in_words_is_no_fact(text: str) -> None:
    assert read_truths(Reply(text), None).failure == "refused"


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ("Here are the facts:", "unparsable"),
        ("...\n---", "unparsable"),
        ("<think>which facts", "unparsable"),
        ('["a", 3]', "unparsable"),
        ('[{"id": 1, "note": "x"}]', "unparsable"),
        ("['a', 'b']", "unparsable"),
        ('["a", "b"', "unparsable"),
    ],
)
def test_what_holds_no_readable_fact_is_unparsable(text: str, failure: str) -> None:
    read = read_truths(Reply(text, finish_reason="stop"), None)
    assert (read.facts, read.failure) == ((), failure)
    assert read.detail


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("- The tower is 90 m high.\n- It was built in 3.", TWO[:1]),
        ("- The tower is 90 m high.\n- It was\n  built", TWO[:1]),
        ("1. 高塔高90米。\n2. 高塔建于19", TWO_ZH[:1]),
        ("高塔高90米。\n高塔建于", TWO_ZH[:1]),
        ('["The tower is 90 m high.", "It was bu', TWO[:1]),
        ('```json\n{"facts": ["高塔高90米。", "高塔', TWO_ZH[:1]),
        ('[{"fact": "高塔高90米。", "source": "1"}, {"fact": "高', TWO_ZH[:1]),
        ('{"fact": "高塔高90米。"}\n{"fact": "高', TWO_ZH[:1]),
    ],
)
def test_a_cut_reply_loses_its_unfinished_fact_and_says_so(
    text: str, kept: tuple[str, ...]
) -> None:
    read = cut(text)
    assert (read.facts, read.failure) == (kept, None)
    assert read.detail == "cut by the token limit; the unfinished last fact left out"


def test_a_cut_reply_that_ends_with_a_whole_line_keeps_it() -> None:
    assert cut("- The tower is 90 m high.\n- It was built in 1931.\n") == Truths(
        TWO, None, "cut by the token limit"
    )


@pytest.mark.parametrize("text", ["", "- The tower", "无", "<think>long", '["The tow', "Facts:"])
def test_a_cut_reply_without_a_whole_fact_is_truncated(text: str) -> None:
    read = cut(text)
    assert (read.facts, read.failure) == ((), "truncated")


def test_the_limit_is_enforced_after_repetitions_are_dropped() -> None:
    text = "- A 1.\n- a 1\n- B 2.\n- A  1.\n- C 3."
    read = read_truths(Reply(text), 2)
    assert read.facts == ("A 1.", "B 2.")
    assert read.detail == "repeated facts left out: 2; facts beyond the limit of 2 left out: 1"
    assert facts("- 高塔高90米。\n- 高塔高９０米", 5) == TWO_ZH[:1]


def test_facts_may_hold_brackets_and_quotes() -> None:
    told = ('["Alpha"] is the title.', "He said: [1] is {x}.")
    assert facts("\n".join(told)) == told
    assert facts("\n".join(f"- {text}" for text in told)) == told


ODD = st.sampled_from(
    [
        *("- ", "1. ", "1.5", "\n", "[", "]", '"', "{", "}", ":", "：", "\\", ",", "　", "a"),
        *("无", "NONE", "```", "<think>", "</think>", "①", "**", "第", "一、", "\u2028", "事实"),
    ]
)


@example("①\u20281. ", False)
@given(st.lists(ODD | st.text(max_size=4), max_size=12).map("".join), st.booleans())
def test_nothing_a_judge_writes_raises(text: str, was_cut: bool) -> None:
    read = read_truths(Reply(text, finish_reason="length" if was_cut else "stop"), 3)
    assert len(read.facts) <= 3
    assert all(fact.strip() for fact in read.facts)
    assert read.failure is None or not read.facts
    assert len(set(read.facts)) == len(read.facts)
