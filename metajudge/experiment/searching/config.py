"""`search:` in `experiment.yaml`: what a search may choose, how far it goes and how it races."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from metajudge.experiment.entries import Each, SomeEach
from metajudge.report.part import Reading
from metajudge.selection.tuning.verdicts import VOTES, Vote
from metajudge.templates.parts import PartsSpace
from metajudge.templates.source import WrittenText

Objective = Literal[
    "summary_as_idk",
    "over_credit",
    "kappa",
    "accuracy",
    "balanced_accuracy",
    "calls",
    "tokens",
]
COSTS = ("calls", "tokens")
"""Objectives that are no figure of the verdicts: calls, and tokens, for one claim."""
RaceMethod = Literal["bound", "halving", "wilcoxon", "none"]
RaceUnit = Literal["claim", "context"]
TuningSampler = Literal["grid", "tpe", "nsga2", "random"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RacingRef(_Part):
    """How claims are spent on candidates that are still in the race.

    Attributes:
        method: `bound` stops who cannot come first any more by a time-uniform bound, `halving` the
            worse half after each rung, `wilcoxon` by a signed-rank test, `none` nobody.
        block: Claims of a block.
        unit: `context` keeps the claims of a context in one block. None takes it where a call holds
            several claims or a judge runs on this machine, whose warm prefix is worth more than
            finer blocks, and `claim` otherwise.
        error: Chance, over the whole race, that a bound stops the candidate that the full grid
            would choose.
        end_at: `bound` ends a race once the simulated chance that the full grid decides otherwise
            is this or less. A search may go on with another one.
    """

    method: RaceMethod = "bound"
    block: Annotated[int, Field(ge=1, strict=True)] = 24
    unit: RaceUnit | None = None
    error: Annotated[float, Field(gt=0, lt=0.5)] = 0.05
    end_at: Annotated[float, Field(ge=0, lt=0.5)] = 0.02


class TuningRef(_Part):
    """What is tried on stored replies, at no call, and how.

    Attributes:
        members: Most trials that vote together; 1 leaves panels out.
        votes: How they may vote.
        threshold_step: Distance of the thresholds on P(yes) that are tried; null leaves them out.
        weight_step: Distance of the weights of `partial(w)` that are compared for whoever comes
            first; null leaves them out.
        gold_policy: Scores the gold labels that those scores are held against.
        sampler: `grid` measures the whole space, the others `trials` settings of it. None takes the
            grid where it is small enough, and `tpe` otherwise.
        trials: Settings to draw, for every sampler but `grid`.
    """

    members: Annotated[int, Field(ge=1, le=5, strict=True)] = 1
    votes: SomeEach[Vote] = VOTES
    threshold_step: Annotated[float, Field(ge=0.001, le=0.5)] | None = 0.01
    weight_step: Annotated[float, Field(ge=0.01, le=1)] | None = 0.05
    gold_policy: str = "strict"
    sampler: TuningSampler | None = None
    trials: Annotated[int, Field(ge=1, strict=True)] | None = None


class SearchRef(_Part):
    """A search over the parts of a template, on the claims of the experiment's dev split.

    Attributes:
        template: The parts that are chosen among; None where only the declared trials are raced.
        judges: Names of the experiment's judges to choose among; none takes all. Two entries of one
            spec at two temperatures make the decoding an axis.
        context_forms: Of the experiment's, in the same way.
        readings: Readings to choose among, with thresholds if wanted; none takes the experiment's.
            They cost no call.
        trials: Settings that are tried.
        generation: Settings that are chosen before any of them is told, and that race together.
        sampler: How Optuna chooses.
        objectives: What is made better, first the experiment's target; none takes the target,
            over-credit and calls a claim.
        study: Name of the study; None takes the experiment's name.
        storage: Where the study is kept, as an SQLAlchemy URL; None is a file beside the replies.
        racing: How claims are spent.
        tuning: What `metajudge tune` tries on stored replies.
    """

    template: PartsSpace | None = None
    judges: Each[str] = ()
    context_forms: Each[str] = ()
    readings: Each[Reading] = ()
    trials: Annotated[int, Field(ge=1, strict=True)] = 60
    generation: Annotated[int, Field(ge=1, le=1000, strict=True)] = 8
    sampler: Literal["tpe", "nsga2", "random"] = "tpe"
    objectives: Each[Objective] = ()
    study: WrittenText | None = None
    storage: WrittenText | None = None
    racing: RacingRef = RacingRef()
    tuning: TuningRef = TuningRef()
