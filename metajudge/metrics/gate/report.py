"""What a gate came to, as `--json` has it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from metajudge.metrics.gate.mean_against import Method
from metajudge.release.judged import CallAccount
from metajudge.report.part import Part

FORMAT: Literal["metajudge-gate/1"] = "metajudge-gate/1"
Verdict = Literal["pass", "fail", "undecided"]
Why = Literal[
    "held",
    "worse",
    "between",
    "coverage",
    "no_pairs",
    "same_answers",
    "under_bar",
    "over_bar",
    "not_scored",
    "undefined",
    "unread",
]


class Rates(Part):
    """The error rates that the gate keeps."""

    alpha: float = Field(description="Of a false alarm, over all tests of the gate (Holm).")
    miss: float = Field(description="That a drop of the margin or more passes, a metric.")
    power: float = Field(description="With which the cases needed are reckoned.")
    floor: float
    tests: int = Field(description="Tests that share alpha.")


class Tested(Part):
    """A mean against a limit."""

    verdict: Verdict
    why: Why
    limit: float = Field(description="-margin for a change, the bar for a mean.")
    value: float | None = Field(description="The change of the mean, or the mean.")
    low: float | None
    high: float | None
    p_worse: float | None = Field(description="Of being no worse than the limit.")
    p_worse_holm: float | None
    p_held: float | None = Field(description="Of being no better than the limit.")
    method: Method | None
    cases: int
    groups: int
    power_fail: float | None = Field(
        description="Chance to fail where the truth is 0.1 worse than the limit."
    )
    power_pass: float | None = Field(
        description="Chance to pass where nothing changed; for a mean, where it is 0.1 better."
    )
    more_if_good: int | None = Field(description="Cases still needed if so; null: unknown.")
    more_as_seen: int | None = Field(description="Cases still needed if the truth is as seen.")


class SliceMean(Part):
    """A metric on the cases of one slice: told and not tested."""

    slice: str
    cases: int = Field(description="With a score today.")
    mean: float | None
    pairs: int = Field(description="Cases with a score both times.")
    change: float | None = Field(description="Of their mean against the baseline.")


class MetricGate(Part):
    """One metric of the gate."""

    metric: str
    better: Literal["higher", "lower"]
    verdict: Verdict
    mean: float | None
    baseline_mean: float | None = Field(description="Of the cases that both have.")
    change: Tested | None = Field(description="Against the baseline; null where there is none.")
    bar: Tested | None = Field(description="Of the mean against its bar.")
    slices: tuple[SliceMean, ...] = Field(description="The greatest loss first.")
    coverage: float | None = Field(description="Share of the cases to be scored that are.")
    scored: int
    lost: int = Field(description="Cases without a score since calls failed: no fail.")
    undefined: int = Field(description="Cases without a score since there is nothing to score.")
    newly_undefined: int = Field(description="Of these, the ones that had one in the baseline.")
    policy: str | None
    release: str | None
    judge: str | None


class CaseGate(Part):
    """One metric on one case."""

    case: str
    metric: str
    score: float | None
    was: float | None
    bar: float | None
    draws: int
    passing: int = Field(description="Draws that reach the bar.")
    once_failed: bool
    verdict: Verdict | None = Field(description="null where the case has no bar to reach.")
    why: Why | None
    reason: str | None


class BaselineSeen(Part):
    """The baseline compared with."""

    created: str
    cases_sha256: str
    added: int = Field(description="Cases that it does not have: not compared.")
    removed: int = Field(description="Cases that the suite does not have any more.")
    unchanged: int = Field(description="Cases whose answer and context are what they were.")


class GateReport(Part):
    """What a gate came to."""

    format: Literal["metajudge-gate/1"] = FORMAT
    suite: str
    package_version: str
    verdict: Verdict
    cases: int
    groups: int
    rates: Rates
    baseline: BaselineSeen | None
    metrics: tuple[MetricGate, ...]
    rows: tuple[CaseGate, ...] = Field(description="By case, then metric.")
    calls: CallAccount
    notes: tuple[str, ...]

    @property
    def once_failed(self) -> tuple[CaseGate, ...]:
        """Cases that failed once and have to pass by themselves."""
        return tuple(row for row in self.rows if row.once_failed)

    @property
    def under_bar(self) -> tuple[CaseGate, ...]:
        """Cases under their bar, whether they failed before or not."""
        return tuple(row for row in self.rows if row.verdict == "fail")
