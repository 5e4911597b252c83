"""The program `metajudge`: its verbs, its version and its exit codes."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from metajudge.cli import cascade, gold, models, monitor, release, templates
from metajudge.cli.compare import compare
from metajudge.cli.consult import consult
from metajudge.cli.diagnose import diagnose
from metajudge.cli.doctor import doctor
from metajudge.cli.evaluate import evaluate
from metajudge.cli.exit_codes import EXIT_PIPE, HELP
from metajudge.cli.gate import gate
from metajudge.cli.guard import guarded, leave_pipe
from metajudge.cli.help_groups import GroupedHelp, WholeHelp
from metajudge.cli.help_text import epilog
from metajudge.cli.init import init
from metajudge.cli.judge import judge
from metajudge.cli.label import label
from metajudge.cli.optimise import optimise
from metajudge.cli.plan import plan
from metajudge.cli.power import power
from metajudge.cli.race import race
from metajudge.cli.report import report
from metajudge.cli.score import score
from metajudge.cli.search import search
from metajudge.cli.select import select
from metajudge.cli.stability import stability
from metajudge.cli.sweep import sweep
from metajudge.cli.telemetry import switch_off
from metajudge.cli.tune import tune
from metajudge.cli.watch import watch
from metajudge.version import __version__

app = typer.Typer(
    name="metajudge",
    cls=GroupedHelp,
    no_args_is_help=True,
    # Rich help would more than double the time that --help takes.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    epilog=HELP,
)
VERBS = (
    sweep,
    plan,
    select,
    race,
    tune,
    search,
    optimise,
    compare,
    consult,
    power,
    stability,
    report,
    score,
    judge,
    evaluate,
    diagnose,
    gate,
    label,
    watch,
    init,
    doctor,
)
GROUPED = {
    "gold": gold.app,
    "templates": templates.app,
    "models": models.app,
    "release": release.app,
    "cascade": cascade.app,
    "monitor": monitor.app,
}
for verb in VERBS:
    app.command(verb.__name__, epilog=epilog(verb.__name__))(guarded(verb))
for name, group in GROUPED.items():
    for command in group.registered_commands:
        verb_name = command.name or getattr(command.callback, "__name__", "")
        command.epilog = epilog(f"{name} {verb_name}")
    app.add_typer(group, name=name, cls=WholeHelp)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"metajudge {__version__}")
        raise typer.Exit


@app.callback()
def _metajudge(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Measure which verdict template and scoring policy an LLM judge should use."""


def main() -> None:
    """Entry point of the `metajudge` command."""
    switch_off(os.environ)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            # A terminal that lacks a character must not end a run that was paid for.
            reconfigure(errors="backslashreplace")
    try:
        app(prog_name="metajudge")
    except BrokenPipeError:
        leave_pipe()
        sys.exit(EXIT_PIPE)
