"""Judged answers as tables and in every form of file."""

from __future__ import annotations

import csv
import io
import json

import pytest

from metajudge.errors import InputError
from tests.release.applied import NICE, OPENS, answer, write_rows


def test_as_tables(release, store):
    rows = [answer("a", OPENS, tags=["x", 1], n=1), answer("b", n="two")]
    judged = release.judge(rows, store=store)
    frame = judged.to_pandas()
    assert list(frame["answer_id"]) == ["a", "b"]
    table = judged.to_dataset()
    assert table["n"][:] == ["1", '"two"'], "a field of mixed types is JSON"
    assert table[0]["verdicts"][0]["verdict"] == "yes"
    assert table[0]["tags"] == '["x", 1]'


def test_every_form_of_file_holds_every_answer(release, store, tmp_path):
    from datasets import Dataset, load_from_disk

    rows = [answer("=a", OPENS, NICE, note="+1"), answer("b"), answer("c", "Hall A mumbles.")]
    judged = release.judge(rows, store=store)
    for name in ("o.jsonl", "o.json", "o.csv", "o.parquet", "o"):
        judged.save(tmp_path / name)
        judged.save(tmp_path / name)
    lines = (tmp_path / "o.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == list(judged.rows)
    assert json.loads((tmp_path / "o.json").read_text(encoding="utf-8")) == list(judged.rows)
    sheet = (tmp_path / "o.csv").read_bytes().decode("utf-8-sig")
    cells = list(csv.DictReader(io.StringIO(sheet)))
    assert [row["answer_id"] for row in cells] == ["'=a", "b", "c"]
    assert cells[0]["note"] == "'+1"
    assert [row["score"] for row in cells] == ["0.5", "", ""]
    assert [c["verdict"] for c in json.loads(cells[0]["verdicts"])] == ["yes", "idk"]
    parquet = Dataset.from_parquet(str(tmp_path / "o.parquet"), cache_dir=str(tmp_path / "cache"))
    for table in (parquet, load_from_disk(str(tmp_path / "o"))):
        assert table["score"][:] == [0.5, None, None]
        assert table[2]["verdicts"][0]["failure"] == "unparsable"


def test_a_place_that_cannot_be_written_is_named(release, store, tmp_path):
    judged = release.judge([answer("a", OPENS)], store=store)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine", encoding="utf-8")
    for name, law in (("o.xlsx", "are written as"), ("full", "new, empty, or")):
        with pytest.raises(InputError, match=law):
            judged.save(tmp_path / name)
    assert (tmp_path / "full" / "mine.txt").read_text(encoding="utf-8") == "mine"


def test_b117_b118_chinese_stays_chinese_in_every_text_file(release, store, tmp_path):
    judged = release.judge([answer("甲", "甲馆九点开放。")], store=store)
    for name in ("o.jsonl", "o.csv"):
        judged.save(tmp_path / name)
        assert "甲馆九点开放。" in (tmp_path / name).read_text(encoding="utf-8-sig")


def test_paths_are_taken_as_files_are(release, store, tmp_path):
    path = write_rows(tmp_path / "answers.jsonl", [answer("a", OPENS)])
    assert release.judge(path, store=store).scores == {"a": 1.0}
    assert release.judge(str(path), store=store).scores == {"a": 1.0}
