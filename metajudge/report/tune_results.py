"""`tune.json`: what was tried on stored replies, what came first, and how much of it is luck."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from metajudge.report.part import Figure, Part, Reading
from metajudge.report.results import BrokenGuardrail, Decision
from metajudge.report.search_results import MachineResults
from metajudge.report.selection_results import OptimismFigures
from metajudge.selection.tuning.verdicts import Vote
from metajudge.templates.reading_names import threshold_text

Kind = Literal["declared", "tuned", "panel"]


class TunedMember(Part):
    """A trial under a reading; a threshold that each member is held to is part of its reading."""

    trial: str
    reading: Reading


class TunedSetting(Part):
    """One trial under one reading, or a panel of several with its vote."""

    members: tuple[TunedMember, ...]
    vote: Vote | None = Field(default=None, description="How a panel decides.")
    threshold: float | None = Field(
        default=None, description="Least P(yes) of the mean, for the vote mean_probability."
    )

    @property
    def name(self) -> str:
        """In one line.

        >>> one, other = (TunedMember(trial=name, reading="top") for name in ("a", "b"))
        >>> TunedSetting(members=(one,)).name
        'a (top)'
        >>> TunedSetting(members=(one, other), vote="mean_probability", threshold=0.4).name
        'mean_probability@0.40 of a (top) + b (top)'
        """
        told = " + ".join(f"{member.trial} ({member.reading})" for member in self.members)
        if self.vote is None:
            return told
        at = "" if self.threshold is None else f"@{threshold_text(self.threshold)}"
        return f"{self.vote}{at} of {told}"


class TunedRow(Part):
    """One setting of the last ranking."""

    name: str
    kind: Kind
    setting: TunedSetting
    rank: int
    tied_with_first: bool
    safe: bool
    broken: tuple[BrokenGuardrail, ...] = ()
    figures: dict[str, Figure]
    difference_to_first: Figure | None = None
    adjusted_p: float | None = Field(
        default=None,
        description="Of the difference, adjusted for the settings ranked, not for all tried.",
    )


class TunedPoint(Part):
    """A setting that keeps the guardrails and that no other such one beats on every objective."""

    name: str
    setting: TunedSetting
    values: dict[str, float | None]


class StoredTrial(Part):
    """How much of a trial the store holds."""

    trial: str
    entries: int = Field(description="Claims and draws.")
    missing: int = Field(description="Of these, without every reply; failures where it takes part.")
    left_out: bool = Field(description="It lacks more than the guardrail on coverage forgives.")


class WeightFigures(Part):
    """Answer scores under partial(w) against gold's."""

    weight: float
    bias: Figure
    mae: Figure
    pass_agreement: Figure


class TunedWeights(Part):
    """The credit of idk that brings the first one's answer scores nearest to gold's."""

    name: str = Field(description="Whose verdicts are scored.")
    gold_policy: str
    threshold: float = Field(description="Score at which an answer passes.")
    best: float | None = Field(description="Least mean error; null where no answer has a score.")
    rows: tuple[WeightFigures, ...]


class TunedLuck(Part):
    """How much of the first setting's target is the luck of being the best of many."""

    optimism: OptimismFigures
    looked_at: int = Field(description="Settings among which the choice was repeated.")
    folds: int = Field(description="Of contexts; 0 where there are fewer than two contexts.")
    unseen: dict[str, Figure] = Field(
        description="Figures when each fold gets the verdicts of the setting that is best on the "
        "other folds."
    )
    adaptive: bool = Field(
        description="Whether settings were drawn by what earlier ones came to, with every claim "
        "in sight: both corrections are then too small."
    )


class TunedSpace(Part):
    """What could be tried, and what was."""

    candidates: int = Field(description="Trials under a reading.")
    members: int
    votes: tuple[Vote, ...]
    threshold_step: float | None
    settings: int = Field(description="Points of the space; several may be one setting.")
    sampler: str = Field(description="grid, tpe, nsga2 or random")
    tool_version: str | None = Field(description="Of Optuna; null where it took no part.")
    objectives: dict[str, str]
    tried: int = Field(description="Different settings measured.")
    different: int = Field(description="Of these, with different verdicts.")


class Declare(Part):
    """What to put into the experiment, so that a sweep and its confirmation can judge it."""

    trial: str
    reading: Reading
    policy: str | None = Field(description="The policy whose scores come nearest to gold's.")


class TuneSpeed(Part):
    """How fast settings were measured; differs from run to run."""

    seconds: float
    per_minute: int


class TuneResults(MachineResults):
    """A search on stored replies."""

    resamples: int
    cluster: str
    baseline: str | None
    stored: tuple[StoredTrial, ...]
    space: TunedSpace
    speed: TuneSpeed
    ranking: tuple[TunedRow, ...] = Field(
        description="The declared candidates and the best settings found."
    )
    safe_settings: int = Field(description="Different settings that keep the guardrails.")
    front: tuple[TunedPoint, ...]
    weights: TunedWeights | None
    luck: TunedLuck | None = Field(description="null where nothing is chosen.")
    decision: Decision
    against: str | None = Field(default=None, description="The first declared candidate.")
    difference: Figure | None = Field(
        default=None, description="The first one's target minus that of `against`, paired."
    )
    told_apart: bool = False
    declare: Declare | None = Field(
        default=None, description="null where nothing new can be declared."
    )
    notes: tuple[str, ...] = ()
