"""Cases by themselves: each against its bar, and those that once failed have to pass."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from metajudge.errors import InputError, Problem
from metajudge.metrics.gate.cases import Cases
from metajudge.metrics.gate.measured import Measured
from metajudge.metrics.gate.once_failed import Kept
from metajudge.metrics.gate.report import CaseGate, Verdict, Why
from metajudge.metrics.gate.scores import CaseScore
from metajudge.metrics.gate.suite import Suite
from metajudge.report.figure import number

_NEAR = 1e-9


@dataclass(frozen=True)
class Bars:
    """Which case has to reach what.

    Attributes:
        by_metric: Metric -> bar of every case, from the suite or the release that serves it.
        listed: Ids of cases that have to pass under every metric with a bar.
        kept: What failed once, by case and metric, with the bar that it had.
    """

    by_metric: dict[str, float]
    listed: frozenset[str]
    kept: dict[tuple[str, str], float | None]

    def of(self, case: str, metric: str) -> float | None:
        """The bar of a case; None where it has none."""
        return self.by_metric.get(metric, self.kept.get((case, metric)))

    def once_failed(self, case: str, metric: str) -> bool:
        """Whether a case has to pass by itself."""
        return (case, metric) in self.kept or (case in self.listed and metric in self.by_metric)


def bars_of(
    suite: Suite, cases: Cases, kept: Iterable[Kept], releases: Mapping[str, float], where: str
) -> Bars:
    """The bars of a suite.

    Raises:
        InputError: A case or slice that once failed is not among the cases, or nothing says what
            it has to reach.
    """
    own = {bars.name: bars.case for bars in suite.metrics if bars.case is not None}
    by_metric = {
        **{m: releases[m] for m in (b.name for b in suite.metrics) if m in releases},
        **own,
    }
    once = suite.once_failed
    slices = dict(zip(cases.ids, cases.slices, strict=True))
    law = "a case that once failed is missing among the cases"
    problems = [
        Problem(
            where, law, "Put it back, or take it off the list.", None, f"once_failed.{field}", got
        )
        for field, names, known in (
            ("cases", once.cases, set(slices)),
            ("slices", once.slices, set(slices.values())),
        )
        for got in (repr(name) for name in names if name not in known)
    ]
    if (once.cases or once.slices) and not by_metric:
        law = "a case that once failed has no bar to reach"
        mend = "Write case: 0.8 beside a metric, or name a release, which has a threshold."
        problems.append(Problem(where, law, mend, None, "metrics"))
    if problems:
        raise InputError(problems)
    listed = frozenset(n for n, part in slices.items() if n in once.cases or part in once.slices)
    return Bars(by_metric, listed, {(line.case, line.metric): line.bar for line in kept})


def case_gates(
    cases: Cases, metrics: Sequence[Measured], bars: Bars, failing_share: float
) -> tuple[CaseGate, ...]:
    """Every case under every metric, by case, then metric."""
    return tuple(
        _gate(name, metric, place, bars, failing_share)
        for place, name in enumerate(cases.ids)
        for metric in metrics
    )


def kept_lines(
    rows: Iterable[CaseGate], known: Collection[tuple[str, str]], time: str
) -> list[Kept]:
    """Lines for the cases under their bar that are not kept yet."""
    return [
        Kept(
            case=row.case, metric=row.metric, score=row.score, bar=row.bar, time=time,
            reason=row.reason,
        )
        for row in rows
        if row.verdict == "fail" and (row.case, row.metric) not in known
    ]  # fmt: skip


def _gate(name: str, metric: Measured, place: int, bars: Bars, failing_share: float) -> CaseGate:
    now, bar = metric.now[place], bars.of(name, metric.metric)
    known = [draw for draw in now.draws if draw is not None]
    passing = 0 if bar is None else sum(metric.sign * (d - bar) >= -_NEAR for d in known)
    verdict, why = (
        (None, None) if bar is None else _verdict(now, len(known), passing, failing_share)
    )
    return CaseGate(
        case=name,
        metric=metric.metric,
        score=number(now.score),
        was=number(metric.was[place]),
        bar=bar,
        draws=len(now.draws),
        passing=passing,
        once_failed=bars.once_failed(name, metric.metric),
        verdict=verdict,
        why=why,
        reason=now.reason,
    )


def _verdict(now: CaseScore, known: int, passing: int, failing_share: float) -> tuple[Verdict, Why]:
    if not known:
        return ("undecided", "not_scored" if now.lost else "undefined")
    if (known - passing) / known <= failing_share + _NEAR and passing:
        return ("pass", "over_bar")
    return ("undecided", "unread") if now.unread else ("fail", "under_bar")
