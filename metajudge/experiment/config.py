"""`experiment.yaml`: the declared question, validated before anything is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from metajudge.counted import singular
from metajudge.errors import ExperimentError
from metajudge.experiment.entries import Each, Some, SomeEach
from metajudge.experiment.searching.config import SearchRef
from metajudge.gold.claim import Split
from metajudge.gold.strict_yaml import read_yaml
from metajudge.report.part import Reading
from metajudge.templates.source import AnswerForm
from metajudge.templates.template import Layout

Target = Literal["summary_as_idk", "over_credit", "kappa", "accuracy", "balanced_accuracy"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class GoldRef(_Part):
    """Where the gold set is and which part of it is judged."""

    path: str
    split: Split | None = None
    languages: tuple[str, ...] = ()
    columns: dict[str, str] = Field(default_factory=dict)
    """Our field -> their column, for a file that is not in the native form."""


class JudgeRef(_Part):
    """A judge: its spec and what of the decoding may be set.

    `name` tells two entries of one spec apart, such as two temperatures.
    """

    spec: str
    name: str | None = None
    api_base: str | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = 0.0
    seed: int | None = None
    timeout_s: Annotated[float, Field(gt=0)] = 120.0
    max_in_flight: Annotated[int, Field(ge=1)] | None = None

    @property
    def key(self) -> str:
        """What the judge is called in this experiment."""
        return self.name or self.spec

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, raw: Any) -> Any:
        return {"spec": raw} if isinstance(raw, str) else raw


class TemplateRef(_Part):
    """A template by name (shipped, peer) or by path (file or glob), and its place on the axes.

    `rotations: all` asks a lettered dialect in every order of the labels and averages.
    """

    name: str | None = None
    path: str | None = None
    labels: str | None = None
    rotations: Literal["none", "all"] = "none"
    answer: AnswerForm | None = None
    layout: Layout | None = None
    claims_per_call: Annotated[int, Field(ge=1, le=100)] | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, raw: Any) -> Any:
        if not isinstance(raw, str):
            return raw
        is_path = raw.endswith((".yaml", ".yml")) or "*" in raw
        return {"path": raw} if is_path else {"name": raw}

    @model_validator(mode="after")
    def _one_origin(self) -> TemplateRef:
        if (self.name is None) == (self.path is None):
            raise ValueError("a template has either a name or a path")
        return self


class Guardrails(_Part):
    """Bounds that a candidate must keep; `null` lifts one.

    `over_credit_above_baseline` needs `baseline`.
    """

    over_credit_upper: Annotated[float, Field(ge=0, le=1)] | None = 0.10
    over_credit_above_baseline: Annotated[float, Field(ge=0, le=1)] | None = 0.02
    slice_loss: Annotated[float, Field(ge=0, le=1)] | None = 0.02
    coverage: Annotated[float, Field(ge=0, le=1)] | None = 0.98
    kappa_above: Annotated[float, Field(ge=-1, le=1)] | None = 0.0
    flip_rate: Annotated[float, Field(ge=0, le=1)] | None = 0.05


class BudgetRef(_Part):
    """Hard limits; what is complete when one is reached is still reported."""

    usd: Annotated[float, Field(gt=0)] | None = None
    calls: Annotated[int, Field(gt=0)] | None = None
    minutes: Annotated[float, Field(gt=0)] | None = None

    @property
    def spent(self) -> str:
        """That it is spent, in one line.

        >>> BudgetRef(calls=24, usd=2).spent
        'the budget of 2 USD or 24 calls is spent. Run again to go on.'
        """
        units = (("USD", self.usd), ("calls", self.calls), ("minutes", self.minutes))
        told = " or ".join(
            f"{limit:g} {singular(unit) if limit == 1 else unit}"
            for unit, limit in units
            if limit is not None
        )
        return f"the budget of {told} is spent. Run again to go on."


class Bootstrap(_Part):
    """How intervals are made."""

    resamples: Annotated[int, Field(ge=200, le=100_000)] = 2000
    cluster: Literal["answer", "context"] = "answer"


REPEATS = "repeats"
DRAWS = 3


class PerturbationRef(_Part):
    """One axis along which verdicts should not move; no levels takes the usual ones.

    The axis `repeats` asks the same prompt `draws` times, at the judge's own temperature and at
    those listed.
    """

    axis: str
    levels: Each[str] = ()
    draws: Annotated[int, Field(ge=2, le=100)] = DRAWS
    temperatures: Each[Annotated[float, Field(ge=0, le=2)]] = ()

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, raw: Any) -> Any:
        return {"axis": raw} if isinstance(raw, str) else raw

    @model_validator(mode="after")
    def _of_its_axis(self) -> PerturbationRef:
        if self.axis == REPEATS and self.levels:
            raise ValueError("repeats has draws and temperatures, no levels")
        if self.axis != REPEATS and (self.temperatures or self.draws != DRAWS):
            raise ValueError(f"only repeats has draws and temperatures, {self.axis} has levels")
        return self


class StabilityRef(_Part):
    """On which trials and claims the perturbations are tried.

    Whole contexts are drawn by the experiment's seed, in turn from each language, until there are
    `claims`.
    """

    trials: Each[str] = ()
    """Names of trials; none takes all that are no peer's prompt."""
    claims: Annotated[int, Field(ge=1)] = 60


class ControlsRef(_Part):
    """Negative controls made from the gold set."""

    kinds: Each[str] = ()
    """None takes all."""
    per_kind: Annotated[int, Field(ge=1, le=1000)] = 12
    """Most probes of a kind in one language."""
    trials: Each[str] = ()
    """Names of trials; none takes all."""


class FactorsRef(_Part):
    """A factorial of wording x context form x claims per call, on the claims of `stability`."""

    trials: SomeEach[str]
    context_forms: SomeEach[str] = ("raw", "truths")
    claims_per_call: SomeEach[Annotated[int, Field(ge=1, le=100)]] = (1, 5)


class ExperimentConfig(_Part):
    """One question, and everything that is tried to answer it."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    question: str = ""
    gold: GoldRef
    judges: Some[JudgeRef]
    templates: Some[TemplateRef]
    context_forms: Some[str] = ("raw",)
    """How the context reaches the judge: raw, chunks(any), chunks(all), truths, truths(N) with
    N from 1 to 100, truths(deepeval) by DeepEval's own prompt."""
    readings: Some[Reading] = ("top",)
    """How replies become labels; with a threshold, `top@0.60`, yes only where P(yes) reaches it."""
    policies: Some[str] = (
        "lenient",
        "strict",
        "partial(0.5)",
        "drop_idk",
    )
    threshold: Annotated[float, Field(ge=0, le=1)] = 0.8
    repeats: Annotated[int, Field(ge=1, le=100)] = 1
    perturbations: tuple[PerturbationRef, ...] = ()
    stability: StabilityRef = StabilityRef()
    controls: ControlsRef | None = None
    factors: FactorsRef | None = None
    baseline: str | None = None
    """Name of the trial that stands for today's practice."""
    target: Target = "summary_as_idk"
    guardrails: Guardrails = Guardrails()
    alpha: Annotated[float, Field(gt=0, lt=0.5)] = 0.05
    seed: int = 20260101
    bootstrap: Bootstrap = Bootstrap()
    budget: BudgetRef = BudgetRef()
    recordings: tuple[str, ...] = ()
    """Recording files that are loaded into the store before anything is asked."""
    search: SearchRef | None = None
    """What `metajudge search` may choose; no other verb looks at it, and no hash holds it."""

    @model_validator(mode="after")
    def _each_once(self) -> ExperimentConfig:
        lists = {
            "judges": [ref.key for ref in self.judges],
            "readings": self.readings,
            "context_forms": self.context_forms,
            "perturbations": [ref.axis for ref in self.perturbations],
        }
        for name, entries in lists.items():
            doubled = {entry for entry in entries if entries.count(entry) > 1}
            if doubled:
                raise ValueError(f"{name} holds {', '.join(sorted(doubled))} more than once")
        return self


def read_experiment(path: str | Path) -> ExperimentConfig:
    """The experiment that a YAML file declares; paths in it are relative to the file.

    Raises:
        ExperimentError: With every fault of the file.
    """
    return read_yaml(path, ExperimentConfig, ExperimentError)
