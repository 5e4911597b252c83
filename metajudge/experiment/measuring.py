"""From replies to `Results`: read, measure, rank, decide."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import NamedTuple

import numpy as np

from metajudge import __version__
from metajudge.agreement.bootstrap import cluster_weights
from metajudge.experiment import summarise
from metajudge.experiment.build import Prepared
from metajudge.experiment.config import ExperimentConfig
from metajudge.experiment.decision import decide, rank_rows
from metajudge.experiment.readings import Candidates, read_candidates
from metajudge.experiment.replay import replay
from metajudge.report.results import CallCounts, Results
from metajudge.runner.call import RunReport
from metajudge.runner.trial import Plan
from metajudge.selection.columns import ClaimColumns, claim_columns
from metajudge.selection.measure import CandidateFigures, Measurer
from metajudge.selection.policies import PolicyEstimates, policy_figures
from metajudge.selection.ranking import Bounds, Ranked, rank
from metajudge.verdicts.verdict import Reply

COMPARED = ("over_credit_above_baseline", "slice_loss")
"""Guardrails that hold only where a baseline is named."""


def measure(
    config: ExperimentConfig,
    prepared: Prepared,
    plan: Plan,
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
    trials = replay(plan, replies)
    candidates = read_candidates(trials, config.readings)
    binary = prepared.gold.manifest.label_space == "binary"
    columns = claim_columns(plan.claims, config.repeats, binary=binary)
    measured = _measured(config, prepared, candidates, columns)
    by_name = {row.trial.name: row for row in trials}
    rows = rank_rows(measured.ranked, candidates.codes)
    return Results(
        name=config.name,
        question=config.question,
        created=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        package_version=__version__,
        config_sha256=_config_sha256(config),
        seed=config.seed,
        resamples=config.bootstrap.resamples,
        cluster=config.bootstrap.cluster,
        alpha=config.alpha,
        gold=summarise.gold_info(prepared, config),
        judges=summarise.judge_infos(prepared),
        calls=call_counts(plan, reports),
        target=config.target,
        guardrails=_guardrails(config),
        baseline=config.baseline,
        trials=summarise.trial_figures(
            candidates, measured.figures, measured.policies, by_name, columns
        ),
        ranking=rows,
        decision=decide(rows, config.target),
        claims=summarise.claim_keys(prepared),
        verdicts=summarise.trial_verdicts(candidates, by_name, plan.claims),
        notes=(
            *prepared.notes,
            *_idle_guardrails(config),
            *candidates.notes,
            *_judge_notices(prepared),
        ),
    )


class _Measured(NamedTuple):
    figures: tuple[CandidateFigures, ...]
    policies: tuple[tuple[PolicyEstimates, ...], ...]
    ranked: tuple[Ranked, ...]


def _measured(
    config: ExperimentConfig, prepared: Prepared, candidates: Candidates, columns: ClaimColumns
) -> _Measured:
    if not candidates.codes.keys:
        return _Measured((), (), ())
    kind = config.bootstrap.cluster
    weights = cluster_weights(
        columns.clusters(kind).n_clusters,
        config.bootstrap.resamples,
        np.random.default_rng(config.seed),
    )
    measurer = Measurer(columns, candidates.codes, weights, kind, 1 - config.alpha)
    figures = measurer.measure()
    baseline = None if config.baseline is None else candidates.codes.first_of(config.baseline)
    ranked = rank(
        measurer,
        figures,
        target=config.target,
        bounds=Bounds(**config.guardrails.model_dump()),
        baseline=baseline,
    )
    policies = policy_figures(measurer, prepared.policies, config.threshold)
    return _Measured(figures, policies, ranked)


def call_counts(plan: Plan, reports: Sequence[RunReport]) -> CallCounts:
    """The account of all judges' runs together."""
    costs = [report.cost_usd for report in reports if report.cost_usd is not None]
    stopped = next((report for report in reports if report.stopped), None)
    return CallCounts(
        planned=sum(len(plan.distinct(spec)) for spec in plan.calls),
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
        message=None if stopped is None else stopped.message,
    )


def _config_sha256(config: ExperimentConfig) -> str:
    canonical = json.dumps(config.model_dump(mode="json"), ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _judge_notices(prepared: Prepared) -> list[str]:
    return [
        f"{spec}: {notice}"
        for spec, judge in prepared.judges.items()
        for notice in getattr(judge, "notices", ())
    ]


def _guardrails(config: ExperimentConfig) -> dict[str, float]:
    """The bounds that hold in this experiment."""
    return {
        name: bound
        for name, bound in config.guardrails.model_dump().items()
        if bound is not None and (config.baseline is not None or name not in COMPARED)
    }


def _idle_guardrails(config: ExperimentConfig) -> tuple[str, ...]:
    bounds = config.guardrails.model_dump()
    idle = [name for name in COMPARED if bounds[name] is not None]
    if config.baseline is not None or not idle:
        return ()
    return (f"No baseline is named, so nothing is held to {' and '.join(idle)}.",)
