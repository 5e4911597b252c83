from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from rich.cells import cell_len

from metajudge import __version__
from metajudge.cli.app import GROUPED, app
from metajudge.cli.exit_codes import HELP
from metajudge.cli.help_groups import GROUPS
from metajudge.cli.help_text import DECIDES, EXAMPLES

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
        timeout=300,
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
    for arguments in ((), *(name.split() for name in sorted(DECIDES))):
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


def verbs():
    """Every command by its words, those of groups too."""
    for name, command in typer.main.get_command(app).commands.items():
        for verb in getattr(command, "commands", ("",)):
            yield f"{name} {verb}".strip()


def test_help_fits_80_columns_and_ends_in_examples(run):
    assert set(EXAMPLES) == set(verbs())
    for verb in (*GROUPED, *EXAMPLES):
        ended = run(*verb.split(), "--help")
        assert ended.exit_code == 0
        assert all(cell_len(line) <= 80 for line in ended.stdout.splitlines()), verb
        assert "..." not in ended.stdout.partition("Commands:")[2], verb
    assert "  Examples:\n    metajudge evaluate --list\n" in run("evaluate", "--help").stdout


@pytest.mark.parametrize("verb", EXAMPLES)
def test_each_example_of_the_help_is_a_command_of_its_verb(verb):
    for example in EXAMPLES[verb]:
        program_name, *rest = shlex.split(example.replace("\\\n", " "))
        assert (program_name, rest[: len(verb.split())]) == ("metajudge", verb.split())
        command = typer.main.get_command(app)
        context = command.make_context("metajudge", [], resilient_parsing=True)
        while hasattr(command, "commands"):
            name, command, rest = command.resolve_command(context, rest)
        command.make_context(name, list(rest))


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
@pytest.mark.parametrize("verb", ["templates show literal", "templates list", "sweep"])
def test_a_reader_who_goes_away_gets_no_stack_trace_and_no_decision(starter, verb):
    command = f"{sys.executable} -m metajudge {verb} | true"
    script = f"set -o pipefail; {command}; echo ${{PIPESTATUS[0]}}"
    ended = subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert "Traceback" not in ended.stderr
    assert ended.stdout.strip() in ("141", "0")
