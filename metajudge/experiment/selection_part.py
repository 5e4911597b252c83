"""Front, comparisons, luck of the choice and power as they stand in `results.json`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from metajudge.agreement.estimate import Estimate
from metajudge.agreement.optimism import Optimism
from metajudge.report.figure import figure, number, rounded
from metajudge.report.selection_results import (
    ComparisonFigures,
    Confirmation,
    DetectableFigures,
    FrontPoint,
    LabelsNeeded,
    OptimismFigures,
    PowerResults,
    SelectionResults,
)
from metajudge.runner.trial import Plan
from metajudge.runner.truths import PlannedTruths, truths_key
from metajudge.selection.choice import selection_luck
from metajudge.selection.columns import CandidateCodes, CandidateKey
from metajudge.selection.compare import Comparison, compare_all
from metajudge.selection.front import candidate_front
from metajudge.selection.guardrails import Bounds, Insensitive, idle_guardrails
from metajudge.selection.measure import CandidateFigures, Measurer
from metajudge.selection.power import STATED, Detection, Need, detections, labels_needed
from metajudge.selection.ranking import Ranked
from metajudge.verdicts.verdict import Reply


def selection_results(
    measurer: Measurer,
    figures: Sequence[CandidateFigures],
    ranked: Sequence[Ranked],
    *,
    target: str,
    bounds: Bounds,
    baseline: int | None,
    rng: np.random.Generator,
    tokens: Mapping[str, float | None] | None = None,
    flip_rates: Mapping[str, Estimate] | None = None,
    insensitive: Insensitive | None = None,
    outer: int = 500,
    test_reads: int = 0,
    confirmation: Confirmation | None = None,
) -> SelectionResults:
    """Everything about the choice beyond the ranking.

    Args:
        measurer: The sweep.
        figures: Its figures, in the candidates' order.
        ranked: What `rank` made of them.
        target: Name of the figure that decides.
        bounds: Guardrails.
        baseline: Row of today's practice; None leaves the comparisons empty.
        rng: Source of randomness for the luck of the choice.
        tokens: Tokens for one verdict by trial, from `tokens_per_claim`.
        flip_rates: As given to `rank`.
        insensitive: As given to `rank`.
        outer: Resamples of the whole selection.
        test_reads: Ledger entries of the gold set's test labels.
        confirmation: The winner on the test split, where it was confirmed.
    """
    keys = measurer.candidates.keys
    luck = selection_luck(
        measurer, ranked, target=target, bounds=bounds, baseline=baseline, rng=rng, outer=outer
    )
    compared = () if baseline is None else compare_all(measurer, baseline)
    front, front_notes = _front(measurer.candidates, figures, ranked, tokens or {})
    return SelectionResults(
        front=front,
        comparisons=tuple(_comparison(row, keys[row.index]) for row in compared),
        optimism=optimism_figures(luck, keys, outer),
        confirmation=confirmation,
        test_reads=test_reads,
        notes=(*idle_guardrails(bounds, keys, flip_rates, insensitive), *front_notes),
    )


def power_results(
    measurer: Measurer,
    candidate: int,
    rng: np.random.Generator,
    *,
    stated: Mapping[str, float] = STATED,
    power: float = 0.8,
    n_worlds: int = 400,
    churn: float = 0.02,
) -> PowerResults:
    """What this gold set can show, drawn from one candidate's verdicts; usually the baseline's.

    Args:
        measurer: The sweep.
        candidate: Its row.
        rng: Source of randomness.
        stated: Size of the difference that labels are counted for, by figure.
        power: Share of worlds that must see a difference.
        n_worlds: Worlds a step.
        churn: Share of right verdicts that another candidate of the same quality gets wrong.
    """
    key = measurer.candidates.keys[candidate]
    found = detections(measurer, candidate, rng, power=power, n_worlds=n_worlds, churn=churn)
    needs = labels_needed(
        measurer,
        candidate,
        rng,
        stated=stated,
        power=power,
        n_worlds=max(n_worlds // 2, 1),
        churn=churn,
    )
    return PowerResults(
        trial=key.trial,
        reading=key.reading,
        detectable=tuple(map(_detectable, found)),
        needed=tuple(map(_needed, needs)),
        worlds=n_worlds,
        churn=churn,
    )


def tokens_per_claim(
    plan: Plan,
    replies: Mapping[str, Reply],
    truths: Iterable[PlannedTruths] = (),
) -> dict[str, float | None]:
    """Mean tokens read and written for one verdict of each trial; None where the judge tells none.

    Calls without a reply, or whose reply tells no tokens, are taken to cost the mean of the
    others. Facts that a judge extracts from a context count for every trial that is shown them, and
    for no other. Content-free calls are left out: their number does not grow with the claims.

    Args:
        plan: The calls of the ranked trials.
        replies: Replies by key.
        truths: The extractions that came before, those of probes and factors too.
    """
    calls: dict[int, list[str]] = {}
    for planned in (call for calls in plan.calls.values() for call in calls):
        if planned.claims:
            calls.setdefault(planned.trial, []).append(planned.call.key)
    extractions = {entry.key: entry.call.key for entry in truths}
    told: dict[str, float | None] = {}
    for index, trial in enumerate(plan.trials):
        verdicts = len(plan.claims) * trial.repeats
        total = _tokens(calls.get(index, []), replies)
        if trial.form.kind == "truths" and total is not None:
            shown = {truths_key(trial.judge, trial.form, claim) for claim in plan.claims}
            asked = {key for place, key in extractions.items() if place in shown}
            before = _tokens(sorted(asked), replies)
            total = None if before is None else total + before
        told[trial.name] = None if total is None or not verdicts else rounded(total / verdicts)
    return told


def _tokens(keys: Sequence[str], replies: Mapping[str, Reply]) -> float | None:
    known = [
        reply.prompt_tokens + reply.completion_tokens
        for reply in (replies[key] for key in keys if key in replies)
        if reply.prompt_tokens is not None and reply.completion_tokens is not None
    ]
    return len(keys) * sum(known) / len(known) if known else None


def optimism_figures(luck: Optimism, keys: Sequence[CandidateKey], outer: int) -> OptimismFigures:
    """The luck of the choice as it stands in the file; candidates by share, the greatest first."""
    shares = {
        f"{key.trial} ({key.reading})": rounded(float(share))
        for key, share in zip(keys, luck.win_shares, strict=True)
        if share > 0
    }
    return OptimismFigures(
        apparent=number(luck.apparent),
        corrected=number(luck.corrected),
        optimism=number(luck.optimism),
        win_shares=dict(sorted(shares.items(), key=lambda item: (-item[1], item[0]))),
        no_winner_share=rounded(luck.no_winner_share),
        resamples=outer,
        reason=luck.reason,
    )


def _front(
    candidates: CandidateCodes,
    figures: Sequence[CandidateFigures],
    ranked: Sequence[Ranked],
    tokens: Mapping[str, float | None],
) -> tuple[tuple[FrontPoint, ...], tuple[str, ...]]:
    costs = [tokens.get(key.trial) for key in candidates.keys]
    front = candidate_front(figures, costs)
    safe = {row.index: row.safe for row in ranked}
    points = tuple(
        FrontPoint(
            trial=key.trial,
            reading=key.reading,
            summary_as_idk=number(figures[i].figures["summary_as_idk"].value),
            over_credit=number(figures[i].figures["over_credit"].value),
            tokens_per_claim=number(costs[i]),
            safe=safe[i],
            on_front=bool(front.on_front[i]),
        )
        for i, key in enumerate(candidates.keys)
    )
    return points, front.notes


def _comparison(row: Comparison, key: CandidateKey) -> ComparisonFigures:
    return ComparisonFigures(
        trial=key.trial,
        reading=key.reading,
        differences={name: figure(gap) for name, gap in row.differences.items()},
        swap_p={name: number(p) for name, p in row.swap_p.items()},
        better=row.mcnemar.better,
        worse=row.mcnemar.worse,
        mcnemar_p=rounded(row.mcnemar.mid_p),
        mcnemar_exact_p=rounded(row.mcnemar.exact),
        stuart_maxwell_p=known(row.stuart_maxwell.p),
        bhapkar_p=known(row.bhapkar.p),
        holm_p=known(row.holm_p),
        fdr_q=known(row.fdr_q),
    )


def known(value: float) -> float | None:
    """A number to 6 decimals; None for nan."""
    return None if np.isnan(value) else rounded(value)


def _detectable(row: Detection) -> DetectableFigures:
    return DetectableFigures(
        figure=row.figure,
        power=row.power,
        difference=number(row.difference),
        clusters=row.n_clusters,
        claims=row.n,
        reason=row.found.reason,
        curve=tuple((rounded(abs(p.difference)), rounded(p.power)) for p in row.curve),
    )


def _needed(row: Need) -> LabelsNeeded:
    return LabelsNeeded(
        figure=row.figure,
        slice=row.slice,
        difference=row.difference,
        have=row.have,
        need=row.need,
        reason=row.reason,
    )
