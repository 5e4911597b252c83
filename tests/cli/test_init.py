from __future__ import annotations

from pathlib import Path

from metajudge.experiment import read_experiment
from metajudge.gold import check_goldset, load_goldset
from metajudge.templates.catalogue import read_wordings


def test_the_starter_is_sound(run, tmp_path):
    ended = run("init", "mine")
    assert ended.exit_code == 0
    assert "  cd mine\n  metajudge sweep\n" in ended.stdout
    gold = load_goldset("mine/gold")
    assert (len(gold.claims), len(gold.contexts)) == (12, 6)
    assert {claim.lang for claim in gold.claims} == {"en", "zh"}
    assert check_goldset(gold).count("error") == check_goldset(gold).count("warning") == 0
    wordings = read_wordings(sorted(Path("mine/templates").glob("*.yaml")))
    assert {name: sorted(w.by_language) for name, w in wordings.items()} == {
        "close-reading": ["en", "zh"],
        "fair-summary": ["en", "zh"],
    }
    assert [judge.spec for judge in read_experiment("mine/experiment.yaml").judges] == [
        "baseline:ngram"
    ]


def test_nothing_is_overwritten(run):
    Path("gold").mkdir()
    Path("gold/claims.jsonl").write_text("mine\n")
    ended = run("init")
    assert ended.exit_code == 2
    assert "gold/claims.jsonl: nothing is overwritten" in ended.stderr
    assert Path("gold/claims.jsonl").read_text() == "mine\n"
    assert not Path("experiment.yaml").exists()


def test_a_file_is_no_folder(run):
    Path("taken").write_text("x")
    assert run("init", "taken").exit_code == 2
