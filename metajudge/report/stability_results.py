"""Stability in `results.json`: what moves when nothing that should matter changed, and what does
not move when something that matters did.
"""  # noqa: D205

from __future__ import annotations

from typing import Literal

from pydantic import Field

from metajudge.report.part import Figure, Part, VerdictCode

InsensitiveCause = Literal["not_tested", "credits_nothing", "always_yes", "blind", "too_few"]


class LevelFigures(Part):
    """One level of an axis, e.g. passages reversed; its figures are on all claims."""

    level: str
    summary_as_idk: Figure
    over_credit: Figure
    kappa: Figure
    flips: dict[str, int] = Field(description="verdict change, e.g. `yes->idk`, -> claims")
    compared: int = Field(default=0, description="Claims that the level put in another way.")
    differences: dict[str, Figure] = Field(
        default_factory=dict,
        description=(
            "summary_as_idk, over_credit, kappa: level minus reference, paired; empty for the "
            "reference itself"
        ),
    )


class AxisFigures(Part):
    """One trial along one axis; runs are the unperturbed trial and each level, or the draws."""

    trial: str
    axis: str
    n: int = Field(description="Claims that the axis put in another way.")
    runs: int
    flip_rate: Figure = Field(
        description=(
            "Share of compared pairs that disagree, 0 to 1: pairs of draws for repeats, of the "
            "first level with each other for batch positions, of the unperturbed verdict with each "
            "level otherwise. Claims that a level left as they were are not compared."
        )
    )
    fleiss: Figure = Field(description="Fleiss kappa between the runs.")
    levels: tuple[LevelFigures, ...]
    reference: LevelFigures | None = Field(
        default=None, description="What the levels are held against, on the same claims."
    )
    score_sd: dict[str, float | None] = Field(
        description="policy -> mean over answers of the score's standard deviation over runs"
    )
    score_icc: dict[str, float | None] = Field(
        description="policy -> ICC(2,1) of answer scores over runs"
    )
    answer_tau: dict[str, float | None] = Field(
        description="policy -> mean Kendall tau-b of the answers' scores, unperturbed with levels"
    )
    not_had: tuple[str, ...] = Field(default=(), description="Levels that this trial cannot have.")


class FlippingClaim(Part):
    """A claim whose verdict moves most, over all axes of a trial."""

    claim_id: str
    trial: str
    verdict: VerdictCode = Field(description="Unperturbed.")
    gold: str
    flips: int
    of: int = Field(description="Runs that were compared.")
    axes: tuple[str, ...]


class StabilityResults(Part):
    """What happens to verdicts, scores and ranks under perturbations."""

    claims: int
    answers: int
    contexts: int
    trials: tuple[str, ...]
    axes: tuple[AxisFigures, ...]
    shares: dict[str, dict[str, float]] = Field(
        description=(
            "trial -> axis -> share of the verdict variance that all axes make together, beyond "
            "that of repeats where there are any; the axes are moved one at a time, so these are "
            "main effects; empty where no verdict moves"
        )
    )
    template_tau: dict[str, float | None] = Field(
        description="axis -> mean Kendall tau-b of the trials' kappas, unperturbed with levels"
    )
    flip_rates: dict[str, Figure] = Field(
        description="trial -> flip rate over repeats at the judge's own temperature: the guardrail"
    )
    most_flipping: tuple[FlippingClaim, ...]
    notes: tuple[str, ...] = ()


class ControlFigures(Part):
    """One trial on one kind of negative control."""

    trial: str
    kind: str
    n: int
    yes_before: Figure = Field(description="Share of the unchanged claims called yes.")
    wrong: Figure = Field(description="Share of probes with a verdict wrong by construction.")
    drop: Figure = Field(
        description=(
            "Paired: share that stops being yes minus share that becomes yes, -1 to 1; a failure "
            "is neither"
        )
    )


class ControlResults(Part):
    """Negative controls: probes whose wrong verdicts are known without a judge."""

    probes: dict[str, int] = Field(description="kind -> probes")
    rows: tuple[ControlFigures, ...]
    insensitive: dict[str, str | None] = Field(
        description="trial -> why it is taken not to read the evidence; null where it reads"
    )
    causes: dict[str, InsensitiveCause | None] = Field(
        default_factory=dict, description="trial -> the same in one word"
    )
    pooled_drop: dict[str, Figure] = Field(
        default_factory=dict,
        description="trial -> drop over evidence_removed and contexts_swapped, which decides",
    )
    notes: tuple[str, ...] = ()


class FactorCell(Part):
    """One combination of wording, context form and claims per call."""

    template: str
    context_form: str
    claims_per_call: int
    n: int
    summary_as_idk: Figure
    over_credit: Figure


class FactorEffect(Part):
    """A main effect or interaction, as a difference of shares."""

    effect: str = Field(description="e.g. `context_form: truths(12) - raw`")
    order: int = Field(description="1 for a main effect, 2 for an interaction of two factors")
    figure: str = Field(description="summary_as_idk or over_credit")
    difference: Figure
    cells: int = Field(default=0, description="Cells that the contrast rests on.")


class FactorResults(Part):
    """Where summary-as-idk comes from: wording, context form or batching."""

    cells: tuple[FactorCell, ...]
    effects: tuple[FactorEffect, ...]
    notes: tuple[str, ...] = ()
