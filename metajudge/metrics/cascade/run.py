"""A fitted cascade applied to answers: who decided each claim, and what waits for people."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, Masks
from metajudge.errors import InputError, Problem
from metajudge.gold.goldset import GoldSet
from metajudge.judges.judge import Judge
from metajudge.metrics.cascade.asked import (
    Asked,
    CallSettings,
    ask,
    candidate_of,
    covered,
    fingerprints,
    identity_changes,
    is_wording,
    open_judges,
)
from metajudge.metrics.cascade.cascade_file import Cascade, Stage
from metajudge.metrics.cascade.sides import check_no_loop
from metajudge.metrics.cascade.units import with_units
from metajudge.release.answer_rows import ClaimsMode
from metajudge.release.answers import Answer, AnswerClaim, asked_claims
from metajudge.release.answers_file import AnswersSource, read_answers
from metajudge.release.candidate import Candidate, JudgePin
from metajudge.release.registry import find
from metajudge.report.figure import rounded
from metajudge.runner.absent import from_store_alone, unaskable
from metajudge.runner.call import Call, RunReport
from metajudge.runner.door import run_sync
from metajudge.runner.limits import Limits
from metajudge.runner.recording import load_recording
from metajudge.runner.store import Store
from metajudge.verdicts.verdict import Reply

Decider = Literal["screen", "judge", "people", "open", "none"]
"""Who decided: `open`: the run ended early, the next one goes on; `none`: the answer states
nothing."""
_DEPTH: dict[Decider, int] = {"none": 0, "screen": 1, "judge": 2, "people": 3, "open": 4}
WHOLE_ANSWER = "its claims could not be told apart"
NO_CONTEXT = "there is no context to hold it against"


class Routed(NamedTuple):
    """One claim's way.

    Attributes:
        claim: The claim; the whole answer where its claims are not known.
        stage: Who decided.
        screen: Its screen score; None where there is none.
        judge: Its judge score; None where it was not asked or has none.
        note: Why it is with people, where that is no matter of scores; None otherwise.
    """

    claim: AnswerClaim
    stage: Decider
    screen: float | None
    judge: float | None
    note: str | None = None


class RoutedAnswer(NamedTuple):
    """One answer with its claims' ways."""

    answer: Answer
    claims: tuple[Routed, ...]

    @property
    def stage(self) -> Decider:
        """Whoever had to be asked last about any of its claims."""
        stages: list[Decider] = [claim.stage for claim in self.claims]
        return max(stages, key=_DEPTH.__getitem__, default="none")

    def row(self) -> dict[str, Any]:
        """The answer as a line of the output, JSON as it stands."""
        stage = self.stage
        screens = [c.screen for c in self.claims if c.screen is not None]
        judged = [c.judge for c in self.claims if c.judge is not None]
        return {
            "answer_id": self.answer.answer_id,
            "stage": stage,
            "passed": None if stage in ("open", "none") else stage != "people",
            "screen_score": min(screens, default=None),
            "judge_score": min(judged, default=None),
            "n_claims": len(self.claims),
            "lang": self.answer.lang,
            "question": self.answer.question,
            "answer": self.answer.answer,
            "context": list(self.answer.passages),
            "claims": [
                {
                    "claim_id": routed.claim.claim_id,
                    "claim": routed.claim.claim,
                    "stage": routed.stage,
                    "screen": routed.screen,
                    "judge": routed.judge,
                    "note": routed.note,
                }
                for routed in self.claims
            ],
        }


@dataclass(frozen=True)
class Applied:
    """What a run made of the answers.

    Attributes:
        answers: In input order.
        changes: What of judge or screen is not as it was fitted; the guarantee is void then.
        reports: Accounts of the runs.
        notes: What reading the answers decided for the user.
    """

    answers: tuple[RoutedAnswer, ...]
    changes: tuple[str, ...]
    reports: tuple[RunReport, ...]
    notes: tuple[str, ...]

    @property
    def stopped(self) -> RunReport | None:
        """The account of a run that ended early; None where every call was settled."""
        return next((report for report in self.reports if report.stopped), None)

    @property
    def rows(self) -> tuple[Mapping[str, Any], ...]:
        """One mapping an answer, as JSON has it."""
        return tuple(answer.row() for answer in self.answers)

    def counts(self) -> dict[str, dict[str, int]]:
        """Answers and claims by who decided."""
        claims = [claim.stage for answer in self.answers for claim in answer.claims]
        answers = [answer.stage for answer in self.answers]
        return {
            name: {stage: found[stage] for stage in _DEPTH if found[stage]}
            for name, found in (("answers", Counter(answers)), ("claims", Counter(claims)))
        }


class Stages(NamedTuple):
    """The candidates of a cascade as they are now, and what of them changed."""

    screen: Candidate | None
    judge: Candidate
    changes: tuple[str, ...]


def run_cascade(
    cascade: Cascade,
    answers: AnswersSource,
    calls: CallSettings | None = None,
    *,
    claims: ClaimsMode = "auto",
    registry: str | Path | None = None,
) -> Applied:
    """Every claim through the screen, what is left through the judge, what is left to people.

    What the store holds is not asked again, so that a run that ended early goes on where it ended.
    A claim without a score or without a context, and an answer whose claims cannot be told apart,
    go to people. Claims of answers, and statements and entities of their `reference`, are drawn by
    the judge where no row gives them; sentences, for groundedness, need none.

    Args:
        cascade: From `read_cascade`.
        answers: As `read_answers` takes them.
        calls: Store, budget, observer.
        claims: Where claims come from.
        registry: Folder of the registry, for a judge that is a release.

    Raises:
        InputError: The answers are faulty, or a template is not the one that was fitted.
        MetajudgeError: An event loop is running in this thread.
    """
    check_no_loop("run_cascade")
    calls = calls or CallSettings()
    read = read_answers(answers, claims)
    stages = opened(cascade, registry)
    with Store(calls.store) as store, open_judges() as judge_of:
        for path in calls.recordings:
            load_recording(store, path)
        work = Work(cascade, stages, store, calls, judge_of)
        found = work.route(read.answers)
    return Applied(found, stages.changes, tuple(work.reports), read.notes)


async def run_cascade_async(
    cascade: Cascade,
    answers: AnswersSource,
    calls: CallSettings | None = None,
    *,
    claims: ClaimsMode = "auto",
    registry: str | Path | None = None,
) -> Applied:
    """`run_cascade` for programs with an event loop: notebooks and web services.

    It works in a thread of its own, in which the observer is called too. Whoever cancels the call
    stops waiting for it; what it asks meanwhile goes into the store.
    """
    return await asyncio.to_thread(
        run_cascade, cascade, answers, calls, claims=claims, registry=registry
    )


def opened(cascade: Cascade, registry: str | Path | None = None) -> Stages:
    """Screen and judge as they are now, held against the file.

    Raises:
        InputError: A template is not the one that was fitted.
    """
    screen, first = _candidate(cascade.screen, registry)
    judge, second = _candidate(cascade.judge, registry)
    if judge is None:
        law = "a count of n-grams screens, it does not judge"
        raise InputError(Problem(cascade.name, law, "Fit again with a judge.", field="judge"))
    return Stages(screen, judge, (*first, *second))


def _candidate(
    stage: Stage, registry: str | Path | None
) -> tuple[Candidate | None, tuple[str, ...]]:
    if stage.pin is None:
        if is_wording(stage.spec):
            return None, ()
        law = "a screen that is asked has its pin"
        raise InputError(Problem("cascade", law, "Fit again.", field="screen.pin"))
    if stage.release is not None:
        own = find(stage.release, registry).release.candidate
        candidate = replace(own, judge=stage.pin)
    else:
        candidate = candidate_of(stage.pin, str(stage.template))
    now = fingerprints(candidate)
    if now != stage.templates:
        law = "the cut-offs hold for the templates that they were fitted with"
        changed = ", ".join(sorted(k for k in {*now, *stage.templates}
                                   if now.get(k) != stage.templates.get(k)))  # fmt: skip
        raise InputError(Problem("cascade", law, "Fit again.", field="templates", got=changed))
    return candidate, identity_changes(stage.pin.identity, dict(stage.pin.opened().identity))


@dataclass
class Work:
    """A cascade on its way through claims.

    Attributes:
        cascade: The cascade.
        stages: Its candidates, opened.
        store: Where replies are kept.
        calls: Budget and observer.
        judge_of: From `open_judges`.
        reports: One account a run.
    """

    cascade: Cascade
    stages: Stages
    store: Store
    calls: CallSettings
    judge_of: Callable[[JudgePin], Judge]
    reports: list[RunReport] = field(default_factory=list)

    def route(self, answers: Sequence[Answer]) -> tuple[RoutedAnswer, ...]:
        """Every claim with who decided it."""
        known, lost = self._with_claims(answers)
        named = [
            _as_asked(answer, str(place)) for place, answer in enumerate(known) if _has_text(answer)
        ]
        screened, left, judged = self.scores(asked_claims(named, self.cascade.name))
        ways = iter(self._ways(screened, left, judged))
        return tuple(
            RoutedAnswer(
                answer,
                (lost[place],)
                if place in lost
                else tuple(
                    Routed(claim, *next(ways))
                    if _has_text(answer)
                    else Routed(claim, "people", None, None, NO_CONTEXT)
                    for claim in answer.claims or ()
                ),
            )
            for place, answer in enumerate(known)
        )

    def scores(self, gold: GoldSet) -> tuple[Asked, Masks, Asked]:
        """Screen scores, the claims that the screen does not pass, and their judge scores."""
        screened = self._screened(gold)
        cut = np.inf if self.cascade.screen.cut is None else self.cascade.screen.cut
        left = ~(np.nan_to_num(screened.scores, nan=-1.0) >= cut)
        return screened, left, self._judged(gold, left)

    def _with_claims(self, answers: Sequence[Answer]) -> tuple[list[Answer], dict[int, Routed]]:
        """Answers with units, drawn where no row gave them; the rest by place."""
        pin = self.stages.judge.judge
        found = with_units(
            answers, self.cascade.gold.metric, lambda: self.judge_of(pin), self._replies
        )
        lost = {place: _whole(answers[place], is_open=o) for place, o in found.lost.items()}
        return found.answers, lost

    def _replies(self, calls: Sequence[Call]) -> Mapping[str, Reply]:
        """Replies of the judge that is no verdict: lists of units."""
        pin = self.stages.judge.judge
        judge = self.judge_of(pin)
        distinct = list({call.key: call for call in calls}.values())
        absent = unaskable(judge, distinct, self.store)
        limits = Limits(
            deadline_s=pin.timeout_s,
            max_in_flight=pin.max_in_flight,
            budget=self.calls.budget.left(self.reports),
        )
        outcome = (
            from_store_alone(distinct, self.store, absent, self.calls.observer)
            if absent is not None
            else run_sync(distinct, judge, self.store, limits, self.calls.observer, keep_open=True)
        )
        self.reports.append(outcome.report)
        return outcome.replies

    def _screened(self, gold: GoldSet) -> Asked:
        """Scores of all claims; a screen that passes nothing is not asked."""
        if self.cascade.screen.cut is None:
            nothing = np.full(len(gold.claims), np.nan)
            return Asked(nothing, self.cascade.screen.scores, frozenset())
        if self.stages.screen is None:
            return covered(gold)
        return self._asked(self.stages.screen, gold, self.cascade.screen)

    def _judged(self, gold: GoldSet, left: Masks) -> Asked:
        """Scores of all claims; those that are not asked have none."""
        scores: Floats = np.full(len(left), np.nan)
        if self.cascade.judge.cut is None or not left.any():
            return Asked(scores, self.cascade.judge.scores, frozenset())
        places = np.flatnonzero(left)
        part = replace(gold, claims=tuple(gold.claims[place] for place in places.tolist()))
        asked = self._asked(self.stages.judge, part, self.cascade.judge)
        scores[places] = asked.scores
        return asked._replace(
            scores=scores, open=frozenset(int(places[place]) for place in asked.open)
        )

    def _asked(self, candidate: Candidate, gold: GoldSet, stage: Stage) -> Asked:
        asked = ask(
            candidate, gold, self.judge_of(candidate.judge), self.store, self.calls,
            before=self.reports, kind=stage.scores,
        )  # fmt: skip
        self.reports += asked.reports
        return asked

    def _ways(
        self, screened: Asked, left: Masks, judged: Asked
    ) -> list[tuple[Decider, float | None, float | None]]:
        cut = np.inf if self.cascade.judge.cut is None else self.cascade.judge.cut
        ways: list[tuple[Decider, float | None, float | None]] = []
        for place, (first, second) in enumerate(
            zip(screened.scores.tolist(), judged.scores.tolist(), strict=True)
        ):
            stage: Decider = "screen"
            if left[place]:
                stage = "judge" if second >= cut else "people"
                is_open = place in judged.open or place in screened.open
                stage = "open" if is_open and stage == "people" else stage
            ways.append((stage, _number(first), _number(second)))
        return ways


def _number(score: float) -> float | None:
    return None if np.isnan(score) else rounded(score)


def _has_text(answer: Answer) -> bool:
    """Whether there is anything that a claim could rest on."""
    return any(passage.strip() for passage in answer.passages)


def _whole(answer: Answer, *, is_open: bool) -> Routed:
    """An answer whose claims are not known, as one claim."""
    claim = AnswerClaim(answer.answer_id, answer.answer or "")
    return Routed(claim, "open" if is_open else "people", None, None, WHOLE_ANSWER)


def _as_asked(answer: Answer, name: str) -> Answer:
    """Under ids that are unique and short whatever those of the answers are."""
    claims = tuple(
        replace(claim, claim_id=f"{name}.{number}")
        for number, claim in enumerate(answer.claims or ())
    )
    return replace(answer, answer_id=name, claims=claims)
