"""The most that a search or a race can ask: for a dry run, and to ask about where it is dear."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from metajudge.cli.output import say, say_json, tell, wrapped
from metajudge.cli.plan import span_text
from metajudge.cli.sweep import CONFIRM_ABOVE_USD
from metajudge.counted import counted
from metajudge.errors import EXIT_USAGE

if TYPE_CHECKING:
    from metajudge.experiment.config import ExperimentConfig
    from metajudge.experiment.searching.plan import MostAsked

DryOption = Annotated[
    bool, typer.Option("--dry-run", help="Show the most that it can ask; ask nothing.")
]


def say_most(name: str, most: MostAsked, *, as_json: bool) -> None:
    """The dry run on standard output."""
    if as_json:
        say_json(_fields(most))
        return
    settings = "" if not most.axes else f"{counted(most.settings, 'settings')} and "
    say(
        wrapped(
            f"{name}: {settings}{counted(most.declared, 'declared trials')} × "
            f"{counted(most.claims, 'claims')}"
        )
    )
    rows = []
    if most.axes:
        size = "no end" if most.space is None else counted(most.space, "settings")
        axes = ", ".join(f"{axis} {n}" for axis, n in most.axes.items())
        rows.append(("space", f"{size} ({axes})"))
    cost = "unknown" if most.cost_usd is None else f"{span_text(most.cost_usd, 2)} USD"
    rows += [
        ("calls at most", f"{most.calls:,}, of these {most.to_ask:,} to ask"),
        ("cost at most", cost),
        ("minutes", span_text(most.minutes, 1)),
    ]
    for row, text in rows:
        for line in wrapped(f"{row:<15}{text}", 76).splitlines():
            say(f"  {line}")
    say(wrapped("Nothing is asked. Candidates that stop early make it less."))
    for note in most.notes:
        say(wrapped(f"- {note}"))


def confirm_most(config: ExperimentConfig, most: MostAsked) -> None:
    """On a terminal, ask before what may cost more than a little and has no budget in USD."""
    if config.budget.usd is not None or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    cost = most.cost_usd
    if cost is None or cost.high <= CONFIRM_ABOVE_USD:
        return
    question = (
        f"up to {counted(most.to_ask, 'calls')} may cost "
        f"{cost.low:.2f} to {cost.high:.2f} USD. Go on?"
    )
    if not typer.confirm(question, err=True):
        tell("nothing was asked. --budget-usd sets a limit, --yes takes this question out.")
        raise typer.Exit(EXIT_USAGE)


def _fields(most: MostAsked) -> dict[str, Any]:
    cost = None if most.cost_usd is None else [round(end, 6) for end in most.cost_usd]
    return {
        "settings": most.settings,
        "space": most.space,
        "axes": most.axes,
        "declared": most.declared,
        "claims": most.claims,
        "calls_at_most": most.calls,
        "to_ask_at_most": most.to_ask,
        "cost_usd": cost if cost is None else {"low": cost[0], "high": cost[1]},
        "minutes": {"low": round(most.minutes.low, 3), "high": round(most.minutes.high, 3)},
        "notes": list(most.notes),
    }
