from __future__ import annotations

import json
from pathlib import Path


def break_label():
    text = Path("gold/claims.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    rows[1]["label"] = "yes"
    Path("gold/claims.jsonl").write_text(
        "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8"
    )


def test_check_passes_with_notes_and_fails_with_errors(run, run_json, starter):
    assert run("gold", "check").exit_code == 0
    break_label()
    ended = run("gold", "check", "gold")
    assert ended.exit_code == 2
    assert "error label-breaks-policy [library-2]" in " ".join(ended.stdout.split())
    assert all(len(line) <= 80 for line in ended.stdout.splitlines())
    found = run_json("gold", "check")
    assert (found["passed"], found["errors"]) == (False, 1)
    assert found["findings"][0]["code"] == "label-breaks-policy"


def test_stats_count_by_language(run, run_json, starter):
    found = run_json("gold", "stats")
    assert (found["claims"], found["answers"], found["contexts"]) == (12, 6, 6)
    assert sum(cell["claims"] for cell in found["cells"]) == 12
    shown = run("gold", "stats").stdout
    assert "summary" in shown
    assert "12 judged" in shown


def test_split_is_shown_and_written_only_when_told(run, run_json, starter):
    manifest = Path("gold/goldset.yaml")
    before = manifest.read_bytes()
    shown = run_json("gold", "split", "--dev-share", 0.5)
    assert manifest.read_bytes() == before
    assert shown["frozen_before"] is False
    assert shown["dev"] + shown["test"] == 12
    assert "nothing is written yet" in run("gold", "split").stdout
    written = run_json("gold", "split", "--dev-share", 0.5, "--write", "--yes")
    assert written["written"] == [str(Path("gold") / "goldset.yaml")]
    assert written["rule"] == shown["rule"]
    assert "split: dev" not in run("gold", "split").stdout
    assert manifest.read_bytes().startswith(before)
    again = run("gold", "split", "--write", "--dev-share", 0.9)
    assert "frozen already" in again.stdout
    assert "  gold: {path: gold, split: dev}" in again.stdout.splitlines()
    assert "judges the test claims too" in " ".join(again.stdout.split())
    assert run_json("gold", "split")["rule"] == shown["rule"]


def test_an_uneven_split_is_written_only_when_told_twice(run, run_json, starter):
    manifest = Path("gold/goldset.yaml")
    before = manifest.read_bytes()
    shown = run("gold", "split")
    assert shown.exit_code == 0
    told = " ".join(shown.stdout.split())
    assert "! test has no claim labelled 'no', which the set has" in told
    assert "give each context its `group` by hand" in told
    refused = run("gold", "split", "--write")
    assert refused.exit_code == 2 and manifest.read_bytes() == before
    assert "freeze the split as it is with --write --yes" in " ".join(refused.stderr.split())
    as_json = json.loads(run("gold", "split", "--write", "--json").stdout)
    assert as_json["written"] == []
    assert as_json["doubts"] == ["test has no claim labelled 'no', which the set has"]
    assert run("gold", "split", "--write", "--yes").exit_code == 0
    assert manifest.read_bytes() != before
    assert run("gold", "split", "--write").exit_code == 0


def test_near_contexts_that_are_dealt_as_one_are_named(run, run_json, starter):
    lines = Path("gold/contexts.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    for row in rows[1:4]:
        row["passages"] = rows[0]["passages"]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    Path("gold/contexts.jsonl").write_text(text, encoding="utf-8")
    found = run_json("gold", "split")["context_groups"]
    assert found["formed"] == 1 and found["contexts"] >= 4 and found["claims"] >= 8
    told = " ".join(run("gold", "split").stdout.split())
    share = f"{found['claims']} claims ({found['share']:.0%} of all)"
    assert f"the largest is {found['largest']!r}: {found['contexts']} contexts, {share}" in told


def test_a_split_needs_a_folder_to_be_written_to(run, starter):
    rows = Path("gold/claims.jsonl").read_text(encoding="utf-8").splitlines()
    row = json.loads(rows[0]) | {"passages": ["The town library lends books for 28 days."]}
    row.pop("context_id")
    Path("table.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    ended = run("gold", "split", "table.jsonl", "--write")
    assert ended.exit_code == 2
    assert "Give the folder of a gold set" in " ".join(ended.stderr.split())


def test_the_shipped_set_is_the_default(run_json):
    assert run_json("gold", "stats")["name"] == "faithfulness"


def test_a_faulty_set_names_its_faults(run, starter):
    with Path("gold/claims.jsonl").open("a", encoding="utf-8") as claims:
        claims.write('{"claim_id": "x", "label": "ja"}\n')
    ended = run("gold", "check")
    assert ended.exit_code == 2
    assert "gold/claims.jsonl:13" in ended.stderr


def test_what_waits_and_what_was_corrected_is_told(run, run_json, starter):
    row = {"claim_id": "w1", "answer_id": "library", "context_id": "library", "claim": "It waits."}
    with Path("gold/claims.jsonl").open("a", encoding="utf-8") as claims:
        claims.write(json.dumps(row | {"lang": "en"}) + "\n")
    folder = Path("gold/annotations")
    folder.mkdir()
    settled = {"event": "settle", "claim_id": "library-2", "annotator": "ada", "label": "idk"}
    settled |= {"time": "2025-03-01T09:30:00Z", "save_id": "save-0001", "why": "read again"}
    (folder / "ada.jsonl").write_text(json.dumps(settled) + "\n", encoding="utf-8")
    found = run_json("gold", "stats")
    assert (found["claims"], found["pending"], found["corrected"], found["stale"]) == (12, 1, 1, 0)
    assert found["version"].endswith("+c1")
    told = " ".join(run("gold", "stats").stdout.split())
    assert "1 more claim waits for a label, 0 for relabelling; 1 label was corrected" in told
    codes = {finding["code"]: finding for finding in run_json("gold", "check")["findings"]}
    assert codes["pending"]["severity"] == "warning"
    assert codes["corrections"]["where"] == "library-2"
