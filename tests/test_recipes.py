"""The recipes: every command in them is valid, and each runs here as far as it can."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from metajudge.cli.app import app
from metajudge.release.watch_state import read_state
from tests.experiment.folder import rows
from tests.release.confirmed import confirmed

ROOT = Path(__file__).parent.parent
RECIPES = ROOT / "docs" / "recipes"
EXAMPLES = RECIPES / "examples"
WORKFLOWS = ("consult.yml", "watch.yml", "gate.yml")
HOOKS = EXAMPLES / "pre-commit-config.yaml"
PRE_COMMIT = Path(sys.executable).with_name("pre-commit")
METRIC = "faithfulness-verdict@1.0.0"


def workflow(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((EXAMPLES / name).read_text(encoding="utf-8"))
    return found


def steps(name: str) -> list[dict[str, Any]]:
    return [step for job in workflow(name)["jobs"].values() for step in job["steps"]]


def scripts() -> Iterator[str]:
    """Shell texts of workflows, hooks and pages."""
    for name in WORKFLOWS:
        yield from (step["run"] for step in steps(name) if "run" in step)
    for hook in yaml.safe_load(HOOKS.read_text(encoding="utf-8"))["repos"][0]["hooks"]:
        yield hook["entry"] + (" FILE" if hook.get("pass_filenames", True) else "")
    for page in sorted(RECIPES.glob("*.md")):
        blocks = re.findall(r"^```(.*?)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)
        yield from (text for language, text in blocks if not language)


def commands() -> list[list[str]]:
    """Arguments of every `metajudge` in the recipes."""
    found = []
    for script in scripts():
        for line in script.replace("\\\n", " ").splitlines():
            for part in re.findall(r"\bmetajudge ([^;|&>]*)", re.sub(r"\s# .*", "", line)):
                found.append(shlex.split(part.strip().rstrip("'")))
    return found


def test_every_command_of_the_recipes_is_one_with_options_that_exist():
    asked = commands()
    verbs = {
        "select",
        "judge",
        "evaluate",
        "consult",
        "watch",
        "release",
        "gold",
        "sweep",
        "label",
        "templates",
        "race",
        "tune",
        "search",
        "optimise",
        "plan",
        "cascade",
        "diagnose",
        "monitor",
        "gate",
    }
    assert {words[0] for words in asked} == verbs
    releases = typer.main.get_command(app).commands["release"].commands
    assert {words[1] for words in asked if words[0] == "release"} == set(releases)
    for words in asked:
        command, rest = typer.main.get_command(app), words
        context = command.make_context("metajudge", [], resilient_parsing=True)
        while hasattr(command, "commands"):
            name, command, rest = command.resolve_command(context, rest)
        command.make_context(name, list(rest))


@pytest.mark.parametrize("name", WORKFLOWS)
def test_workflows_may_do_little_and_show_no_secret(name):
    told = workflow(name)
    writes = {right for right, level in told["permissions"].items() if level == "write"}
    assert writes == ({"pull-requests"} if name == "consult.yml" else set())
    for job in told["jobs"].values():
        assert "permissions" not in job
        assert job["timeout-minutes"] <= 60
    for step in steps(name):
        if "uses" in step:
            assert re.fullmatch(r"actions/[a-z-]+(/[a-z]+)?@v\d+", step["uses"])
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False
        script = step.get("run", "")
        assert "${{" not in script, "what others write is no part of a script"
        assert not re.search(r"KEY|TOKEN|printenv|\benv\b|set -x", script)
        secret = "secrets." in str(step)
        assert not secret or "metajudge" in script


def test_pages_link_to_examples_that_are_there_and_the_other_way_round():
    text = "".join(page.read_text(encoding="utf-8") for page in RECIPES.glob("*.md"))
    linked = set(re.findall(r"\]\((examples/[^)]+)\)", text))
    assert linked == {f"examples/{path.name}" for path in EXAMPLES.iterdir()}
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (RECIPES / target).exists(), target


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A folder with a gold set, a judge and a committed registry."""
    folder = tmp_path_factory.mktemp("recipes")
    confirmed(folder).release(registry=folder / "experiments" / "releases")
    return folder


@pytest.fixture
def home(released, tmp_path):
    """A repository of a team that uses a release, with two commits."""
    place = tmp_path / "team"
    place.mkdir()
    for name in ("gold", "experiments", "judge.yaml"):
        source = released / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, place / name)
    evaluation = place / "evaluation"
    evaluation.mkdir()
    (evaluation / "metric").write_text(f"{METRIC}\n")
    claims = ["Hall en0 opens at 9.", "Access and lending are both settled for Hall en0."]
    passages = ["Hall en0 opens at 9.", "Hall en0 lends 20 books."]
    rows(
        evaluation / "sample.jsonl",
        [{"answer_id": f"a{n}", "passages": passages, "claims": claims} for n in range(3)],
    )
    git(place, "init", "-q")
    commit(place)
    (evaluation / "metric").write_text("literal+strict\n")
    commit(place)
    return place


def environment(place: Path, **more: str) -> dict[str, str]:
    """A clean environment with `metajudge`, and `gh` that writes down what it is told."""
    tools = place.parent / "tools"
    tools.mkdir(exist_ok=True)
    for name, text in (
        ("metajudge", f'exec "{sys.executable}" -m metajudge "$@"'),
        ("gh", f'echo "$@" >> "{place.parent / "gh.txt"}"'),
    ):
        (tools / name).write_text(f"#!/bin/sh\n{text}\n")
        (tools / name).chmod(0o755)
    return {
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "HOME": str(place.parent),
        "COLUMNS": "80",
        "PRE_COMMIT_HOME": str(place.parent / "pre-commit"),
        "GITHUB_OUTPUT": str(place.parent / "output.txt"),
        "GITHUB_STEP_SUMMARY": str(place.parent / "summary.md"),
        **more,
    }


def git(place: Path, *words: str) -> str:
    name = ("-c", "user.name=team", "-c", "user.email=team@example.org")
    done = subprocess.run(
        ["git", *name, *words], cwd=place, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def commit(place: Path) -> None:
    git(place, "add", "-A")
    git(place, "commit", "-q", "-m", "change")


def step(name: str, title: str, place: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Runs a step's script as a runner does."""
    (script,) = [one["run"] for one in steps(name) if one.get("name") == title]
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=place,
        env=environment(place, **more),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_the_consult_workflow_compares_both_metrics_and_posts(home):
    base = git(home, "rev-parse", "HEAD~1")
    done = step("consult.yml", "Consult", home, BASE=base)
    assert done.returncode == 0, done.stderr
    code = (home.parent / "output.txt").read_text().strip().removeprefix("code=")
    assert code in ("1", "4")
    assert step("consult.yml", "Show", home).returncode == 0
    assert METRIC in (home.parent / "summary.md").read_text()
    assert step("consult.yml", "Post", home, NUMBER="7").returncode == 0
    assert (
        "pr comment 7 --body-file runs/consult/consult.md" in (home.parent / "gh.txt").read_text()
    )
    assert step("consult.yml", "Decide", home, CODE=code).returncode == int(code)


def test_the_consult_workflow_says_what_is_wrong_with_a_metric(home):
    """A metric that is shell text stays text."""
    (home / "evaluation" / "metric").write_text("$(touch owned); literal+strict\n")
    done = step("consult.yml", "Consult", home, BASE="HEAD~1")
    assert (home.parent / "output.txt").read_text() == "code=2\n"
    assert "owned" in done.stderr
    assert not (home / "owned").exists()
    assert step("consult.yml", "Show", home).returncode == 0
    assert step("consult.yml", "Post", home).returncode == 0
    assert not (home.parent / "gh.txt").exists()


def test_the_watch_workflow_goes_on_alarms_and_is_acknowledged(released, home):
    shutil.copytree(released / "gold", home / "gold" / "faithfulness")
    for n in ("1 run", "2 runs"):
        done = step("watch.yml", "Watch", home)
        assert done.returncode == 0, done.stderr
        assert f"{n} counted" in done.stdout
    with (home / "judge.yaml").open("a") as script:
        script.write("# another build\n")
    done = step("watch.yml", "Watch", home)
    assert done.returncode == 1
    assert "ALARM (identity)" in (home.parent / "summary.md").read_text()
    assert step("watch.yml", "Acknowledge", home, WHY='a "new" $(build)').returncode == 0
    state = read_state(home / "watch.json")
    assert state is not None
    assert state.series[0].ended is not None
    assert state.series[0].ended.why == 'a "new" $(build)'


@pytest.mark.skipif(not PRE_COMMIT.is_file(), reason="pre-commit is not installed")
def test_the_hooks_pass_what_is_whole_and_stop_what_was_edited(home):
    shutil.copy(HOOKS, home / ".pre-commit-config.yaml")
    made = subprocess.run(
        ["metajudge", "release", "emit", METRIC, "--to", "chat", "--out", "metrics"],
        cwd=home, env=environment(home), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    emitted = sorted((home / "metrics").iterdir())
    commit(home)

    def hooks() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [PRE_COMMIT, "run", "--all-files", "--color", "never"],
            cwd=home, env=environment(home), capture_output=True, text=True, check=False,
        )  # fmt: skip

    done = hooks()
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("Passed") == 2
    emitted[0].write_text(emitted[0].read_text().replace("follows", "might follow"))
    stored = home / "experiments" / "releases" / "faithfulness-verdict" / "1.0.0" / "evidence.json"
    stored.write_text(stored.read_text().replace("0", "1", 1))
    done = hooks()
    assert done.returncode == 1
    assert done.stdout.count("Failed") == 2
    assert "EDITED" in done.stdout
    assert "evidence" in done.stdout
