from dataclasses import replace
from pathlib import Path

import pytest

import metajudge.gold.datasheet as module
from metajudge.gold import Annotation
from metajudge.gold.claim import ImportRecord, PendingClaim
from metajudge.gold.datasheet import MARK, datasheet, is_generated
from metajudge.gold.folded import Correction


@pytest.fixture
def tea(make_gold):
    votes = tuple(
        Annotation(annotator=name, label=label) for name, label in (("安娜", "yes"), ("bo", "no"))
    )
    made = make_gold(
        [
            {"annotations": votes, "slice": "summary"},
            {"label": "no", "lang": "zh", "context_id": "y"},
            {"label": "idk", "annotations": votes[:1]},
        ],
        licence="CC BY 4.0",
        citation="A. Brewer (2024): Notes.",
        url="https://example.org/tea",
        imported=ImportRecord(
            format="ragtruth",
            sources={"response.jsonl": "ab" * 32},
            mapping="Conflict -> no",
            left_out={"no_claim": 1200, "tied": 3},
        ),
    )
    waits = PendingClaim(
        claim_id="p", answer_id="a", context_id="x", claim="Wait.", why="a tie: 1 yes, 1 no"
    )
    fix = Correction("c1", "yes", "no", "bo", "2025-03-01T10:00:00Z", "read | again")
    return replace(made, pending=(waits,), corrections=(fix,))


def test_the_page_says_where_the_set_comes_from_and_what_is_in_it(tea):
    page = datasheet(tea)
    assert page == datasheet(tea)
    for line in (
        "# tea 1: datasheet · 数据说明",
        "3 labelled claims of 2 answers over 2 contexts; 1 more waits for a label.",
        "已标注陈述 3 条，回答 2 个，材料 2 份；另有 1 条待标注。",
        "| files · 文件 | response.jsonl (sha256 abababababab…) |",
        "| licence · 许可 | CC BY 4.0 |",
        "| citation · 引用 | A. Brewer (2024): Notes. |",
        "| url · 网址 | https://example.org/tea |",
        "| en | 1 | 0 | 1 | 2 |",
        "| zh | 0 | 1 | 0 | 1 |",
        "| summary | 1 | 0 | 0 | 1 |",
        "| 安娜 | 2 | 0 | 0 | 2 |",
        "| a tie | 1 |",
        "| no\\_claim | it claims nothing that could be checked | 1,200 |",
        "1 gold label was changed (bo 1).",
        "| c1 | yes -&gt; no | bo | 2025-03-01T10:00:00Z | read \\| again |",
    ):
        assert line in page, line
    assert "they disagree on 1 of those with a gold label" in page


def test_a_set_of_which_little_is_known(make_gold):
    page = datasheet(make_gold([{}], licence="unknown"))
    assert "say it in goldset.yaml" in page
    assert "The labels of single annotators are not kept." in page
    for heading in ("Slices", "Waiting", "Left out"):
        assert heading not in page
    assert "Corrections since · 更正\n\nNone." in page


def test_what_others_wrote_is_shown_as_text(make_gold):
    page = datasheet(make_gold([{}], licence="<script>*x*\u202e|\n# y", provenance="[a](b)"))
    assert "&lt;script&gt;\\*x\\* \\| \\# y" in page
    assert "\\[a\\](b)" in page
    assert "\u202e" not in page


def test_only_pages_made_here_are_written_anew(tmp_path: Path):
    page = tmp_path / "README.md"
    assert is_generated(page)
    page.write_text(f"{MARK}\nold", encoding="utf-8")
    assert is_generated(page)
    page.write_text("ours", encoding="utf-8")
    assert not is_generated(page)
    page.write_bytes(b"\xff\xfe")
    assert not is_generated(page)


def test_long_lists_of_corrections_are_cut(tea, monkeypatch):
    monkeypatch.setattr(module, "_MOST_CORRECTIONS", 2)
    page = datasheet(replace(tea, corrections=tea.corrections * 5))
    assert "3 more stand in `annotations/`." in page
