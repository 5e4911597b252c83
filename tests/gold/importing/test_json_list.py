import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metajudge.errors import Problem
from metajudge.gold.importing import json_list
from metajudge.gold.importing.json_list import json_records
from metajudge.gold.importing.source import Source


@pytest.fixture(params=[1, 7, 2**18], ids="window of {}".format)
def window(request, monkeypatch):
    monkeypatch.setattr(json_list, "_PIECE", request.param)


def read(path: Path, content: str | bytes, encoding: str = "utf-8") -> tuple[list, list[Problem]]:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    faults: list[Problem] = []
    return [(row.where, row.fields) for row in json_records(path, faults, encoding)], faults


@pytest.mark.usefixtures("window")
def test_records_of_a_list_however_it_is_laid_out(tmp_path):
    held: list[Any] = [{"a": "茶 ]}", "b": [1, {"c": "\n"}]}, {}, {"a": -1.5e3}]
    path = tmp_path / "rows.json"
    for indent in (None, 1):
        found, faults = read(path, "\ufeff \r\n" + json.dumps(held, indent=indent) + "\n")
        assert found == [(f"{path} row {n}", row) for n, row in enumerate(held, 1)]
        assert faults == []
    assert read(path, " [ ] ") == ([], [])


@pytest.mark.usefixtures("window")
def test_values_that_are_no_records_are_faults_and_the_others_come(tmp_path):
    found, faults = read(
        tmp_path / "a.json", '[12, "x]", null, {"a": 1}, {"b": {"a": 1, "a": 2}}, 3.5]'
    )
    assert [fields for _, fields in found] == [{"a": 1}]
    assert [fault.where.rpartition("row ")[2] for fault in faults] == ["1", "2", "3", "5", "6"]
    assert (faults[3].law, faults[3].field) == ("a field stands twice in the record", "a")
    assert faults[-1].got == "3.5"


@pytest.mark.usefixtures("window")
def test_a_missing_number_is_a_missing_value(tmp_path):
    """Python's own `json.dump` writes NaN."""
    found, faults = read(tmp_path / "a.json", json.dumps([{"a": float("nan")}, {"a": 1}]))
    assert ([fields for _, fields in found], faults) == ([{"a": None}, {"a": 1}], [])


@pytest.mark.usefixtures("window")
@pytest.mark.parametrize(
    ("text", "place", "come"),
    [
        ('[{"a": 1},\n {"a": x}]', (2, 8), 1),
        ('[{"a": 1},\n {"a": "to', (2, 8), 1),
        ('[{"a": 1}', (1, 10), 1),
        ('[{"a": 1},', (1, 11), 1),
        ('[\n{"a": 1}\n{"a": 2}]', (3, 1), 1),
        ('[{"a": 1}]\n[', (2, 1), 1),
        ("x", (1, 1), 0),
        ("[", (1, 2), 0),
        ("\0", (1, 1), 0),
    ],
)
def test_where_it_is_not_json(tmp_path, text, place, come):
    found, (fault,) = read(tmp_path / "a.json", text)
    assert len(found) == come
    assert (fault.line, fault.law) == (place[0], f"this is not JSON at character {place[1]}")


def test_too_deep_a_nest_is_a_fault(tmp_path):
    _, (fault,) = read(tmp_path / "a.json", "[" * 200_000)
    assert "this is not JSON" in fault.law


@pytest.mark.parametrize("text", ["null", "3", '{"a": \n[]}'])
def test_what_is_no_list(tmp_path, text):
    found, (fault,) = read(tmp_path / "a.json", text)
    assert (found, fault.law) == ([], "a .json file must hold one list of rows")


def test_an_empty_file(tmp_path):
    assert [fault.law for fault in read(tmp_path / "a.json", " \n")[1]] == ["the file is empty"]


@pytest.mark.parametrize("encoding", ["gb18030", "utf-16", "big5"])
def test_other_encodings(tmp_path, encoding):
    held = [{"claim": "茶是熱的。"}] * 3
    path = tmp_path / "a.json"
    path.write_bytes(json.dumps(held, ensure_ascii=False).encode(encoding))
    assert [row.fields for row in Source(path, encoding=encoding).rows()] == held
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in held)
    path.write_bytes(lines.encode(encoding))
    assert [row.fields for row in Source(path, encoding=encoding).rows()] == held


VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=3), inside),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(st.text(max_size=4), VALUE, max_size=3), max_size=5), st.booleans())
@settings(max_examples=100, deadline=None)
def test_b88_whatever_stands_in_records_comes_back(tmp_path_factory, held, is_ascii):
    path = tmp_path_factory.mktemp("list") / "a.json"
    text = json.dumps(held, ensure_ascii=is_ascii).encode("utf-8", "surrogatepass")
    try:
        text.decode()
    except UnicodeDecodeError:
        text = json.dumps(held).encode()
    found, faults = read(path, text)
    assert ([fields for _, fields in found], faults) == (held, [])
