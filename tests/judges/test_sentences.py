import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from metajudge.judges.sentences import SPLITTER, sentences


@pytest.mark.parametrize(
    "kept",
    [
        "Take 3.5 mg daily.",
        "Fruit, e.g. apples, is free.",
        "The U.S. Attorney agreed.",
        "It needs v1.2.3 or later.",
        "See Fig. 3 and no. 5.",
        "Dr. Hale (Mr. Hale's son) met Smith et al. at 5 p.m. on Monday.",
        "Prices (incl. VAT. Not shipping.) are listed.",
        'The sign said "Closed. Come back." and nothing else.',
        "Call `a.b(). Next` first.",
        "The cap is 1,200.50 USD. ",
    ],
)
def test_b120_full_stops_inside_a_sentence_do_not_end_it(kept):
    assert sentences(kept, "en") == (kept.strip(),)


def test_b120_name_and_version_of_the_rules_are_kept():
    assert SPLITTER == "metajudge-sentences/2"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("It opens. It closes! Does it? Yes.", ["It opens.", "It closes!", "Does it?", "Yes."]),
        (
            "Was it approved? No. The board refused.",
            ["Was it approved?", "No.", "The board refused."],
        ),
        ("Take plan B. The rest is paid.", ["Take plan B.", "The rest is paid."]),
        ("It ends at 5 p.m. The gate closes.", ["It ends at 5 p.m.", "The gate closes."]),
        ("He said “Wait.” Then he left.", ["He said “Wait.”", "Then he left."]),
        ("The line\nis wrapped. New\nHeading", ["The line is wrapped.", "New", "Heading"]),
        (
            "## Plans\n- Free plan. Five members.\n> Quoted.",
            ["Plans", "Free plan.", "Five members.", "Quoted."],
        ),
        ("1. Open it.\n2) Wait 1.5 h.\n• Close it.", ["Open it.", "Wait 1.5 h.", "Close it."]),
        ("- [x] done\n- [ ] open", ["done", "open"]),
        ("|a|b|\n|---|---|\n|1|2|", ["|a|b|", "|1|2|"]),
        ("So:\n```py\nx = 1. \ny = 2\n```\nIt prints.", ["So:", "x = 1. \ny = 2", "It prints."]),
        ("~~~\nunclosed. Code", ["unclosed. Code"]),
        ("", []),
        (" \n...\n—\n", []),
    ],
)
def test_english(text, wanted):
    assert list(sentences(text, "en")) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("九点开门。五点关门！周末呢？休息。", ["九点开门。", "五点关门！", "周末呢？", "休息。"]),
        ("免费版五人；付费版不限。", ["免费版五人；", "付费版不限。"]),
        ("他说：“好。走吧。”我们走了。", ["他说：“好。走吧。”", "我们走了。"]),
        ("（参见第3条。第4条。）费用为5元。", ["（参见第3条。第4条。）", "费用为5元。"]),
        ("支持3.5及以上版本。", ["支持3.5及以上版本。"]),
        (
            "可以退款.支持换货!七天内有效;过期不候。",
            ["可以退款.", "支持换货!", "七天内有效;", "过期不候。"],
        ),
        ("1、打开。\n2、等待。\n（3）关闭。", ["打开。", "等待。", "关闭。"]),
        ("真的吗？！是的……大概。", ["真的吗？！", "是的……大概。"]),
        ("使用GPT-4o。Version 2. 完成。", ["使用GPT-4o。", "Version 2. 完成。"]),
    ],
)
def test_chinese(text, wanted):
    assert list(sentences(text, "zh")) == wanted


@example("1 >", "en")
@given(
    st.text(alphabet="aB1 .!?;。！？；…“”（）()\"'`\n-#>*、他好", max_size=80),
    st.sampled_from(["en", "zh"]),
)
@settings(max_examples=200, deadline=None)
def test_no_letter_is_lost_or_moved(text, lang):
    found = sentences(text, lang)
    letters = [c for c in text if c in "aB他好"]
    kept = [c for part in found for c in part if c in "aB他好"]
    assert kept == letters
    assert all(part == part.strip() and part for part in found if "`" not in text)
    assert found == sentences(text, lang)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('他说"好。"然后走了。', ['他说"好。"', "然后走了。"]),
        ('他说"好。走吧。"。她也走了。', ['他说"好。走吧。"。', "她也走了。"]),
        ("(见附录。)然后开始。", ["(见附录。)", "然后开始。"]),
        ("【注意。】请看。", ["【注意。】", "请看。"]),
        ("《开始。》是书。", ["《开始。》是书。"]),
        ("**重点。**然后。", ["**重点。**", "然后。"]),
        ("好。**重点**在此。", ["好。", "**重点**在此。"]),
        ("他說『走。』她走了。", ["他說『走。』", "她走了。"]),
        ('好。"走吧。"他说。', ["好。", '"走吧。"', "他说。"]),
    ],
)
def test_a_closing_mark_belongs_to_the_sentence_that_it_closes(text, wanted):
    assert list(sentences(text, "zh")) == wanted


@pytest.mark.parametrize("lang", ["zh", "zh-CN", "zh_TW", "ZH"])
def test_a_region_changes_nothing_of_chinese(lang):
    assert sentences("九点开门.周一闭馆.", lang) == ("九点开门.", "周一闭馆.")


@pytest.mark.parametrize("repeated", ["....", "1. ", "No. ", "see A. B. ", "the U.S. Bank "])
def test_a_text_that_repeats_itself_is_one_sentence_however_long(repeated):
    """A judge or a model in a loop writes such texts; the rules must not look back over all."""
    text = f"Start {repeated * 6000}"
    assert len(sentences(f"{text}end. Next one.", "en")) == 2


@pytest.mark.parametrize(
    ("repeated", "found"), [(" \n", 2), ("\r\n", 2), ("3. Ask them ", 12_001), ("- a:\n", 12_002)]
)
def test_blank_lines_and_numbers_that_repeat_are_looked_at_once(repeated, found):
    assert len(sentences(f"Start\n{repeated * 12_000}End.", "en")) == found
