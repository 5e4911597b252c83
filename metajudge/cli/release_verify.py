"""`metajudge release verify`: is a release what it was, and do its figures follow from it?"""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metajudge.cli.declared import CallsOption, MinutesOption, UsdOption, checked_budget
from metajudge.cli.exit_codes import stop_exit_code
from metajudge.cli.guard import explain
from metajudge.cli.measured import QuietOption
from metajudge.cli.output import JsonOption, inert, say, say_json, tell, wrapped
from metajudge.cli.release_list import RefArgument, RegistryOption
from metajudge.errors import EXIT_CANNOT_DECIDE, EXIT_GOOD, EXIT_GUARDRAIL

if TYPE_CHECKING:
    from metajudge.release.live import LiveCheck
    from metajudge.release.verify import Verification
    from metajudge.release.verify_case import Case, Check
    from metajudge.runner.call import Stopped
    from metajudge.runner.limits import Budget

GoldOption = Annotated[
    Path | None,
    typer.Option("--gold", help="Folder of the gold set.  [default: where the manifest says]"),
]
LiveOption = Annotated[
    bool, typer.Option("--live", help="Also ask the pinned judge again about the dev claims.")
]
LiveStoreOption = Annotated[
    Path | None,
    typer.Option("--store", help="Keep what --live asks in this file, so that it can go on."),
]
MARKS = {"ok": "ok", "failed": "FAILED", "open": "open"}
FAULTS_SHOWN = 5
NEEDED_LIVE = ("manifest", "templates", "gold", "replies", "evidence")
"""Checks without which a difference would say nothing about the judge."""


def verify(
    ref: RefArgument,
    *,
    live: LiveOption = False,
    gold: GoldOption = None,
    registry: RegistryOption = None,
    store: LiveStoreOption = None,
    budget_usd: UsdOption = None,
    budget_calls: CallsOption = None,
    budget_minutes: MinutesOption = None,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Check a release: hashes, registry, signature, and every figure made again.

    Templates, gold set and stored replies have to give the examples, figures, flips, version
    number and card that lie there. With --live the judge is asked again, and the difference is
    tested. Ends with 1 where something is wrong, 4 where something essential could not be
    checked, such as a gold set or, with --live, a judge that is not there.
    """
    from metajudge.release.live import LiveCheck
    from metajudge.release.verify import open_case
    from metajudge.release.verify import verify as verified

    budget = checked_budget(usd=budget_usd, calls=budget_calls, minutes=budget_minutes)
    case = open_case(ref, registry, gold)
    found = verified(case)
    if not as_json:
        _say_checks(found)
    asked = _live(case, found, store, budget, quiet) if live else None
    if as_json:
        told = asked.model_dump(mode="json") if isinstance(asked, LiveCheck) else None
        say_json({**found.model_dump(mode="json"), "live": told})
    else:
        _say_end(found, asked)
    raise typer.Exit(_exit_code(found, asked))


def _exit_code(found: Verification, asked: LiveCheck | int | None) -> int:
    if found.exit_code != EXIT_GOOD or asked is None:
        return found.exit_code
    if isinstance(asked, int):
        return asked
    if not asked.as_pinned:
        return EXIT_GUARDRAIL
    return EXIT_GOOD if asked.stopped is None else _stop_code(asked.stopped)


def _stop_code(stopped: Stopped | None) -> int:
    """The code of an early end; a judge that is not here is no fault of the input."""
    return EXIT_CANNOT_DECIDE if stopped in (None, "no_model") else stop_exit_code(stopped)


def _live(
    case: Case, found: Verification, store: Path | None, budget: Budget, quiet: bool
) -> LiveCheck | int:
    """What the judge says now; where that cannot be had the exit code, with the reason told."""
    from metajudge.cli.sweep import observer
    from metajudge.release.evidence import read_evidence
    from metajudge.release.live import ask_again
    from metajudge.release.verify_case import CannotCheckError
    from metajudge.runner.store import Store

    good = {check.name for check in found.checks if check.state == "ok"}
    needed = [name for name in NEEDED_LIVE if name not in good]
    if needed:
        tell(f"the judge is not asked again while these checks are not ok: {', '.join(needed)}")
        return EXIT_CANNOT_DECIDE
    with ExitStack() as stack:
        place = store
        if place is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="metajudge-"))
            place = Path(folder) / "replies.sqlite"
        kept = stack.enter_context(Store(place))
        try:
            evidence = read_evidence(case.folder)
            return ask_again(case, evidence, kept, budget, observer(quiet))
        except CannotCheckError as reason:
            explain(f"the judge could not be asked again: {reason}")
            return _stop_code(reason.stopped)


def _say_checks(found: Verification) -> None:
    for check in found.checks:
        say(wrapped(f"{MARKS[check.state]:<7}{check.name}: {inert(check.told)}"))
        for fault in check.faults[:FAULTS_SHOWN]:
            say(wrapped(f"- {inert(fault)}"))
        if check.faults[FAULTS_SHOWN:]:
            say(f"- and {len(check.faults) - FAULTS_SHOWN} more")


def _say_end(found: Verification, asked: LiveCheck | int | None) -> None:
    from metajudge.release.live import LiveCheck

    if isinstance(asked, LiveCheck):
        say()
        _say_live(asked)
    say()
    drifted = isinstance(asked, LiveCheck) and not asked.as_pinned
    say(wrapped(_sentence(found, drifted=drifted, unasked=isinstance(asked, int))))


def _sentence(found: Verification, *, drifted: bool, unasked: bool) -> str:
    name = found.release or found.folder
    wrong = [check.name for check in found.checks if check.state == "failed"]
    if wrong:
        return f"{name} is not what it was, or does not follow from what it holds: {_and(wrong)}."
    unseen = _unseen(found.checks)
    if found.state == "open":
        return f"{name} could not be verified: {_and(unseen)} could not be checked."
    beside = f" Could not be checked: {_and(unseen)}." if unseen else ""
    if drifted:
        return f"The files of {name} are verified, but its judge is not as pinned.{beside}"
    if unasked:
        return f"The files of {name} are verified; its judge could not be asked.{beside}"
    return f"{name} is verified.{beside}"


def _unseen(checks: tuple[Check, ...]) -> list[str]:
    return [check.name for check in checks if check.state == "open"]


def _and(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _say_live(asked: LiveCheck) -> None:
    from metajudge.report.figure_text import p_text, with_interval

    for change in asked.identity:
        told = f"judge's {change.name}: pinned {change.pinned}, now {change.now}"
        say(wrapped(inert(told)))
    say(f"claims asked again: {asked.claims}")
    if asked.not_asked:
        say(f"not asked: {asked.not_asked}")
    say(wrapped(f"changed: {with_interval(asked.changed)}, repeats alone {asked.allowed:.2f}"))
    for way, claims in asked.directions.items():
        say(f"  {way} {claims}")
    say(f"right then {with_interval(asked.right_then)}, now {with_interval(asked.right_now)}")
    gap = with_interval(asked.difference, sign=True)
    say(wrapped(f"difference {gap}: {asked.better} better, {asked.worse} worse"))
    say(f"p {p_text(asked.swap_p)} by context, {p_text(asked.mcnemar_p)} by claim (exact)")
    say(wrapped(asked.sentence))
    if asked.stopped is not None:
        say(f"asking ended early: {asked.stopped}")
