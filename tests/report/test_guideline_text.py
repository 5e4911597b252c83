import re
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from metajudge.gold import LabellingPolicy
from metajudge.gold.claim import LabelSpace, PolicyChange
from metajudge.gold.guideline import GuidelineLanguage, guideline
from metajudge.report.guideline_html import guideline_page
from metajudge.report.guideline_text import guideline_markdown, guideline_text, wrapped_cells

HOSTILE = "<script>alert(1)</script> **a** [b](c) {{ d }} \x1b[31mred\u202eback | `e` @me"
POLICY = LabellingPolicy(
    version="2.0.0",
    rules=(HOSTILE, "只看材料。"),
    support={"inference": False, "summary": True},
    slice_labels={"outside_true": ("idk",)},
    changes=(
        PolicyChange(
            version="2.0.0", support={"inference": False}, time="2025-03-01T09:30:00Z", why=HOSTILE
        ),
    ),
)
LANGUAGES: tuple[GuidelineLanguage, ...] = get_args(GuidelineLanguage)
SPACES: tuple[LabelSpace, ...] = get_args(LabelSpace)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("space", SPACES)
def test_text_keeps_to_80_cells_and_says_it_all(lang: GuidelineLanguage, space: LabelSpace) -> None:
    guide = guideline(POLICY, space, lang)
    shown = guideline_text(guide)
    assert max(map(cell_len, shown.splitlines())) <= 80
    flat = re.sub(r"\s+", "", shown)
    for part in (*guide.kinds, *guide.topics, *guide.slices, *guide.labels):
        assert re.sub(r"\s+", "", part.name) in flat
    for case in (case for kind in guide.kinds for case in kind.examples):
        assert re.sub(r"\s+", "", case.claim) in flat
    assert "\x1b" not in shown and "\u202e" not in shown
    assert guide.headings["changes"] in shown and "2025-03-01" in shown


def test_a_set_without_rules_says_so() -> None:
    guide = guideline(LabellingPolicy(version="1"))
    assert guide.words["no_rules"] in guideline_text(guide)
    assert guide.words["no_rules"] in guideline_markdown(guide)
    assert guide.words["no_rules"] in guideline_page(guide)
    assert guide.headings["changes"] not in guideline_text(guide)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_markdown_takes_what_authors_wrote_as_text(lang: GuidelineLanguage) -> None:
    shown = guideline_markdown(guideline(POLICY, "ternary", lang))
    assert "<script>" not in shown and "[b](c)" not in shown and "\\*\\*a\\*\\*" in shown
    assert len(re.findall(r"^## ", shown, re.M)) == 6
    assert re.search(r"^1\. ", shown, re.M) and re.search(r"^2\. 只看材料", shown, re.M)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_page_runs_nothing_and_asks_for_nothing(lang: GuidelineLanguage) -> None:
    page = guideline_page(guideline(POLICY, "ternary", lang))
    assert "<script" not in page and "&lt;script&gt;" in page
    assert "default-src &#39;none&#39;" in page or "default-src 'none'" in page
    assert not re.search(r"(?:src|href)=|url\(|@import|https?://", page)
    assert f'lang="{"zh-CN" if lang == "zh" else "en"}"' in page
    assert "{{ d }}" in page and "\u202e" not in page


def test_closing_marks_of_either_width_stay_with_what_they_close() -> None:
    assert wrapped_cells("水(茶), 水", 4) == ["水", "(茶),", "水"]
    assert wrapped_cells("水茶.txt", 5) == ["水茶", ".txt"]


@given(st.text("ab茶。，（(). ", max_size=60), st.integers(6, 20))
def test_words_longer_than_a_line_are_cut_on_demand(text: str, columns: int) -> None:
    lines = wrapped_cells(text, columns, "- ", cut=True)
    assert "".join(line[2:] for line in lines).replace(" ", "") == text.replace(" ", "")
    assert all(cell_len(line) <= columns for line in lines)


@given(st.text("ab c茶是。，（“”1👩 ", max_size=60), st.integers(4, 20))
def test_wrapping_loses_nothing_and_keeps_to_the_width(text: str, columns: int) -> None:
    lines = wrapped_cells(text, columns, "- ")
    joined = "".join(line[2:] for line in lines)
    assert joined.replace(" ", "") == text.replace(" ", "")
    longest = max((cell_len(word) for word in re.findall(r"\S+", text)), default=0)
    assert all(cell_len(line) <= max(columns, longest + 2) for line in lines)


def test_chinese_breaks_neither_before_a_closing_nor_after_an_opening_mark() -> None:
    lines = wrapped_cells("他说（茶是热的），“水也是。”所以呢？" * 4, 13)
    assert len(lines) > 8
    assert not any(line[0] in "，。）”？" or line[-1] in "（“" for line in lines)
