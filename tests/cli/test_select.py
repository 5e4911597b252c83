from __future__ import annotations

import json
from pathlib import Path

import pytest

from metajudge.gold.ledger import read_ledger
from metajudge.report import read_results
from tests.cli.folders import two_wordings
from tests.experiment.folder import write_template


def test_a_winner_ends_with_0_and_reads_no_test_label(run):
    two_wordings()
    ended = run("select", "--quiet")
    assert ended.exit_code == 0
    text = " ".join(ended.stdout.split())
    assert "First choice: mine (top)" in text
    assert "Luck of the choice summary-as-idk: apparent .00 · corrected" in text
    assert "Against the baseline" in text
    assert "Reads of this gold set's test labels so far: 0." in text
    assert all(len(line) <= 80 for line in ended.stdout.splitlines())
    assert read_ledger("gold") == ()
    assert not Path("runs").exists()


def test_confirm_reads_the_test_split_once_and_keeps_what_it_read(run):
    two_wordings()
    ended = run("select", "--confirm", "--quiet")
    assert ended.exit_code == 0
    assert "Confirmation: holds" in ended.stdout
    (entry,) = read_ledger("gold")
    assert entry.purpose == "confirm"
    kept = read_results("runs/test/results.json").selection
    assert kept is not None
    assert kept.confirmation is not None
    assert kept.confirmation.holds
    assert Path("runs/test/report.html").is_file()


def test_a_winner_that_test_does_not_confirm_ends_with_1(run):
    two_wordings()
    rows = [json.loads(line) for line in Path("gold/claims.jsonl").read_text("utf-8").splitlines()]
    assert run("sweep", "--quiet").exit_code == 0
    dev = {claim.claim_id for claim in read_results("runs/test/results.json").claims}
    other = {"yes": "no", "no": "idk", "idk": "yes"}
    turned = [r if r["claim_id"] in dev else r | {"label": other[r["label"]]} for r in rows]
    text = "".join(json.dumps(row) + "\n" for row in turned)
    Path("gold/claims.jsonl").write_text(text, encoding="utf-8")
    ended = run("select", "--confirm", "--quiet", "--out", "kept")
    assert ended.exit_code == 1
    assert "Confirmation: does not hold" in ended.stdout
    assert Path("kept/results.json").is_file()


def test_no_safe_winner_ends_with_1_and_leaves_the_seal_whole(run):
    two_wordings(guardrails={"over_credit_upper": 0.0})
    ended = run("select", "--confirm", "--quiet")
    assert ended.exit_code == 1
    text = " ".join(ended.stdout.split())
    assert "No safe winner" in text
    assert "upper limit of over-credit" in text
    assert read_ledger("gold") == ()


def test_an_undefined_target_cannot_be_decided(run):
    two_wordings()
    path = Path("gold/claims.jsonl")
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    kept = [row for row in rows if row["slice"] != "summary"]
    path.write_text("".join(json.dumps(row) + "\n" for row in kept), encoding="utf-8")
    ended = run("select", "--quiet")
    assert ended.exit_code == 4
    assert "summary-as-idk is undefined" in " ".join(ended.stdout.split())


def test_json_is_pure_and_whole(run, run_json):
    two_wordings()
    found = run_json("select", "--quiet")
    assert found["decision"]["winner"] == "mine"
    assert {row["trial"] for row in found["ranking"]} == {"mine", "literal"}
    assert found["selection"]["confirmation"] is None
    assert [row["trial"] for row in found["selection"]["comparisons"]] == ["mine"]


def test_a_results_file_is_enough_but_cannot_be_confirmed(run):
    two_wordings()
    assert run("sweep", "--quiet").exit_code == 0
    for place in ("runs/test", "runs/test/results.json"):
        ended = run("select", place, "--lang", "zh")
        assert ended.exit_code == 0
        assert "择优偏差" in ended.stdout
        assert max(map(len, ended.stdout.splitlines())) <= 80
    ended = run("select", "runs/test", "--confirm")
    assert ended.exit_code == 2
    assert "only an experiment can be confirmed" in ended.stderr


def test_b125_a_file_in_the_way_is_refused_before_anything_is_asked(run):
    two_wordings()
    Path("runs").write_text("a file")
    ended = run("select", "--confirm")
    assert ended.exit_code == 2
    assert "a file is in the way" in ended.stderr
    assert not Path(".metajudge").exists()
    assert read_ledger("gold") == ()


def test_b123_a_spent_budget_is_no_decision(run):
    two_wordings()
    ended = run("select", "--quiet", "--budget-calls", 5)
    assert ended.exit_code == 3
    assert "the budget of 5 calls is spent" in ended.stderr


@pytest.mark.parametrize("place", ["absent.json", "absent.yaml"])
def test_what_is_not_there_is_named(run, place):
    ended = run("select", place)
    assert ended.exit_code == 2
    assert place in ended.stderr


def test_a_named_candidate_is_confirmed_where_nobody_is_safe(run):
    two_wordings(guardrails={"over_credit_upper": 0.0})
    ended = run("select", "--confirm", "--candidate", "mine", "--quiet")
    assert ended.exit_code == 1
    text = " ".join(ended.stdout.replace("│", " ").split())
    assert "No safe winner" in text
    assert "Confirmation: does not hold" in text
    assert "mine was named by hand and is not a safe winner: it broke over_credit_upper" in text
    assert "Named candidate" in text
    assert all(len(line) <= 80 for line in ended.stdout.splitlines())
    (entry,) = read_ledger("gold")
    assert entry.candidates == ("mine (top)", "literal (top)")
    kept = read_results("runs/test/results.json")
    assert kept.decision.winner is None
    assert kept.selection is not None
    assert kept.selection.confirmation is not None
    assert kept.selection.confirmation.broken_on_dev == ("over_credit_upper",)
    page = Path("runs/test/report.html").read_text(encoding="utf-8")
    assert "A candidate named by hand against literal on the sealed test split" in page
    assert "由人工指定" in page


def test_a_named_candidate_that_holds_ends_with_0_and_is_not_the_winners_luck(run, run_json):
    write_template(Path(), "yours", rule="MIND the gist too:")
    two_wordings()
    ended = run("select", "--confirm", "--candidate", "yours (top)", "--quiet")
    assert ended.exit_code == 0
    text = " ".join(ended.stdout.split())
    assert "First choice: mine (top)" in text
    assert "confirmed on test" not in text
    found = run_json("select", "--confirm", "--candidate", "yours", "--quiet")
    confirmed = found["selection"]["confirmation"]
    assert (confirmed["trial"], confirmed["named"], confirmed["holds"]) == ("yours", True, True)


def test_an_unknown_candidate_is_refused_before_anything_is_asked(run):
    two_wordings()
    ended = run("select", "--confirm", "--candidate", "mime", "--quiet")
    assert ended.exit_code == 2
    assert "Did you mean 'mine'?" in ended.stderr
    assert not Path(".metajudge").exists()
    assert read_ledger("gold") == ()


def test_a_candidate_is_only_named_to_be_confirmed(run):
    two_wordings()
    ended = run("select", "--candidate", "mine")
    assert ended.exit_code == 2
    assert "Add --confirm" in ended.stderr
    assert not Path(".metajudge").exists()
