from __future__ import annotations

import json
from pathlib import Path

import pytest


def test_two_trials_of_a_run(run, run_folder):
    ended = run("compare", "literal", "mine", "--in", run_folder)
    assert ended.exit_code == 0
    text = " ".join(ended.stdout.split())
    assert "B is better on summary-as-idk -1.00" in text
    assert "Change table" in text
    assert "yes · idk" in text
    assert all(len(line) <= 80 for line in ended.stdout.splitlines())


def test_without_in_the_experiment_of_this_folder_is_meant(run, run_folder):
    ended = run("compare", "literal", "mine (top)", "--quiet")
    assert ended.exit_code == 0
    assert ended.stderr == ""


def test_json_is_pure(run_json, run_folder):
    found = run_json("compare", "literal", "mine", "--in", f"{run_folder}/results.json")
    assert (found["a"]["trial"], found["b"]["trial"]) == ("literal", "mine")
    assert found["differences"]["summary_as_idk"]["value"] == -1.0
    assert found["better"] == len(found["changed"])
    cells = [cell for cell in found["changes"] if cell["slice"] is None]
    assert sum(cell["claims"] for cell in cells) == found["claims"]


def test_two_runs_are_compared_by_trial(run, run_folder):
    assert run("sweep", "--quiet", "--out", "other").exit_code == 0
    ended = run("compare", run_folder, "other/results.json", "--trial", "literal", "--lang", "zh")
    assert ended.exit_code == 0
    assert "B 与 A 无法区分" in ended.stdout.replace("\n", "")
    ended = run("compare", run_folder, "other", "--trial", "literal", "--trial-b", "mine")
    assert "B is better on summary-as-idk" in " ".join(ended.stdout.split())


def test_other_gold_labels_are_refused_with_both_named(run, run_folder):
    path = Path("gold/claims.jsonl")
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for row in rows:
        row["label"] = "idk" if row["slice"] == "literal" else row["label"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert run("sweep", "--quiet", "--out", "other").exit_code == 0
    ended = run("compare", run_folder, "other")
    assert ended.exit_code == 2
    assert "both must be measured on one gold set" in " ".join(ended.stderr.split())
    assert ended.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("literal", "mein", "--in", "runs/test"), "Did you mean 'mine'"),
        (("literal", "literal", "--in", "runs/test"), "two candidates"),
        (("literal", "runs/test"), "two runs, or two trials of one run"),
        (("literal", "mine", "--in", "runs/test", "--reading", "tops"), "a reading is one of top"),
        (("literal", "mine", "--in", "runs/test", "--reading", "prior_corrected"), "a candidate"),
        (("literal", "mine", "--in", "runs/test", "--reading", "top@7"), "at most 1, with up to"),
        (("literal (top@0.60)", "mine", "--in", "runs/test"), "a candidate"),
        (("runs/test", "runs"), "the file must be readable"),
    ],
)
def test_b123_what_cannot_be_compared_ends_with_2(run, run_folder, arguments, told):
    ended = run("compare", *arguments)
    assert ended.exit_code == 2
    assert told in " ".join(ended.stderr.split())


def test_a_reading_may_be_named_apart_or_in_the_trial(run_json, run_folder):
    for names in (("literal", "mine", "--reading", "top"), ("literal (top)", "mine (top)")):
        found = run_json("compare", *names, "--in", run_folder)
        assert found["b"]["reading"] == "top"
