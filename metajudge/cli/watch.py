"""`metajudge watch`: has the judge of a release changed, or its prompt?"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from metajudge.cli.declared import CallsOption, MinutesOption, UsdOption, checked_budget
from metajudge.cli.exit_codes import stop_exit_code
from metajudge.cli.guard import explain
from metajudge.cli.measured import QuietOption
from metajudge.cli.output import console, say, say_json, tell, wrapped
from metajudge.cli.release_list import RegistryOption
from metajudge.cli.sweep import observer
from metajudge.counted import counted
from metajudge.errors import EXIT_GOOD, EXIT_GUARDRAIL, InputError, Problem

if TYPE_CHECKING:
    from metajudge.release.watch import Watch
    from metajudge.release.watch_state import ComponentName, Run, Series, WatchState

LEAST_ALPHA, LEAST_NOISE = 1e-9, 0.001
SHOWN = 8
"""Changed claims that are listed; --json has all of them."""
COMPONENTS = {
    "verdicts": "changed verdicts",
    "over_credit": "new over-credit",
    "coverage": "unreadable",
}

ReleaseOption = Annotated[
    str, typer.Option("--release", metavar="RELEASE", help="name@1.2.0, name@1, or a folder.")
]
CanaryOption = Annotated[
    Path,
    typer.Option(
        "--canary", metavar="GOLD", help="Gold set, or a part of it, that the release rests on."
    ),
]
StateOption = Annotated[
    Path | None,
    typer.Option(
        "--state", help="File of the evidence.  [default: .metajudge/watch-<name>-<version>.json]"
    ),
]
ClaimsOption = Annotated[int, typer.Option("--claims", min=1, help="Claims a run, about.")]
AlphaOption = Annotated[
    float, typer.Option("--alpha", help="Chance that a watch ever raises a false alarm.")
]
NoiseOption = Annotated[
    float | None,
    typer.Option(
        "--noise",
        help="Share of verdicts that the judge may change by itself, also among claims that gold "
        "does not call yes.  [default: the flip rate "
        "measured for the release, or else a second draw of every claim]",
        show_default=False,
    ),
]
JudgeOption = Annotated[
    str | None,
    typer.Option(
        "--judge", metavar="SPEC", help="Another spec of the pinned judge; any other is refused."
    ),
]
AcknowledgeOption = Annotated[
    str | None,
    typer.Option("--acknowledge", metavar="WHY", help="End the series, begin anew, ask nothing."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="As JSON on standard output.")]


def watch(
    release: ReleaseOption,
    canary: CanaryOption,
    *,
    state: StateOption = None,
    claims: ClaimsOption = 50,
    alpha: AlphaOption = 0.05,
    noise: NoiseOption = None,
    judge: JudgeOption = None,
    acknowledge: AcknowledgeOption = None,
    registry: RegistryOption = None,
    budget_usd: UsdOption = None,
    budget_calls: CallsOption = None,
    budget_minutes: MinutesOption = None,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Ask a release's judge again and raise an alarm when it changed.

    Each run asks some gold claims afresh and weighs the answers against the stored verdicts. Ends
    with 0 while quiet and 1 from an alarm on, until --acknowledge. A run that ends early or finds
    the judge down moves no evidence.
    """
    from metajudge.release.registry import find
    from metajudge.release.watch import open_watch
    from metajudge.release.watch_state import check_writable, read_state, write_state

    budget = checked_budget(usd=budget_usd, calls=budget_calls, minutes=budget_minutes)
    _check(alpha, noise, acknowledge)
    found, _, note = find(release, registry)
    if note:
        tell(note)
    watched = open_watch(
        found, canary, noise=noise, alpha=alpha, claims=claims, judge=judge, budget=budget,
        observer=observer(quiet),
    )  # fmt: skip
    name, version = found.manifest.name, found.manifest.version
    place = state or Path(".metajudge") / f"watch-{name}-{version}.json"
    before = read_state(place)
    if before is not None:
        watched.check(before, place)
    taken, stopped = before or watched.begin(), None
    if acknowledge is not None:
        taken = _acknowledged(before, place, acknowledge)
    elif taken.now.alarm is None:
        check_writable(place)
        taken, stopped = watched.take(taken)
    if taken != before and (taken.runs or taken.now.alarm):
        write_state(place, taken, before)
    if as_json:
        say_json(_fields(watched, taken, place))
    else:
        _show(watched, taken, place)
    if taken.now.alarm is not None:
        raise typer.Exit(EXIT_GUARDRAIL)
    if stopped is not None:
        explain(f"this run is not counted: {stopped.message or stopped.stopped}")
        raise typer.Exit(stop_exit_code(stopped.stopped or ""))
    raise typer.Exit(EXIT_GOOD)


def _check(alpha: float, noise: float | None, acknowledge: str | None) -> None:
    problems = []
    where = "command line"
    if not LEAST_ALPHA <= alpha < 1:
        law = f"alpha lies between {LEAST_ALPHA:g} and 1"
        problems.append(Problem(where, law, "Usual is 0.05.", None, "--alpha", repr(alpha)))
    if noise is not None and not LEAST_NOISE <= noise < 0.5:
        law = f"noise lies between {LEAST_NOISE:g} and 0.5: with none, one change would be proof"
        problems.append(Problem(where, law, "Name 0.01 or more.", None, "--noise", repr(noise)))
    if acknowledge is not None and not acknowledge.strip():
        law, mend = "an alarm is acknowledged with a reason", 'Give one: --acknowledge "…".'
        problems.append(Problem(where, law, mend, None, "--acknowledge"))
    if problems:
        raise InputError(problems)


def _acknowledged(before: WatchState | None, place: Path, why: str) -> WatchState:
    from metajudge.gold.appended import utc_now

    if before is None:
        law, mend = (
            "the watch has no state yet, so no alarm that could be acknowledged",
            "Run the watch first, or name its --state.",
        )
        raise InputError(Problem(str(place), law, mend, field="--acknowledge"))
    return before.restarted(why.strip(), utc_now())


def _spent(state: WatchState) -> str:
    n = len(state.series)
    share = f"at most {100 * state.alpha:.3g} % of series ever raise a false alarm"
    return share if n == 1 else f"{share}, {min(100.0, 100 * state.alpha * n):.3g} % over all {n}"


def _show(watched: Watch, state: WatchState, place: Path) -> None:
    now, pin = state.now, state.canary
    say(f"{_inert(state.release)} on {_inert(pin.name)} {_inert(pin.version)}: "
        f"{counted(pin.claims, 'claims')}, {counted(pin.contexts, 'contexts')}")  # fmt: skip
    if watched.canary.left_out:
        say(
            f"left out: {counted(watched.canary.left_out, 'claims')} "
            "without a stored verdict in the release"
        )
    say(wrapped(_headline(now, state)))
    say()
    say(wrapped(f"evidence {_number(now.e)}, alarm at {_number(1 / state.alpha)}: {_spent(state)}"))
    for name, component in now.components.items():
        say(f"  {COMPONENTS[name]:17} {_number(min(component.log_e, 100), log=True):>9}   "
            f"limit {_limit(watched, name)}")  # fmt: skip
    if now.runs:
        say()
        _show_run(now.runs[-1], watched)
    foretold = watched.runs_to_alarm()
    if now.alarm is None and foretold is not None:
        claims = min(watched.claims, pin.claims)
        runs = _runs(max(1, math.ceil(foretold)))
        say(
            wrapped(
                "A change of 10 % of the verdicts takes at least "
                f"{runs} of {counted(claims, 'claims')}."
            )
        )
    say(f"state: {place}")


def _runs(n: int) -> str:
    return counted(n, "runs")


def _headline(now: Series, state: WatchState) -> str:
    series = f"series {len(state.series)}, {_runs(now.counted)} counted"
    if now.alarm is None:
        return f"quiet · {series}"
    told = "; ".join(map(_inert, now.alarm.told))
    return (
        f"ALARM ({now.alarm.kind}) since {now.alarm.time} · {series}: {told}. Look at what "
        'changed, make a new release if it is meant, then --acknowledge "why".'
    )


def _limit(watched: Watch, name: ComponentName) -> str:
    told = f"{100 * watched.limits[name]:.3g} %"
    if name == "coverage":
        return f"{told} of replies"
    if watched.noise.limit is None:
        return "as often as two draws of today differ"
    return f"{told} ({watched.noise.source})"


def _show_run(run: Run, watched: Watch) -> None:
    draws = f", {counted(run.draws, 'draws')} each" if run.draws > 1 else ""
    say(
        f"last run {run.time}: {counted(run.claims, 'claims')} in "
        f"{counted(run.contexts, 'contexts')}{draws}"
    )
    if run.note:
        say(wrapped(f"  not counted: {_inert(run.note)}"))
        return
    lost = f", {run.unanswered} unanswered" if run.unanswered else ""
    say(f"  {run.changed} changed, {run.credited} newly credited, {run.unreadable} newly "
        f"unreadable{lost}")  # fmt: skip
    texts = {claim.claim_id: claim for claim in watched.canary.claims}
    width = console().width
    for change in run.changes[:SHOWN]:
        claim = texts.get(change.claim_id)
        label = "" if claim is None else f" (gold {claim.label}) {_inert(claim.claim)}"
        line = f"  {change.was} -> {change.now}  {_inert(change.claim_id)}{label}"
        say(line if len(line) <= width else f"{line[: width - 1]}…")
    if len(run.changes) > SHOWN:
        say(f"  and {len(run.changes) - SHOWN} more; --json lists all")


def _number(value: float, *, log: bool = False) -> str:
    value = math.exp(value) if log else value
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _inert(text: str) -> str:
    from metajudge.report.inert import one_line

    return one_line(text)


def _fields(watched: Watch, state: WatchState, place: Path) -> dict[str, Any]:
    from metajudge.report.figure import number

    now = state.now
    return {
        "release": state.release,
        "canary": state.canary.model_dump(mode="json"),
        "left_out": watched.canary.left_out,
        "state": str(place),
        "alarm": None if now.alarm is None else now.alarm.model_dump(mode="json"),
        "e": number(now.e),
        "bar": number(1 / state.alpha),
        "alpha": state.alpha,
        "alpha_of_all_series": number(min(1.0, state.alpha * len(state.series))),
        "noise": state.noise.model_dump(mode="json"),
        "series": len(state.series),
        "runs_counted": now.counted,
        "components": {
            name: {"log_e": component.log_e, "limit": number(watched.limits[name])}
            for name, component in now.components.items()
        },
        "runs_to_alarm_at_10_percent": number(watched.runs_to_alarm()),
        "last_run": now.runs[-1].model_dump(mode="json") if now.runs else None,
    }
