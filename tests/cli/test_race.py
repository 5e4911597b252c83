from __future__ import annotations

from pathlib import Path

from metajudge.report.search_results import RaceResults
from tests.experiment.folder import write_template
from tests.experiment.searched import searchable


def racing(**fields):
    for name, rule in (("mindful", "MIND,"), ("mad", "MAD,")):
        write_template(Path(), name, rule)
    return searchable(Path(), templates=["templates/*.yaml"], **fields)


def test_a_race_says_who_is_first_what_it_cost_and_why_the_others_stopped(run):
    racing()
    ended = run("race", "-yq", "--block", 16)
    assert ended.exit_code == 0
    text = " ".join(ended.stdout.split())
    assert "First choice: mindful (top)" in text
    assert "of the full grid" in text and "otherwise" in text
    assert "stopped:" in text and "beaten" in text
    assert all(len(line) <= 80 for line in ended.stdout.splitlines())
    kept = Path("runs/test/race.json").read_text(encoding="utf-8")
    assert RaceResults.model_validate_json(kept).decision.winner == "mindful"
    assert "First choice: mindful" in Path("runs/test/race.html").read_text(encoding="utf-8")


def test_json_chinese_and_methods(run, run_json):
    racing()
    found = run_json("race", "-y", "--method", "none")
    assert found["race"]["calls"] == found["race"]["calls_full"]
    shown = run("race", "-yq", "--lang", "zh").stdout
    assert "首选：mindful（top）" in "".join(shown.split())


def test_a_dry_run_asks_nothing(run, run_json):
    racing()
    found = run_json("race", "--dry-run")
    assert found["calls_at_most"] == found["declared"] * found["claims"]
    assert not Path(".metajudge").exists()


def test_a_spent_budget_ends_with_3(run):
    racing()
    ended = run("race", "-yq", "--budget-calls", 20)
    assert ended.exit_code == 3
    said = " ".join(ended.stdout.split())
    assert "Nothing is decided" in said
    assert "not finished" in said and "race over" not in said


def test_no_safe_winner_ends_with_1_where_one_is_asked_for(run):
    racing(guardrails={"over_credit_upper": 0.001})
    assert run("race", "-yq").exit_code == 0
    assert run("race", "-yq", "--require-winner").exit_code == 1


def test_test_claims_are_refused(run):
    racing(gold={"path": "gold", "split": "test"})
    ended = run("race", "-yq")
    assert ended.exit_code == 2
    assert "gold.split" in ended.stderr
