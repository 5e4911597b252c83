"""`suite.yaml`: the cases of a gate, what is measured on them, and what has to hold."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from metajudge.errors import InputError, Problem
from metajudge.gold.strict_yaml import read_yaml

Rate = Annotated[float, Field(gt=0, lt=0.5, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Margin = Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)]
Path_ = Annotated[str, Field(min_length=1)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class MetricBars(_Part):
    """A metric of the gate, and its bars; a bar that is null is not looked at.

    Where lower values are better, a bar is the most that is allowed.
    """

    name: Annotated[str, Field(min_length=1)]
    margin: Margin | None = Field(
        default=None, description="Drop of the mean that is tolerated; null takes the suite's."
    )
    mean: Share | None = Field(default=None, description="Least mean over all cases.")
    case: Share | None = Field(
        default=None, description="Least score of a case; null takes that of the release, if any."
    )

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, raw: Any) -> Any:
        return {"name": raw} if isinstance(raw, str) else raw


class JudgeOf(_Part):
    """The judge of what no release serves with its own."""

    spec: Annotated[str, Field(min_length=1)]
    api_base: str | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = 0.0
    timeout_s: Annotated[float, Field(gt=0)] = 120.0

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, raw: Any) -> Any:
        return {"spec": raw} if isinstance(raw, str) else raw


class OnceFailed(_Part):
    """Cases that failed once: each has to pass by itself, whatever the mean says."""

    file: Path_ | None = Field(default=None, description="Kept by `--keep-failures`.")
    cases: tuple[str, ...] = Field(default=(), description="Ids of cases.")
    slices: tuple[str, ...] = Field(default=(), description="Values of the cases' `slice`.")


class Suite(_Part):
    """What `suite.yaml` declares. Paths are relative to the file."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,79}$")]
    cases: Path_ = Field(description="Rows with an id each, as `metajudge evaluate` takes them.")
    answers: Path_ | None = Field(
        default=None, description="What the system says today: rows with the ids of the cases."
    )
    metrics: Annotated[tuple[MetricBars, ...], Field(json_schema_extra={"minItems": 1})]
    release: str | dict[str, str] | None = Field(
        default=None, description="A release, or several by metric."
    )
    judge: JudgeOf | None = None
    templates: dict[str, str] = Field(default_factory=dict, description="Wording by metric.")
    policies: dict[str, str] = Field(default_factory=dict, description="Policy by metric.")
    recordings: tuple[str, ...] = ()
    baseline: Path_ | None = Field(default=None, description="Written by `--write-baseline`.")
    alpha: Rate = Field(
        default=0.05, description="Chance of a false alarm, over all metrics and bars (Holm)."
    )
    miss: Rate = Field(
        default=0.05, description="Chance that a drop of the margin or more passes, a metric."
    )
    margin: Margin = 0.05
    power: Annotated[float, Field(gt=0.5, lt=1)] = Field(
        default=0.8, description="With which the cases needed are reckoned."
    )
    floor: Share = Field(
        default=0.9, description="Share of cases that need a score; under it nothing is decided."
    )
    group: str | None = Field(
        default=None, description="Field whose cases belong together; null takes the context."
    )
    once_failed: OnceFailed = OnceFailed()
    repeats: Annotated[int, Field(ge=1, le=100)] = Field(
        default=1, description="Draws of every case, for judges that sample."
    )
    failing_share: Annotated[float, Field(ge=0, lt=1)] = Field(
        default=0.5, description="A case fails where more than this share of its draws does."
    )
    seed: int = 0

    @model_validator(mode="after")
    def _whole(self) -> Suite:
        names = [bars.name for bars in self.metrics]
        if not names:
            raise ValueError("a suite has at least one metric")
        if len(set(names)) < len(names):
            raise ValueError("a metric stands once in metrics")
        return self

    def bars(self, metric: str) -> MetricBars:
        """The bars of a metric of the suite."""
        return next(bars for bars in self.metrics if bars.name == metric)

    def margin_of(self, metric: str) -> float:
        """The drop of a metric's mean that is tolerated."""
        own = self.bars(metric).margin
        return self.margin if own is None else own


def read_suite(path: str | Path) -> Suite:
    """The suite of a file.

    Raises:
        InputError: With every fault, by line and field.
    """
    suite = read_yaml(path, Suite, InputError)
    problems = list(_faults(suite, str(path)))
    if problems:
        raise InputError(problems)
    return suite


def _faults(suite: Suite, where: str) -> Iterator[Problem]:
    from metajudge.gold.validation import suggest
    from metajudge.metrics.catalogue import METRICS

    scored = [name for name, metric in METRICS.items() if metric.range == "0 to 1"]
    for place, bars in enumerate(suite.metrics):
        field = f"metrics[{place}].name"
        if bars.name not in METRICS:
            law = "a metric of a gate is one that `metajudge evaluate --list` shows"
            yield Problem(where, law, suggest(bars.name, scored), None, field, repr(bars.name))
        elif bars.name not in scored:
            law = "a metric of a gate has scores from 0 to 1, and this one counts"
            yield Problem(where, law, "Leave it out.", None, field, repr(bars.name))
    if suite.repeats > 1 and suite.judge is not None and suite.judge.temperature == 0:
        law = "repeats are for judges that sample, and at temperature 0 every draw is the same"
        mend = "Remove repeats, or name the temperature under judge."
        yield Problem(where, law, mend, None, "repeats", str(suite.repeats))
    listed = suite.once_failed
    barred = any(bars.mean is not None for bars in suite.metrics)
    if not (suite.baseline or barred or listed.file or listed.cases or listed.slices):
        law = "a gate tests something: a baseline, the mean of a metric, or cases that once failed"
        yield Problem(where, law, "Name a baseline: baseline.json.", None, "baseline")
