"""Screen and judge of a fit, and their scores of labelled claims."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from metajudge.agreement.table import cluster_codes
from metajudge.errors import InputError, MetajudgeError
from metajudge.gold.goldset import GoldSet
from metajudge.gold.split import split_group
from metajudge.metrics.cascade.asked import (
    Asked,
    CallSettings,
    ask,
    candidate_of,
    covered,
    is_wording,
    open_judges,
)
from metajudge.metrics.cascade.cut_offs import Claims
from metajudge.metrics.cascade.settings import FitSettings
from metajudge.release.candidate import Candidate, JudgePin
from metajudge.runner.call import RunReport
from metajudge.runner.door import inside_a_loop
from metajudge.runner.recording import load_recording
from metajudge.runner.store import Store
from metajudge.templates.serving import serving_problems

SUPPORTED = ("yes", "supported")


class Sides(NamedTuple):
    """Who screens and who judges; a screen that counts has no candidate."""

    screen: Candidate | None
    judge: Candidate


class Scored(NamedTuple):
    """Claims with both scores, and how they were had."""

    claims: Claims
    screen: Asked
    judge: Asked

    @property
    def reports(self) -> tuple[RunReport, ...]:
        """Accounts of the runs."""
        return (*self.screen.reports, *self.judge.reports)


def check_no_loop(name: str) -> None:
    """Refuses to work inside a running event loop, where calls cannot be waited for.

    Raises:
        MetajudgeError: An event loop is running in this thread.
    """
    if inside_a_loop():
        raise MetajudgeError(
            f"{name} cannot work inside a running event loop (a notebook or a web service has "
            f"one). Write `await asyncio.to_thread({name}, ...)`, and for `run_cascade` "
            "`await metajudge.run_cascade_async(...)`."
        )


def sides(settings: FitSettings) -> Sides:
    """Screen and judge as candidates, each with the identity it has now."""
    screen = None
    if not is_wording(settings.screen):
        pin = JudgePin(spec=settings.screen)
        screen = candidate_of(pinned_now(pin), settings.screen_template)
    if settings.release is not None:
        own = settings.release.candidate
        return Sides(screen, replace(own, judge=pinned_now(own.judge)))
    return Sides(
        screen, candidate_of(pinned_now(JudgePin(spec=str(settings.judge))), settings.template)
    )


def pinned_now(pin: JudgePin) -> JudgePin:
    """The pin with what the judge is now."""
    judge = pin.opened()
    return pin.model_copy(
        update={
            "identity": dict(judge.identity),
            "gives_logprobs": judge.gives_logprobs,
            "label_in_one_token": judge.label_in_one_token,
        }
    )


def check_metric(both: Sides, gold: GoldSet) -> None:
    """Templates ask the question that the gold set answers.

    Raises:
        InputError: With every template made for another metric.
    """
    where = str(gold.path or gold.manifest.name)
    problems = [
        problem
        for side in filter(None, both)
        for wording in side.variants
        for problem in serving_problems(wording.by_language.values(), gold.manifest.metric, where)
    ]
    if problems:
        raise InputError(problems)


def score(both: Sides, gold: GoldSet, calls: CallSettings) -> Scored:
    """Both scores of labelled claims."""
    with Store(calls.store) as store, open_judges() as judge_of:
        for path in calls.recordings:
            load_recording(store, path)
        screened = (
            covered(gold)
            if both.screen is None
            else ask(both.screen, gold, judge_of(both.screen.judge), store, calls)
        )
        judge = judge_of(both.judge.judge)
        judged = ask(both.judge, gold, judge, store, calls, before=screened.reports)
    return Scored(labelled(gold, screened, judged), screened, judged)


def labelled(gold: GoldSet, screened: Asked, judged: Asked) -> Claims:
    """Scores beside gold labels; contexts of one group are one draw, as they are in a split."""
    return Claims(
        screen=screened.scores,
        judge=judged.scores,
        unsupported=np.array([claim.label not in SUPPORTED for claim in gold.claims], np.bool_),
        answers=cluster_codes([(c.context_id, c.answer_id) for c in gold.claims]).codes,
        contexts=cluster_codes(
            [split_group(gold.contexts[claim.context_id]) for claim in gold.claims]
        ).codes,
    )
