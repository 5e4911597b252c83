from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from metajudge.experiment import Experiment
from metajudge.release.bundle import read_release
from tests.experiment.folder import write_template
from tests.release.confirmed import NAME, confirm, confirmed

OPTIONS = ("--policy", "strict", "--store", "store.sqlite", "--registry", "releases")
NAMED = (*OPTIONS, "--name", NAME)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    confirmed(tmp_path)
    return tmp_path


def test_it_says_what_it_made_why_that_number_where_and_what_comes_next(run, place: Path) -> None:
    ended = run("release", "create", ".", *NAMED)
    assert ended.exit_code == 0, ended.output
    lines = ended.stdout.splitlines()
    assert "It freezes mine (top), confirmed in results.json." in lines
    assert lines[0] == f"{NAME}@1.0.0, the first release of its name:"
    assert f"  releases/{NAME}/1.0.0" in lines
    for verb in ("verify", "promote", "emit"):
        assert f"metajudge release {verb} {NAME}@1.0.0" in ended.stdout
    assert (
        f"  metajudge release emit {NAME}@1.0.0 --registry releases --to deepeval" in ended.stdout
    )
    again = run("release", "create", ".", *NAMED)
    assert again.exit_code == 2
    assert "nothing differs from 1.0.0" in again.stderr
    write_template(place, "mine", rule="MIND the gist too:")
    confirm(Experiment.from_file("."))
    again = run("release", "create", ".", *NAMED)
    assert again.stdout.splitlines()[0] == f"{NAME}@1.0.1, a patch release after 1.0.0:"
    assert "- No verdict flips on 96 gold claims." in again.stdout


def test_without_a_name_it_takes_the_experiment_s(run_json, tmp_path: Path) -> None:
    confirmed(tmp_path, name="Our.Judge-" + "x" * 100)
    found = run_json("release", "create", ".", *OPTIONS)
    assert found["ref"] == "our.judge-" + "x" * 70 + "@1.0.0"


def test_the_commands_that_come_next_can_be_copied(run, place: Path) -> None:
    options = (*OPTIONS, "--registry", "my releases")
    ended = run("release", "create", ".", *options)
    shown = [line for line in ended.stdout.splitlines() if line.startswith("  metajudge release")]
    assert len(shown) == 3
    for line in shown:
        words = shlex.split(line)[1:]
        ended = run(*(word.replace("DIR", "dropins").replace("deepeval", "chat") for word in words))
        assert ended.exit_code == 0, (line, ended.stderr)


def test_notes_may_be_several_and_an_override_cannot_steer_a_terminal(run, tmp_path: Path) -> None:
    confirmed(tmp_path, candidate="mine", guardrails={"over_credit_upper": 0.0})
    said = ("--note", "one", "--note", "two", "--override", "why\x1b[31m\n# not")
    ended = run("release", "create", ".", *NAMED, *said)
    assert ended.exit_code == 0, ended.stderr
    assert "\x1b" not in ended.stdout
    assert "Released by override: why⟨1B⟩[31m # not" in ended.stdout
    assert read_release(tmp_path / "releases" / NAME / "1.0.0").manifest.notes == ("one", "two")


def test_json_is_one_value(run_json, place: Path) -> None:
    found = run_json("release", "create", ".", *NAMED)
    assert set(found) == {"ref", "candidate", "results", "folder", "change", "sha256"}
    assert found["candidate"] == {"trial": "mine", "reading": "top"}
    assert found["results"] == "results.json"
    assert found["ref"] == f"{NAME}@1.0.0"
    assert found["change"] == {"kind": "first", "reasons": ["It is the first of its name."]}


def test_a_refusal_ends_with_2_and_every_reason(run, place: Path) -> None:
    ended = run(
        "release", "create", ".", *OPTIONS, "--version", "2.0.0", "--override", "to be sure"
    )
    assert ended.exit_code == 2
    assert ended.stdout == ""
    assert "nothing is overridden" in ended.stderr
    assert "this release is 1.0.0" in ended.stderr
    assert not (place / "releases").exists() or not list((place / "releases").glob("*/*"))


def test_no_policy_is_no_guess(run, place: Path) -> None:
    ended = run("release", "create", ".")
    assert ended.exit_code == 2
    assert "--policy" in ended.stderr
