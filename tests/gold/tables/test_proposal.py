import json
import shlex
from typing import Any

import pytest

from metajudge.errors import GoldError
from metajudge.gold.importing.source import Source
from metajudge.gold.tables.label_columns import BY_MODEL
from metajudge.gold.tables.proposal import propose
from tests.gold.tables.proposing import LONG, SHORT, THREE


def test_headings_in_english_and_chinese(proposed):
    got = proposed(
        {"Statment (EN)": SHORT, "Source  Passage*": LONG, "Verdict": THREE, "Remarks": "x"}
    )
    assert got.columns == {
        "claim": "Statment (EN)",
        "context": "Source Passage*",
        "label": "Verdict",
        "note": "Remarks",
    }
    assert got.layout == "one label a row"
    chinese = proposed(
        {"陈述": SHORT, "参考资料": LONG, "是否支持": ["支持", "矛盾", "未提及"], "备注": "无"}
    )
    assert list(chinese.columns) == ["claim", "context", "label", "note"]
    assert dict(chinese.meaning.labels) == {"支持": "yes", "矛盾": "no", "未提及": "idk"}


def test_columns_without_telling_headings_go_by_what_stands_in_them(proposed):
    got = proposed({"A": LONG, "B": SHORT, "C": THREE})
    assert got.columns == {"claim": "B", "context": "A", "label": "C"}
    why = {choice.key: choice.why for choice in got.choices}
    assert why["context"].startswith("the longest texts (mean ")
    assert why["claim"].startswith("the only other sentences")
    assert got.choices[0].samples == tuple(SHORT[:2])


def test_a_column_of_labels_for_each_annotator(proposed):
    got = proposed(
        {
            "Claim": SHORT,
            "Context": LONG,
            "label_anna": THREE,
            "Rater 2": THREE,
            "标注员丙": ["支持", "矛盾", "未提及", ""],
            "GPT-4 verdict": THREE,
            "Final label": THREE,
            "anna comment": "fine",
            "done": ["yes", "no"],
        }
    )
    assert got.columns == {
        "claim": "Claim",
        "context": "Context",
        "label:anna": "label_anna",
        "label:Rater 2": "Rater 2",
        "label:标注员丙": "标注员丙",
        "gold": "Final label",
        "note:anna": "anna comment",
    }
    assert got.layout == "the labels of each annotator in one row"
    assert got.unread == {"GPT-4 verdict": BY_MODEL, "done": ""}


def test_a_row_for_each_annotation(proposed):
    got = proposed(
        {
            "Item ID": ["1", "1", "2", "2"],
            "No.": ["1", "2", "3", "4"],
            "Claim": [SHORT[0], SHORT[0], SHORT[1], SHORT[1]],
            "Context": [LONG[0], LONG[0], LONG[1], LONG[1]],
            "标注人": ["anna", "bo"],
            "标签": THREE,
            "标注时间": "2025/3/1 10:00",
            "用时（秒）": ["12", "7.5"],
            "说明": ["", "clear"],
        }
    )
    assert got.columns == {
        "claim": "Claim",
        "context": "Context",
        "label": "标签",
        "annotator": "标注人",
        "time": "标注时间",
        "seconds": "用时（秒）",
        "note": "说明",
        "claim_id": "Item ID",
    }
    assert got.layout == "a row for each annotation"


def test_an_id_that_numbers_annotations_joins_nothing(proposed):
    columns = {"Claim": [SHORT[0], SHORT[0]], "Context": [LONG[0]], "Rater": ["a", "b"]}
    got = proposed(columns | {"Label": THREE, "ID": ["1", "2", "3", "4"]})
    assert "claim_id" not in got.columns
    assert "numbers annotations" in got.unread["ID"]
    split = proposed({"Claim": SHORT, "Context": LONG, "Label": THREE, "ID": ["1", "1", "2", "3"]})
    assert "stands for two texts" in split.unread["ID"]


def test_passages_in_numbered_columns(proposed):
    got = proposed({"Claim": SHORT, "Passage 2": LONG, "Passage 1": LONG[::-1], "Label": THREE})
    assert (got.columns["context:1"], got.columns["context:2"]) == ("Passage 1", "Passage 2")


def test_other_columns_that_are_read(proposed):
    got = proposed(
        {
            "claim": SHORT,
            "context": LONG,
            "label": ["yes", "no", "idk"],
            "question": "When does it open?",
            "类型": ["literal", "summary"],
            "Language": ["en", "中文"],
            "Doc ID": ["d1", "d2", "d3", "d4"],
            "colour": ["red", "blue"],
        }
    )
    assert got.columns.keys() == {
        *("claim", "context", "label", "question", "slice", "lang", "context_id")
    }


def test_our_own_headings_and_words_need_no_confirming(proposed):
    own = {"claim": SHORT, "context": LONG, "label": ["yes", "no", "idk", "yes"]}
    assert proposed(own).certain
    assert not proposed(own | {"label": ["yes", "no"]}).certain
    assert not proposed(own | {"label": THREE}).certain
    assert not proposed({"claim": SHORT, "context": LONG}).certain
    assert "waiting for a label" in proposed({"claim": SHORT, "context": LONG}).notes[0]


def test_a_map_of_claim_and_context_guesses_nothing(proposed):
    said = {"claim": "A", "context": "B", "label": "C"}
    columns = {"A": SHORT, "B": LONG, "C": THREE, "Note": "x"}
    got = proposed(columns, columns=said)
    assert got.columns == said
    assert not got.certain, "its label words are guessed"
    labels = {"supported": "yes", "contradicted": "no", "not mentioned": "idk"}
    assert proposed(columns, columns=said, labels=labels).certain
    assert proposed(columns, columns={"claim": "A", "context": "B"}).certain
    part = proposed(columns, columns={"claim": "A"})
    assert (part.columns["context"], part.columns["note"]) == ("B", "Note")


def test_the_flags_say_the_same_without_a_guess(proposed):
    columns = {"Das 'Statement'": SHORT, "原文": LONG, "anna": THREE, "bo": THREE}
    got = proposed(columns)
    words = shlex.split(got.flags)
    pairs = list(zip(words[::2], words[1::2], strict=True))
    said = dict(text.split("=", 1) for name, text in pairs if name == "--map")
    labels: Any = dict(text.rsplit("=", 1) for name, text in pairs if name == "--labels")
    assert pairs[-1] == ("--label-space", "ternary")
    again = proposed(columns, columns=said, labels=labels, space="ternary")
    assert again.certain
    assert (again.columns, again.meaning.labels) == (got.columns, got.meaning.labels)


@pytest.mark.parametrize(
    ("columns", "field"),
    [
        ({"Claim": SHORT, "Statement": LONG, "Context": LONG, "Label": THREE}, "claim"),
        ({"A": SHORT, "B": LONG, "C": SHORT[::-1], "Label": THREE}, "claim"),
        ({"Claim": SHORT, "Label": THREE}, "context"),
        ({"Claim": SHORT, "Context": LONG, "gold": THREE, "final": THREE}, "label"),
        ({"Claim": SHORT, "Context": LONG, "Rater": "x", "a": THREE, "b": THREE}, "label"),
    ],
)
def test_what_cannot_be_told_apart_is_asked(proposed, columns, field):
    with pytest.raises(GoldError, match=f"--map {field}=COLUMN") as caught:
        proposed(columns)
    assert caught.value.problems[0].field == field


def test_yes_to_a_question_for_faults_is_not_guessed(proposed):
    columns = {"Claim": SHORT, "Context": LONG, "Hallucination label": ["yes", "no"]}
    got = proposed(columns)
    assert got.meaning.labels == {}
    assert got.meaning.unknown == ("yes", "no")
    assert any("may mean the opposite" in note for note in got.notes)
    said = proposed(columns, labels={"yes": "unsupported", "no": "supported"})
    assert dict(said.meaning.labels) == {"yes": "unsupported", "no": "supported"}
    chinese = proposed({"陈述": SHORT, "原文": LONG, "有无幻觉": ["是", "否"]})
    assert chinese.meaning.labels == {}


def test_unknown_and_skipped_words_are_told_with_counts(proposed):
    got = proposed(
        {"Claim": SHORT, "Context": LONG, "Label": [*THREE, *THREE, "hmm", "skip"]}, rows=10
    )
    assert (got.meaning.unknown, got.words["hmm"]) == (("hmm",), 1)
    assert any("hmm (1)" in note for note in got.notes)
    assert any("read as skipped: skip (1)" in note for note in got.notes)
    none = proposed({"Claim": SHORT, "Context": LONG, "Label": ["A", "B"]})
    assert any("no label word is known (a, b)" in note for note in none.notes)


def test_records_of_json_lines(tmp_path):
    path = tmp_path / "rows.jsonl"
    rows = [
        {
            "claim": SHORT[n],
            "context": [LONG[n], LONG[0]],
            "meta": {"question": "When?"},
            "annotations": [
                {"annotator": "anna", "label": "yes"},
                {"annotator": "bo", "label": "no"},
            ],
        }
        for n in range(4)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    got = propose(Source(path))
    assert got.columns == {
        "claim": "claim",
        "context": "context",
        "question": "meta.question",
        "annotations": "annotations",
    }
    assert got.words == {"yes": 4, "no": 4}


def test_label_words_are_looked_for_in_all_rows(proposed):
    got = proposed(
        {"Claim": SHORT, "Context": LONG, "Label": ["supported"] * 2500 + ["refuted"]}, rows=2501
    )
    assert dict(got.words) == {"supported": 2500, "refuted": 1}


def test_annotators_with_one_name_keep_their_headings(proposed):
    got = proposed(
        {"Claim": SHORT, "Context": LONG, "anna": THREE, "label anna": THREE, "a=b": THREE}
    )
    assert list(got.columns) == ["claim", "context", "label:anna", "label:label anna", "label:a-b"]


def test_who_made_a_label_is_read(proposed):
    sheet = {"claim": SHORT, "context": LONG, "label": ["yes", "no", "idk"]}
    got = proposed(sheet | {"标签来源": ["人工", "模型"]})
    assert got.columns["label_source"] == "标签来源"
