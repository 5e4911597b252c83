"""`metajudge release emit | identify`."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from metajudge.cli.release_emit import KINDS as NAMED
from metajudge.release.candidate import JudgePin
from metajudge.release.emit.kinds import KINDS
from tests.release.emit.made import made

REGISTRY = Path("experiments/releases")
REF = "faithfulness-verdict@1.0.0"


@pytest.fixture(autouse=True)
def _every_framework_counts_as_missing(monkeypatch):
    monkeypatch.setattr("metajudge.release.emit.kinds.Kind.installed", lambda _: None)


def test_the_help_names_every_kind():
    assert NAMED.replace(" or ", ", ").split(", ") == [kind.name for kind in KINDS]


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS])
def test_every_kind_is_written_and_identified(run, run_json, kind):
    made(REGISTRY, registered=True)
    told = run_json("release", "emit", "faithfulness-verdict", "--to", kind, "--out", "d")
    assert (told["release"], told["to"]) == (REF, kind)
    assert told["conditions"]
    for file in told["files"]:
        ended = run("release", "identify", file["path"])
        assert ended.exit_code == 0
        assert f"{REF} for {kind}, as it was emitted" in " ".join(ended.stdout.split())
        assert "in the registry, unmodified" in ended.stdout


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS])
def test_a_release_whose_judge_reads_no_prompt_is_refused(run, kind):
    made(REGISTRY, registered=True, judge=JudgePin(spec="baseline:ngram"))
    ended = run("release", "emit", REF, "--to", kind, "--out", "d")
    assert ended.exit_code == 2
    told = " ".join(ended.stderr.split())
    assert "baseline:ngram compares wording and reads none" in told
    assert not Path("d").exists()


def test_one_language_differences_and_conditions_are_shown_at_80_columns(run):
    made(REGISTRY, registered=True, reading="batch_corrected", prior=(0.5, 0.3, 0.2))
    ended = run("release", "emit", REF, "--to", "deepeval", "--out", "d", "--language", "zh")
    assert ended.exit_code == 0
    told = " ".join(ended.stdout.split())
    assert "asks the same words, reads the plain label; figures of the release do not" in told
    assert "written for >=3.7,<5, tested with 4.3.1" in told
    assert "The judge is the release's: local:qwen2.5-coder-1.5b at temperature 0, at most" in told
    assert "Keep also: - The judge" in told
    assert "For the release's figures to hold" not in told
    assert all(len(line) <= 80 for line in ended.stdout.splitlines())
    assert '"en": {' not in Path("d/faithfulness_verdict_deepeval.py").read_text("utf-8")


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS if kind.name != "chat"])
def test_where_it_differs_no_text_promises_that_the_figures_hold(run, kind):
    made(REGISTRY, registered=True, reading="batch_corrected", prior=(0.5, 0.3, 0.2))
    ended = run("release", "emit", REF, "--to", kind, "--out", "d")
    assert ended.exit_code == 0
    texts = [path.read_text("utf-8") for path in Path("d").iterdir() if path.suffix != ".json"]
    for text in (ended.stdout, *texts):
        assert "Keep also" in text
        assert "figures to hold" not in text


def test_where_nothing_differs_the_conditions_are_those_of_the_figures(run):
    made(REGISTRY, registered=True)
    for kind in ("chat", "deepeval"):
        ended = run("release", "emit", REF, "--to", kind, "--out", "d")
        assert "For the release's figures to hold:" in ended.stdout
        assert "Keep also" not in ended.stdout


@pytest.mark.parametrize(
    ("kind", "switch"),
    [("deepeval", "DEEPEVAL_TELEMETRY_OPT_OUT=YES"), ("ragas", "RAGAS_DO_NOT_TRACK=true")],
)
def test_module_and_notes_say_how_telemetry_is_switched_off_and_do_not_do_it(run, kind, switch):
    made(REGISTRY, registered=True)
    assert run("release", "emit", REF, "--to", kind, "--out", "d").exit_code == 0
    module, notes = (next(Path("d").glob(pattern)) for pattern in ("*.py", "*.md"))
    text = module.read_text("utf-8")
    assert switch in (ast.get_docstring(ast.parse(text)) or "")
    assert "environ" not in text.replace(ast.get_docstring(ast.parse(text)) or "", "").replace(
        "environment", ""
    )
    assert switch in notes.read_text("utf-8").replace("\\", "")


def test_json_lists_the_differences(run_json):
    made(REGISTRY, registered=True, reading="batch_corrected", prior=(0.5, 0.3, 0.2))
    told = run_json("release", "emit", REF, "--to", "ragas", "--out", "d")
    assert len(told["differences"]) == 2
    assert told["framework"] == {
        "package": "ragas",
        "versions": ">=0.4.3,<0.5",
        "tested": "0.4.3",
        "installed": None,
    }


def test_nothing_is_overwritten_unasked_and_faults_are_told_before_writing(run):
    made(REGISTRY, registered=True, policy="partial(0.5)")
    first = ("release", "emit", REF, "--to", "chat", "--out", "d")
    assert run(*first).exit_code == 0
    again = run(*first)
    assert again.exit_code == 2
    assert "overwrites no file unasked" in " ".join(again.stderr.split())
    assert again.stderr.count("chat.") == 2
    assert run(*first, "--force").exit_code == 0
    refused = run("release", "emit", REF, "--to", "deepeval", "--out", "e")
    assert refused.exit_code == 2
    assert "cannot express the policy partial(0.5)" in " ".join(refused.stderr.split())
    assert not Path("e").exists()
    near = run("release", "emit", REF, "--to", "deepevals", "--out", "e")
    assert near.exit_code == 2
    assert "Did you mean 'deepeval'?" in " ".join(near.stderr.split())
    assert run("release", "emit", "nobody@1", "--to", "chat", "--out", "e").exit_code == 2


def test_a_language_that_the_release_lacks_is_refused(run):
    from tests.release.emit.made import own_template

    made(REGISTRY, [own_template()], registered=True)
    ended = run("release", "emit", REF, "--to", "chat", "--out", "d", "--language", "zh")
    assert ended.exit_code == 2
    assert "has the languages en" in " ".join(ended.stderr.split())


def test_identify_ends_with_1_for_an_edit_and_2_for_a_stranger(run, run_json):
    made(REGISTRY, registered=True)
    run("release", "emit", REF, "--to", "markdown", "--out", "d")
    page = Path("d/faithfulness-verdict.md")
    page.write_text(page.read_text("utf-8").replace("yes", "YES"), "utf-8")
    edited = run("release", "identify", page)
    assert edited.exit_code == 1
    assert "EDITED" in edited.stdout
    again = f"metajudge release emit {REF} --to markdown --out d --force"
    assert f"  {again}" in edited.stdout.splitlines()
    assert run(*again.split()[1:]).exit_code == 0
    assert run("release", "identify", page).exit_code == 0
    Path("other.txt").write_text("hello", "utf-8")
    stranger = run("release", "identify", "other.txt", "--json")
    assert stranger.exit_code == 2
    assert json.loads(stranger.stdout)["state"] == "unknown"
    missing = run("release", "identify", "no.py")
    assert missing.exit_code == 2
    assert "Traceback" not in missing.stderr


def test_several_files_are_identified_at_once_and_the_worst_ends_it(run, run_json):
    """What pre-commit does: one call with every file of the commit."""
    made(REGISTRY, registered=True)
    run("release", "emit", REF, "--to", "chat", "--out", "d")
    run("release", "emit", REF, "--to", "markdown", "--out", "d")
    files = sorted(Path("d").iterdir())
    whole = run("release", "identify", *files)
    assert whole.exit_code == 0
    assert " ".join(whole.stdout.split()).count("as it was emitted") == len(files) == 3
    assert [row["file"] for row in run_json("release", "identify", *files)] == list(map(str, files))
    files[0].write_text(files[0].read_text("utf-8").replace("yes", "YES"), "utf-8")
    assert run("release", "identify", *files).exit_code == 1
    Path("d/binary").write_bytes(b"\xff\x00")
    mixed = run("release", "identify", Path("d/binary"), Path("d/gone"), *files, "--json")
    assert mixed.exit_code == 2
    assert len(json.loads(mixed.stdout)) == 3
    assert "UTF-8" in mixed.stderr
    assert "gone" in mixed.stderr


def test_a_release_that_the_registry_lacks_or_refuses_ends_identify_with_2(run):
    release = made(REGISTRY, registered=True)
    run("release", "emit", REF, "--to", "markdown", "--out", "d")
    page = Path("d/faithfulness-verdict.md")
    elsewhere = run("release", "identify", page, "--registry", "nowhere")
    assert elsewhere.exit_code == 2
    assert "as its mark says" in " ".join(elsewhere.stdout.split())
    assert "not in the registry" in elsewhere.stdout
    with (release.folder / "release.yaml").open("a", encoding="utf-8") as file:
        file.write("\n")
    refused = run("release", "identify", page)
    assert refused.exit_code == 2
    assert "does not give it out" in refused.stdout
