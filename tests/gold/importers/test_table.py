import json
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import GoldError
from metajudge.gold.tables.table_map import table_map
from tests.gold.writing import csv_text

CONTEXT = "The library opens at nine. 图书馆九点开门。"
ONE = {"claim": "Claim", "context": "Context", "label": "Label"}


@pytest.fixture
def sheet(tmp_path: Path):
    """Writes a CSV file from its header and rows."""

    def write(header: str, *rows: list[Any], name: str = "sheet.csv") -> Path:
        path = tmp_path / name
        path.write_text(csv_text([header.split(","), *rows]), encoding="utf-8")
        return path

    return write


def test_one_label_a_row_with_everything_beside_it(sheet, imported):
    path = sheet(
        "Claim,Context,Label,Q,Id,Kind,Lang,Note,Doc,System",
        [
            " It opens at nine. ",
            CONTEXT,
            "Yes",
            "When?",
            "7",
            "off context",
            "zh-CN",
            "n",
            "d",
            "m",
        ],
        ["b", CONTEXT, "no", "", "", "poem", "English", "", "", ""],
    )
    columns = ONE | {
        "question": "Q",
        "claim_id": "Id",
        "slice": "Kind",
        "lang": "Lang",
        "note": "Note",
        "group": "Doc",
        "generator": "System",
    }
    got = imported("table", path, columns)
    first, second = got.claims
    assert (first.claim, first.passages, first.label) == ("It opens at nine.", (CONTEXT,), "yes")
    assert (first.question, first.claim_id, first.slice) == ("When?", "7", "off_context")
    assert (first.lang, first.note, first.group, first.generator) == ("zh", "n", "d", "m")
    assert (second.slice, second.lang, second.claim_id, second.annotations) == (
        None,
        "en",
        None,
        (),
    )
    assert (first.line, second.line) == (2, 3)


def test_a_column_for_each_annotator(sheet, imported):
    path = sheet(
        "Claim,Context,Anna,Bo,丙,Final,Note Anna,Anna time",
        ["a", CONTEXT, "yes", "no", "支持", "no", "why", "2025/3/1 9:05"],
        ["b", CONTEXT, "yes", "", "跳过", "", "", ""],
        ["c", CONTEXT, "", " ", "", "", "", ""],
        ["d", CONTEXT, "hmm", "#N/A", "=1+1", "", "", ""],
        ["e", CONTEXT, "skip", "", "", "", "", ""],
    )
    columns = {
        **{"claim": "Claim", "context": "Context", "label": "Final"},
        **{"label:anna": "Anna", "label:bo": "Bo", "label:丙": "丙"},
        **{"note:anna": "Note Anna", "time:anna": "Anna time"},
    }
    got = imported("table", path, columns, {"支持": "yes"})
    assert got.labels == ["no", None, None, None, None]
    assert got.votes(0) == {"anna": "yes", "bo": "no", "丙": "yes"}
    anna = got.claims[0].annotations[0]
    assert (anna.note, anna.time) == ("why", "2025-03-01T09:05:00")
    assert got.votes(1) == {"anna": "yes"}
    assert [claim.unlabelled for claim in got.claims[1:]] == [
        "unlabelled",
        "unlabelled",
        "unknown_label",
        "cancelled",
    ]
    assert [(out.reason, out.line, out.what) for out in got.left] == [
        ("cancelled", 3, "丙: '跳过'"),
        ("unknown_label", 5, "anna: 'hmm'"),
        ("unknown_label", 5, "bo: '#N/A'"),
        ("unknown_label", 5, "丙: '=1+1'"),
        ("cancelled", 6, "anna: 'skip'"),
    ]


def test_a_row_for_each_annotation_joined_by_texts(sheet, imported):
    path = sheet(
        "Claim,Context,Who,Label,Note",
        ["a", CONTEXT, "anna", "yes", ""],
        ["b", CONTEXT, "anna", "no", "why"],
        ["a", CONTEXT, "bo", "idk", ""],
        ["a", "Another.", "bo", "no", ""],
        ["b", CONTEXT, "", "no", ""],
        ["b", CONTEXT, "cy", "", ""],
    )
    got = imported("table", path, ONE | {"annotator": "Who", "note": "Note"})
    assert [(claim.claim, claim.line) for claim in got.claims] == [("a", 2), ("b", 3), ("a", 5)]
    assert got.votes(0) == {"anna": "yes", "bo": "idk"}
    assert got.claims[1].annotations[0].note == "why"
    assert got.claims[1].note is None
    assert [(out.reason, out.line) for out in got.left] == [("malformed", 6)]


def test_a_row_for_each_annotation_joined_by_id(sheet, imported):
    """Cells that a spreadsheet merged are blank below the first row."""
    path = sheet(
        "Id,Claim,Context,Who,Label,Final",
        ["1", "a", CONTEXT, "anna", "yes", "yes"],
        ["1", "", "", "bo", "no", ""],
        ["2", "b", CONTEXT, "anna", "yes", "no"],
        ["2", "b", CONTEXT, "bo", "yes", "idk"],
        ["3", "", "", "bo", "no", ""],
        ["1", "other", CONTEXT, "cy", "no", ""],
    )
    columns = ONE | {"claim_id": "Id", "annotator": "Who", "gold": "Final"}
    got = imported("table", path, columns)
    assert got.votes(0) == {"anna": "yes", "bo": "no"}
    assert got.labels == ["yes", None]
    assert (got.claims[1].unlabelled, got.claims[1].detail) == (
        "unsettled",
        "its rows settle on no and on idk",
    )
    assert [(out.reason, out.line) for out in got.left] == [("missing_text", 6)]
    assert [(fault.line, fault.got) for fault in got.problems] == [(7, "'1'")]


@pytest.mark.parametrize(
    "cell", ["", "  ", "nan", "None", "#N/A", "#REF!", "#VALUE!", "=A1", "=1+1", "=SUM(A1:A2)"]
)
def test_cells_that_hold_no_text_are_missing(sheet, imported, cell):
    path = sheet("Claim,Context,Label", [cell, CONTEXT, "yes"], ["a", cell, "yes"])
    got = imported("table", path, ONE)
    assert [(out.reason, out.line) for out in got.left] == [
        ("missing_text", 2),
        ("missing_context", 3),
    ]
    assert got.claims == []


def test_texts_that_look_like_formulas_but_are_none(sheet, imported):
    path = sheet(
        "Claim,Context,Label",
        ["'=A1 refers to a cell.", "= is a sign.", "yes"],
        ["-1 is less than 0.", "#1 is the first.", "yes"],
    )
    got = imported("table", path, ONE)
    assert [claim.claim for claim in got.claims] == ["'=A1 refers to a cell.", "-1 is less than 0."]
    assert [claim.passages for claim in got.claims] == [("= is a sign.",), ("#1 is the first.",)]


def test_passages_in_several_columns_or_in_a_list(sheet, imported):
    path = sheet("Claim,P1,P2,Label", ["a", "One.", "Two.", "yes"], ["b", '["x", "y"]', "", "no"])
    columns = {"claim": "Claim", "context:2": "P2", "context:1": "P1", "label": "Label"}
    got = imported("table", path, columns)
    assert [claim.passages for claim in got.claims] == [("One.", "Two."), ("x", "y")]


def test_json_lines_with_nested_records_and_listed_annotations(tmp_path, imported):
    notes = [
        {"annotator": "anna", "label": True, "time": "2025-03-01T09:30:00Z", "note": "n"},
        {"annotator": "bo", "label": "no", "seconds": 3},
    ]
    row = {"data": {"claim": "a", "docs": ["One.", " ", "Two."]}, "given": notes, "n": 3}
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    columns = {"claim": "data.claim", "context": "data.docs", "annotations": "given", "id": "n"}
    got = imported("table", path, columns, {"true": "yes"})
    claim = got.claims[0]
    assert (claim.passages, claim.claim_id) == (("One.", "Two."), "3")
    assert got.votes() == {"anna": "yes", "bo": "no"}
    assert (claim.annotations[0].time, claim.annotations[1].seconds) == (
        "2025-03-01T09:30:00+00:00",
        3.0,
    )


def test_parquet_is_a_table_too(tmp_path, imported):
    from metajudge.gold.tabular import write_with_datasets

    rows = [{"claim": "a", "context": ["One.", "Two."], "label": "idk", "n": 1.0}]
    write_with_datasets(rows, tmp_path / "rows.parquet")
    columns = {"claim": "claim", "context": "context", "label": "label"}
    got = imported("table", tmp_path / "rows.parquet", columns)
    assert (got.labels, got.claims[0].passages) == (["idk"], ("One.", "Two."))


def test_every_fault_of_a_column_map_is_told_at_once():
    columns = {
        "claim": "Claim",
        "contxt": "Context",
        "slice:anna": "Kind",
        "context:first": "P",
        "time:bo": "T",
        "label": "Lable",
    }
    with pytest.raises(GoldError) as caught:
        table_map(columns, ["Claim", "Context", "Kind", "P", "T", "Label"])
    told = [(problem.field, problem.mend) for problem in caught.value.problems]
    assert told[0] == ("contxt", "Did you mean 'context'?")
    assert told[1][0] == "slice:anna"
    assert told[2][0] == "context:first"
    assert told[3] == ("label", "Did you mean 'Label'?")
    assert told[4][0] == "bo"
    with pytest.raises(GoldError, match="--map claim=COLUMN"):
        table_map({})
    with pytest.raises(GoldError, match="one has to hold their labels"):
        table_map({"claim": "a", "context": "b", "annotator": "c"})
    with pytest.raises(GoldError, match="either each row is one annotator's"):
        table_map({"claim": "a", "context": "b", "annotator": "c", "label": "d", "label:x": "e"})


def test_a_table_is_never_read_by_guessing(sheet, imported):
    path = sheet("claim,context,label", ["a", CONTEXT, "entailment"])
    with pytest.raises(GoldError, match="it has to be said which column holds the claim"):
        imported("table", path)
    got = imported("table", path, {"claim": "claim", "context": "context", "label": "label"})
    assert (got.reasons, got.labels) == (["unknown_label"], [None])


def test_b92_labels_by_models_are_told_apart(sheet, imported):
    path = sheet(
        "Claim,Context,Who,Label,By",
        ["a", CONTEXT, "anna", "yes", "human"],
        ["a", CONTEXT, "gpt-4o", "no", "model"],
        ["b", CONTEXT, "大模型", "no", "model"],
    )
    got = imported("table", path, ONE | {"annotator": "Who"})
    assert (got.votes(0), got.labels) == ({"anna": "yes"}, [None, None])
    assert [(out.reason, out.line) for out in got.left] == [("model_made", 3), ("model_made", 4)]
    assert (got.claims[1].unlabelled, got.claims[1].detail) == ("model_made", "大模型")
    stated = imported("table", path, ONE | {"label_source": "By"})
    assert [claim.label_source for claim in stated.claims] == ["human", "model", "model"]
    own = imported("table", path, {"claim": "Claim", "context": "Context", "label:gpt-4o": "Label"})
    assert own.votes(1) == {"gpt-4o": "no"}, "the user says that this is a person"


def test_b92_who_made_a_label_is_known_or_it_is_none(sheet, imported):
    path = sheet(
        "Claim,Context,Label,By",
        ["a", CONTEXT, "yes", "gpt-4o"],
        ["b", CONTEXT, "yes", "the oracle"],
        ["c", CONTEXT, "yes", ""],
        ["d", CONTEXT, "yes", "作者"],
    )
    got = imported("table", path, ONE | {"label_source": "By"})
    assert [claim.label_source for claim in got.claims] == ["model", "human", "human", "author"]
    assert got.labels == ["yes", None, "yes", "yes"]
    assert [(out.reason, out.line, out.detail) for out in got.left] == [
        ("unsettled", 3, "label_source 'the oracle' is none of human, author, model")
    ]
    assert (got.claims[1].unlabelled, got.claims[1].detail) == ("unsettled", got.left[0].detail)


def test_b92_a_model_among_the_annotators_of_a_claim_is_left_out(sheet, imported):
    path = sheet(
        "Claim,Context,Who,Label,By",
        ["a", CONTEXT, "first", "no", "model"],
        ["a", CONTEXT, "anna", "yes", "human"],
    )
    got = imported("table", path, ONE | {"annotator": "Who", "label_source": "By"})
    assert (got.votes(0), got.claims[0].label_source) == ({"anna": "yes"}, "human")
    assert got.reasons == ["model_made"]


@pytest.mark.parametrize("heading", ["Hallucinated?", "有无幻觉"])
def test_b92_our_own_yes_is_not_taken_where_it_may_mean_the_opposite(sheet, imported, heading):
    path = sheet(f"Claim,Context,{heading}", ["a", CONTEXT, "yes"], ["b", CONTEXT, "idk"])
    columns = {"claim": "Claim", "context": "Context", "label": heading}
    got = imported("table", path, columns)
    assert (got.labels, got.reasons) == ([None, "idk"], ["unknown_label"])
    said = imported("table", path, columns, {"Yes": "unsupported"})
    assert said.labels == ["unsupported", "idk"]
    named = {"claim": "Claim", "context": "Context", "label:anna": heading}
    assert imported("table", path, named).votes(0) == {}


@pytest.mark.parametrize("word", ["Total", "total:", "合计"])
def test_a_row_of_totals_claims_nothing(sheet, imported, word):
    path = sheet("Claim,Context,Label", ["a", CONTEXT, "yes"], [word, "4", "3"])
    got = imported("table", path, ONE)
    assert (len(got.claims), [(out.reason, out.line) for out in got.left]) == (1, [("no_claim", 3)])


def test_whole_numbers_are_written_without_a_fraction(tmp_path, imported):
    row = {"claim": "a", "context": CONTEXT, "label": "yes", "who": 1.0, "n": 7.0}
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    columns = {"claim": "claim", "context": "context", "label": "label"}
    got = imported("table", path, columns | {"annotator": "who", "claim_id": "n"})
    assert (got.votes(0), got.claims[0].claim_id) == ({"1": "yes"}, "7")
