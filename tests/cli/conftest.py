"""A command line run in this process, in a folder of its own, with a clean environment."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from metajudge.cli.telemetry import SWITCHES
from tests.cli.folders import two_wordings

EXPERIMENT = """\
name: served
gold: {{path: gold}}
judges:
  - {{spec: {spec}, api_base: "{url}", timeout_s: {timeout_s}}}
templates: [{templates}]
policies: [lenient, strict]
bootstrap: {{resamples: 200}}
"""


@pytest.fixture(autouse=True)
def clean(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.endswith(("_API_KEY", "_API_BASE", "_BASE_URL")) or name.startswith("METAJUDGE_"):
            monkeypatch.delenv(name)
    for name, value in SWITCHES.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("METAJUDGE_MODELS", str(tmp_path / "no-models"))
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def released():
    """The small release of `applied`, in the folder `registry`."""
    from tests.release.applied import made

    return made(Path())


@pytest.fixture
def run():
    """Runs `metajudge` with arguments; a programming error fails the test."""
    from metajudge.cli.app import app

    def call(*arguments: object, stdin: str | None = None):
        ended = CliRunner().invoke(
            app, list(map(str, arguments)), input=stdin, prog_name="metajudge"
        )
        if ended.exception is not None and not isinstance(ended.exception, SystemExit):
            raise ended.exception
        return ended

    return call


@pytest.fixture
def run_json(run):
    def call(*arguments: object):
        ended = run(*arguments, "--json")
        return json.loads(ended.stdout)

    return call


@pytest.fixture
def starter(run, tmp_path):
    """A starter in the current folder."""
    assert run("init").exit_code == 0
    return tmp_path


@pytest.fixture
def served(starter):
    """Writes `served.yaml`, an experiment whose judge is a server."""

    def write(
        url: str, spec: str = "openai/loop", timeout_s: float = 60, templates: str = "literal"
    ):
        text = EXPERIMENT.format(url=url, spec=spec, timeout_s=timeout_s, templates=templates)
        path = Path("served.yaml")
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def run_folder(run):
    """A finished sweep in runs/test."""
    two_wordings()
    assert run("sweep", "--quiet").exit_code == 0
    return "runs/test"
