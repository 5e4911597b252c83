from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from metajudge import __version__
from metajudge.cli.app import VERBS, app
from metajudge.cli.exit_codes import HELP
from metajudge.cli.help_groups import GROUPS

ROOT = Path(__file__).resolve().parents[2]
HEAVY = (
    "litellm dspy datasets sklearn optuna pandas scipy plotly sqlalchemy aiohttp xllamacpp "
    "pydantic numpy yaml jinja2 rich asyncio"
).split()


def program(*arguments, stdin=None, **environ):
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        input=stdin,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environ,
    )


def test_g11_help_loads_no_heavy_library():
    code = (
        "import sys\n"
        "from metajudge.cli import main\n"
        "sys.argv = ['metajudge', '--help']\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert end.code == 0\n"
        f"print('loaded', [name for name in {HEAVY!r} if name in sys.modules])\n"
    )
    ended = program("-c", code)
    assert ended.returncode == 0, ended.stderr
    assert "loaded []" in ended.stdout


def test_b123_help_lists_the_exit_codes(run):
    lines = [line.strip() for line in HELP.splitlines()[1:]]
    for arguments in ((), ("sweep",), ("select",)):
        shown = [line.strip() for line in run(*arguments, "--help").stdout.splitlines()]
        assert set(lines) <= set(shown)
    assert [line.split()[0] for line in lines[1:]] == list("01234")


def test_help_lists_every_verb_once_in_a_group_with_its_whole_sentence(run):
    grouped = [name for names in GROUPS.values() for name in names]
    commands = typer.main.get_command(app).commands
    assert sorted(grouped) == sorted(commands)
    shown = run("--help").stdout
    assert "..." not in shown.partition("\n")[2]
    assert all(len(line) <= 80 for line in shown.splitlines())
    at = [shown.index(f"{title}:") for title in GROUPS]
    assert at == sorted(at)
    for name, command in commands.items():
        assert command.get_short_help_str(1_000).split()[-1] in shown, name


def test_help_fits_80_columns(run):
    verbs = tuple(verb.__name__ for verb in VERBS)
    groups = (("gold", "split"), ("templates", "show"), ("models", "pull"))
    for verb in (*((verb,) for verb in verbs), *groups):
        ended = run(*verb, "--help")
        assert ended.exit_code == 0
        assert all(len(line) <= 80 for line in ended.stdout.splitlines()), verb


def test_version_and_unknown_commands(run):
    assert run("--version").stdout == f"metajudge {__version__}\n"
    ended = run("swep")
    assert ended.exit_code == 2
    assert "sweep" in ended.stderr


def test_b118_an_ascii_terminal_gets_every_report_whole(starter):
    bare = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    ended = program("-m", "metajudge", "sweep", "--lang", "zh", **bare)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.isascii()
    assert "runs/starter/verdicts.csv" in ended.stdout
    shown = program("-m", "metajudge", "templates", "show", "literal", "--lang", "zh", **bare)
    assert shown.returncode == 0
    assert "\\u" in shown.stdout


@pytest.mark.skipif(os.name == "nt", reason="pipes of a Unix shell")
def test_a_reader_who_goes_away_gets_no_stack_trace(starter):
    command = f"{sys.executable} -m metajudge templates show literal | true"
    script = f"set -o pipefail; {command}; echo ${{PIPESTATUS[0]}}"
    ended = subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert ended.stderr == ""
    assert ended.stdout.strip() in ("141", "0")
