from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metajudge.templates.typography import spaced, widened

# Marks that stand beside digits and letters in real texts, and the characters that are replaced.
_CHARACTERS = "aZé十五材料0359 .,:;!?-'\"()，。；：（）！？“”\n"
TEXTS = st.text(st.sampled_from(_CHARACTERS), max_size=60)
NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
PLAIN = str.maketrans("，。；：（）！？“”‘’\u2010", ",.;:()!?\"\"''-")


@given(TEXTS)
def test_spacing_changes_nothing_but_spaces(text: str) -> None:
    assert spaced(text).split() == spaced(spaced(text)).split()
    assert "".join(spaced(text).split()) == "".join(text.split())


@given(TEXTS)
def test_width_changes_nothing_but_the_form_of_marks(text: str) -> None:
    assert widened(text).translate(PLAIN) == text.translate(PLAIN)


@pytest.mark.parametrize("change", [spaced, widened])
@given(text=TEXTS)
def test_every_number_is_kept(change: Callable[[str], str], text: str) -> None:
    assert NUMBER.findall(change(text)) == NUMBER.findall(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('It ran. "Why?" It stopped.', 'It ran.  "Why?"  It stopped.'),
        ("第2步由SMF完成", "第 2 步由 SMF 完成"),
        ("第 2 步由 SMF 完成", "第 2 步由 SMF 完成"),
        ("version 1.2.3 of e.g. this", "version 1.2.3 of e.g.  this"),
        ("", ""),
    ],
)
def test_spaces_as_another_writer_sets_them(text: str, expected: str) -> None:
    assert spaced(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("共3个（含1个备用）：完成。", "共3个(含1个备用):完成."),
        ("章节5。3月起", "章节5。3月起"),
        ("3，000", "3，000"),
        ("用了SMF。UPF负责", "用了SMF。UPF负责"),
        ("it's the judge's", "it\u2019s the judge\u2019s"),
        ("he said \"no\" and 'yes'", "he said \u201cno\u201d and \u2018yes\u2019"),
        ("well-known GPT-4, 3-5", "well\u2010known GPT-4, 3-5"),
        ('6\' tall, 5" by 6" wide', '6\' tall, 5" by 6" wide'),
        ("", ""),
    ],
)
def test_width_leaves_marks_that_would_change_the_meaning(text: str, expected: str) -> None:
    assert widened(text) == expected
