"""The human ceiling in `results.json`: people with each other, and each candidate beside them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from metajudge.report.part import Figure, Part, Reading


class PeopleFigures(Part):
    """How far people agree with each other."""

    agreement: Figure = Field(description="Share of pairs of labels of one claim that are equal.")
    kappa: Figure = Field(
        description="Mean of Cohen's kappa over pairs of annotators who share enough claims."
    )
    alpha: Figure = Field(description="Krippendorff's alpha, nominal, over all annotators.")
    pairs: int = Field(description="Pairs of annotators in `kappa`.")
    pairs_left_out: int = Field(description="Pairs that share claims, but too few.")


class BesidePeople(Part):
    """A judge's figure with people beside people's figure with each other."""

    judge: Figure
    people: float | None
    difference: Figure = Field(description="Judge minus people, paired.")
    ratio: float | None = Field(
        description="judge / people; about 1 for a judge as near to people as people are to each "
        "other; null where the judge is below 0, people at 0 or below, or either undefined"
    )


class StandIn(Part):
    """The alternative annotator test of one candidate; all null where `reason` says why."""

    winning_rate: float | None = Field(
        description="Share of the annotators whom the judge stands in for, 0 to 1."
    )
    advantage: float | None = Field(
        description="Mean probability of being at least as near to the others as one annotator."
    )
    passed: bool | None = Field(description="Winning rate of 0.5 or more.")
    advantages: dict[str, float] = Field(description="By annotator left out.")
    p_values: dict[str, float] = Field(
        description="By annotator left out, adjusted (Benjamini-Yekutieli)."
    )
    reason: str | None = None


class SoftLabelFigures(Part):
    """Label probabilities against the shares of people's labels."""

    cross_entropy: Figure = Field(description="Mean over claims, nats.")
    jensen_shannon: Figure = Field(description="Mean divergence over claims, 0 to ln 2.")
    least: float | None = Field(description="Cross-entropy of the annotators' own shares.")
    constant: float | None = Field(
        description="Cross-entropy of the overall shares, given for every claim."
    )
    floored: int = Field(
        description="Claims with a probability under the floor for a label that people gave."
    )


class CandidateCeiling(Part):
    """One trial under one reading, held against people one by one."""

    trial: str
    reading: Reading
    agreement: Figure = Field(description="Share of people's labels that the verdict equals.")
    kappa: BesidePeople
    alpha: BesidePeople
    by_annotator: dict[str, Figure] = Field(
        description="Annotator -> Cohen's kappa of the judge with that annotator."
    )
    stand_in: StandIn
    soft: SoftLabelFigures | None = Field(
        default=None, description="null where the candidate has no label probabilities"
    )


class CeilingResults(Part):
    """Everything about the human ceiling; rests on claims with labels of two annotators or more."""

    labels_from: Literal["people", "authors"] = Field(
        description="`authors`: who labelled also wrote the claims; that is no human ceiling."
    )
    cluster: Literal["answer", "context"]
    claims: int = Field(description="Claims with labels of two annotators or more.")
    claims_asked: int
    annotators: dict[str, int] = Field(description="Annotator -> such claims labelled.")
    labels: dict[str, int] = Field(description="Label -> how often people gave it on them.")
    rare_labels: tuple[str, ...] = Field(
        description="Labels given so seldom that one disagreement moves kappa and alpha far."
    )
    least_shared: int = Field(description="Claims that a kappa of two annotators needs.")
    people: PeopleFigures
    candidates: tuple[CandidateCeiling, ...]
    epsilon: float = Field(description="Bonus of the judge in the alternative annotator test.")
    false_discovery_rate: float
    participants: tuple[str, ...] = Field(
        description="Annotators with enough shared claims for the alternative annotator test."
    )
    least_claims: int = Field(description="Shared claims that a participant needs.")
    probability_floor: float = Field(
        description="What a probability counts as at least in the cross-entropy."
    )
