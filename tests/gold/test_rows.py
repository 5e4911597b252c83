import json
from collections.abc import Callable
from pathlib import Path

import pytest

from metajudge.gold.rows import read_json, read_jsonl

Table = Callable[..., Path]


def told(path: Path) -> list[str]:
    return [str(problem).replace(str(path), "F") for problem in read_jsonl(path).problems]


def test_only_a_line_feed_ends_a_line(table: Table) -> None:
    text = "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg"
    rows = "".join(
        json.dumps({"claim": f"{text}{n}"}, ensure_ascii=False) + "\r\n" for n in range(2)
    )
    read = read_jsonl(table(rows))
    assert [row.fields["claim"] for row in read.rows] == [f"{text}0", f"{text}1"]
    assert [row.line for row in read.rows] == [1, 2]


def test_byte_order_mark_blank_lines_and_no_last_line_feed(table: Table) -> None:
    read = read_jsonl(table(b'\xef\xbb\xbf{"a": 1}\r\n\r\n   \n{"a": 2}'))
    assert [(row.line, row.fields) for row in read.rows] == [(1, {"a": 1}), (4, {"a": 2})]
    assert read.problems == ()


def test_every_bad_line_is_named_and_the_good_ones_are_read(table: Table) -> None:
    content = (
        b'{"a": 1}\n{"a": \xff}\n{"a": 1, "b": 2, "a": 3}\n{"a": NaN}\n[1]\n{"a": 1}}\n'
        b'{"a": 2}\n{"a": "to'
    )
    path = table(content)
    assert [row.line for row in read_jsonl(path).rows] == [1, 7]
    found = told(path)
    assert found[0].startswith("F:2: the text is not UTF-8 (got b'\\xff")
    assert found[1] == "F:3: a: a field stands twice in the row. Remove one of the two."
    assert found[2].startswith("F:4: a missing value must be null or left out (got NaN)")
    assert found[3].startswith("F:5: a row must be one JSON object (got [1])")
    assert found[4].startswith("F:6: this is not JSON at character 9")
    assert found[5].startswith("F:8: the last line is torn: it ends before the row does")
    assert len(found) == 6


def test_a_torn_character_at_the_end(table: Table) -> None:
    assert told(table('{"a": "茶'.encode()[:-1]))[0].startswith("F:1: the text is not UTF-8")


@pytest.mark.parametrize(
    ("content", "law"),
    [
        ('{"a": 1}'.encode("utf-16"), "the file is UTF-16"),
        ("[" * 100_000, "the row cannot be read: RecursionError"),
        ('{"a": ' + "9" * 5000 + "}", "the row cannot be read: ValueError"),
        ('{"a": -Infinity}', "a missing value must be null"),
    ],
)
def test_hostile_files(table: Table, content: bytes | str, law: str) -> None:
    assert law in told(table(content))[0]


def test_missing_file_and_folder(tmp_path: Path) -> None:
    assert "no such file" in told(tmp_path / "no.jsonl")[0]
    assert "this is a folder" in told(tmp_path)[0]
    assert "no such file" in str(read_json(tmp_path / "no.json").problems[0])


def test_broken_json_list_names_its_line(table: Table) -> None:
    fault = read_json(table('[{"a": 1},\n{"a": }]', "rows.json")).problems[0]
    assert fault.line == 2 and "not JSON" in fault.law
