import codecs
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metajudge.errors import GoldError, Problem
from metajudge.gold.importing.stream import csv_header, csv_rows, json_lines, text_encoding
from tests.gold.writing import csv_text

HEAD = "claim,context,label\n"


@pytest.fixture
def table(tmp_path):
    """Writes a file from text or bytes."""

    def write(content: str | bytes, name: str = "rows.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def rows(path: Path, encoding: str = "utf-8") -> tuple[list[dict], list[int | None], list[Problem]]:
    faults: list[Problem] = []
    found = list(csv_rows(path, faults, encoding))
    return [row.fields for row in found], [row.line for row in found], faults


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_b85_separator_line_ends_and_mark_of_a_spreadsheet(table, separator, end):
    lines = [["claim", "context"], ["Tea; hot, sweet.", 'Say "tea".'], ["茶|水", "第一行\n第二行"]]
    path = table(codecs.BOM_UTF8 + csv_text(lines, separator, end).encode())
    found, numbers, faults = rows(path)
    assert found == [
        {"claim": "Tea; hot, sweet.", "context": 'Say "tea".'},
        {"claim": "茶|水", "context": "第一行\n第二行"},
    ]
    assert (numbers, faults) == ([2, 3], [])


def test_lines_are_counted_through_line_breaks_in_cells(table):
    path = table(HEAD + '"one\ntwo\nthree",x,yes\nfour,y,no\n')
    assert rows(path)[1] == [2, 5]


def test_titles_blank_lines_and_a_told_separator_above_the_header_are_passed_over(table):
    found, numbers, _ = rows(table("Sheet 1;;\n;;\nclaim;context;label\nTea.;Hot.;yes\n"))
    assert (found[0]["claim"], numbers) == ("Tea.", [4])
    path = table("sep=;\nclaim;context\n1,5 l, hot;2,5 l, cold\n")
    assert rows(path)[0] == [{"claim": "1,5 l, hot", "context": "2,5 l, cold"}]
    assert csv_header(path).line == 2


def test_commas_in_texts_do_not_hide_a_semicolon(table):
    path = table("claim;context;label\n" + "One, two, three;Four, five;yes\n" * 30)
    assert csv_header(path).separator == ";"


def test_short_blank_and_too_wide_rows(table):
    found, numbers, faults = rows(table(HEAD + "a,b\n,,\n \n\na,b,yes,,\na,b,c, d\na,b,c\n"))
    assert numbers == [2, 6, 8]
    assert found[0] == {"claim": "a", "context": "b", "label": None}
    assert [(fault.line, fault.got) for fault in faults] == [(7, "' d'")]
    assert "in quotes" in faults[0].mend


def test_headings_are_unique_and_named(table):
    path = table(" claim ,note,,note,\n1,2,3,4,\n")
    assert csv_header(path).names == ("claim", "note", "column C", "note (2)")


def test_an_open_quote_is_a_fault_with_its_line(table):
    _, numbers, faults = rows(table(HEAD + 'a,b,yes\n"open,b,no\nc,d,yes\n'))
    assert numbers == [2]
    assert "cannot be read from here" in faults[0].law
    assert faults[0].line == 3


def test_guarded_cells_come_back(table):
    found, _, _ = rows(table("claim,note,formula_guard\n'-1 is less.,'tis,claim\n'tis,,\n"))
    assert found == [{"claim": "-1 is less.", "note": "'tis"}, {"claim": "'tis", "note": None}]


def test_chinese_spreadsheets_in_gb18030(table):
    path = table("陈述,原文\n茶是热的。,茶很热。\n".encode("gb18030"))
    with pytest.raises(GoldError) as caught:
        rows(path)
    assert "--encoding gb18030" in str(caught.value)
    assert caught.value.problems[0].line == 1
    assert rows(path, text_encoding("GB18030"))[0] == [{"陈述": "茶是热的。", "原文": "茶很热。"}]


def test_other_encodings_are_named_too(table):
    path = table("claim,context\ncafé,thé à la menthe\n".encode("cp1252"))
    with pytest.raises(GoldError, match="--encoding") as caught:
        rows(path)
    assert "gb18030" not in str(caught.value)
    assert rows(path, "cp1252")[0] == [{"claim": "café", "context": "thé à la menthe"}]
    wide = table("claim\tcontext\nTea\tHot\n".encode("utf-16"))
    with pytest.raises(GoldError, match="--encoding utf-16"):
        rows(wide)
    assert rows(wide, "utf-16")[0] == [{"claim": "Tea", "context": "Hot"}]
    with pytest.raises(GoldError, match="the text is not gb18030"):
        rows(table(b"claim,context\n\xff\xff,x\n"), "gb18030")


@pytest.mark.parametrize("name", ["no such", "base64", "rot13"])
def test_an_encoding_that_is_none(name):
    with pytest.raises(GoldError, match="there is no such encoding"):
        text_encoding(name)


@pytest.mark.parametrize("name", ["gold.xlsx", "gold.XLS", "gold.ods"])
def test_a_workbook_is_to_be_saved_as_csv(table, name):
    with pytest.raises(GoldError, match="Save the sheet as CSV"):
        list(csv_rows(table(b"PK\x03\x04", name), []))


def test_a_file_without_columns(table):
    for content in ("", "\n\n", "one\ntwo\n"):
        with pytest.raises(GoldError, match="no line names two columns"):
            csv_header(table(content))


def test_places_that_cannot_be_read(tmp_path):
    with pytest.raises(GoldError, match="no such file"):
        list(json_lines(tmp_path / "none.jsonl", []))
    with pytest.raises(GoldError, match="this is a folder"):
        list(csv_rows(tmp_path, []))


def test_json_lines_are_read_as_they_are(table):
    faults: list[Problem] = []
    text = '\ufeff{"a": "x\u2028y", "n": NaN}\r\n\n[1]\n{"a": 1, "a": 2}\n{"a": \n{"b": 2}\n{"to'
    found = list(json_lines(table(text, "rows.jsonl"), faults))
    assert [(row.line, row.fields) for row in found] == [
        (1, {"a": "x\u2028y", "n": None}),
        (6, {"b": 2}),
    ]
    assert [fault.line for fault in faults] == [3, 4, 5, 7]
    assert faults[1].field == "a"
    assert "the file ends inside it" in faults[3].law


CELL = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\x00\ufeff"), max_size=12
) | st.sampled_from(["a,b", 'say "x"', "l1\nl2", "\r\n", ";", "\t", "=1+1", "'", "|"])


@given(st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=5), st.sampled_from(",;\t|"))
@settings(max_examples=150, deadline=None)
def test_b88_whatever_stands_in_cells_comes_back(tmp_path_factory, cells, separator):
    path = tmp_path_factory.mktemp("cells") / "rows.csv"
    lines = [["claim", "context", "label"], *map(list, cells)]
    path.write_bytes(csv_text(lines, separator, "\r\n").encode())
    faults: list[Problem] = []
    found = [tuple(row.fields.values()) for row in csv_rows(path, faults)]
    blank = [row for row in cells if not any(cell.strip() for cell in row)]
    assert faults == []
    assert found == [tuple(cell or None for cell in row) for row in cells if row not in blank]
