"""`metajudge release verify`: exit codes, and what people read."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from metajudge.release.manifest import CARD, EVIDENCE
from metajudge.runner.absent import Obstacle
from tests.experiment.folder import CAREFUL, write_script
from tests.release.confirmed import NAME, confirmed

WRONG = [(r"(?s)Claim: Access.*MIND", "no"), *CAREFUL]


@pytest.fixture(scope="module")
def pristine(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pristine")
    confirmed(folder).release()
    return folder


@pytest.fixture
def folder(pristine, tmp_path) -> Path:
    """A release in the working folder's registry `releases`."""
    shutil.copytree(pristine, tmp_path, dirs_exist_ok=True)
    return Path("releases") / NAME / "1.0.0"


def test_a_whole_release_ends_with_0_and_names_what_was_not_checked(run, folder):
    ended = run("release", "verify", NAME, "--registry", "releases")
    assert ended.exit_code == 0
    text = " ".join(ended.stdout.split())
    assert "every figure of both splits is equal to 6 decimals as written" in text
    assert "open signature: nobody signed this release" in text
    assert text.endswith(f"{NAME}@1.0.0 is verified. Could not be checked: signature.")
    assert all(len(line) <= 80 for line in ended.stdout.splitlines())


def test_an_altered_file_ends_with_1_and_is_named(run, run_json, folder):
    path = folder / EVIDENCE
    path.write_text(path.read_text("utf-8").replace('"kappa"', '"Kappa"', 1), "utf-8")
    ended = run("release", "verify", folder)
    assert ended.exit_code == 1
    assert "FAILED hashes: 1 fault" in ended.stdout
    assert str(path) in "".join(ended.stdout.split("\n  "))
    told = run_json("release", "verify", folder)
    assert told["state"] == "failed"
    wrong = {check["name"] for check in told["checks"] if check["state"] == "failed"}
    assert {"hashes", "evidence"} <= wrong
    assert told["live"] is None


def test_a_missing_gold_set_ends_with_4_and_can_be_named(run, folder):
    Path("gold").rename("elsewhere")
    ended = run("release", "verify", folder)
    assert ended.exit_code == 4
    assert "could not be verified: signature, gold, replies, examples, evidence" in " ".join(
        ended.stdout.split()
    )
    assert run("release", "verify", folder, "--gold", "elsewhere").exit_code == 0


def test_what_is_no_release_ends_with_2(run, folder):
    for name in (".", "./nowhere", "nothing"):
        assert run("release", "verify", name, "--registry", "releases").exit_code == 2


def test_a_judge_that_answers_as_before_ends_with_0(run, folder):
    ended = run("release", "verify", folder, "--live", "--quiet")
    assert ended.exit_code == 0
    assert "claims asked again: 44" in ended.stdout
    assert "Nothing says that the judge behaves otherwise" in ended.stdout
    assert all(len(line) <= 80 for line in ended.stdout.splitlines())


def test_a_judge_that_changed_ends_with_1_and_its_identity_comes_first(run, run_json, folder):
    write_script(Path(), WRONG)
    ended = run("release", "verify", folder, "--live", "--quiet")
    assert ended.exit_code == 1
    text = ended.stdout
    assert text.index("judge's backend_version: pinned") < text.index("claims asked again")
    assert "yes->no 11" in text
    assert run_json("release", "verify", folder, "--live", "--quiet")["live"]["worse"] == 11


def test_a_spent_budget_ends_with_3_and_the_same_command_goes_on(run, folder):
    live = ("release", "verify", folder, "--live", "--quiet", "--store", "live.sqlite")
    ended = run(*live, "--budget-calls", "10")
    assert ended.exit_code == 3
    assert "not asked: 34" in ended.stdout
    assert run(*live).exit_code == 0


def test_the_last_line_does_not_call_a_release_verified_whose_judge_drifted(run, folder):
    write_script(Path(), WRONG)
    lines = run("release", "verify", folder, "--live", "--quiet").stdout.splitlines()
    end = " ".join("".join(lines[lines.index("") :]).split())
    assert f"{NAME}@1.0.0 is verified" not in end
    assert f"The files of {NAME}@1.0.0 are verified, but its judge is not as pinned." in end


@pytest.mark.parametrize(
    ("error", "options", "code"),
    [("access", (), 2), ("server", (), 4), ("rate_limit", ("--budget-minutes", "0.02"), 3)],
)
def test_a_judge_that_never_answered_ends_as_any_run_that_stops_so(
    run, folder, error, options, code
):
    """B123: a dead judge or a refused key has the exit code that it has everywhere."""
    Path("judge.yaml").write_text(f"name: script\nreplies: [{{error: {error}}}]\n", "utf-8")
    ended = run("release", "verify", folder, "--live", "--quiet", *options)
    assert ended.exit_code == code
    assert "the judge could not be asked again" in ended.stderr
    assert "ok     evidence" in ended.stdout


def test_a_judge_is_not_asked_about_a_release_that_does_not_hold(run, folder):
    path = folder / EVIDENCE
    path.write_text(path.read_text("utf-8").replace('"n": 52', '"n": 53', 1), "utf-8")
    ended = run("release", "verify", folder, "--live", "--quiet")
    assert ended.exit_code == 1
    assert "not asked again while these checks are not ok: evidence" in " ".join(
        ended.stderr.split()
    )
    assert "claims asked again" not in ended.stdout


def test_a_judge_that_is_not_there_leaves_the_question_open(run, folder):
    Path("judge.yaml").unlink()
    ended = run("release", "verify", folder, "--live", "--quiet")
    assert ended.exit_code == 4
    assert "the judge could not be asked again" in " ".join(ended.stderr.split())
    assert "judge.yaml" in ended.stderr
    assert "ok     evidence" in ended.stdout
    end = " ".join(ended.stdout.split())
    assert f"The files of {NAME}@1.0.0 are verified; its judge could not be asked." in end
    assert f"{NAME}@1.0.0 is verified" not in end


def test_a_model_that_is_not_on_this_machine_leaves_the_question_open(run, folder, monkeypatch):
    barrier = Obstacle("its model is not on this machine", "make model")
    monkeypatch.setattr("metajudge.runner.absent.obstacle", lambda spec: barrier)
    ended = run("release", "verify", folder, "--live", "--quiet")
    assert ended.exit_code == 4
    assert "its model is not on this machine" in " ".join(ended.stderr.split())
    assert "its judge could not be asked." in " ".join(ended.stdout.split())


def test_a_hostile_file_cannot_steer_a_terminal(run, folder):
    (folder / CARD).write_bytes(b"\x1b[2J" + (folder / CARD).read_bytes())
    text = run("release", "verify", folder).stdout
    assert "\x1b" not in text
    assert str(folder / CARD) in "".join(text.split("\n  "))
