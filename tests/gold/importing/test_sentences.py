import pytest

from metajudge.gold.importing.sentences import (
    Place,
    beginning,
    claims_nothing,
    place_of,
    remark,
    sentences_of,
    touches,
)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("It rains. It pours.", ["It rains.", "It pours."]),
        ("Steps:\n\n1. Open it.\n2. Wait 1.5 h.", ["Steps:", "Open it.", "Wait 1.5 h."]),
        ("- One lamp\n* Two lamps\n(3) Three", ["One lamp", "Two lamps", "Three"]),
        ("On July 11. Ahead of it, he ran.", ["On July 11.", "Ahead of it, he ran."]),
        ("Do 1. Open it 2. Close it", ["Do 1.", "Open it 2. Close it"]),
        (
            "He met B.B. King. She met the U.S. Army.",
            ["He met B.B. King.", "She met the U.S. Army."],
        ),
        ("He left the U.S. The army stayed.", ["He left the U.S.", "The army stayed."]),
        (
            "Gov. Ann Hale met Bo Reed Jr. He smiled.",
            ["Gov. Ann Hale met Bo Reed Jr.", "He smiled."],
        ),
        ("Batman v. Superman: a film.", ["Batman v. Superman: a film."]),
        ('"Go!" She went.', ['"Go!"', "She went."]),
        (
            "续航8.5小时。支持5G！真的吗？是的。",
            ["续航8.5小时。", "支持5G！", "真的吗？", "是的。"],
        ),
        (
            "1、先打开。\n2、再关上。\n（3）等待。\n一、结束",
            ["先打开。", "再关上。", "等待。", "结束"],
        ),
        ("他说：“走吧。”然后离开了。", ["他说：“走吧。”", "然后离开了。"]),
        (" \n \n", []),
        ("", []),
        ("1. ", ["1."]),
    ],
)
def test_sentences(text: str, wanted: list[str]) -> None:
    assert [part.text for part in sentences_of(text)] == wanted


@pytest.mark.parametrize(
    "text", ["One. Two!  Three\n\n4. Four U.S. Five\r\n", "一。 二！\n三、四", "On May 3. A. B. C."]
)
def test_offsets_point_at_the_text(text: str) -> None:
    parts = sentences_of(text)
    assert [part.index for part in parts] == list(range(len(parts)))
    for part in parts:
        assert text[part.start : part.end].endswith(part.text)
        assert text[part.start : part.end].strip() == text[part.start : part.end] != ""
    kept = "".join(text[part.start : part.end] for part in parts)
    assert "".join(kept.split()) == "".join(text.split())


def test_a_span_touches_with_three_letters_or_all_it_has() -> None:
    text = "It is long. It is a 3 m pier."
    first, second = sentences_of(text)
    assert touches(text, first, Place(6, 10)) and not touches(text, second, Place(6, 10))
    assert not touches(text, second, Place(6, 14)), "two letters of the second sentence"
    assert touches(text, second, Place(6, 17)), "four letters of it"
    assert touches(text, second, Place(20, 21)), "a short span as a whole"
    assert not touches(text, second, Place(10, 12)), "no letter at all is no touch beyond its place"
    assert touches(text, first, Place(0, len(text))) and touches(text, second, Place(0, len(text)))


def test_where_a_span_stands() -> None:
    text = "茶厂去年出口三千吨，茶厂今年出口五千吨。"
    assert place_of(text, 6, 9, "三千吨") == (6, 9)
    assert place_of(text, 6, 9, None) == (6, 9)
    assert place_of(text, 0, 3, "三千吨") == (6, 9), "wrong offsets, one place"
    assert place_of(text, 3, 5, "茶厂") is None, "wrong offsets, two places"
    assert place_of(text, 5, 5, None) is None and place_of(text, -3, 2, "x") is None
    assert place_of(text, 0, 99, "没有") is None and place_of(text, True, 3, None) is None
    assert place_of(text, "0", "3", 5) is None


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Here is a summary of the passage:", "a lead-in"),
        ("**The steps are as follows:**", "a lead-in"),
        ("主要内容如下：", "a lead-in"),
        ("Unable to answer based on given passages.", "a refusal"),
        ("Therefore, I cannot answer it.", "a refusal"),
        ("The question can't be answered from the text.", "a refusal"),
        ("Additionally, the passages do not clearly state the price of it.", "a refusal"),
        ("根据资料，无法确定价格。", "a refusal"),
        ("原文没有提到价格。", "a refusal"),
        ("Yes, of course.", "fewer than 5 words"),
        ("是的。", "fewer than 5 words"),
        ("续航8小时。", None),
        ("The passage lists prices, but it does not mention the fee.", None),
        ("He could not answer the door in time.", None),
        ("The minister did not provide a date for it.", None),
    ],
)
def test_sentences_that_claim_nothing(text: str, wanted: str | None) -> None:
    assert claims_nothing(text) == wanted


def test_remarks_can_always_be_saved() -> None:
    assert remark("Benign", " a\n b ", None) == "Benign “a b”"
    assert remark("Benign", "a", "half \ud800") == "Benign “a”"
    remark("half \ud800", "a", "why").encode("utf-8")


def test_near_copies_begin_alike() -> None:
    assert beginning("The 39-year-old , who left .") == beginning("the 41-year-old, who left.")
    assert beginning("组织在2016年成立。") == beginning("组织在2019年成立")
    assert beginning("One") != beginning("Two") and beginning("12 — 3") == ""
