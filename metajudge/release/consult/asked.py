"""Both sides asked together, over sample and gold claims, and what stayed without a reply."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Masks, as_floats
from metajudge.counted import counted
from metajudge.errors import (
    BudgetSpentError,
    JudgeAccessError,
    JudgeDownError,
    MetajudgeError,
    ModelFileError,
)
from metajudge.gold.goldset import GoldSet
from metajudge.judges.judge import Judge
from metajudge.release.asking import Asking, Verdicts, open_judges
from metajudge.release.candidate import Candidate
from metajudge.release.consult.bench import Said
from metajudge.release.consult.parts import Corners
from metajudge.release.consult.sample import together
from metajudge.report.consult_results import ConsultCalls, PartName
from metajudge.runner.call import RunReport
from metajudge.runner.door import OpenDoor, inside_a_loop
from metajudge.runner.limits import Budget
from metajudge.runner.progress import Observer
from metajudge.runner.reply_json import is_lasting
from metajudge.runner.store import Store
from metajudge.runner.trial import Plan
from metajudge.runner.truths import read_all, truths_key
from metajudge.templates.reading_names import reading_named

_ENDS: Mapping[str, type[MetajudgeError]] = {
    "budget": BudgetSpentError,
    "access": JudgeAccessError,
    "no_model": ModelFileError,
}


@dataclass(frozen=True)
class Ask:
    """How both sides are asked.

    Attributes:
        store: Where replies are kept.
        budget: Hard limits over everything.
        repeats: Draws per claim of the sample; gold claims are drawn once.
        observer: Is told how the runs go.
        from_store: Take what the store has and ask nothing.
        door: Through which judges are asked, all of them in one event loop.
    """

    store: Store
    budget: Budget = field(default_factory=Budget)
    repeats: int = 1
    observer: Observer | None = None
    from_store: bool = False
    door: OpenDoor | None = None


class Heard(NamedTuple):
    """Verdicts on the sample and on gold, current side first.

    Attributes:
        sample: On the sample.
        gold: On the gold claims; of no claim without a gold set.
        corners: On the sample by whether template and judge are the proposed ones; the mixed ones
            only where both differ and every call was answered.
        not_asked: Mixed corners that are missing, in words.
        calls: The account.
    """

    sample: tuple[Said, Said]
    gold: tuple[Said, Said]
    corners: Corners
    not_asked: tuple[str, ...]
    calls: ConsultCalls


def hear(
    sides: tuple[Candidate, Candidate],
    differing: tuple[PartName, ...],
    sample: GoldSet,
    gold: GoldSet | None,
    ask: Ask,
) -> Heard:
    """Ask both sides whatever the store lacks, within the budget.

    Args:
        sides: Current and proposed.
        differing: What differs between them.
        sample: Claims of the sample.
        gold: Gold claims.
        ask: How.

    Raises:
        JudgeSpecError: A spec names no judge.
        MetajudgeError: Asking ended early and no reply to any call is there.
    """
    judges = open_judges(sides)
    if inside_a_loop():
        return _heard(sides, differing, sample, gold, ask, judges=judges)
    with OpenDoor() as door:
        try:
            ask = replace(ask, door=door)
            return _heard(sides, differing, sample, gold, ask, judges=judges)
        finally:
            door.close_judges(judges.values())


def _heard(
    sides: tuple[Candidate, Candidate],
    differing: tuple[PartName, ...],
    sample: GoldSet,
    gold: GoldSet | None,
    ask: Ask,
    *,
    judges: Mapping[str, Judge],
) -> Heard:
    began = time.monotonic()
    several = "template" in differing and "judge" in differing
    asking = Asking(
        sides, together(sample, gold), ask.store, judges, ask.budget, observer=ask.observer
    )
    _run(asking, ask)
    account = _Account.of(asking)
    stop = asking.stopped
    if stop is not None and not asking.replies:
        raise _ended(str(stop.stopped), stop.message)
    said = _said(asking, account.plan)
    n = len(sample.claims)
    here, there = np.arange(len(asking.claims)) < n, np.arange(len(asking.claims)) >= n
    on_sample = (said[0].of(here), said[1].of(here))
    on_gold = (said[0].of(there), said[1].of(there))
    if ask.repeats > 1:
        drawn, account = _more(asking, sides, account, sample=sample, ask=ask, began=began)
        on_sample = (drawn[0], drawn[1])
    corners = {(False, False): on_sample[0], (True, True): on_sample[1]}
    not_asked: tuple[str, ...] = ()
    if several:
        more, not_asked, account = _mixed(asking, account, sample, ask, began)
        corners |= more
    calls = account.told(asking, ask, on_sample, on_gold)
    return Heard(on_sample, on_gold, corners, not_asked, calls)


def nothing_heard(calls: ConsultCalls) -> MetajudgeError:
    """The error for replies that complete no answer of the sample under both sides."""
    told = "no answer has all its replies under both sides"
    return _ended(str(calls.stopped), "; ".join(filter(None, (told, calls.message))))


def _ended(stopped: str, message: str) -> MetajudgeError:
    kind = _ENDS.get(stopped, JudgeDownError)
    return kind(f"nothing can be said yet: {message or stopped}")


class _Account(NamedTuple):
    """Calls of one or two askings.

    Attributes:
        plan: Verdict calls of the first.
        keys: Of all calls known.
        answered: Those with a reply.
    """

    plan: Plan
    keys: frozenset[str]
    answered: frozenset[str]

    @classmethod
    def of(cls, asking: Asking) -> _Account:
        """The account of one asking."""
        plan = asking.plan()
        keys = {planned.call.key for calls in plan.calls.values() for planned in calls}
        keys |= {e.call.key for entries in asking.extractions().values() for e in entries}
        return cls(plan, frozenset(keys), frozenset(keys & set(asking.replies)))

    def with_calls(self, other: _Account) -> _Account:
        """Both together."""
        return _Account(self.plan, self.keys | other.keys, self.answered | other.answered)

    def told(
        self, asking: Asking, ask: Ask, sample: tuple[Said, Said], gold: tuple[Said, Said]
    ) -> ConsultCalls:
        """The account as it stands in the report; where nothing is to be asked, nothing is open."""
        reports, budget = asking.reports, ask.budget
        needed = self.answered if ask.from_store else self.keys
        stop = asking.stopped
        costs = [report.cost_usd for report in reports if report.cost_usd is not None]
        limits = {"usd": budget.usd, "calls": budget.calls, "minutes": budget.minutes}
        return ConsultCalls(
            needed=len(needed),
            stored=min(_stored(reports), len(self.answered)),
            sent=sum(report.sent for report in reports),
            unanswered=len(needed) - len(self.answered),
            unanswered_claims=_open_claims(sample, ask),
            unanswered_gold=_open_claims(gold, ask),
            cost_usd=round(sum(costs), 6) if costs else None,
            stopped=None if stop is None else stop.stopped,
            message="" if stop is None else stop.message,
            budget={name: float(limit) for name, limit in limits.items() if limit is not None},
        )


def _run(asking: Asking, ask: Ask) -> None:
    """Ask, and keep what is a reply.

    What a recording lacks is none. Of a run that ended early, a call that failed is as open as one
    that was not made.
    """
    if ask.from_store:
        asking.stored()
    else:
        _refuse_a_loop()
        asking.ask(door=ask.door)
    ended = asking.stopped is not None
    asking.replies = {
        key: said
        for key, said in asking.replies.items()
        if said.failure != "missing" and (is_lasting(said) or not ended)
    }


def _refuse_a_loop() -> None:
    if inside_a_loop():
        raise MetajudgeError(
            "consult cannot work inside a running event loop (a notebook or a web service has "
            "one). Write `await asyncio.to_thread(consult, ...)` with the same arguments instead."
        )


def _stored(reports: list[RunReport]) -> int:
    return sum(report.cache_hits for report in reports)


def _open_claims(said: tuple[Said, Said], ask: Ask) -> dict[str, int]:
    return {
        name: 0 if ask.from_store else int((~one.asked).sum())
        for name, one in zip(("current", "proposed"), said, strict=True)
    }


def _said(asking: Asking, plan: Plan) -> tuple[Said, ...]:
    return tuple(
        Said(
            np.asarray(verdicts.read.codes, np.int64),
            as_floats(verdicts.read.probabilities),
            _asked(asking, plan, trial, verdicts),
        )
        for trial, verdicts in enumerate(asking.verdicts())
    )


def _asked(asking: Asking, plan: Plan, trial: int, verdicts: Verdicts) -> Masks:
    """Claims whose calls of a trial are all planned and answered, shape (n,).

    The content-free calls of a measured prior stand behind every claim of the trial. Where a reply
    lists no facts of a context, nothing more can be asked: its claims are answered, as failures.
    """
    side = asking.candidates[trial]
    takes_prior = reading_named(side.reading).asks_blank and side.priors is None
    planned = np.zeros(len(verdicts.read.codes), np.bool_)
    if side.form.kind == "truths":
        told = read_all(asking.extractions(), asking.replies)
        planned[:] = [truths_key(side.judge.name, side.form, c) in told for c in asking.claims]
    missing = np.zeros_like(planned)
    for calls in plan.calls.values():
        for one in calls:
            if one.trial != trial:
                continue
            planned[list(one.claims)] = True
            if one.call.key not in asking.replies and (one.claims or takes_prior):
                missing[list(one.claims) if one.claims else slice(None)] = True
    return planned & ~missing


def _more(
    asking: Asking,
    candidates: Sequence[Candidate],
    account: _Account,
    *,
    sample: GoldSet,
    ask: Ask,
    began: float,
) -> tuple[tuple[Said, ...], _Account]:
    """What candidates say of the sample alone, with every repeat, within what is left."""
    left = ask.budget
    if left.minutes is not None:
        spent = (time.monotonic() - began) / 60
        left = replace(left, minutes=max(left.minutes - spent, 1e-9))
    second = Asking(candidates, sample, ask.store, asking.judges, left, ask.repeats, ask.observer)
    second.reports = asking.reports
    from_store = ask.from_store or asking.stopped is not None
    _run(second, replace(ask, from_store=from_store))
    more = _Account.of(second)
    return _said(second, more.plan), account.with_calls(more)


def _mixed(
    asking: Asking, account: _Account, sample: GoldSet, ask: Ask, began: float
) -> tuple[dict[tuple[bool, bool], Said], tuple[str, ...], _Account]:
    """The corners between two sides that differ in both template and judge."""
    current, proposed = asking.candidates
    mixed = {
        (True, False): replace(proposed, judge=current.judge),
        (False, True): replace(current, judge=proposed.judge),
    }
    found, account = _more(
        asking, list(mixed.values()), account, sample=sample, ask=ask, began=began
    )
    names = {place: f"{side.name} with {side.judge.spec}" for place, side in mixed.items()}
    not_asked = tuple(
        f"{names[place]}: {counted(int((~said.asked).sum()), 'claims have')} no reply"
        for place, said in zip(mixed, found, strict=True)
        if not said.asked.all()
    )
    corners = {} if not_asked else dict(zip(mixed, found, strict=True))
    return corners, not_asked, account
