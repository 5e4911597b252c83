"""Rows on their way through metrics: what is to ask, step by step, and what follows from it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from metajudge.errors import InputError, Problem
from metajudge.gold.claim import MetricName
from metajudge.judges.baseline import compares_wording
from metajudge.judges.judge import Judge
from metajudge.metrics.asked import AskedTogether, PartRead, PartUnits
from metajudge.metrics.judged.unit import JudgedMetric, Unit
from metajudge.metrics.judged.words import Because
from metajudge.metrics.lists import Lists, Wanted, plan_lists
from metajudge.metrics.row import ListName, MetricRow
from metajudge.metrics.serving import Serving
from metajudge.metrics.settings import EvaluateSettings
from metajudge.release.asking import open_judges
from metajudge.runner.absent import Absent, unaskable
from metajudge.runner.call import Call, RunOutcome, RunReport
from metajudge.runner.limits import Limits
from metajudge.runner.store import Store


class Step(NamedTuple):
    """Calls that go out together.

    Attributes:
        judge: Who is asked.
        calls: The calls.
        limits: What is left of the budget, and the judge's own limits.
        absent: Set where the judge cannot be asked here.
    """

    judge: Judge
    calls: list[Call]
    limits: Limits
    absent: Absent | None


class Asked(NamedTuple):
    """What one metric asks of one row.

    Attributes:
        units: Its units; () where there is nothing to ask.
        why: Why it has no score, where that is known before any verdict.
        detail: About the failure of a list.
        wanted: The lists that it rests on.
    """

    units: tuple[Unit, ...]
    why: Because | None
    detail: str
    wanted: tuple[Wanted, ...]


class Work:
    """The judged metrics of some rows. Asks nothing itself: `steps` says what, `take` is told.

    Raises:
        InputError: Lists are to be made by a judge that only compares wording.

    Attributes:
        rows: In input order.
        serving: Metrics, candidates, policies.
        settings: How they are evaluated.
        judges: Opened judges by the name of their pin.
        lists: What metrics need listed.
        asked: What each metric asks of each row; filled once the lists are known.
        reports: One account a run.
    """

    def __init__(
        self, rows: Sequence[MetricRow], serving: Serving, settings: EvaluateSettings
    ) -> None:
        self.rows, self.serving, self.settings = tuple(rows), serving, settings
        self.judges = open_judges(list(serving.candidates.values()))
        self.missing = {
            (index, metric.name): metric.missing(row)
            for metric in serving.metrics
            for index, row in enumerate(self.rows)
        }
        wanted = [w for m in serving.metrics for i in range(len(rows)) for w in self._wanted(m, i)]
        self.lists: Lists = plan_lists(self.rows, wanted, self.judges)
        self._check_listing()
        self.asked: dict[tuple[int, str], Asked] = {}
        self.reads: dict[MetricName, PartRead] = {}
        self.reports: list[RunReport] = []
        self._together = AskedTogether({})
        self._over = False
        self._started = time.monotonic()

    @property
    def stopped(self) -> RunReport | None:
        """The account of the run that ended early; None where every call was settled."""
        return next((report for report in self.reports if report.stopped), None)

    def steps(self, store: Store) -> Iterator[Step]:
        """What is to be asked: lists, facts where a release judges facts, then all verdicts."""
        for name in self.judges:
            yield from self._step(name, self.lists.calls(name), store)
        units = self._units()
        candidates = self.serving.candidates
        self._together = AskedTogether.of(units, self.rows, candidates, store, self.judges)
        for name, calls in self._together.facts():
            yield from self._step(name, calls, store)
        for name, calls in self._together.verdicts():
            yield from self._step(name, calls, store)
        self.reads = {
            part: PartRead(units[part], asking) for part, asking in self._together.askings.items()
        }

    def take(self, outcome: RunOutcome) -> None:
        """Take the replies to a step."""
        self.lists.replies |= outcome.replies
        self._together.take(outcome.replies)
        self.reports.append(outcome.report)
        settled = outcome.report.stopped == "judge_down" and outcome.report.not_asked == 0
        self._over = self._over or (outcome.report.stopped is not None and not settled)

    def wanted(self, metric: JudgedMetric, index: int) -> tuple[Wanted, ...]:
        """The lists that a metric rests on in a row."""
        return tuple(self._wanted(metric, index))

    def _wanted(self, metric: JudgedMetric, index: int) -> Iterator[Wanted]:
        if self.missing[index, metric.name] is None:
            judge = self.serving.candidates[metric.parts[0]].judge.name
            yield from (Wanted(index, name, judge) for name in metric.lists)

    def _units(self) -> dict[MetricName, PartUnits]:
        parts = {part: PartUnits(part) for part in self.serving.candidates}
        for metric in self.serving.metrics:
            for index in range(len(self.rows)):
                asked = self._asked(metric, index)
                self.asked[index, metric.name] = asked
                for unit in asked.units:
                    if unit.known is not None:
                        continue
                    parts[unit.part].add(index, unit)
        return parts

    def _asked(self, metric: JudgedMetric, index: int) -> Asked:
        why = self.missing[index, metric.name]
        wanted = self.wanted(metric, index)
        if why is not None:
            return Asked((), why, "", wanted)
        listed: dict[ListName, tuple[str, ...]] = {}
        for want in wanted:
            found = self.lists.read(want)
            if not found.known:
                return Asked(
                    (), "not_yet" if found.open else "list_failed", str(found.failure), wanted
                )
            listed[want.name] = found.claims
        units = metric.units(self.rows[index], listed)
        return Asked(units, None if units else metric.nothing, "", wanted)

    def _step(self, name: str, calls: list[Call], store: Store) -> Iterator[Step]:
        if not calls:
            return
        if self._over:
            known = store.get_many([call.key for call in calls])
            self.lists.replies |= known
            self._together.take(known)
            self.reports.append(RunReport(asked=len(calls), cache_hits=len(known)))
            return
        pin = next(c.judge for c in self.serving.candidates.values() if c.judge.name == name)
        limits = replace(self.limits(), deadline_s=pin.timeout_s, max_in_flight=pin.max_in_flight)
        judge = self.judges[name]
        yield Step(judge, calls, limits, unaskable(judge, calls, store))

    def limits(self) -> Limits:
        """What is left of the budget."""
        left = self.settings.budget.left(self.reports, time.monotonic() - self._started)
        return Limits(budget=left, lease_s=self.settings.lease_s)

    def _check_listing(self) -> None:
        problems = []
        for name in sorted({f"{w.judge}\n{w.name}" for w in self.lists.planned}):
            judge, _, listed = name.partition("\n")
            if compares_wording(self.judges[judge]):
                law = (
                    f"{self.judges[judge].spec} compares wording and writes nothing, so it cannot "
                )
                law += f"list {listed}"
                mend = f"Give {listed} with the rows, or name a judge that writes."
                problems.append(Problem("evaluate", law, mend, field=listed))
        if problems:
            raise InputError(problems)


def tokens_and_usd(replies: Mapping[str, object], keys: Sequence[str]) -> tuple[int, float | None]:
    """Tokens and cost of some calls, over the replies that tell."""
    tokens, prices = 0, []
    for key in keys:
        reply = replies.get(key)
        tokens += (getattr(reply, "prompt_tokens", None) or 0) + (
            getattr(reply, "completion_tokens", None) or 0
        )
        price = getattr(reply, "cost_usd", None)
        prices += [] if price is None else [price]
    return tokens, sum(prices) if prices else None
