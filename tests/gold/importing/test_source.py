import hashlib
import json
from pathlib import Path

import pytest

from metajudge.errors import GoldError
from metajudge.gold.importing.source import Source


@pytest.fixture
def files(tmp_path):
    (tmp_path / "b.jsonl").write_text('{"n": 2}\n', encoding="utf-8")
    (tmp_path / "a.jsonl").write_text('{"n": 1}\n{"n": \n', encoding="utf-8")
    (tmp_path / "a.csv").write_text("n,m\n1,\n", encoding="utf-8")
    (tmp_path / "lines.json").write_text('\ufeff{"n": 1}\n{"n": 2}\n', encoding="utf-8")
    (tmp_path / "list.json").write_text('[\n{"n": 1}, {"n": 2}]\n', encoding="utf-8")
    (tmp_path / "one.json").write_text('{"n": 1}', encoding="utf-8")
    return tmp_path


def values(source: Source, path: Path) -> list[object]:
    return [row.fields["n"] for row in source.rows(path)]


def test_files_of_a_folder_by_name(files):
    source = Source(files)
    assert [path.name for path in source.find("*.jsonl", "a.*")] == ["a.csv", "a.jsonl", "b.jsonl"]
    assert Source(files / "a.csv").find("*.jsonl") == (files / "a.csv",)
    assert source.beside(files / "a.csv", "b.*") == files / "b.jsonl"
    assert source.beside(files / "a.csv", "c.*") is None
    with pytest.raises(GoldError, match=r"holds no \*\.tsv"):
        source.find("*.tsv")
    with pytest.raises(GoldError, match="no such file or folder"):
        Source(files / "none").find("*")


def test_rows_of_every_form(files):
    source = Source(files)
    assert values(source, files / "a.jsonl") == [1]
    assert values(source, files / "a.csv") == ["1"]
    assert values(source, files / "lines.json") == [1, 2]
    assert values(source, files / "list.json") == [1, 2]
    assert values(source, files / "one.json") == [1]
    assert [fault.line for fault in source.problems] == [2]


def test_rows_come_one_at_a_time(files):
    """A fault further down is met only when it is reached."""
    rows = Source(files).rows(files / "a.jsonl")
    assert next(rows).line == 1


def test_hashes_name_what_was_read(files):
    source = Source(files)
    list(source.rows(files / "b.jsonl"))
    source.document(files / "one.json")
    expected = {
        name: hashlib.sha256((files / name).read_bytes()).hexdigest()
        for name in ("b.jsonl", "one.json")
    }
    assert source.hashes() == expected
    assert source.again().hashes() == {}
    alone = Source(files / "b.jsonl")
    list(alone.rows())
    assert alone.hashes() == {"b.jsonl": expected["b.jsonl"]}


def test_a_saved_set_is_hashed_by_its_rows(tmp_path):
    from metajudge.gold.tabular import write_with_datasets

    write_with_datasets([{"n": 1}, {"n": 2}], tmp_path / "saved")
    first, second = Source(tmp_path / "saved"), Source(tmp_path / "saved")
    assert [row.fields["n"] for row in first.rows()] == [1, 2]
    assert first.is_dataset
    list(second.rows())
    assert first.hashes() == second.hashes()
    assert list(first.hashes()) == ["saved"]


def test_documents_and_texts(files):
    assert Source(files).text(files / "lines.json").startswith("{")
    with pytest.raises(GoldError, match="this is not JSON") as caught:
        Source(files).document(files / "a.jsonl")
    assert caught.value.problems[0].line == 2
    (files / "gb.json").write_bytes(json.dumps({"a": "茶"}, ensure_ascii=False).encode("gb18030"))
    with pytest.raises(GoldError, match="--encoding gb18030"):
        Source(files).text(files / "gb.json")
    assert Source(files, encoding="gb18030").document(files / "gb.json") == {"a": "茶"}


def test_faults_are_noted_shortened():
    source = Source("x")
    source.fault("x", "it is wrong", "Mend it.", line=3, got="a" * 200)
    assert source.problems[0].line == 3
    assert len(source.problems[0].got or "") == 80


def test_the_same_place_again_with_other_maps():
    source = Source("x.csv", {"claim": "a"}, {"w": "yes"}, "gb18030")
    same = source.again()
    assert (same.columns, same.labels, same.encoding) == ({"claim": "a"}, {"w": "yes"}, "gb18030")
    assert source.again(columns={}, labels={}).labels == {}
