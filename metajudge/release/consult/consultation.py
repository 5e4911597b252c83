"""A consultation from its two sides and its sample to the report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from metajudge.release.consult.asked import Ask, hear
from metajudge.release.consult.case import case_of
from metajudge.release.consult.reported import Statistics, report_of
from metajudge.report.consult_results import ConsultReport
from metajudge.runner.limits import Budget
from metajudge.runner.progress import Observer
from metajudge.runner.recording import load_recording
from metajudge.runner.store import Store

DEFAULT_STORE = Path(".metajudge") / "replies.sqlite"


def consult(
    current: str,
    proposed: str,
    sample: Any,
    *,
    threshold: float | None = None,
    judge: str | None = None,
    current_judge: str | None = None,
    proposed_judge: str | None = None,
    gold: str | Path | None = None,
    repeats: int = 1,
    budget: Budget | None = None,
    store: str | Path = DEFAULT_STORE,
    recordings: Sequence[str | Path] = (),
    registry: str | Path | None = None,
    statistics: Statistics | None = None,
    observer: Observer | None = None,
) -> ConsultReport:
    """What a change of the metric would do to a sample of answers, and whether to make it.

    Args:
        current: Today's metric: a release (`name@1`, or its folder), a template and policy
            (`literal+strict`), or a framework's metric (`deepeval:faithfulness`).
        proposed: The other one.
        sample: Answers with their claims: whatever `read_answers` takes, or `Answer` objects.
        threshold: Least score that passes, for both; None leaves each side its own.
        judge: Judge of a side that brings none.
        current_judge: Judge of the current side, whatever it brings.
        proposed_judge: The same for the proposed side.
        gold: Folder or table of labelled claims; `none` for no gold; None takes the set that the
            proposed release was made with, or else the shipped one.
        repeats: Draws per claim.
        budget: Hard limits; None is no limit.
        store: The reply store.
        recordings: Recordings that are loaded into it first; those of releases always are.
        registry: Folder of the registry; None takes the default one.
        statistics: How intervals are made and what the rule allows; None takes the usual.
        observer: Is told how the runs go.

    Raises:
        InputError: With every fault of sides, sample or gold.
        MetajudgeError: Asking ended before anything could be said, or an event loop is running.
    """
    case = case_of(
        current,
        proposed,
        sample,
        threshold=threshold,
        judge=judge,
        current_judge=current_judge,
        proposed_judge=proposed_judge,
        gold=gold,
        registry=registry,
    )
    with Store(store) as replies:
        for path in (*recordings, *case.recordings):
            load_recording(replies, path)
        ask = Ask(replies, budget or Budget(), repeats, observer, from_store=not case.parts)
        heard = hear(case.sides, case.parts, case.sample.claims, case.gold, ask)
    return report_of(case, heard, statistics or Statistics())
