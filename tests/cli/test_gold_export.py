from __future__ import annotations

import json
from pathlib import Path

import pytest

from metajudge.gold import load_goldset


@pytest.mark.parametrize(
    ("name", "form"),
    [("a.jsonl", "jsonl"), ("a.csv", "csv"), ("a.parquet", "parquet"), ("a.json", "label-studio")],
)
def test_the_ending_tells_the_form(run_json, starter, name, form):
    found = run_json("gold", "export", "gold", "--to", name)
    assert found["form"] == form and found["files"][0] == name
    assert (found["claims"], found["pending"], found["contexts"]) == (12, 0, 6)
    assert found["sha256"] == load_goldset("gold").sha256
    assert all(Path(file).is_file() for file in found["files"])


def test_a_table_is_read_by_every_verb(run, run_json, starter):
    assert run("gold", "export", "--to", "out/a.csv").exit_code == 0
    assert run_json("gold", "stats", "out/a.csv")["claims"] == 12
    before = {claim.claim_id: claim for claim in load_goldset("gold").claims}
    assert {claim.claim_id: claim for claim in load_goldset("out/a.csv").claims} == before


def test_a_folder_is_a_whole_gold_set(run, starter):
    ended = run("gold", "export", "gold", "--to", "copy", "--as", "folder")
    assert ended.stdout.startswith("written: copy\n")
    assert load_goldset("copy") == load_goldset("gold")


def test_what_is_written_and_what_is_lost_is_told(run, starter):
    rows = Path("gold/claims.jsonl").read_text(encoding="utf-8").splitlines()
    waits = json.loads(rows[0]) | {"claim_id": "waits"}
    del waits["label"]
    with Path("gold/claims.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(waits) + "\n")
    ended = run("gold", "export", "--to", "tasks.json", "--lang", "zh")
    told = " ".join(ended.stdout.split())
    assert "written: tasks.json written: tasks.xml" in told
    assert "as Label Studio: 12 claims, 1 more that wait for a label" in told
    assert "! gold labels without annotations are ground truths of nobody" in told
    assert "材料" in Path("tasks.xml").read_text(encoding="utf-8")


def test_faults_end_with_2_and_leave_nothing(run, starter):
    before = sorted(path.name for path in Path().iterdir())
    unknown = run("gold", "export", "--to", "a.xlsx")
    assert unknown.exit_code == 2
    assert "Say it: --as jsonl|csv|parquet" in " ".join(unknown.stderr.split())
    own = run("gold", "export", "gold", "--to", "gold/claims.csv")
    assert own.exit_code == 2 and "the set that it is made of" in " ".join(own.stderr.split())
    assert run("gold", "export", "gold").exit_code == 2
    assert sorted(path.name for path in Path().iterdir()) == before


def test_the_byte_order_mark_can_be_left_out(run, starter):
    run("gold", "export", "--to", "a.csv")
    run("gold", "export", "--to", "b.csv", "--no-bom")
    assert Path("a.csv").read_bytes() == b"\xef\xbb\xbf" + Path("b.csv").read_bytes()
