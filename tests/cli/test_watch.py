"""`metajudge watch`: exit codes, one screen, one JSON value, one state file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from metajudge.release.bundle import read_release
from metajudge.release.watch_state import read_state
from tests.release.watched import (
    AS_RELEASED,
    SUMMARIES_IDK,
    judge_of,
    released,
    says,
)

STATE = Path(".metajudge") / "watch-faithfulness-verdict-1.0.0.json"
WATCH = (
    "watch", "--release", "faithfulness-verdict@1", "--canary", "gold", "--registry", "releases",
    "-q",
)  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("released")
    released(folder)
    return folder


@pytest.fixture(autouse=True)
def here(home, tmp_path):
    """The current folder with a gold set, a judge and a registry of one release."""
    shutil.copytree(home, tmp_path, dirs_exist_ok=True)
    return read_release(Path("releases") / "faithfulness-verdict" / "1.0.0")


def test_quiet_ends_with_0_and_the_evidence_goes_on(run):
    """Twice on one day is twice; nobody changed anything, so the pinned judge is asked as it is."""
    for n in ("1 run", "2 runs"):
        ended = run(*WATCH, "--noise", "0.02")
        assert ended.exit_code == 0, ended.output
        assert f"quiet · series 1, {n} counted" in ended.stdout
    assert "0 changed" in ended.stdout
    assert "alarm at 20" in ended.stdout
    assert "at most 5 %" in ended.stdout
    assert str(STATE) in ended.stdout
    assert max(map(len, ended.stdout.splitlines())) <= 80
    assert len(ended.stdout.splitlines()) <= 24


def test_an_alarm_ends_with_1_from_then_on_and_asks_no_more(run, here, monkeypatch):
    judge = judge_of(here, SUMMARIES_IDK)
    says(monkeypatch, judge)
    codes = [run(*WATCH, "--noise", "0.02").exit_code for _ in range(3)]
    assert codes[-1] == 1
    asked = judge.asked
    ended = run(*WATCH, "--noise", "0.02")
    assert ended.exit_code == 1
    assert judge.asked == asked
    assert "ALARM (verdicts)" in ended.stdout
    assert "yes -> idk" in ended.stdout
    assert "--acknowledge" in ended.stdout
    assert max(map(len, ended.stdout.splitlines())) <= 80
    assert len(ended.stdout.splitlines()) <= 24


def test_an_acknowledged_alarm_begins_a_new_series_and_says_what_it_costs(run, here, monkeypatch):
    says(monkeypatch, judge_of(here, SUMMARIES_IDK))
    while run(*WATCH, "--noise", "0.02").exit_code == 0:
        pass
    ended = run(*WATCH, "--noise", "0.02", "--acknowledge", "the endpoint was moved")
    assert ended.exit_code == 0
    assert "quiet · series 2, 0 runs counted" in ended.stdout
    assert "10 % over all 2" in " ".join(ended.stdout.split())
    state = read_state(STATE)
    assert state is not None
    assert state.series[0].ended is not None
    says(monkeypatch, judge_of(here, AS_RELEASED))
    assert run(*WATCH, "--noise", "0.02").exit_code == 0


def test_another_judge_spec_has_to_be_the_pinned_one(run):
    shutil.copy("judge.yaml", "moved.yaml")
    assert run(*WATCH, "--judge", "scripted:moved.yaml").exit_code == 0
    before = STATE.read_bytes()
    ended = run(*WATCH, "--judge", "baseline:ngram")
    assert ended.exit_code == 2
    told = " ".join(ended.stderr.split())
    assert "the one that faithfulness-verdict@1.0.0 pins" in told
    assert "model is 'baseline:ngram', pinned is" in told
    assert STATE.read_bytes() == before


@pytest.mark.parametrize("options", [(), ("--judge", "scripted:judge.yaml")])
def test_the_pinned_spec_whose_identity_changed_is_an_alarm_named_by_hand_or_not(run, options):
    with Path("judge.yaml").open("a") as script:
        script.write("# another build\n")
    for _ in range(2):
        ended = run(*WATCH, *options)
        assert ended.exit_code == 1
        assert "ALARM (identity)" in ended.stdout


def test_a_deprecated_release_is_watched_and_told(run):
    words = ("release", "deprecate", "faithfulness-verdict@1.0.0", "--reason", "too lenient")
    assert run(*words, "--registry", "releases").exit_code == 0
    ended = run("watch", "--release", "faithfulness-verdict@1.0.0", *WATCH[3:])
    assert ended.exit_code == 0
    assert "too lenient" in ended.stderr


def test_json_is_one_value_with_everything_of_the_last_run(run, run_json, here, monkeypatch):
    says(monkeypatch, judge_of(here, SUMMARIES_IDK))
    told = run_json(*WATCH, "--noise", "0.02", "--claims", "8")
    assert told["bar"] == 20
    assert told["noise"] == {"source": "declared", "limit": 0.02}
    assert set(told["components"]) == {"verdicts", "over_credit", "coverage"}
    assert told["last_run"]["changed"] == len(told["last_run"]["changes"]) == 2
    assert told["e"] == told["last_run"]["e"] > 1
    assert told["alpha_of_all_series"] == 0.05


def test_a_judge_that_is_down_ends_with_4_and_is_noted(run, here, monkeypatch):
    says(monkeypatch, judge_of(here, [], {"error": "bad_request"}))
    ended = run(*WATCH, "--noise", "0.02", "--claims", "4")
    assert ended.exit_code == 4
    assert "not counted" in ended.output
    state = read_state(STATE)
    assert state is not None
    assert [run.counted for run in state.now.runs] == [False]
    assert state.now.e == 1.0


def test_a_spent_budget_ends_with_3_and_moves_nothing(run):
    ended = run(*WATCH, "--noise", "0.02", "--budget-calls", "2")
    assert ended.exit_code == 3
    state = read_state(STATE)
    assert state is not None
    assert state.now.components["verdicts"].batches == 0


def test_a_killed_run_changes_nothing(run, here, monkeypatch):
    assert run(*WATCH).exit_code == 0
    before = STATE.read_bytes()

    class Killed(type(judge_of(here, AS_RELEASED))):
        async def ask(self, request):
            raise KeyboardInterrupt

    judge = judge_of(here, AS_RELEASED)
    judge.__class__ = Killed
    says(monkeypatch, judge)
    assert run(*WATCH).exit_code == 4
    assert STATE.read_bytes() == before
    assert [path.name for path in STATE.parent.iterdir()] == [STATE.name]


def test_a_state_of_another_alpha_or_release_is_refused(run):
    assert run(*WATCH, "--noise", "0.02").exit_code == 0
    ended = run(*WATCH, "--noise", "0.02", "--alpha", "0.01")
    assert ended.exit_code == 2
    assert "alpha" in ended.stderr
    assert "--state" in ended.stderr
    text = json.loads(STATE.read_text())
    STATE.write_text(json.dumps(text | {"release_sha256": "0" * 64}))
    assert "release_sha256" in run(*WATCH, "--noise", "0.02").stderr


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--alpha", "0"), "--alpha"),
        (("--alpha", "nan"), "--alpha"),
        (("--alpha", "1e-300"), "--alpha"),
        (("--noise", "0"), "--noise"),
        (("--noise", "1e-9"), "--noise"),
        (("--noise", "0.6"), "--noise"),
        (("--acknowledge", " "), "--acknowledge"),
        (("--acknowledge", "why"), "--acknowledge"),
        (("--budget-usd", "0"), "--budget-usd"),
        (("--release", "nobody@1"), "nobody"),
        (("--canary", "nowhere"), "nowhere"),
        (("--judge", "nothing:x"), "judge spec"),
    ],
)
def test_what_is_wrong_on_the_command_line_is_named(run, options, named):
    ended = run(*WATCH, *options)
    assert ended.exit_code == 2
    assert named in ended.stderr
    assert not STATE.exists()


def test_a_state_that_cannot_be_written_is_refused_before_anything_is_asked(run, here, monkeypatch):
    judge = judge_of(here, AS_RELEASED)
    says(monkeypatch, judge)
    for place in ("judge.yaml/state.json", "gold"):
        ended = run(*WATCH, "--state", place)
        assert ended.exit_code == 2
        assert "--state" in ended.stderr
    assert judge.asked == 0


def test_what_claims_and_notes_say_moves_no_cursor(run, here, monkeypatch):
    """B118: a claim's own characters are shown, never obeyed."""
    says(monkeypatch, judge_of(here, SUMMARIES_IDK))
    run(*WATCH, "--noise", "0.02")
    text = STATE.read_text().replace("en0-summary", "en0\\u001b[31m").replace("en1-s", "\\u202es")
    STATE.write_text(text)
    ended = run(*WATCH, "--noise", "0.02")
    assert "\x1b" not in ended.stdout
    assert "\u202e" not in ended.stdout
