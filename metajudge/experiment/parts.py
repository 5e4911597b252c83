"""Figures of what is asked beside the trials, and what of them the guardrails need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metajudge.agreement.bootstrap import cluster_weights
from metajudge.agreement.estimate import Estimate
from metajudge.counted import counted
from metajudge.experiment.beside import RankedTrials, axis_runs, control_runs, factor_runs
from metajudge.experiment.build import Prepared
from metajudge.experiment.config import ExperimentConfig
from metajudge.experiment.stability_part import control_results, factor_results, stability_results
from metajudge.experiment.study import Study
from metajudge.gold.goldset import GoldSet
from metajudge.report.stability_results import ControlResults, FactorResults, StabilityResults
from metajudge.runner.trial import Plan
from metajudge.selection.axis_runs import AxisRuns
from metajudge.selection.columns import CandidateKey, ClaimColumns, claim_columns
from metajudge.selection.factors import measure_factors
from metajudge.selection.sensitivity import measure_controls
from metajudge.selection.stability import Resampling, flip_rates
from metajudge.verdicts.verdict import Reply


@dataclass(frozen=True, slots=True)
class Parts:
    """What was measured beside the trials; None where the experiment asks for none.

    Attributes:
        flip_rates: Trial -> flip rate over repeats at the judge's own temperature.
        insensitive: Candidate -> why it is taken not to read the evidence, None where it reads.
        notes: Why there is no stability although perturbations were declared.
    """

    stability: StabilityResults | None = None
    controls: ControlResults | None = None
    factors: FactorResults | None = None
    flip_rates: Mapping[str, Estimate] | None = None
    insensitive: Mapping[CandidateKey, str | None] | None = None
    notes: tuple[str, ...] = ()


def measure_parts(
    config: ExperimentConfig,
    prepared: Prepared,
    study: Study,
    ranked: RankedTrials,
    replies: Mapping[str, Reply],
) -> Parts:
    """Stability, negative controls and factors; a pure function of stored replies."""
    axes = axis_runs(study, prepared, ranked, replies)
    stability, rates = _stability(config, prepared, study, ranked, axes)
    controls, insensitive = _controls(config, prepared, study, ranked, replies)
    factors = _factors(config, prepared, study, replies)
    notes = () if axes else _untried(prepared, ranked)
    return Parts(stability, controls, factors, rates, insensitive, notes)


def _untried(prepared: Prepared, ranked: RankedTrials) -> tuple[str, ...]:
    """Why nothing was perturbed, where perturbations were declared."""
    design = prepared.designs.stability
    if design is None:
        return ()
    if not design.not_had:
        return (
            "Nothing is perturbed: peers' prompts take part where stability.trials names them.",
        )
    return tuple(_not_had(prepared, ranked, ()))


def _not_had(prepared: Prepared, ranked: RankedTrials, axes: Sequence[AxisRuns]) -> Iterator[str]:
    """Axes that a trial cannot have at all, with the reason."""
    design = prepared.designs.stability
    measured = {(axis.trial, axis.axis) for axis in axes}
    for (base, axis), lines in design.not_had.items() if design is not None else ():
        trial = ranked.plan.trials[base].name
        if (trial, axis) not in measured:
            yield from (f"{trial} has no {axis}: {line}." for line in lines)


def _stability(
    config: ExperimentConfig,
    prepared: Prepared,
    study: Study,
    ranked: RankedTrials,
    axes: Sequence[AxisRuns],
) -> tuple[StabilityResults | None, Mapping[str, Estimate] | None]:
    design, plan = prepared.designs.stability, study.stability
    if design is None or plan is None or not axes:
        return None, None
    columns = _columns(plan, prepared.gold)
    resampling = _resampling(config, columns)
    trials = [trial.name for trial in ranked.plan.trials]
    not_had = {(trials[base], axis): lines for (base, axis), lines in design.not_had.items()}
    found = stability_results(
        axes,
        plan.claims,
        columns,
        resampling,
        policies=prepared.policies,
        not_had=not_had,
    )
    rates = flip_rates(axes, columns, resampling)
    notes = (*found.notes, *_not_had(prepared, ranked, axes))
    return found.model_copy(update={"notes": notes}), rates or None


def _controls(
    config: ExperimentConfig,
    prepared: Prepared,
    study: Study,
    ranked: RankedTrials,
    replies: Mapping[str, Reply],
) -> tuple[ControlResults | None, Mapping[CandidateKey, str | None] | None]:
    design = prepared.designs.controls
    runs = control_runs(study, prepared, ranked, replies, config.readings)
    if design is None or not runs:
        return None, None
    every = [run for rows in runs.values() for run in rows]
    groups = 1 + max(int(run.contexts.max(initial=0)) for run in every)
    weights = _weights(config, groups)
    measured = measure_controls(every, weights, 1 - config.alpha)
    notes = _left_out(design.left_out)
    insensitive = {key: measured.sensitivity[f"{key.trial} ({key.reading})"].reason for key in runs}
    return control_results(measured, notes), insensitive


def _left_out(counts: Mapping[str, int]) -> list[str]:
    """One line a kind: how many of the claims tried have no probe of it, and why."""
    kinds: dict[str, list[str]] = {}
    totals: dict[str, int] = {}
    for place, n in counts.items():
        kind, lang, reason = place.split(".", 2)
        kinds.setdefault(kind, []).append(f"{reason.replace('_', ' ')} ({lang}) {n}")
        totals[kind] = totals.get(kind, 0) + n
    return [
        f"{kind}: {counted(totals[kind], 'claims')} tried "
        f"{'has' if totals[kind] == 1 else 'have'} no probe: {', '.join(reasons)}."
        for kind, reasons in kinds.items()
    ]


def _factors(
    config: ExperimentConfig, prepared: Prepared, study: Study, replies: Mapping[str, Reply]
) -> FactorResults | None:
    runs = factor_runs(study, prepared, replies)
    if study.factors is None or not runs:
        return None
    columns = _columns(study.factors, prepared.gold)
    resampling = _resampling(config, columns)
    return factor_results(
        measure_factors(runs, columns, resampling.weights, resampling.cluster, resampling.level)
    )


def _columns(plan: Plan, gold: GoldSet) -> ClaimColumns:
    return claim_columns(plan.claims, binary=gold.manifest.label_space == "binary")


def _resampling(config: ExperimentConfig, columns: ClaimColumns) -> Resampling:
    kind = config.bootstrap.cluster
    return Resampling(_weights(config, columns.clusters(kind).n_clusters), kind, 1 - config.alpha)


def _weights(
    config: ExperimentConfig, groups: int
) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    rng = np.random.default_rng(config.seed)
    return cluster_weights(groups, config.bootstrap.resamples, rng)
