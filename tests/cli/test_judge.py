from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.release.applied import answer, told, write_judge, write_rows

REF = ("--release", "faithfulness-verdict@1", "--registry", "registry")


@pytest.fixture
def sample(released):
    rows = [
        answer("a", "Hall A opens at 9.", "Hall A closes at 5."),
        answer("b", "Hall A opens at 9.", context_id="x-b"),
        answer("c"),
        told("endless", "d"),
        answer("=e", "Hall A mumbles \x1b[31m.", "Hall A lends 20 books.", context_id="x-e"),
    ]
    return write_rows(Path("answers.jsonl"), rows)


def test_release_and_policy_stand_beside_every_score(run, sample):
    ended = run("judge", sample, *REF, "-q")
    assert ended.exit_code == 0
    shown = ended.stdout
    assert "faithfulness-verdict@1.0.0 · policy strict · threshold 0.5" in shown
    assert "(as pinned)" in shown
    for line in ("mean score", "pass rate"):
        (row,) = [each for each in shown.splitlines() if each.startswith(line)]
        assert "faithfulness-verdict@1.0.0, strict" in row
    assert "support rate" in shown
    assert "corrected     –" in shown
    assert "failures: unparsable 1" in shown
    assert "without a score: no claims (1); extraction failed: truncated (1)" in shown
    assert "extract@1.0.0/en" in shown


def test_the_terminal_holds_80_columns_and_no_control_characters(run, sample):
    shown = run("judge", sample, *REF, "--extraction-repeats", 2).stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert "\x1b[31m" not in shown
    assert "pass and fail" in shown


def test_json_is_one_value_with_summary_and_answers(run_json, sample):
    found = run_json("judge", sample, *REF)
    assert found["summary"]["release"] == "faithfulness-verdict@1.0.0"
    assert [row["score"] for row in found["answers"]] == [0.5, 1.0, None, None, 0.5]
    assert [row["answer_id"] for row in found["answers"]] == ["a", "b", "c", "d", "=e"]


@pytest.mark.parametrize("name", ["o.jsonl", "o.csv", "o.parquet", "out/o.json", "folder"])
def test_rows_go_to_a_file_or_folder(run, sample, name):
    ended = run("judge", sample, *REF, "--out", name, "-q")
    assert ended.exit_code == 0
    assert Path(name).exists()
    assert f"5 answers written to {name}" in ended.stdout


def test_another_judge_is_said_on_standard_error_and_beside_the_scores(run, sample):
    other = write_judge(Path(), name="other")
    ended = run("judge", sample, *REF, "--judge", other, "--out", "o.jsonl", "-q")
    assert ended.exit_code == 0
    assert "WARNING: the judge is not the one" in ended.stderr
    assert "NOT the pinned one" in ended.stdout
    rows = [json.loads(line) for line in Path("o.jsonl").read_text("utf-8").splitlines()]
    assert {row["judge_is_pinned"] for row in rows} == {False}


def test_a_spent_budget_ends_with_3_and_the_same_command_goes_on(run, run_json, sample):
    ended = run("judge", sample, *REF, "--budget-calls", 2, "--out", "o.jsonl", "-q")
    assert ended.exit_code == 3
    assert "the run ended early" in ended.stderr
    rows = [json.loads(line) for line in Path("o.jsonl").read_text("utf-8").splitlines()]
    assert "not judged yet: the run stopped early" in {row["reason"] for row in rows}
    found = run_json("judge", sample, *REF)
    assert found["summary"]["scored"] == 3
    assert found["summary"]["calls"]["stored"] > 0


def test_a_judge_that_is_down_ends_with_4(run, released):
    rows = [answer(f"a{i}", f"Hall A opens at {i}.") for i in range(20)]
    other = write_judge(Path(), [("Claim", {"error": "bad_request"})], name="down")
    ended = run("judge", write_rows(Path("a.jsonl"), rows), *REF, "--judge", other, "-q")
    assert ended.exit_code == 4


def test_a_judge_that_is_down_for_the_only_answer_is_told_by_its_own_message(run, released):
    other = write_judge(Path(), [("", {"error": "connection"})], name="away")
    path = write_rows(Path("a.jsonl"), [told("Hall A opens at nine.")])
    ended = run("judge", path, *REF, "--judge", other, "-q")
    assert ended.exit_code == 4
    assert "the run ended early" in ended.stderr and "connection" in ended.stderr
    assert "no reply could be read" not in ended.stderr


def test_replies_that_nobody_can_read_end_with_4(run, released):
    path = write_rows(Path("a.jsonl"), [answer("a", "Hall A mumbles.")])
    ended = run("judge", path, *REF, "-q")
    assert ended.exit_code == 4
    assert "no reply could be read" in ended.stderr


def test_answers_that_state_nothing_end_with_0(run, released):
    path = write_rows(Path("a.jsonl"), [told("I don't know.")])
    ended = run("judge", path, *REF, "-q")
    assert ended.exit_code == 0
    assert "no claims (1)" in ended.stdout


@pytest.mark.parametrize(
    ("arguments", "told_"),
    [
        (("--release", "nothing@1", "--registry", "registry"), "nothing"),
        ((*REF, "--out", "answers.jsonl"), "the answers themselves would be overwritten"),
        ((*REF, "--out", "o.xlsx"), "are written as"),
        ((*REF, "--claims", "fixed"), "claims are fixed"),
        ((*REF, "--budget-usd", "0"), "a budget is greater than 0"),
        ((*REF, "--api-base", "http://127.0.0.1:1/v1"), "api_base is given with judge"),
    ],
)
def test_bad_input_ends_with_2_before_anything_is_asked(run, sample, arguments, told_):
    ended = run("judge", sample, *arguments)
    assert ended.exit_code == 2
    assert told_ in " ".join(ended.stderr.split())
    assert not Path(".metajudge").exists()


def test_a_judge_that_compares_wording_is_not_asked_for_claims(run, sample):
    ended = run("judge", sample, *REF, "--judge", "baseline:ngram")
    assert ended.exit_code == 2
    told_ = " ".join(ended.stderr.split())
    assert "baseline:ngram compares wording and writes nothing, so it cannot extract" in told_
    assert "got answer 'd' without claims" in told_
    assert "with --judge" in told_
    assert not Path(".metajudge").exists()
    given = write_rows(Path("given.jsonl"), [answer("a", "Hall A opens at 9.")])
    assert run("judge", given, *REF, "--judge", "baseline:ngram", "-q").exit_code == 0


def test_every_fault_of_the_answers_is_named(run, released):
    path = write_rows(Path("a.jsonl"), [{"answer_id": "a"}, {"context": ["C."], "claims": [3]}])
    ended = run("judge", path, *REF)
    assert ended.exit_code == 2
    assert "a.jsonl:1: context:" in ended.stderr
    assert "a.jsonl:1: answer:" in ended.stderr
    assert "a.jsonl:2: claims[0]:" in ended.stderr


def test_b70_a_killed_run_loses_no_more_than_the_calls_in_flight(run_json, released):
    rows = [answer(f"a{i}", f"Hall A opens at {i}.") for i in range(200)]
    path = write_rows(Path("a.jsonl"), rows)
    slow = write_judge(Path(), [("Claim: .*opens", {"text": "yes", "latency_s": 0.4})], name="slow")
    line = [sys.executable, "-m", "metajudge", "judge", str(path), *REF, "--judge", slow, "-q"]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    process = subprocess.Popen([*line, "--out", "o.jsonl"], env=env, stdout=subprocess.DEVNULL)
    try:
        stored = _stored_replies(process)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert stored > 0
    assert not Path("o.jsonl").exists(), "the file is written whole, at the end"
    found = run_json("judge", path, *REF, "--judge", slow)
    assert found["summary"]["calls"]["stored"] >= stored
    assert found["summary"]["calls"]["sent"] <= 200 - stored
    assert {row["score"] for row in found["answers"]} == {1.0}


def _stored_replies(process: subprocess.Popen[bytes]) -> int:
    """Replies in the store once there are any, or the process is over."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.1)
        try:
            place = "file:.metajudge/replies.sqlite?mode=ro"
            with closing(sqlite3.connect(place, uri=True)) as store:
                count = int(store.execute("select count(*) from replies").fetchone()[0])
        except sqlite3.OperationalError:
            continue
        if count:
            return count
    return 0
