import random
import re

import pytest

from metajudge.judges.sentences import sentences
from metajudge.metrics.selfcheck.lines import blocks_of
from metajudge.metrics.selfcheck.pieces import MOST_OF_A_FRAME, pieces_of

PAGE = """# Visiting

The hall is old. The fees
for a visit are:

- Adults pay 5 euros. Children pay 2.
- Tea is **free. Coffee** is not.

## What it costs

| who | fee |
|---|---|
| Adult | 5 |
| Child | 2 |

### In code

```py
fee = 5

child = 2
```

1. Come early.
2) Bring a friend. And a dog.

> It was quoted. By somebody.

Have fun."""
PAGE_ZH = """## 开放时间

甲馆九点开放；周一闭馆。“真的吗？”他问。
收费如下：
一、成人五元。儿童二元。
2、茶水免费！

（详见第二节。）"""


def texts(answer, lang="en"):
    return [sentence.text for sentence in pieces_of(answer, lang).sentences]


def without(answer, *gone, lang="en"):
    """The answer without the sentences that hold these texts."""
    pieces = pieces_of(answer, lang)
    places = [n for n, s in enumerate(pieces.sentences) if any(text in s.text for text in gone)]
    assert len(places) >= len(gone)
    return pieces.without(places)


def test_a_page_is_taken_apart_into_what_states_something():
    assert texts(PAGE) == [
        "The hall is old.",
        "Adults pay 5 euros.",
        "Children pay 2.",
        "Tea is **free.",
        "Coffee** is not.",
        "who: Adult; fee: 5",
        "who: Child; fee: 2",
        "```py\nfee = 5\n\nchild = 2\n```",
        "Come early.",
        "Bring a friend.",
        "And a dog.",
        "It was quoted.",
        "By somebody.",
        "Have fun.",
    ]
    assert texts(PAGE_ZH, "zh") == [
        "甲馆九点开放；", "周一闭馆。", "“真的吗？”", "他问。", "成人五元。", "儿童二元。",
        "茶水免费！", "（详见第二节。）",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "gone", "left"),
    [
        ("A is on. B is off. C is odd.", "B is", "A is on. C is odd."),
        ("A is on. B is off. C is odd.", "A is", "B is off. C is odd."),
        ("A is on. B is off. C is odd.", "C is", "A is on. B is off."),
        ("A is on.\n\nB is off.\n\nC is odd.", "B is", "A is on.\n\nC is odd."),
        ("- A is on.\n- B is off.\n- C is odd.\n", "B is", "- A is on.\n- C is odd."),
        ("- A is on. B is off.\n- C is odd.", "A is", "- B is off.\n- C is odd."),
        ("1. A is it.\n2. B is it.\n3. C is it.", "B is", "1. A is it.\n3. C is it."),
        ("* A is **on. B is** off.", "A is", "* B is off."),
        ("甲是一。乙是二。丙是三。", "乙", "甲是一。丙是三。"),
        ("甲是一；乙是二！\n丙是三。", "乙", "甲是一；\n丙是三。"),
        ("（一）甲是一。\n（二）乙是二。", "甲", "（二）乙是二。"),
        ("• 甲是一。\n• 乙是二。", "乙", "• 甲是一。"),
    ],
)
def test_sentences_come_out_cleanly(answer, gone, left):
    assert without(answer, gone, lang="zh" if "甲" in answer else "en") == left


def test_headings_lead_ins_and_tables_go_with_the_last_thing_under_them():
    left = without(PAGE, "Adults", "Children", "Tea", "Coffee", "Adult;", "Child;", "fee = 5")
    assert "The fees" not in left
    assert "| who | fee |" not in left
    assert "## What it costs\n\n### In code\n\n1. Come early." in left
    assert "```" not in left
    assert left.startswith("# Visiting\n\nThe hall is old.\n")
    assert "\n\n\n" not in left
    rest = [n for n in range(14) if n != 0]
    assert pieces_of(PAGE, "en").without(rest) == "# Visiting\n\nThe hall is old."
    one_row = without(PAGE, "who: Adult")
    assert "| who | fee |\n|---|---|\n| Child | 2 |\n" in one_row
    assert without(PAGE_ZH, "成人", "儿童", "茶水", lang="zh") == (
        "## 开放时间\n\n甲馆九点开放；周一闭馆。“真的吗？”他问。\n\n（详见第二节。）"
    )


@pytest.mark.parametrize(
    "answer",
    [
        "**Entry is free for all**",
        "# Entry is free\n\n## For all",
        "Entry is free for all:",
        "Entry is free for 20 people:\n\n- Adults come in.",
        "# Fees of 5 euros\n\nThe rest is free.",
        f"# {'Entry is free ' * 8}\n\nSo it is.",
    ],
)
def test_a_heading_that_could_state_something_is_judged(answer):
    """Nothing can be put past the check by writing it as a heading."""
    first = re.sub(r"[#*\s]+", " ", answer.partition("\n")[0]).strip()
    assert any(first in re.sub(r"[#*\s]+", " ", text) for text in texts(answer))


@pytest.mark.parametrize(("answer", "lang"), [(PAGE, "en"), (PAGE_ZH, "zh")])
def test_parts_cover_the_answer_and_whatever_is_left_was_there(answer, lang):
    pieces = pieces_of(answer, lang)
    assert "".join(answer[part.start : part.end] for part in pieces.parts) == answer
    numbers = [n for part in pieces.parts for n in part.sentences]
    assert numbers == list(range(len(pieces.sentences)))
    assert pieces.without(()) == answer
    assert pieces.without(numbers).strip() == ""
    dice = random.Random(7)
    for _ in range(200):
        gone = {n for n in numbers if dice.random() < 0.5}
        left = pieces.without(gone)
        for number, sentence in enumerate(pieces.sentences):
            shown = answer[sentence.start : sentence.end].replace("**", "")
            assert (shown in left.replace("**", "")) == (number not in gone), (gone, shown)


WORDS = [
    "Hall",
    "opens",
    "is",
    "3.5",
    "e.g.",
    "Dr.",
    "nine",
    "馆",
    "九点开放",
    "（见上）",
    "**b**",
    "`x`",
]
MARKS = [
    ". ",
    "! ",
    "。",
    "；",
    "：",
    ": ",
    "\n",
    "\n\n",
    "\n- ",
    "\n1. ",
    "\n# ",
    "\n> ",
    " | ",
    "\n```\n",
]


def test_no_word_is_shown_that_was_not_judged_whatever_the_answer_looks_like():
    dice = random.Random(11)
    for _ in range(1500):
        answer = "".join(dice.choice(WORDS) + dice.choice(MARKS) for _ in range(dice.randint(1, 9)))
        pieces = pieces_of(answer, "zh" if "馆" in answer else "en")
        covered = bytearray(len(answer))
        for sentence in pieces.sentences:
            covered[sentence.start : sentence.end] = b"\1" * (sentence.end - sentence.start)
        for part in pieces.parts:
            if part.is_frame:
                text = answer[part.start : part.end].strip()
                assert part.block.kind == "table_head" or len(text) <= MOST_OF_A_FRAME
                covered[part.start : part.end] = b"\1" * (part.end - part.start)
        for mark in re.finditer(r"(?:^|\n)[ \t>]*\d{1,3}[.)]", answer):
            covered[mark.start() : mark.end()] = b"\1" * len(mark[0])
        bare = "".join(char for char, seen in zip(answer, covered, strict=True) if not seen)
        assert not re.search(r"\w", bare), (answer, bare)


def test_what_is_plain_is_split_as_the_splitter_would():
    dice = random.Random(3)
    plain = [
        "Hall A opens at nine",
        "甲馆九点开放。",
        "It is so!",
        "Who knows",
        "A b",
        "2 halls open.",
    ]
    for _ in range(500):
        answer = dice.choice(plain) + dice.choice(["", " ", "  and more", "，还有", "."])
        pieces = pieces_of(answer, "en")
        assert tuple(s.text for s in pieces.sentences) == sentences(answer, "en"), answer


@pytest.mark.parametrize("answer", ["", "   \n\n", "👍", "---", "..."])
def test_what_holds_no_word_has_no_sentence(answer):
    assert texts(answer) == []


def test_code_that_is_never_closed_and_windows_line_ends():
    assert texts("```\nx = 1\n") == ["```\nx = 1"]
    assert without("A is on.\r\nB is off.\r\n", "A is").strip() == "B is off."
    text = "a\n\n# b\n- c\n| d | e |\n|---|---|\n| f | g |"
    assert [block.kind for block in blocks_of(text)] == [
        "prose", "blank", "heading", "point", "table_head", "table_row",
    ]  # fmt: skip


def test_a_long_answer_takes_no_long_time():
    answer = "\n".join(f"- The hall number {n} opens at nine. It lends books." for n in range(5000))
    pieces = pieces_of(answer, "en")
    assert len(pieces.sentences) == 10_000
    assert len(pieces.without(range(1, 10_000)).splitlines()) == 1


@pytest.mark.parametrize(
    "line", ["- a:", "# Fees", "**Fees**", "The fees are:\n- a:", "| a |\n|---|"]
)
def test_many_headings_and_lead_ins_are_looked_at_once(line):
    """One answer of this kind once held an event loop for minutes."""
    answer = f"{line}\n" * 6000
    with_one = pieces_of(f"{answer}- It is five.", "en")
    assert len(with_one.sentences) >= 1
    assert with_one.without(range(len(with_one.sentences))).strip() == ""
    assert len(pieces_of(answer, "en").parts) >= 6000
