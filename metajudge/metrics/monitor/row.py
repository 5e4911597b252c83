"""One scored answer of the traffic, as the table has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

ALL = "all"
"""Stratum of traffic that is not divided."""
FAITHFULNESS = "faithfulness"
"""Metric of what a release of faithfulness says."""


@dataclass(frozen=True, slots=True)
class MonitorRow:
    """One metric's score of one answer under one release.

    Attributes:
        answer_id: Of the answer; with `release` and `metric` it names the row.
        release: `name@1.0.0`, or whatever names how the score was made.
        metric: Name of the metric.
        time: When the answer was given, as `times.stamp` writes it.
        score: 0 to 1; None where undefined.
        reason: Why it is undefined; None where there is a score.
        passed: Whether the score reaches the release's threshold; None without a score.
        stratum: Part of the traffic that it was sampled in.
        unit: What it was sampled by, such as its conversation: answers of one unit count as
            dependent. Empty stands for the answer itself.
        weight: How many answers of the traffic it stands for, over 0.
        yes: Claims with that verdict; None where the metric counts no claims. So for `no`, `idk`.
        no: See `yes`.
        idk: See `yes`.
        failures: Claims without a verdict.
        slices: Further fields by which changes are looked for, such as the model.
        release_sha256: Hash of the release.
        judge: Spec of the judge that was asked.
        judge_is_pinned: Whether it is the release's own.
        ref: Where the texts are: a trace and span, or a file.
        texts: Question, answer, context and claims; None where they are not kept.
    """

    answer_id: str
    release: str
    metric: str
    time: str
    score: float | None
    reason: str | None = None
    passed: bool | None = None
    stratum: str = ALL
    unit: str = ""
    weight: float = 1.0
    yes: int | None = None
    no: int | None = None
    idk: int | None = None
    failures: int = 0
    slices: Mapping[str, str] = field(default_factory=dict)
    release_sha256: str | None = None
    judge: str | None = None
    judge_is_pinned: bool | None = None
    ref: str | None = None
    texts: Mapping[str, Any] | None = None

    @property
    def cluster(self) -> str:
        """What is resampled as a whole."""
        return self.unit or self.answer_id
