"""The pytest plugin, in sessions of its own: what it says, counts, and leaves alone."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
import tomllib
from rich.cells import cell_len

from metajudge.metrics.gate.asserting import Defaults, NotMeasured, assert_faithful, using
from tests.metrics.gate.folder import many, write_suite

ROOT = Path(__file__).parent.parent
HEAD = """
import pytest
from metajudge.pytest_plugin import assert_faithful, assert_faithful_async
HALL = ["Hall A is open."]
"""


@pytest.fixture
def session(tmp_path):
    """Runs a test file in a process of its own, with the scripted judge beside it."""
    write_suite(tmp_path, many(1))
    entry = tmp_path / "installed" / "gate_entry-1.dist-info"
    entry.mkdir(parents=True)
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    ((name, place),) = told["project"]["entry-points"]["pytest11"].items()
    (entry / "METADATA").write_text("Metadata-Version: 2.1\nName: gate-entry\nVersion: 1\n")
    (entry / "entry_points.txt").write_text(f"[pytest11]\n{name} = {place}\n")

    def run(text, *options, head=HEAD, judge=True):
        (tmp_path / "test_it.py").write_text(head + text, encoding="utf-8")
        (tmp_path / "pytest.ini").write_text("[pytest]\nasyncio_mode = auto\n")
        blocked = ("-p", "no:deepeval", "-p", "no:cacheprovider")
        who = ("--metajudge-judge", "scripted:judge.yaml") if judge else ()
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "test_it.py", *blocked, *who, *options],
            cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300,
            env={**os.environ, "PYTHONPATH": f"{entry.parent}{os.pathsep}{ROOT}", "COLUMNS": "80"},
        )  # fmt: skip

    return run


def test_held_failed_and_not_measured_are_told_apart(session):
    done = session("""
def test_held():
    assert_faithful("Hall A is open.", HALL, claims=["Hall A is open."], min_score=0.8)

def test_failed():
    claims = ["Hall A is open.", "It is wrong \\x1b[31m here.", "It is unsaid."]
    assert_faithful("So.", HALL, "When?", 0.8, claims=claims)

def test_not_measured():
    assert_faithful("So.", HALL, claims=["It is unreachable."], min_score=0.8)

def test_refusal():
    assert_faithful("I do not know.", HALL, min_score=0.8, undefined="pass")

def test_undefined():
    assert_faithful("", HALL, min_score=0.8)
""")
    shown = done.stdout
    assert done.returncode == 1
    assert "2 failed, 2 passed" in shown
    assert "1 error" in shown
    assert "faithfulness 0.33 is under 0.80" in shown
    assert "  strict, scripted:judge.yaml" in shown
    assert "no   'It is wrong ⟨1B⟩[31m here.'" in shown
    assert "idk  'It is unsaid.'" in shown
    assert "NotMeasured: faithfulness was not measured: not judged yet" in shown
    assert "faithfulness is undefined: the answer states nothing." in shown
    assert "5 assertions: 2 held, 2 failed, 1 not measured; 5 calls" in shown
    assert "asserting.py" not in shown.split("short test summary")[0].split("NotMeasured")[0]


def test_a_failed_call_is_skipped_or_expected_where_asked(session):
    text = """
def test_not_measured():
    assert_faithful("So.", HALL, claims=["It is unreachable."], min_score=0.8)
"""
    assert "1 skipped" in session(text, "--metajudge-on-call-failure", "skip").stdout
    assert "1 xfailed" in session(text, "--metajudge-on-call-failure", "xfail").stdout


def test_offline_asks_nothing(session):
    text = """
def test_it():
    assert_faithful("So.", HALL, claims=["Hall A is open."], min_score=0.8)
"""
    first = session(text, "--metajudge-offline")
    assert "1 error" in first.stdout
    assert "0 sent" in first.stdout
    assert "1 passed" in session(text).stdout
    stored = session(text, "--metajudge-offline")
    assert "1 passed" in stored.stdout
    assert "1 call, 0 sent" in stored.stdout


def test_marker_ini_fixtures_and_async(session):
    pytest.importorskip("pytest_asyncio")
    done = session(
        """
@pytest.mark.metajudge(judge="scripted:judge.yaml", min_score=0.5, policy="lenient")
async def test_async(metajudge_judge):
    assert metajudge_judge == "scripted:judge.yaml"
    found = assert_faithful("So.", HALL, claims=["It is unsaid.", "It is wrong."])
    assert (found.score, found.policy) == (0.5, "lenient")

@pytest.mark.metajudge(judge="scripted:judge.yaml", min_score=0.8)
async def test_awaited():
    import asyncio
    found = await asyncio.gather(
        *(assert_faithful_async("So.", HALL, claims=[f"Hall {n} is open."]) for n in range(3))
    )
    assert [one.score for one in found] == [1.0] * 3
    with pytest.raises(AssertionError, match="It is wrong"):
        await assert_faithful_async("So.", HALL, claims=["It is wrong."])

@pytest.mark.metajudge(jugde="x")
def test_marker():
    pass

def test_fixture(metajudge_release):
    pass
""",
        "-o",
        "metajudge_judge=scripted:judge.yaml",
        judge=False,
    )
    assert "2 passed" in done.stdout
    assert "not jugde" in done.stdout
    assert "name a release with --metajudge-release" in done.stdout


def test_nobody_judges_is_said_with_the_mend(session):
    done = session(
        """
def test_it():
    assert_faithful("So.", HALL, claims=["Hall A is open."])
""",
        judge=False,
    )
    assert "--metajudge-release or --metajudge-judge" in done.stdout
    bar = session("""
def test_it():
    assert_faithful("So.", HALL, claims=["Hall A is open."])
""")
    assert "Write min_score=0.8." in bar.stdout


@pytest.mark.skipif(importlib.util.find_spec("xdist") is None, reason="xdist is not installed")
def test_workers_share_the_store_and_ask_nothing_twice(session):
    done = session(
        """
@pytest.mark.parametrize("n", range(6))
def test_it(n):
    assert_faithful("So.", HALL, claims=["Hall A is open."], min_score=0.8)
""",
        "-n",
        "2",
    )
    assert "6 passed" in done.stdout, done.stdout + done.stderr
    assert "6 assertions: 6 held" in done.stdout
    assert "6 calls, 1 sent" in done.stdout


BUDGET = """
@pytest.mark.parametrize("n", range(4))
def test_it(n):
    assert_faithful("So.", HALL, claims=[f"Hall {n} a is open.", f"Hall {n} b is."], min_score=0.8)

async def test_awaited():
    import asyncio
    claims = [[f"Hall x{n} is open."] for n in range(3)]
    told = {"min_score": 1}
    await asyncio.gather(*(assert_faithful_async("So.", HALL, claims=c, **told) for c in claims))
"""


def test_a_budget_is_of_the_whole_session_and_beyond_it_nothing_is_measured(session):
    pytest.importorskip("pytest_asyncio")
    first = session(BUDGET, "-o", "metajudge_budget_calls=3").stdout
    assert "3 sent" in first
    assert "1 passed" in first
    assert "4 error" in first
    assert "budget" in first.split("NotMeasured", 1)[1]
    again = session(BUDGET, "--metajudge-budget-calls", "6").stdout
    assert "6 sent" in again
    assert "4 passed" in again
    assert "1 error" in again


@pytest.mark.skipif(importlib.util.find_spec("xdist") is None, reason="xdist is not installed")
def test_workers_share_a_budget(session):
    done = session(BUDGET, "-n", "2", "--metajudge-budget-calls", "5")
    sent = int(done.stdout.split(" sent")[0].rsplit(" ", 1)[1])
    assert sent <= 5, done.stdout
    assert "error" in done.stdout


@pytest.mark.parametrize(("option", "told"), [("calls", "1.5"), ("usd", "-1"), ("usd", "nan")])
def test_a_budget_that_is_none_is_refused(session, option, told):
    done = session("def test_it(): pass\n", f"--metajudge-budget-{option}", told)
    assert done.returncode == 4
    assert f"0 or more, not '{told}'" in done.stderr


def test_faults_of_the_call_are_shown_at_the_call_alone(session):
    """No line of this package stands between a test and the message, and nothing is asked."""
    done = session("""
@pytest.mark.parametrize("more", [
    {"metric": "faithfulnes"}, {"judge": "scripted:nowhere.yaml"}, {"release": "nope@1"},
    {"min_score": 8}, {"min_score": float("nan")}, {"answer": None}, {"contexts": {"a": "b"}},
    {"min_score": None},
])
def test_it(more):
    assert_faithful(**{"answer": "So.", "contexts": HALL, "claims": ["x"], "min_score": 0.8} | more)
""")
    assert "8 failed" in done.stdout
    assert "asserting.py" not in done.stdout
    for told in (
        "Did you mean 'faithfulness'",
        "nowhere.yaml: no such file",
        "from 0 to 1 (got 8)",
        "the answer is text (got None)",
        "a list of texts (got {'a'",
        "from 0 to 1 (got nan)",
    ):
        assert told in done.stdout
    assert "Write min_score=0.8." in done.stdout
    assert "assertions:" not in done.stdout


def test_long_claims_are_wrapped_for_80_columns_in_both_languages(session):
    done = session("""
def test_it():
    claims = ["It is wrong " * 12, "这里不符，" * 30]
    assert_faithful("So.", HALL, claims=claims, min_score=0.8)
""")
    said = [line for line in done.stdout.splitlines() if line.startswith("E  ")]
    assert len(said) > 8
    assert max(cell_len(line) for line in said) <= 80


def test_without_the_plugin_the_assertion_works_by_itself(session):
    text = """
def test_it():
    who = {"judge": "scripted:judge.yaml", "min_score": 0.8}
    assert_faithful("So.", HALL, claims=["Hall A is open."], **who)
    with pytest.raises(AssertionError, match="is under"):
        assert_faithful("So.", HALL, claims=["It is wrong."], **who)
"""
    assert "1 passed" in session(text, "-p", "no:metajudge", judge=False).stdout


def test_every_attempt_and_every_fixture_is_counted_once(session):
    pytest.importorskip("pytest_rerunfailures")
    text = """
@pytest.fixture
def told():
    assert_faithful("So.", HALL, claims=["Hall A is open."], min_score=0.8)

def test_twice(told):
    assert_faithful("So.", HALL, claims=["It is wrong."], min_score=0.8)

@pytest.fixture
def wrong():
    assert_faithful("So.", HALL, claims=["It is wrong."], min_score=0.8)

def test_in_its_setup(wrong):
    pass
"""
    assert "3 assertions: 1 held, 2 failed" in session(text).stdout
    assert "6 assertions: 2 held, 4 failed" in session(text, "--reruns", "1").stdout


def test_classes_and_unittest_cases_are_tests_like_others(session):
    done = session("""
import unittest

class TestHall:
    def test_it(self):
        assert_faithful("So.", HALL, claims=["It is wrong."], min_score=0.8)

class Case(unittest.TestCase):
    def test_held(self):
        assert_faithful("So.", HALL, claims=["Hall A is open."], min_score=0.8)

    def test_not_measured(self):
        assert_faithful("So.", HALL, claims=["It is unreachable."], min_score=0.8)
""")
    assert "1 failed, 1 passed" in done.stdout
    assert "1 error" in done.stdout
    assert "3 assertions: 1 held, 1 failed, 1 not measured" in done.stdout


def test_a_run_without_assertions_is_left_alone(session):
    """Nothing heavy is loaded, nothing is written, nothing is said."""
    done = session(
        """
import sys
def test_it():
    loaded = {name for name in sys.modules if name.partition(".")[0] == "metajudge"}
    assert loaded == {
        "metajudge", "metajudge.version", "metajudge.errors", "metajudge.extras",
        "metajudge.metrics", "metajudge.metrics.gate", "metajudge.metrics.gate.asserting",
        "metajudge.pytest_plugin",
    }
""",
        head="",
    )
    assert done.returncode == 0, done.stdout
    assert "metajudge" not in done.stdout


def test_defaults_hold_inside_only():
    with using(Defaults(judge="scripted:x", min_score=0.4)) as told:
        assert told.judge == "scripted:x"
    with pytest.raises(Exception, match="neither a release nor a judge is named"):
        assert_faithful("a", ["b"])
    assert NotMeasured.exit_code == 4
