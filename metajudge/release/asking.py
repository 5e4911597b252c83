"""Candidates asked about claims: facts first where a form needs them, then verdicts.

Several candidates are asked together, so that whatever they ask about one context goes out while
its prefix is warm. Replies come from the store where it has them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from metajudge.gold.claim import Claim
from metajudge.gold.goldset import GoldSet
from metajudge.judges.judge import Judge
from metajudge.release.candidate import Candidate
from metajudge.runner.absent import Absent, from_store_alone, unaskable
from metajudge.runner.call import Call, RunOutcome, RunReport
from metajudge.runner.door import OpenDoor, run_sync
from metajudge.runner.engine import run_calls
from metajudge.runner.limits import Budget, Limits
from metajudge.runner.progress import Observer
from metajudge.runner.store import Store
from metajudge.runner.trial import Plan, plan_calls
from metajudge.runner.truths import PlannedTruths, plan_truths, read_all
from metajudge.selection.readings import Read, read_trial, with_priors
from metajudge.selection.replay import TrialReplay, replay
from metajudge.templates.reading_names import reading_named
from metajudge.verdicts.verdict import Reply


class Verdicts(NamedTuple):
    """What one candidate said of the claims.

    Attributes:
        read: Label codes, probabilities and failure classes, each by claim and draw.
        row: The replayed trial, with reasons and details of failures.
    """

    read: Read
    row: TrialReplay


@dataclass
class Asking:
    """Candidates, the claims they are asked about, and what has been answered so far.

    Attributes:
        candidates: Who is asked; two of the same name, or of one trial, share their replies.
        gold: The claims; labels are never looked at here.
        store: Where replies are kept.
        judges: Opened judges by the name of their pin.
        budget: Hard limits over all judges together.
        repeats: Draws per claim.
        observer: Is told how the runs go.
        replies: Replies by key.
        reports: One account a run.
    """

    candidates: Sequence[Candidate]
    gold: GoldSet
    store: Store
    judges: Mapping[str, Judge]
    budget: Budget = field(default_factory=Budget)
    repeats: int = 1
    observer: Observer | None = None
    replies: dict[str, Reply] = field(default_factory=dict)
    reports: list[RunReport] = field(default_factory=list)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims asked about, in the order of every array."""
        return self.gold.judged().claims

    @property
    def stopped(self) -> RunReport | None:
        """The account of the run that ended early; None where every call was settled."""
        return next((report for report in self.reports if report.stopped), None)

    def plan(self) -> Plan:
        """Every verdict call that can be planned with the facts known so far."""
        return planned(self.candidates, self.gold, self.judges, self.replies, self.repeats)

    def extractions(self) -> dict[str, tuple[PlannedTruths, ...]]:
        """The calls that list a context's facts, by judge."""
        return _extractions(self.candidates, self.gold, self.judges)

    def keys(self) -> tuple[str, ...]:
        """Keys of all calls known so far, each once."""
        return keys_of(self.candidates, self.gold, self.judges, self.replies, self.repeats)

    def ask(self, *, keep_open: bool = False, door: OpenDoor | None = None) -> Asking:
        """Ask what the store lacks, for programs without an event loop.

        Args:
            keep_open: Leave the judges open for a later asking.
            door: Ask through this one, which leaves the judges open with their connections.
        """
        for step in self._steps():
            calls, judge, limits = step.calls, step.judge, self._limits(step)
            if step.absent is not None:
                self._take(from_store_alone(calls, self.store, step.absent, self.observer))
            elif door is not None:
                self._take(door.run(calls, judge, self.store, limits, self.observer))
            else:
                self._take(
                    run_sync(calls, judge, self.store, limits, self.observer, keep_open=keep_open)
                )
        return self

    async def ask_async(self) -> Asking:
        """`ask` for programs with an event loop; judges stay open."""
        for step in self._steps():
            if step.absent is not None:
                self._take(from_store_alone(step.calls, self.store, step.absent, self.observer))
            else:
                limits = self._limits(step)
                self._take(
                    await run_calls(step.calls, step.judge, self.store, limits, self.observer)
                )
        return self

    def stored(self) -> Asking:
        """Take what the store has and ask nothing."""
        for name, entries in self.extractions().items():
            self._from_store(name, [entry.call for entry in entries])
        plan = self.plan()
        for name in plan.calls:
            self._from_store(name, plan.distinct(name))
        return self

    def verdicts(self) -> tuple[Verdicts, ...]:
        """What each candidate said; a call without a reply is a failure of class `missing`.

        Where a reading needs label probabilities that no reply has, every claim is a failure.
        """
        return _verdicts(self.candidates, self.plan(), self.replies)

    def _from_store(self, name: str, calls: Sequence[Call]) -> None:
        known = self.store.get_many([call.key for call in calls])
        self.replies |= known
        self.reports.append(RunReport(asked=len(calls), cache_hits=len(known)))

    def _steps(self) -> Iterator[_Step]:
        self._started = time.monotonic()
        self._over = False
        for name, entries in self.extractions().items():
            yield from self._step(name, [entry.call for entry in entries])
        plan = self.plan()
        for name in plan.calls:
            yield from self._step(name, plan.distinct(name))

    def _step(self, name: str, calls: Sequence[Call]) -> Iterator[_Step]:
        if self._over:
            self._from_store(name, calls)
            return
        if not calls:
            return
        absent = unaskable(self.judges[name], calls, self.store)
        yield _Step(name, self.judges[name], list(calls), absent)

    def _limits(self, step: _Step) -> Limits:
        pin = next(c.judge for c in self.candidates if c.judge.name == step.name)
        return Limits(
            deadline_s=pin.timeout_s,
            max_in_flight=pin.max_in_flight,
            budget=self.budget.left(self.reports, time.monotonic() - self._started),
        )

    def _take(self, outcome: RunOutcome) -> None:
        self.replies |= outcome.replies
        self.reports.append(outcome.report)
        self._over = self._over or outcome.report.stopped in ("interrupted", "budget")


class _Step(NamedTuple):
    name: str
    judge: Judge
    calls: list[Call]
    absent: Absent | None


def open_judges(candidates: Sequence[Candidate]) -> dict[str, Judge]:
    """The judges of some candidates, each opened once, by the name of their pin.

    Raises:
        JudgeSpecError: A spec names no judge.
    """
    pins = {candidate.judge.name: candidate.judge for candidate in candidates}
    return {name: pin.opened() for name, pin in pins.items()}


def planned(
    candidates: Sequence[Candidate],
    gold: GoldSet,
    judges: Mapping[str, Judge],
    replies: Mapping[str, Reply],
    repeats: int = 1,
) -> Plan:
    """Every verdict call that can be planned with the facts in `replies`.

    Args:
        candidates: Who is asked.
        gold: The claims; labels are never looked at here.
        judges: Opened judges by the name of their pin; only identities are used.
        replies: By key; those of the context form `truths` are read for facts.
        repeats: Draws per claim.
    """
    trials = [candidate.trial(repeats) for candidate in candidates]
    priors = any(reading_named(c.reading).asks_blank and c.priors is None for c in candidates)
    found = read_all(_extractions(candidates, gold, judges), replies)
    return plan_calls(trials, gold, judges, with_priors=priors, truths=found)


def keys_of(
    candidates: Sequence[Candidate],
    gold: GoldSet,
    judges: Mapping[str, Judge],
    replies: Mapping[str, Reply],
    repeats: int = 1,
) -> tuple[str, ...]:
    """Keys of all calls that can be planned with the facts in `replies`, each once.

    Args:
        candidates: As for `planned`, like the rest.
        gold: The claims.
        judges: Opened judges by the name of their pin.
        replies: By key.
        repeats: Draws per claim.
    """
    found = _extractions(candidates, gold, judges)
    plan = planned(candidates, gold, judges, replies, repeats)
    extracted = [e.call.key for entries in found.values() for e in entries]
    asked = [call.call.key for calls in plan.calls.values() for call in calls]
    return tuple(dict.fromkeys((*extracted, *asked)))


def replayed(
    candidates: Sequence[Candidate],
    gold: GoldSet,
    replies: Mapping[str, Reply],
    *,
    judges: Mapping[str, Judge] | None = None,
    repeats: int = 1,
) -> tuple[Verdicts, ...]:
    """What stored replies say, without a store: a pure function.

    Args:
        candidates: Whose verdicts.
        gold: The claims; labels are never looked at here.
        replies: By key; a call without one is a failure of class `missing`.
        judges: Whose keys the replies are under, by the name of their pin; None takes the judges
            as they were pinned.
        repeats: Draws per claim.
    """
    if judges is None:
        judges = {candidate.judge.name: candidate.judge.stand_in() for candidate in candidates}
    return _verdicts(candidates, planned(candidates, gold, judges, replies, repeats), replies)


def _extractions(
    candidates: Sequence[Candidate], gold: GoldSet, judges: Mapping[str, Judge]
) -> dict[str, tuple[PlannedTruths, ...]]:
    forms = [(candidate.judge.name, candidate.form) for candidate in candidates]
    return plan_truths(forms, gold, judges)


def _verdicts(
    candidates: Sequence[Candidate], plan: Plan, replies: Mapping[str, Reply]
) -> tuple[Verdicts, ...]:
    rows = replay(plan, replies)
    return tuple(
        _read(candidate, row, plan.claims) for candidate, row in zip(candidates, rows, strict=True)
    )


def _read(candidate: Candidate, row: TrialReplay, claims: Sequence[Claim]) -> Verdicts:
    if candidate.priors is not None:
        row = with_priors(row, candidate.priors, candidate.sources(claims))
    read = read_trial(row, candidate.reading)
    if read is None:
        read = _without_probabilities(row)
    return Verdicts(read, row)


def _without_probabilities(row: TrialReplay) -> Read:
    """Every label lost, since no reply has the probabilities that the reading needs."""
    import numpy as np

    from metajudge.selection.readings import CLASSES
    from metajudge.verdicts.table import FAILURE_CODE

    first = row.variants[0]
    lost = CLASSES.index("no_probabilities")
    classes = np.where(first.failures >= 0, first.failures, lost).astype(np.int8)
    return Read(np.full_like(first.codes, FAILURE_CODE), first.probabilities, classes)
