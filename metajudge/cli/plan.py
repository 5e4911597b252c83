"""`metajudge plan`: what a sweep would ask, cost and take; nothing is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from metajudge.cli.declared import (
    DEFAULT_STORE,
    CallsOption,
    ExperimentArgument,
    LimitOption,
    MinutesOption,
    NoRecordingOption,
    RepeatsOption,
    StoreOption,
    UsdOption,
    read_declared,
)
from metajudge.cli.output import command_apart, say, say_json, wrapped
from metajudge.counted import counted

if TYPE_CHECKING:
    from metajudge.experiment.dry_run import DryRun, JudgeForecast
    from metajudge.experiment.token_gauge import Span


def plan(
    experiment: ExperimentArgument = None,
    *,
    store: StoreOption = DEFAULT_STORE,
    limit: LimitOption = None,
    repeats: RepeatsOption = None,
    no_recording: NoRecordingOption = False,
    budget_usd: UsdOption = None,
    budget_calls: CallsOption = None,
    budget_minutes: MinutesOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="The plan as JSON.")] = False,
) -> None:
    """Show calls, tokens, cost and time of a sweep; ask nothing.

    No connection is opened. Tokens, cost and time are ranges, with what they rest on.
    """
    from metajudge.experiment.dry_run import dry_run

    declared = read_declared(
        experiment, repeats=repeats, usd=budget_usd, calls=budget_calls, minutes=budget_minutes
    )
    run = dry_run(declared, store=store, limit=limit, use_recordings=not no_recording)
    if as_json:
        say_json(_fields(run))
        return
    claims, trials = f"{counted(run.claims, 'claims')}", f"{counted(len(run.trials), 'trials')}"
    draws = "" if run.repeats == 1 else f" × {counted(run.repeats, 'draws')}"
    say(wrapped(f"{run.experiment}: {claims} × {trials}{draws}; nothing is asked"))
    for judge in run.judges:
        _say_judge(judge)
    if run.notes:
        say()
        for note in run.notes:
            say(wrapped(f"- {note}"))


def _say_judge(judge: JudgeForecast) -> None:
    cost = "unknown" if judge.cost_usd is None else f"{span_text(judge.cost_usd, 2)} USD"
    rows = [
        ("calls", f"{judge.calls:,}, {judge.from_store:,} answered already", ""),
        ("to ask", f"{judge.to_ask:,}", ""),
        ("tokens to read", span_text(judge.prompt_tokens), judge.token_basis),
        ("tokens to write", span_text(judge.completion_tokens), ""),
        ("cost", cost, judge.cost_basis),
        ("minutes", span_text(judge.minutes, 1), judge.time_basis),
    ]
    say()
    say(judge.judge)
    for name, figure, basis in rows:
        line = wrapped(f"{name:<16}{figure}" + (f" ({basis})" if basis else ""), 76)
        for part in line.splitlines():
            say(f"  {part}")
    if judge.obstacle is not None:
        say(wrapped(command_apart(f"cannot be asked here: {judge.obstacle}")))


def span_text(span: Span, digits: int = 0) -> str:
    """Low and high of a span, one figure where they read the same."""
    low, high = f"{span.low:,.{digits}f}", f"{span.high:,.{digits}f}"
    return low if low == high else f"{low} to {high}"


def _fields(run: DryRun) -> dict[str, Any]:
    return {
        "experiment": run.experiment,
        "claims": run.claims,
        "trials": list(run.trials),
        "repeats": run.repeats,
        "to_ask": run.to_ask,
        "cost_usd": _ends(run.cost_usd, 6),
        "minutes": _ends(run.minutes, 3),
        "judges": [
            {
                "judge": judge.judge,
                "calls": judge.calls,
                "from_store": judge.from_store,
                "to_ask": judge.to_ask,
                "prompt_tokens": _ends(judge.prompt_tokens, 0),
                "completion_tokens": _ends(judge.completion_tokens, 0),
                "token_basis": judge.token_basis,
                "cost_usd": _ends(judge.cost_usd, 6),
                "cost_basis": judge.cost_basis,
                "minutes": _ends(judge.minutes, 3),
                "time_basis": judge.time_basis,
                "obstacle": judge.obstacle,
            }
            for judge in run.judges
        ],
        "notes": list(run.notes),
    }


def _ends(span: Span | None, digits: int) -> dict[str, float] | None:
    if span is None:
        return None
    low, high = round(span.low, digits), round(span.high, digits)
    return {"low": low, "high": high} if digits else {"low": int(low), "high": int(high)}
