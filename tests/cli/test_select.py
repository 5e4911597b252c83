from __future__ import annotations

import json
from pathlib import Path

import pytest

from metajudge.gold.ledger import read_ledger
from metajudge.report import read_results
from tests.cli.folders import two_wordings
from tests.experiment.folder import CAREFUL, LOOSE, halls, write_gold, write_script, write_template


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


@pytest.mark.parametrize(
    ("bounds", "code", "told"),
    [
        (LOOSE, 0, "it keeps every guardrail that needs no comparison"),
        (LOOSE | {"kappa_above": 0.95}, 1, "it breaks kappa_above there"),
    ],
)
def test_the_baseline_is_measured_alone_and_every_report_says_so(run, run_json, bounds, code, told):
    two_wordings(guardrails=bounds)
    ended = run("select", "--confirm", "--candidate", "literal", "--quiet")
    assert ended.exit_code == code
    text = " ".join(ended.stdout.replace("│", " ").split())
    assert "Confirmation: measured alone, nothing compared" in text
    assert told in text
    assert "difference" not in text.partition("Confirmation:")[2]
    assert all(len(line) <= 80 for line in ended.stdout.splitlines())
    zh = run("select", "runs/test", "--lang", "zh").stdout
    assert "单独测量，未作比较" in zh
    assert "Measured alone on the test split" in Path("runs/test/report.md").read_text("utf-8")
    page = Path("runs/test/report.html").read_text(encoding="utf-8")
    section = page.partition('<section id="confirmation">')[2].partition("</section>")[0]
    assert "literal, the baseline, measured alone on the sealed test split" in section
    assert "单独测量，未作任何比较" in section
    assert "does not hold" not in section
    kept = run_json("select", "runs/test")["selection"]["confirmation"]
    assert (kept["holds"], kept["differences"], kept["baseline_figures"]) == (None, {}, {})


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


def test_confirm_without_a_test_split_says_so_before_anything_is_asked(run):
    two_wordings()
    write_gold(Path(), *halls(24))
    ended = run("select", "--confirm", "--quiet")
    assert ended.exit_code == 2
    told = " ".join(ended.stderr.split())
    assert "this gold set has none" in told
    assert "metajudge gold split gold --write" in told
    assert "sealed" not in told
    assert not Path(".metajudge").exists()


def test_confirm_without_the_dev_split_named_costs_no_read(run):
    two_wordings(gold={"path": "gold"})
    ended = run("select", "--confirm", "--quiet")
    assert ended.exit_code == 2
    assert "Set gold.split to dev" in " ".join(ended.stderr.split())
    assert read_ledger("gold") == ()


def confirmation():
    selection = read_results("runs/test/results.json").selection
    assert selection is not None
    return selection.confirmation


@pytest.mark.parametrize("command", [("sweep",), ("select", "--out", "runs/test")])
def test_what_is_written_over_a_confirmation_keeps_it(run, run_json, command):
    two_wordings()
    assert run("select", "--confirm", "--quiet").exit_code == 0
    before = confirmation()
    found = run_json(*command, "--quiet")
    assert confirmation() == before
    assert found["selection"]["confirmation"]["trial"] == "mine"
    assert "confirmed on the test split" in Path("runs/test/report.md").read_text("utf-8").lower()


def test_a_run_that_stops_early_keeps_the_confirmation(run):
    two_wordings()
    assert run("select", "--confirm", "--quiet").exit_code == 0
    before = confirmation()
    write_template(Path(), "more", rule="another rule:")
    write_script(Path(), [("another rule", {"error": "rate_limit", "retry_after": 1e6}), *CAREFUL])
    ended = run("sweep", "--quiet")
    assert "stopped early" in ended.stderr
    assert confirmation() == before


@pytest.mark.parametrize("change", ["template", "baseline", "experiment", "labels"])
def test_a_confirmation_of_something_else_is_dropped_and_that_is_said(run, change):
    two_wordings(templates=["templates/*.yaml"], baseline="usual")
    write_template(Path(), "usual")
    assert run("select", "--confirm", "--quiet").exit_code == 0
    assert confirmation() is not None
    if change == "template":
        write_template(Path(), "mine", rule="MIND the gist too:")
    elif change == "baseline":
        write_template(Path(), "usual", rule="given less,")
    elif change == "labels":
        claims, contexts = halls(24)
        write_gold(Path(), [c | {"note": "seen", "label": "idk"} for c in claims], contexts)
        two_wordings(templates=["templates/*.yaml"], baseline="usual", gold={"path": "gold"})
    else:
        two_wordings(templates=["templates/*.yaml"], baseline="usual", threshold=0.3)
    ended = run("sweep", "--quiet")
    told = " ".join(ended.stderr.split())
    assert "the confirmation of mine (top) in runs/test/results.json is not kept" in told
    assert confirmation() is None
    assert "not kept" not in run("sweep", "--quiet").stderr


def test_a_confirmation_of_another_than_the_first_choice_now_is_not_its_luck(run):
    two_wordings()
    assert run("select", "--confirm", "--quiet").exit_code == 0
    before = confirmation()
    write_template(Path(), "a-better", rule="MIND the gist too:")
    ended = run("select", "--quiet", "--out", "runs/test")
    text = " ".join(ended.stdout.split())
    assert "First choice: a-better (top)" in text
    assert confirmation() == before
    assert "confirmed on test" not in text
