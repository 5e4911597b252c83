from __future__ import annotations

import pytest

from tests.cli.folders import two_wordings

BESIDE = {
    "perturbations": [{"axis": "repeats", "draws": 2}, "passage_order", "paraphrase"],
    "stability": {"claims": 16, "trials": ["literal", "mine"]},
    "controls": {"per_kind": 3},
    "factors": {
        "trials": ["literal", "mine"],
        "context_forms": ["raw", "chunks(any)"],
        "claims_per_call": [1],
    },
}


@pytest.fixture
def beside():
    """An experiment with perturbations, controls and factors."""
    two_wordings(8, **BESIDE)


def test_tables_of_all_three_parts(run, beside):
    ended = run("stability", "--quiet")
    assert ended.exit_code == 0
    text = " ".join(ended.stdout.split())
    for part in ("Verdict flips", "order of passages", "Negative controls", "chunks(any)"):
        assert part in text
    assert all(len(line) <= 80 for line in ended.stdout.splitlines())


def test_json_is_pure_and_a_results_file_is_enough(run, run_json, beside):
    assert run("sweep", "--quiet").exit_code == 0
    found = run_json("stability", "runs/test")
    assert set(found) == {"stability", "controls", "factors"}
    assert {axis["axis"] for axis in found["stability"]["axes"]} >= {"repeats", "passage_order"}
    assert run_json("stability", "--quiet") == found


def test_it_speaks_chinese(run, beside):
    ended = run("stability", "--quiet", "--lang", "zh")
    assert "段落顺序" in ended.stdout
    assert "负对照" in ended.stdout


def test_an_experiment_without_any_of_them_ends_with_4_and_says_what_to_declare(run):
    two_wordings(8)
    ended = run("stability", "--quiet")
    assert ended.exit_code == 4
    assert "declare perturbations, controls or factors" in ended.stderr
    assert "the experiment declares no perturbations" in " ".join(ended.stdout.split())
