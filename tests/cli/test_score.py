from __future__ import annotations

import json
from pathlib import Path

import pytest


def write(rows, name="v.jsonl"):
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    Path(name).write_text(text, encoding="utf-8")
    return name


def scores(found, answer):
    (entry,) = [each for each in found["answers"] if each["answer_id"] == answer]
    return {policy: fields["score"] for policy, fields in entry["scores"].items()}


def test_the_known_figures(run_json):
    rows = [{"answer_id": "toc", "verdict": "idk"}] * 20
    rows += [{"answer_id": "four", "verdict": v} for v in ("yes", "yes", "yes", "yes", "no")]
    rows += [{"answer_id": "two", "verdict": v} for v in ("yes", "yes", "no", "no", "no")]
    found = run_json("score", write(rows), "--threshold", 0.8)
    assert scores(found, "toc") == {
        "lenient": 1.0,
        "strict": 0.0,
        "partial(0.5)": 0.5,
        "drop_idk": None,
    }
    assert set(scores(found, "four").values()) == {0.8}
    assert set(scores(found, "two").values()) == {0.4}
    toc = found["answers"][0]["scores"]
    assert toc["lenient"] == {"score": 1.0, "passes": True}
    assert toc["drop_idk"] == {"score": None, "reason": "no decided claims", "passes": None}
    assert found["answers"][1]["scores"]["strict"]["passes"] is True


def test_no_claims_is_null_with_its_reason(run, run_json):
    file = write([{"answer_id": "none", "verdicts": []}, {"answer_id": "a", "verdict": "yes"}])
    found = run_json("score", file, "--policy", "strict")
    assert found["answers"][0]["scores"]["strict"] == {"score": None, "reason": "no claims"}
    assert found["means"] == {"strict": 1.0}
    shown = run("score", file, "--policy", "strict").stdout
    assert "null" in shown
    assert "strict: no claims (1)" in shown


def test_words_of_both_languages_and_failures(run_json):
    words = ["Supported", "支持", "矛盾", "not mentioned", None, "", "unparsable", "I don't know"]
    found = run_json("score", write([{"answer_id": 7, "verdicts": words}]), "--policy", "strict")
    assert found["answers"][0]["claims"] == 8
    assert scores(found, "7") == {"strict": 0.25}


def test_csv_with_probabilities(run_json):
    Path("v.csv").write_text(
        "answer_id;verdict;p_yes;p_no;p_idk\na;yes;0.9;0.05;0.05\na;idk;0.3;0.1;0.6\n"
    )
    found = run_json("score", "v.csv", "--policy", "expected")
    assert scores(found, "a") == {"expected": 0.6}


def test_a_gold_file_and_a_sweep_s_verdicts_can_be_scored(run, run_json, starter):
    gold = run_json("score", "gold/claims.jsonl", "--policy", "strict")
    assert scores(gold, "library") == {"strict": 0.5}
    assert run("sweep", "-q").exit_code == 0
    found = run_json("score", "runs/starter/verdicts.csv", "--policy", "strict")
    assert len(found["answers"]) == 2 * 6
    assert {each["trial"] for each in found["answers"]} == {"close-reading", "fair-summary"}


def test_every_fault_is_named(run):
    rows = [
        {"verdict": "yes"},
        {"answer_id": "a", "verdict": "maybe"},
        {"answer_id": "a"},
        {"answer_id": "a", "verdicts": "yes"},
        {"answer_id": "a", "verdict": "yes", "p_yes": 0.9, "p_no": 0.9, "p_idk": 0},
        {"answer_id": "a", "verdict": "yes", "p_yes": "x", "p_no": 0, "p_idk": 0},
        {"answer_id": "b", "claim_id": "c", "verdict": "yes"},
        {"answer_id": "b", "claim_id": "c", "verdict": "no"},
    ]
    ended = run("score", write(rows))
    assert ended.exit_code == 2
    heads = [line for line in ended.stderr.splitlines() if not line.startswith(" ")]
    assert [line.split(":")[1] for line in heads] == ["1", "2", "3", "4", "5", "6", "8"]
    assert "(got 'maybe')" in ended.stderr


@pytest.mark.parametrize("policy", ["nonsense", "partial(2)"])
def test_an_unknown_policy_is_refused(run, policy):
    ended = run("score", write([{"answer_id": "a", "verdict": "yes"}]), "--policy", policy)
    assert ended.exit_code == 2
    assert policy in ended.stderr


def test_an_empty_or_absent_file_is_refused(run):
    assert "there is no verdict in it" in run("score", write([])).stderr
    assert "no such file" in run("score", "absent.jsonl").stderr


def test_a_policy_without_a_value_for_a_label_is_refused(run, tmp_path):
    path = tmp_path / "v.jsonl"
    path.write_text('{"answer_id": "a", "verdict": "idk"}\n', encoding="utf-8")
    ended = run("score", str(path), "--policy", "map(yes=1,no=0)")
    assert ended.exit_code == 2
    assert "has none for 'idk'" in " ".join(ended.stderr.split())


def test_a_row_with_verdict_and_verdicts_is_refused(run, tmp_path):
    path = tmp_path / "v.jsonl"
    path.write_text('{"answer_id": "a", "verdict": "yes", "verdicts": ["no"]}\n', encoding="utf-8")
    ended = run("score", str(path))
    assert ended.exit_code == 2
    assert "either verdict or verdicts" in " ".join(ended.stderr.split())
