"""From replies to `Results`: read, measure, rank, decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import NamedTuple

import numpy as np

from metajudge.agreement.bootstrap import cluster_weights
from metajudge.experiment import summarise
from metajudge.experiment.beside import RankedTrials
from metajudge.experiment.build import Prepared
from metajudge.experiment.calibration_part import calibration_figures
from metajudge.experiment.ceiling_part import ceiling_results, no_ceiling_note
from metajudge.experiment.config import ExperimentConfig
from metajudge.experiment.decision import decide, rank_rows
from metajudge.experiment.fingerprint import config_sha256
from metajudge.experiment.parts import Parts, measure_parts
from metajudge.experiment.selection_part import selection_results, tokens_per_claim
from metajudge.experiment.study import Study
from metajudge.report.ceiling_results import CeilingResults
from metajudge.report.results import CallCounts, Results
from metajudge.report.selection_results import CalibrationFigures, SelectionResults
from metajudge.runner.account import budget_not_kept
from metajudge.runner.call import RunReport
from metajudge.runner.reply_notes import reply_notes
from metajudge.selection.columns import CandidateCodes, ClaimColumns, claim_columns
from metajudge.selection.measure import CandidateFigures, Measurer
from metajudge.selection.policies import PolicyEstimates, policy_figures
from metajudge.selection.ranking import Bounds, Ranked, rank
from metajudge.selection.readings import Candidates, read_candidates
from metajudge.selection.replay import replay
from metajudge.verdicts.verdict import Reply
from metajudge.version import __version__

Tokens = Mapping[str, float | None]
COMPARED = ("over_credit_above_baseline", "slice_loss")
"""Guardrails that hold only where a baseline is named."""


def measure(
    config: ExperimentConfig,
    prepared: Prepared,
    plan: Study,
    replies: Mapping[str, Reply],
    reports: Sequence[RunReport] = (),
) -> Results:
    """Every figure of a sweep; but for `created` a pure function of its arguments.

    Args:
        config: The experiment.
        prepared: Its gold set, trials and policies.
        plan: Its calls.
        replies: Replies by key; a call without one is a failure of class `missing`.
        reports: Accounts of the runs that asked.
    """
    trials = replay(plan.main, replies)
    parts = measure_parts(config, prepared, plan, RankedTrials(plan.main, trials), replies)
    candidates = read_candidates(trials, config.readings)
    binary = prepared.gold.manifest.label_space == "binary"
    columns = claim_columns(plan.claims, config.repeats, binary=binary)
    measured = _measured(config, prepared, candidates, columns, parts)
    by_name = {row.trial.name: row for row in trials}
    rows = rank_rows(measured.ranked, candidates.codes)
    calls = call_counts(plan, reports, config.budget.usd)
    extractions = [entry for entries in plan.truths.values() for entry in entries]
    tokens = tokens_per_claim(plan.main, replies, extractions)
    return Results(
        name=config.name,
        question=config.question,
        created=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        package_version=__version__,
        config_sha256=config_sha256(config),
        seed=config.seed,
        resamples=config.bootstrap.resamples,
        cluster=config.bootstrap.cluster,
        alpha=config.alpha,
        gold=summarise.gold_info(prepared, config),
        judges=summarise.judge_infos(prepared),
        calls=calls,
        target=config.target,
        guardrails=_guardrails(config, parts),
        baseline=config.baseline,
        trials=summarise.trial_figures(
            candidates, measured.figures, measured.policies, by_name, columns
        ),
        ranking=rows,
        decision=decide(rows, config.target, calls),
        selection=_selection(config, prepared, measured, parts, tokens),
        stability=parts.stability,
        controls=parts.controls,
        factors=parts.factors,
        calibration=_calibration(config, measured.measurer),
        ceiling=_ceiling(prepared, measured.measurer),
        claims=summarise.claim_keys(prepared),
        verdicts=summarise.trial_verdicts(candidates, by_name, plan.claims),
        notes=_notes(config, prepared, candidates, parts, _on_replies(prepared, plan, replies)),
    )


def _notes(
    config: ExperimentConfig,
    prepared: Prepared,
    candidates: Candidates,
    parts: Parts,
    on_replies: Sequence[str],
) -> tuple[str, ...]:
    return (
        *prepared.notes,
        *parts.notes,
        *_idle_guardrails(config),
        *candidates.notes,
        *on_replies,
        *filter(None, (no_ceiling_note(prepared.gold),)),
    )


class _Measured(NamedTuple):
    figures: tuple[CandidateFigures, ...] = ()
    policies: tuple[tuple[PolicyEstimates, ...], ...] = ()
    ranked: tuple[Ranked, ...] = ()
    measurer: Measurer | None = None


def _measured(
    config: ExperimentConfig,
    prepared: Prepared,
    candidates: Candidates,
    columns: ClaimColumns,
    parts: Parts,
) -> _Measured:
    if not candidates.codes.keys:
        return _Measured()
    kind = config.bootstrap.cluster
    weights = cluster_weights(
        columns.clusters(kind).n_clusters,
        config.bootstrap.resamples,
        np.random.default_rng(config.seed),
    )
    measurer = Measurer(columns, candidates.codes, weights, kind, 1 - config.alpha)
    figures = measurer.measure()
    baseline = _baseline(config, candidates.codes)
    ranked = rank(
        measurer,
        figures,
        target=config.target,
        bounds=Bounds(**config.guardrails.model_dump()),
        baseline=baseline,
        flip_rates=parts.flip_rates,
        insensitive=parts.insensitive,
    )
    policies = policy_figures(measurer, prepared.policies, config.threshold)
    return _Measured(figures, policies, ranked, measurer)


def _baseline(config: ExperimentConfig, candidates: CandidateCodes) -> int | None:
    return None if config.baseline is None else candidates.first_of(config.baseline)


def _selection(
    config: ExperimentConfig, prepared: Prepared, measured: _Measured, parts: Parts, tokens: Tokens
) -> SelectionResults | None:
    if measured.measurer is None:
        return None
    return selection_results(
        measured.measurer,
        measured.figures,
        measured.ranked,
        target=config.target,
        bounds=Bounds(**config.guardrails.model_dump()),
        baseline=_baseline(config, measured.measurer.candidates),
        rng=np.random.default_rng([config.seed, 1]),
        tokens=tokens,
        flip_rates=parts.flip_rates,
        insensitive=parts.insensitive,
        test_reads=prepared.test_reads,
    )


def _calibration(
    config: ExperimentConfig, measurer: Measurer | None
) -> tuple[CalibrationFigures, ...]:
    """Candidates with label probabilities; fitted on the dev split, or where there is no split."""
    if measurer is None or config.gold.split == "test":
        return ()
    probabilities = measurer.candidates.probabilities
    keys = [
        key
        for row, key in enumerate(measurer.candidates.keys)
        if np.isfinite(probabilities[row]).any()
    ]
    return calibration_figures(measurer, keys, config.guardrails.over_credit_upper)


def _ceiling(prepared: Prepared, measurer: Measurer | None) -> CeilingResults | None:
    if measurer is None:
        return None
    return ceiling_results(
        prepared.gold,
        measurer.columns,
        measurer.candidates,
        cluster="answer" if measurer.cluster == "answer" else "context",
        weights=measurer.weights,
        level=measurer.level,
    )


def call_counts(plan: Study, reports: Sequence[RunReport], usd: float | None = None) -> CallCounts:
    """The account of all judges' runs together; as `run_counts`."""
    planned = sum(len(plan.distinct(name)) for name in plan.calls)
    planned += sum(len(plan.extractions(name)) for name in plan.truths)
    return run_counts(planned, reports, usd)


def run_counts(planned: int, reports: Sequence[RunReport], usd: float | None = None) -> CallCounts:
    """The account of several runs together.

    Args:
        planned: Distinct calls that they were to settle.
        reports: Their accounts.
        usd: Their budget in USD; None for none. Where some replies have no known price and nothing
            else ended the runs, the message says so.
    """
    unpriced = sum(report.unpriced for report in reports)
    not_kept = budget_not_kept(usd, unpriced) if usd is not None and unpriced else None
    costs = [report.cost_usd for report in reports if report.cost_usd is not None]
    stopped = next((report for report in reports if report.stopped), None)
    return CallCounts(
        planned=planned,
        from_store=sum(report.cache_hits for report in reports),
        asked=sum(report.sent - report.retries for report in reports),
        answered=sum(report.answered for report in reports),
        failed=sum(report.failed for report in reports),
        retries=sum(report.retries for report in reports),
        prompt_tokens=sum(report.prompt_tokens for report in reports),
        cached_tokens=sum(report.cached_tokens for report in reports),
        completion_tokens=sum(report.completion_tokens for report in reports),
        cost_usd=sum(costs) if costs else None,
        wall_s=round(sum(report.wall_s for report in reports), 3),
        stopped=None if stopped is None else stopped.stopped,
        message=not_kept if stopped is None else stopped.message,
    )


def _on_replies(prepared: Prepared, plan: Study, replies: Mapping[str, Reply]) -> list[str]:
    """What is to be known of each judge's replies, and of the judge itself."""
    notes = []
    for spec, judge in prepared.judges.items():
        calls = (*plan.extractions(spec), *plan.distinct(spec))
        told = (*getattr(judge, "notices", ()), *reply_notes(judge, calls, replies))
        notes += [f"{spec}: {note}" for note in told]
    return notes


def _guardrails(config: ExperimentConfig, parts: Parts) -> dict[str, float]:
    """The bounds that hold in this experiment."""
    idle = set() if config.baseline is not None else set(COMPARED)
    if parts.flip_rates is None:
        idle.add("flip_rate")
    bounds = config.guardrails.model_dump().items()
    return {name: bound for name, bound in bounds if bound is not None and name not in idle}


def _idle_guardrails(config: ExperimentConfig) -> tuple[str, ...]:
    bounds = config.guardrails.model_dump()
    idle = [name for name in COMPARED if bounds[name] is not None]
    if config.baseline is not None or not idle:
        return ()
    return (f"No baseline is named, so nothing is held to {' and '.join(idle)}.",)
