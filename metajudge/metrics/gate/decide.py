"""What follows from scores and baseline: metrics by tests of their means, cases by their bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from metajudge.agreement.adjust import holm
from metajudge.metrics.evaluation import MetricAccount
from metajudge.metrics.gate.mean_against import (
    Errors,
    MeanTest,
    cases_by_bets,
    cases_needed,
    mean_against,
    power,
)
from metajudge.metrics.gate.measured import Measured
from metajudge.metrics.gate.report import MetricGate, Tested, Verdict, Why
from metajudge.metrics.gate.slices import slice_means
from metajudge.metrics.gate.suite import Suite
from metajudge.release.consult.units import codes_by_name
from metajudge.report.figure import number

BEYOND = 0.1
"""How much worse than the limit the truth is in the power that is stated."""
Kind = Literal["change", "bar"]


class _Open(NamedTuple):
    """A test before its error rate is shared."""

    kind: Kind
    limit: float
    found: MeanTest | None
    early: tuple[Verdict, Why] | None


@dataclass
class MetricGates:
    """The gates of all metrics, which share the rate of false alarms.

    Attributes:
        suite: What has to hold.
        groups: Group of each case.
        slices: Slice of each case, "" where it has none.
    """

    suite: Suite
    groups: Sequence[str]
    slices: Sequence[str]
    _open: list[tuple[Measured, list[_Open]]] = field(default_factory=list)

    def take(self, metric: Measured, *, compare: bool) -> None:
        """Open the tests of a metric."""
        bars = self.suite.bars(metric.metric)
        tests = []
        if compare:
            tests.append(self._change(metric, self.suite.margin_of(metric.metric)))
        if bars.mean is not None:
            tests.append(self._bar(metric, bars.mean))
        self._open.append((metric, tests))

    def decided(self, accounts: Mapping[str, MetricAccount]) -> tuple[MetricGate, ...]:
        """The gates, once all tests are open."""
        every = [test for _, tests in self._open for test in tests]
        raw = [np.nan if t.found is None else t.found.p_under for t in every]
        shared = iter(holm(raw).tolist() if raw else [])
        gates = []
        for metric, tests in self._open:
            done = {test.kind: self._tested(metric, test, next(shared)) for test in tests}
            gates.append(self._gate(metric, done, accounts[metric.metric]))
        return tuple(gates)

    @property
    def tests(self) -> int:
        """Tests that share the rate of false alarms."""
        return sum(t.found is not None for _, tests in self._open for t in tests)

    def _change(self, metric: Measured, margin: float) -> _Open:
        values = [metric.sign * (metric.now[p].score - metric.was[p]) for p in metric.pairs]  # type: ignore[operator]
        found = self._test(values, metric.pairs, -margin, (-1.0, 1.0))
        early = self._early(metric, found)
        if early is None and metric.same:
            early = ("pass", "same_answers")
        return _Open("change", -margin, found, early)

    def _bar(self, metric: Measured, bar: float) -> _Open:
        places = [p for p, score in enumerate(metric.now) if score.score is not None]
        values = [metric.sign * metric.now[p].score for p in places]  # type: ignore[operator]
        low, high = sorted((0.0, float(metric.sign)))
        found = self._test(values, places, metric.sign * bar, (low, high))
        return _Open("bar", metric.sign * bar, found, self._early(metric, found))

    def _test(
        self,
        values: Sequence[float],
        places: Sequence[int],
        limit: float,
        bounds: tuple[float, float],
    ) -> MeanTest | None:
        if not values:
            return None
        codes = codes_by_name([self.groups[place] for place in places]).codes
        errors = Errors(self.suite.alpha, self.suite.miss)
        return mean_against(
            values, codes, limit, bounds=bounds, errors=errors, seed=self.suite.seed
        )

    def _early(self, metric: Measured, found: MeanTest | None) -> tuple[Verdict, Why] | None:
        if found is None:
            return ("undecided", "no_pairs")
        if metric.coverage is None or metric.coverage < self.suite.floor:
            return ("undecided", "coverage")
        return None

    def _tested(self, metric: Measured, test: _Open, shared: float) -> Tested:
        found, sign = test.found, metric.sign
        if found is None:
            return _untested(test, sign)
        verdict, why = test.early or self._verdict(found, shared)
        edges = sorted((sign * found.low, sign * found.high))
        needed = self._needed(found, test) if verdict == "undecided" else (None, None)
        fails, passes = self._power(found, test)
        return Tested(
            verdict=verdict,
            why=why,
            limit=number(sign * test.limit) or 0.0,
            value=number(sign * found.mean),
            low=number(edges[0]),
            high=number(edges[1]),
            p_worse=number(found.p_under),
            p_worse_holm=number(shared),
            p_held=number(found.p_over),
            method=found.method,
            cases=found.n,
            groups=found.groups,
            power_fail=fails,
            power_pass=passes,
            more_if_good=needed[0],
            more_as_seen=needed[1],
        )

    def _verdict(self, found: MeanTest, shared: float) -> tuple[Verdict, Why]:
        if shared <= self.suite.alpha:
            return ("fail", "worse")
        return ("pass", "held") if found.p_over <= self.suite.miss else ("undecided", "between")

    def _power(self, found: MeanTest, test: _Open) -> tuple[float | None, float | None]:
        """Chance to fail 0.1 beyond the limit, and to pass where all is well, at this spread.

        By the normal law, which bets are too far from.
        """
        if found.spread == 0.0 or found.method == "exact bet":
            return None, None
        well = -test.limit if test.kind == "change" else BEYOND
        alpha = self.suite.alpha / max(self.tests, 1)
        fails = power(BEYOND, found.spread, alpha)
        return number(fails), number(power(well, found.spread, self.suite.miss))

    def _needed(self, found: MeanTest, test: _Open) -> tuple[int | None, int | None]:
        """Cases still needed where all is well, and where the truth is what was seen."""
        suite = self.suite
        well = -test.limit if test.kind == "change" else BEYOND
        seen = found.mean - test.limit
        level = suite.miss if seen > 0 else suite.alpha
        if found.method == "exact bet":
            won = cases_by_bets(found.p_over if seen > 0 else found.p_under, found, level)
            return None, None if won is None else max(won - found.n, 0)
        ways = ((well, suite.miss), (abs(seen), level))
        more = [cases_needed(distance, found, rate, suite.power) for distance, rate in ways]
        good, as_seen = (None if n is None else max(n - found.n, 0) for n in more)
        return good, as_seen

    def _gate(
        self, metric: Measured, done: Mapping[Kind, Tested], account: MetricAccount
    ) -> MetricGate:
        known = [score.score for score in metric.now if score.score is not None]
        then = [metric.was[place] for place in metric.pairs]
        coverage = metric.coverage
        verdicts: list[Verdict] = [test.verdict for test in done.values()]
        if coverage is not None and coverage < self.suite.floor:
            verdicts.append("undecided")
        return MetricGate(
            metric=metric.metric,
            better="lower" if metric.sign < 0 else "higher",
            verdict=worst(verdicts),
            mean=number(float(np.mean(known))) if known else None,
            baseline_mean=number(float(np.mean([w for w in then if w is not None])))
            if then
            else None,
            change=done.get("change"),
            bar=done.get("bar"),
            slices=slice_means(metric, self.slices),
            coverage=number(coverage),
            scored=metric.scored,
            lost=metric.lost,
            undefined=metric.undefined,
            newly_undefined=metric.newly_undefined,
            policy=account.policy,
            release=account.release,
            judge=account.judge,
        )


def worst(verdicts: Sequence[Verdict]) -> Verdict:
    """Fail before undecided before pass; pass where there is none.

    >>> worst(["pass", "undecided"]), worst([])
    ('undecided', 'pass')
    """
    order: tuple[Verdict, ...] = ("fail", "undecided")
    return next((verdict for verdict in order if verdict in verdicts), "pass")


def _untested(test: _Open, sign: int) -> Tested:
    return Tested(
        verdict="undecided",
        why="no_pairs",
        limit=number(sign * test.limit) or 0.0,
        value=None,
        low=None,
        high=None,
        p_worse=None,
        p_worse_holm=None,
        p_held=None,
        method=None,
        cases=0,
        groups=0,
        power_fail=None,
        power_pass=None,
        more_if_good=None,
        more_as_seen=None,
    )
