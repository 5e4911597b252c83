"""From perturbed verdicts, probes and factorial cells to their parts of `results.json`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metajudge.gold.claim import Claim
from metajudge.report.figure import figure, number, rounded
from metajudge.report.part import VerdictCode
from metajudge.report.stability_results import (
    AxisFigures,
    ControlFigures,
    ControlResults,
    FactorCell,
    FactorEffect,
    FactorResults,
    FlippingClaim,
    LevelFigures,
    StabilityResults,
)
from metajudge.scoring.policies import Policy
from metajudge.selection.columns import ClaimColumns
from metajudge.selection.factors import Factors
from metajudge.selection.sensitivity import CONTEXT_KINDS, Controls
from metajudge.selection.stability import (
    REPEATS,
    AxisRuns,
    AxisStability,
    Flipping,
    LevelStability,
    Resampling,
    axis_stability,
    flip_rates,
    most_flipping,
    template_taus,
    variance_shares,
)

VERDICT_CODES: tuple[VerdictCode, ...] = ("yes", "no", "idk", "failure")
MOST_FLIPPING = 20


def stability_results(
    axes: Sequence[AxisRuns],
    claims: Sequence[Claim],
    columns: ClaimColumns,
    resampling: Resampling,
    *,
    policies: Sequence[Policy],
    not_had: Mapping[tuple[str, str], Sequence[str]] | None = None,
) -> StabilityResults:
    """Everything about stability.

    Args:
        axes: Each trial along each axis, on the same claims.
        claims: Those claims.
        columns: The same as arrays, one entry each.
        resampling: How intervals are made.
        policies: Whose answer scores are followed.
        not_had: (trial, axis) -> levels that this trial cannot have.
    """
    missing = not_had or {}
    measured = [axis_stability(axis, columns, resampling, policies) for axis in axes]
    shares = variance_shares(axes)
    return StabilityResults(
        claims=len(claims),
        answers=columns.answers.n_clusters,
        contexts=columns.contexts.n_clusters,
        trials=tuple(dict.fromkeys(axis.trial for axis in axes)),
        axes=tuple(_axis(row, missing.get((row.trial, row.axis), ())) for row in measured),
        shares={
            trial: {axis: rounded(share) for axis, share in found.items()}
            for trial, found in shares.items()
        },
        template_tau={axis: number(tau) for axis, tau in template_taus(measured).items()},
        flip_rates={
            trial: figure(rate) for trial, rate in flip_rates(axes, columns, resampling).items()
        },
        most_flipping=tuple(_flipping(row, claims) for row in most_flipping(axes, MOST_FLIPPING)),
        notes=_stability_notes(axes, policies),
    )


def control_results(controls: Controls, notes: Sequence[str] = ()) -> ControlResults:
    """The negative controls.

    Args:
        controls: What was measured.
        notes: To stand before those made here.
    """
    return ControlResults(
        probes={row.kind: row.n for row in controls.rows},
        rows=tuple(
            ControlFigures(
                trial=row.trial,
                kind=row.kind,
                n=row.n,
                yes_before=figure(row.yes_before),
                wrong=figure(row.wrong),
                drop=figure(row.drop),
            )
            for row in controls.rows
        ),
        insensitive={trial: found.reason for trial, found in controls.sensitivity.items()},
        causes={trial: found.cause for trial, found in controls.sensitivity.items()},
        pooled_drop={trial: figure(found.drop) for trial, found in controls.sensitivity.items()},
        notes=(*notes, *_kinds_without_a_drop(controls)),
    )


def factor_results(factors: Factors, notes: Sequence[str] = ()) -> FactorResults:
    """The factorial of wording, context form and claims per call."""
    return FactorResults(
        cells=tuple(
            FactorCell(
                **row.cell._asdict(),
                n=row.n,
                summary_as_idk=figure(row.figures["summary_as_idk"]),
                over_credit=figure(row.figures["over_credit"]),
            )
            for row in factors.cells
        ),
        effects=tuple(
            FactorEffect(
                effect=row.name,
                order=row.order,
                figure=row.figure,
                difference=figure(row.difference),
                cells=row.cells,
            )
            for row in factors.effects
        ),
        notes=tuple(notes),
    )


def _axis(row: AxisStability, not_had: Sequence[str]) -> AxisFigures:
    return AxisFigures(
        trial=row.trial,
        axis=row.axis,
        n=row.n,
        runs=row.runs,
        flip_rate=figure(row.flip_rate),
        fleiss=figure(row.fleiss),
        levels=tuple(map(_level, row.levels)),
        reference=_level(row.reference),
        score_sd={policy: number(found.sd) for policy, found in row.scores.items()},
        score_icc={policy: number(found.icc) for policy, found in row.scores.items()},
        answer_tau={policy: number(found.tau) for policy, found in row.scores.items()},
        not_had=tuple(not_had),
    )


def _level(row: LevelStability) -> LevelFigures:
    return LevelFigures(
        level=row.level,
        **{name: figure(estimate) for name, estimate in row.figures.items()},
        flips=dict(row.flips),
        compared=row.compared,
        differences={name: figure(estimate) for name, estimate in row.differences.items()},
    )


def _flipping(row: Flipping, claims: Sequence[Claim]) -> FlippingClaim:
    return FlippingClaim(
        claim_id=claims[row.claim].claim_id,
        trial=row.trial,
        verdict=VERDICT_CODES[row.verdict],
        gold=claims[row.claim].label,
        flips=row.flips,
        of=row.of,
        axes=row.axes,
    )


def _stability_notes(axes: Sequence[AxisRuns], policies: Sequence[Policy]) -> tuple[str, ...]:
    repeated = {axis.trial for axis in axes if axis.axis == REPEATS}
    once = [t for t in dict.fromkeys(axis.trial for axis in axes) if t not in repeated]
    notes = []
    if once:
        names = ", ".join(once)
        notes.append(f"Not repeated: {names}. Other axes keep the noise of their draws.")
    notes += [
        f"{policy.name}: no score under perturbations, since labels are compared."
        for policy in policies
        if policy.from_probabilities
    ]
    return tuple(notes)


def _kinds_without_a_drop(controls: Controls) -> tuple[str, ...]:
    """Kinds of context that a trial does not notice although it notices them taken together."""
    return tuple(
        f"{row.trial} is seen to read, but not on {row.kind} by itself: its drop may be 0."
        for row in controls.rows
        if row.kind in CONTEXT_KINDS
        and controls.sensitivity[row.trial].cause is None
        and (row.drop.low is None or row.drop.low <= 0)
    )
