from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from metajudge.report.search_optimised import OptimisedResults
from tests.experiment.optimising.test_optimise import GOOD, USELESS, write_proposer
from tests.experiment.searched import searchable


def optimising(texts):
    searchable(Path())
    return write_proposer(Path(), texts)


def test_an_optimiser_ends_with_0_and_shows_both_instructions(run):
    spec = optimising([USELESS, GOOD])
    ended = run("optimise", "--proposer", spec, "--rounds", 3, "-q")
    assert ended.exit_code == 0
    text = " ".join(ended.stdout.split())
    for said in (
        "dspy.GEPA",
        "Proposed: ",
        "Instruction at the start",
        "Instruction proposed",
        "yes: it follows, so MIND that.",
        "metajudge select runs/test/proposals/",
    ):
        assert said in text, said
    kept = Path("runs/test/optimise.json").read_text(encoding="utf-8")
    results = OptimisedResults.model_validate_json(kept)
    assert results.experiment is not None
    assert Path("runs/test", results.experiment).is_file()
    page = Path("runs/test/optimise.html").read_text(encoding="utf-8")
    assert f"metajudge select runs/test/{results.experiment} --confirm" in page
    shown = run("select", Path("runs/test", results.experiment), "--confirm", "-q")
    assert shown.exit_code == 0


def test_chinese_and_json(run, run_json):
    spec = optimising([USELESS])
    shown = run("optimise", "--proposer", spec, "--rounds", 2, "-q", "--lang", "zh")
    assert shown.exit_code == 0
    assert "没有提案能在守住全部护栏的同时超过plain" in "".join(shown.stdout.split())
    found = run_json("optimise", "--proposer", spec, "--rounds", 2, "-q", "--require-winner")
    assert found["decision"]["winner"] is None


def test_a_method_that_writes_needs_a_proposer(run):
    optimising([GOOD])
    ended = run("optimise", "-q")
    assert ended.exit_code == 2
    assert "needs a model that proposes instructions" in ended.stderr
    assert not Path("runs").exists()


def test_a_budget_that_is_spent_ends_with_3(run):
    spec = optimising([GOOD])
    ended = run("optimise", "--proposer", spec, "-q", "--budget-calls", 20)
    assert ended.exit_code == 3
    assert "stopped early" in ended.stderr
    assert "UNDECIDED" in ended.stdout
    assert "The same command again asks only what is missing." in ended.stderr
    chinese = run("optimise", "--proposer", spec, "-q", "--budget-calls", 1, "--lang", "zh").stderr
    assert "test 提前停止：" in chinese and "再次运行同一命令只问缺少的部分。" in chinese


def test_progress_is_told_now_and_then(run):
    spec = optimising([GOOD])
    ended = run("optimise", "--proposer", spec, "--rounds", 1)
    lines = [line for line in ended.stderr.splitlines() if line.endswith(("call", "calls"))]
    assert 1 <= len(lines) < 10


def test_an_optimiser_that_breaks_says_so_and_promises_nothing(run):
    spec = optimising([GOOD])  # replies as gepa wants them, which miprov2 cannot read
    ended = run("optimise", "--proposer", spec, "--method", "miprov2", "--rounds", 1, "-q")
    assert ended.exit_code == 4
    assert "ended in" in ended.stderr
    assert "same command again" not in ended.stderr


def test_calls_under_way_are_leased_and_given_back(run):
    spec = optimising([GOOD])
    for _ in range(2):
        assert run("optimise", "--proposer", spec, "--rounds", 1, "-q").exit_code == 0
    with contextlib.closing(sqlite3.connect(".metajudge/replies.sqlite")) as store:
        assert store.execute("select count(*) from leases").fetchone() == (0,)
