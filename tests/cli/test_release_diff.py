"""`metajudge release diff` on a terminal and as JSON."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from metajudge.release.diff import ReleaseDiff
from tests.release.confirmed import NAME, confirmed
from tests.release.factory import later
from tests.release.test_diff import SURE


@pytest.fixture(scope="module")
def pristine(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pristine")
    confirmed(folder).release()
    later(folder, script=SURE).release(policy="partial(0.5)")
    return folder


@pytest.fixture(autouse=True)
def two_releases(pristine, tmp_path, monkeypatch):
    shutil.copytree(pristine, tmp_path, dirs_exist_ok=True)
    monkeypatch.setenv("METAJUDGE_REGISTRY", "releases")


def test_all_parts_are_shown_in_80_columns(run):
    ended = run("release", "diff", f"{NAME}@1", NAME)
    assert ended.exit_code == 0
    text = " ".join(ended.stdout.split())
    for part in (
        "After A, B is 2.0.0: major",
        "The scoring policy changes: strict (version 1) -> partial(0.5) (version 1).",
        "+ 'yes': 'MIND the gist and the words: it follows.'",
        "policy.name - strict + partial(0.5)",
        "idk->no 10 1.0",
        "off_context 10",
        "Scores of 24 answers, each side under its own policy",
        "Claims with another verdict",
    ):
        assert part in text
    assert all(len(line) <= 80 for line in ended.stdout.splitlines())


def test_json_is_the_whole_comparison(run):
    folders = [Path("releases") / NAME / version for version in ("1.0.0", "2.0.0")]
    ended = run("release", "diff", *folders, "--json")
    found = ReleaseDiff.model_validate_json(ended.stdout)
    assert found.gold is not None
    assert found.gold.flips.changed == 10
    assert found.version == "2.0.0"


def test_without_gold_the_rest_is_shown_and_the_reason_told(run):
    Path("gold").rename("elsewhere")
    ended = run("release", "diff", f"{NAME}@1", NAME)
    assert ended.exit_code == 0
    assert "Verdicts are not compared" in ended.stdout
    assert "MIND the gist and the words" in ended.stdout
    shown = run("release", "diff", f"{NAME}@1", NAME, "--gold", "elsewhere").stdout
    assert "Claims with another verdict" in shown


def test_an_unknown_side_ends_with_2(run):
    ended = run("release", "diff", NAME, f"{NAME}@7")
    assert ended.exit_code == 2
    assert "there is no such version" in ended.stderr
