from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.cells import cell_len


@pytest.fixture
def tea() -> Path:
    folder = Path("gold")
    folder.mkdir()
    (folder / "goldset.yaml").write_text(
        "# by hand\nname: tea\nversion: '1'\nlanguages: [en]\nlabelling_policy:\n"
        "  version: 1.0.0  # first\n  rules: [Only the context counts.]\nlicence: x\n"
        "provenance: y\nlabel_source: human\n",
        encoding="utf-8",
    )
    (folder / "contexts.jsonl").write_text('{"context_id": "x", "passages": ["Tea."]}\n')
    rows = [
        {"claim_id": f"c{n}", "answer_id": "a", "context_id": "x", "claim": f"Tea {n}."}
        | {"label": "yes"}
        | ({"slice": kind} if kind else {})
        for n, kind in enumerate(["inference", "literal", "inference", None])
    ]
    (folder / "claims.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def test_the_guideline_is_printed_in_80_columns(run, tea):
    shown = run("gold", "policy", "gold").stdout
    assert shown.startswith("Labelling guideline: policy 1.0.0\n=====")
    assert "1. Only the context counts." in shown
    assert run("gold", "policy").stdout == shown
    chinese = run("gold", "policy", "gold", "--lang", "zh").stdout
    assert "什么算作支持" in chinese
    for text in (shown, chinese):
        assert max(map(cell_len, text.splitlines())) <= 80


def test_the_shipped_set_has_a_guideline(run, run_json):
    assert "Paraphrase: yes, when the meaning is kept." in run("gold", "policy").stdout
    assert run_json("gold", "policy")["support"]["summary"] == "left_to_rules"


def test_it_is_written_as_page_and_as_markdown(run, run_json, tea):
    ended = run("gold", "policy", "--html", "out/p.html", "--markdown", "p.md", "--lang", "zh")
    assert ended.stdout.splitlines() == ["written: out/p.html", "written: p.md"]
    assert "<h1>标注指南</h1>" in Path("out/p.html").read_text(encoding="utf-8")
    assert Path("p.md").read_text(encoding="utf-8").startswith("# 标注指南")
    found = run_json("gold", "policy", "--html", "p.html")
    assert (found["written"], found["version"]) == (["p.html"], "1.0.0")


def test_a_change_says_what_waits_and_is_written(run, run_json, tea):
    change = ("gold", "policy", "gold", "--set", "inference=no", "--why", "two readings")
    before = (tea / "goldset.yaml").read_bytes()
    dry = run(*change, "--dry-run")
    told = " ".join(dry.stdout.split())
    assert "labelling policy 1.0.0 -> 2.0.0: inference does not count" in told
    assert "2 claims depend on the change, waiting for relabelling" in told
    assert "1 more may depend on it: they have no slice" in told
    assert "nothing is written: --dry-run" in told
    assert (tea / "goldset.yaml").read_bytes() == before
    found = run_json(*change)
    assert found["waiting"] == {"inference": 2} and found["may_wait_without_slice"] == 1
    assert (found["before"], found["version"], found["changed"]) == (
        "1.0.0",
        "2.0.0",
        {"inference": False},
    )
    text = (tea / "goldset.yaml").read_text(encoding="utf-8")
    assert text.startswith("# by hand\n") and "version: 2.0.0  # first" in text
    assert "why: two readings" in text
    assert "does not count as support" in run("gold", "policy").stdout
    third = run("gold", "policy", "--set", "inference=yes", "--why", "back", "--version", "4.0.0")
    assert "2.0.0 -> 4.0.0" in third.stdout and "3 of them waited before" in third.stdout


def test_faults_are_named_with_the_mend(run, tea):
    ended = run("gold", "policy", "--set", "infrence=no", "--set", "summary=perhaps")
    assert ended.exit_code == 2
    assert "Did you mean 'inference'?" in " ".join(ended.stderr.split())
    assert "Write summary=yes or summary=no." in " ".join(ended.stderr.split())
    twice = run("gold", "policy", "--set", "summary=yes", "--set", "summary=no")
    assert "set twice" in twice.stderr
    assert "a change needs a reason" in run("gold", "policy", "--set", "summary=no").stderr
    assert "Say what changes" in " ".join(run("gold", "policy", "--dry-run").stderr.split())


def test_the_shipped_set_is_not_changed_by_default(run):
    ended = run("gold", "policy", "--set", "inference=no", "--why", "x")
    assert ended.exit_code == 2
    assert "Name the folder of a gold set" in " ".join(ended.stderr.split())


def test_a_metric_that_is_not_about_claims_has_no_kinds_of_support(run, tea):
    place = tea / "goldset.yaml"
    place.write_text(place.read_text("utf-8") + "metric: answer_relevance\n", encoding="utf-8")
    shown = run("gold", "policy", "gold").stdout
    assert "Does the answer cover what is asked for here?" in shown
    assert "1. Only the context counts." in shown and "What counts as support" not in shown
    refused = run("gold", "policy", "gold", "--set", "inference=no")
    assert refused.exit_code == 2
    assert "the set is gold for answer_relevance" in " ".join(refused.stderr.split())
