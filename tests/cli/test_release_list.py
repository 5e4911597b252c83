"""`metajudge release list | show | promote | deprecate`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metajudge.gold.strict_yaml import dump_yaml
from metajudge.release.bundle import read_release
from metajudge.release.evidence import read_evidence
from metajudge.release.manifest import EVIDENCE, MANIFEST
from metajudge.release.registry import folder_of
from tests.release.confirmed import NAME, confirmed
from tests.release.factory import forge, put_release

REGISTRY = Path("experiments/releases")


@pytest.fixture
def registry() -> Path:
    for version in ("1.0.0", "1.1.0", "2.0.0"):
        put_release(REGISTRY, version)
    return REGISTRY


def test_the_list_shows_versions_states_and_what_is_refused(run, registry):
    put_release(registry, "3.0.0", registered=False)
    assert run("release", "promote", f"{NAME}@1.1.0", "--reason", "best").exit_code == 0
    assert run("release", "deprecate", f"{NAME}@1.0.0", "--reason", "too mild").exit_code == 0
    ended = run("release", "list")
    assert ended.exit_code == 0
    rows = [line.split() for line in ended.stdout.splitlines() if line.startswith(f"{NAME}@")]
    assert rows[0][:2] == [f"{NAME}@1.0.0", "deprecated"]
    assert rows[1][:3] == [f"{NAME}@1.1.0", "promoted", "*"]
    assert rows[2][:2] == [f"{NAME}@2.0.0", "created"]
    assert rows[3][:2] == [f"{NAME}@3.0.0", "refused"]
    assert f"{NAME}@3.0.0 is refused: registry.jsonl has no line" in ended.stdout
    legend = "* latest, ! broken guardrail; kappa and over(-credit) on sealed test"
    assert legend in ended.stdout.splitlines()
    assert all(len(line) <= 80 for line in ended.stdout.splitlines())


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_a_long_judge_or_name_never_folds_a_line_of_the_table_nor_loses_a_figure(
    run, registry, monkeypatch, columns
):
    monkeypatch.setenv("COLUMNS", str(columns))
    release = read_release(folder_of(registry, NAME, "1.1.0"))
    told = release.manifest.model_dump(mode="json")
    told["judge"]["spec"] = "hosted_vllm/some-organisation/a-model-with-a-very-long-name-7b"
    (release.folder / MANIFEST).write_text(dump_yaml(told), "utf-8")
    forge(release)
    put_release(registry, "1.0.0", f"{NAME}-{'x' * 30}" if columns == 120 else "short")
    lines = run("release", "list").stdout.splitlines()
    assert all(len(line) <= columns for line in lines)
    text = " ".join(" ".join(lines).split())
    for version in ("1.0.0", "1.1.0", "2.0.0"):
        assert f"{NAME}@{version}" in text
    if columns >= 80:
        assert len(lines) == 2 + 4 + 1
        assert "a-mod" in text
        assert "…" in text
    else:
        assert "a-model-with-a-very-long-name-7b" in text
        assert text.count("kappa") == 4 + 1


def test_the_list_as_json_has_the_key_figures(run_json):
    release = confirmed(Path()).release(registry=REGISTRY).release
    (row,) = run_json("release", "list")
    test = read_evidence(release.folder).recomputed.test
    assert row["kappa"] == test.figures["kappa"].value
    assert row["over_credit"] == 0
    assert (row["name"], row["version"], row["state"]) == (NAME, "1.0.0", "created")
    assert row["latest"] is True
    assert row["languages"] == ["en"]
    assert row["refused"] is None


def test_an_empty_registry_says_so(run, run_json, tmp_path):
    ended = run("release", "list", "--registry", tmp_path)
    assert (ended.exit_code, ended.stdout) == (0, "")
    assert "the registry has no release" in " ".join(ended.stderr.split())
    assert run_json("release", "list", "--registry", tmp_path) == []


def test_an_override_is_marked_and_told(run, registry):
    release = read_release(folder_of(registry, NAME, "1.1.0"))
    told = release.manifest.model_dump(mode="json") | {"override": "the\nbaseline is worse"}
    (release.folder / MANIFEST).write_text(dump_yaml(told), "utf-8")
    forge(release)
    text = run("release", "list").stdout
    assert f"! {NAME}@1.1.0: the baseline is worse" in text
    assert "OVERRIDE" in run("release", "show", f"{NAME}@1.1.0").stdout


def test_show_tells_what_a_release_is_and_its_figures(run, run_json):
    release = confirmed(Path()).release(registry=REGISTRY).release
    ended = run("release", "show", NAME)
    assert ended.exit_code == 0
    text = " ".join(ended.stdout.split())
    for part in (
        "release faithfulness-verdict@1.0.0",
        "policy strict, passes from 0.8 on",
        "gold halls 1, labelling policy 1",
        "experiment test: mine against literal",
        "claims 44 52",
        "summary-as-idk .00",
        "flip rate over repeats: not asked",
    ):
        assert part in text
    assert all(len(line) <= 80 for line in ended.stdout.splitlines())
    shown = run_json("release", "show", release.folder)
    assert shown["manifest"]["name"] == NAME
    assert shown["state"] is None
    assert shown["sha256"] == release.sha256
    assert shown["figures"]["test"]["claims"] == 52


def test_show_tells_a_deprecated_release_and_why(run, run_json, registry):
    run("release", "deprecate", f"{NAME}@2.0.0", "--reason", "credits outside facts")
    text = " ".join(run("release", "show", f"{NAME}@2.0.0").stdout.split())
    assert "state deprecated" in text
    assert "credits outside facts" in text
    shown = run_json("release", "show", f"{NAME}@2.0.0")
    assert "credits outside facts" in shown["note"]
    assert run_json("release", "show", NAME)["manifest"]["version"] == "1.1.0"


def test_show_without_evidence_still_shows_the_manifest(run, registry):
    ended = run("release", "show", NAME)
    assert ended.exit_code == 0
    assert "its evidence cannot be read" in ended.stderr
    assert not (folder_of(registry, NAME, "2.0.0") / EVIDENCE).exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("show", "faithfulness-verdikt"), "Did you mean 'faithfulness-verdict'?"),
        (("show", f"{NAME}@9"), "there is no such version"),
        (("show", "a b"), "a reference to a release is"),
        (("show", "./nowhere"), "nowhere"),
        (("promote", NAME, "--reason", "x"), "one version is promoted at a time"),
        (("promote", f"{NAME}@1.0.0", "--reason", " "), "for a reason"),
    ],
)
def test_mistakes_end_with_2_and_a_mend(run, registry, arguments, told):
    ended = run("release", *arguments)
    assert ended.exit_code == 2
    assert told in " ".join(ended.stderr.split())


def test_what_a_reason_says_cannot_steer_a_terminal(run, registry):
    run("release", "deprecate", f"{NAME}@2.0.0", "--reason", "bad\x1b[31m\nred")
    text = run("release", "show", f"{NAME}@2.0.0").stdout
    assert "\x1b" not in text
    for version in ("1.0.0", "1.1.0"):
        told = run("release", "deprecate", f"{NAME}@{version}", "--reason", "b\x1b[2Jad")
        assert "\x1b" not in told.stdout
    refused = run("release", "show", NAME)
    assert refused.exit_code == 2
    assert "\x1b" not in refused.stderr
    emitted = run("release", "emit", f"{NAME}@2.0.0", "--to", "chat", "--out", "d")
    assert "is deprecated" in emitted.stderr
    assert "\x1b" not in emitted.stderr
    lines = (registry / "registry.jsonl").read_text("utf-8").splitlines()
    assert json.loads(lines[3])["reason"] == "bad\x1b[31m\nred"
