"""`cascade.yaml`: a fitted cascade, with what its cut-offs rest on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from metajudge.errors import InputError, Problem
from metajudge.gold.claim import LabellingPolicy, LabelSpace, MetricName
from metajudge.gold.strict_yaml import dump_yaml, read_yaml
from metajudge.judges.judge import Scalar
from metajudge.metrics.cascade.asked import ScoreKind
from metajudge.metrics.cascade.cost import Expected, Prices
from metajudge.metrics.cascade.cut_offs import Unit
from metajudge.metrics.cascade.risk import Test
from metajudge.release.candidate import JudgePin
from metajudge.report.part import Part
from metajudge.report.written_file import write_whole

FORMAT: Literal["metajudge-cascade/1"] = "metajudge-cascade/1"
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Rate = Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)]
_HEAD = "# Written by `metajudge cascade fit`; the guarantee holds for these cut-offs alone.\n"


class Stage(Part):
    """A screen or a judge, and what passes it."""

    spec: str = Field(description="Judge spec, as it was named.")
    pin: JudgePin | None = Field(default=None, description="null for a screen that asks nobody.")
    release: str | None = Field(default=None, description="`name@version`, where it is one.")
    release_sha256: str | None = None
    template: str | None = Field(default=None, description="null for a release and a count.")
    templates: dict[str, str] = Field(
        default_factory=dict, description="`name@version/language` -> SHA-256"
    )
    scores: ScoreKind
    cut: Share | None = Field(description="Least score that passes; null: nothing passes.")

    @model_validator(mode="after")
    def _spec_is_that_of_the_pin(self) -> Stage:
        if self.pin is not None and self.pin.spec != self.spec:
            raise ValueError(f"spec and pin.spec name one judge, and pin.spec is {self.pin.spec!r}")
        return self


class GoldPin(Part):
    """The gold set that the cut-offs were chosen on."""

    name: str
    version: str
    sha256: str = Field(description="Of the claims that were used.")
    whole_sha256: str = Field(description="Of the whole set, the sealed half too.")
    split: Literal["dev"] | None = Field(description="null where the set declares no split.")
    metric: MetricName = "faithfulness"
    label_space: LabelSpace
    claims: int
    unsupported: int
    answers: int
    contexts: int
    labelling_policy: LabellingPolicy = Field(description="What people are told, for the queue.")


class Guarantee(Part):
    """What is promised, and by what.

    With probability `confidence` over the draw of the gold contexts, the true miss rate is at most
    `miss_rate`: of the unsupported claims (or answers) of a context, the share that nobody sees,
    on average over contexts like those of gold.
    """

    miss_rate: Rate
    confidence: Rate
    test: Test
    contexts: int = Field(
        description="With an unsupported claim: the independent draws; those of one group are one."
    )
    screen_cuts: tuple[Share | None, ...] = Field(description="Tried, by Bonferroni.")
    missed: Share = Field(description="Mean share missed on gold.")
    p: Share
    upper: Share = Field(description="Upper limit of the true share at the same confidence.")


class Cascade(Part):
    """A fitted cascade."""

    format: Literal["metajudge-cascade/1"] = FORMAT
    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,79}$")]
    unit: Unit
    screen: Stage
    judge: Stage
    gold: GoldPin
    guarantee: Guarantee
    prices: Prices
    expected: Expected
    package_version: str

    @model_validator(mode="after")
    def _something_passes(self) -> Cascade:
        if self.screen.cut is None and self.judge.cut is None:
            raise ValueError("a cascade passes something, at the screen or at the judge")
        return self

    @property
    def identity(self) -> dict[str, Scalar]:
        """Of the judge as it was fitted."""
        return {} if self.judge.pin is None else self.judge.pin.identity


def write_cascade(cascade: Cascade, path: str | Path) -> Path:
    """Writes the file as a whole.

    Raises:
        InputError: The place cannot be written to.
    """
    return write_whole(path, _HEAD + dump_yaml(cascade.model_dump(mode="json")))


def check_cascade_place(out: str | Path) -> None:
    """Where a cascade can go, looked at before anything is asked.

    Raises:
        InputError: It is no YAML file, a folder, or a file that holds something else.
    """
    place = Path(out)
    if place.suffix.lower() not in (".yaml", ".yml") or place.is_dir():
        law = "a cascade is written as .yaml"
        raise InputError(Problem(str(place), law, "Name such a file.", field="--out"))
    if place.exists() and FORMAT not in place.read_text(encoding="utf-8", errors="replace"):
        law = "the file is no cascade, and would be overwritten"
        raise InputError(Problem(str(place), law, "Name another file.", field="--out"))


def read_cascade(path: str | Path) -> Cascade:
    """The cascade of a file.

    Raises:
        InputError: With every fault of the file.
    """
    return read_yaml(path, Cascade, InputError)
