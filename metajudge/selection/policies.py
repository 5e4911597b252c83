"""How each scoring policy's answer scores fare against the same policy on gold labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks, as_floats
from metajudge.agreement.bootstrap import cluster_sums
from metajudge.agreement.estimate import Estimate, estimate_share
from metajudge.agreement.rates import share_coefficient
from metajudge.scoring.answers import passes, score_answers
from metajudge.scoring.policies import Policy
from metajudge.selection.columns import ClaimColumns
from metajudge.selection.measure import Measurer

UNSCORED = "part of an answer with a score"


@dataclass(frozen=True, slots=True)
class PolicyEstimates:
    """One candidate under one policy.

    Attributes:
        policy: The policy's name.
        mean_score: Mean answer score on the judge's verdicts, 0 to 1.
        gold_mean_score: The same on gold labels; None when no answer has a gold score.
        bias: Mean of judge score minus gold score over answers that have both, -1 to 1.
        mae: Mean absolute difference, 0 to 1.
        pass_agreement: Share of answers on the same side of the threshold.
        threshold: Score at which an answer passes.
        undefined_answers: Draws of answers without a score on either side.
    """

    policy: str
    mean_score: Estimate
    gold_mean_score: float | None
    bias: Estimate
    mae: Estimate
    pass_agreement: Estimate
    threshold: float
    undefined_answers: int


def policy_figures(
    measurer: Measurer,
    policies: Sequence[Policy],
    threshold: float,
    gold_policy: Policy | None = None,
) -> tuple[tuple[PolicyEstimates, ...], ...]:
    """Figures per candidate and policy, shape (S, P).

    Each draw of an answer has a score of its own, since that is what a single run would show;
    draws of one answer share its cluster. Gold scores use gold labels as verdicts, and `expected`
    takes a gold label as a certainty. Binary gold does not tell no from idk: unsupported counts as
    no, so that every policy has the share of supported claims as its gold score.

    Args:
        measurer: The sweep.
        policies: The policies; each has a value for every gold label.
        threshold: Score at which an answer passes, 0 to 1.
        gold_policy: Scores gold labels under every policy; None takes each policy itself.
    """
    by_policy = [
        _one_policy(measurer, policy, threshold, gold_policy or policy) for policy in policies
    ]
    return tuple(zip(*by_policy, strict=True)) if by_policy else ()


def _one_policy(
    measurer: Measurer, policy: Policy, threshold: float, gold_policy: Policy
) -> tuple[PolicyEstimates, ...]:
    scores, gold = _scores(measurer, policy, gold_policy)
    both = np.isfinite(scores) & np.isfinite(gold)
    gap = np.where(both, scores - gold, 0.0)
    same = passes(scores, threshold) == passes(gold, threshold)
    cluster = cluster_of_draws(measurer.columns, measurer.cluster)

    def mean(values: Floats, counted: Masks) -> tuple[Estimate, ...]:
        parts = np.stack([np.where(counted, values, 0.0), counted.astype(np.float64)], axis=-1)
        sums = cluster_sums(cluster, parts, counted)
        return measurer.coefficients(sums, share_coefficient("mean", UNSCORED))

    def part(values: Masks, counted: Masks) -> tuple[Estimate, ...]:
        parts = np.stack([values & counted, counted], axis=-1)
        sums = cluster_sums(cluster, parts, counted)
        return estimate_share(sums, share_coefficient("share", UNSCORED), measurer.level)

    defined = np.isfinite(scores)
    means, biases = mean(scores, defined), mean(gap, both)
    errors, agreements = mean(np.abs(gap), both), part(same, both)
    gold_mean = float(np.nanmean(gold)) if np.isfinite(gold).any() else None
    return tuple(
        PolicyEstimates(
            policy=policy.name,
            mean_score=means[i],
            gold_mean_score=gold_mean,
            bias=biases[i],
            mae=errors[i],
            pass_agreement=agreements[i],
            threshold=threshold,
            undefined_answers=int((~both[i]).sum()),
        )
        for i in range(len(scores))
    )


class _Scores(NamedTuple):
    """Scores of each answer's draws: the judge's (S, A), and gold's (A,); nan where undefined."""

    judge: Floats
    gold: Floats


def _scores(measurer: Measurer, policy: Policy, gold_policy: Policy) -> _Scores:
    columns, candidates = measurer.columns, measurer.candidates
    draws, n_draws = columns.answer_draws
    certain = np.eye(3)[columns.gold]
    gold = score_answers(gold_policy, columns.gold, draws, n_draws, certain).values
    judged = [
        score_answers(policy, codes, draws, n_draws, probabilities).values
        for codes, probabilities in zip(candidates.codes, candidates.probabilities, strict=True)
    ]
    return _Scores(as_floats(judged).reshape(len(judged), n_draws), gold)


def cluster_of_draws(columns: ClaimColumns, kind: str) -> Ints:
    """The resampled group (`answer` or `context`) of each draw of an answer, shape (A,)."""
    draws, n_draws = columns.answer_draws
    cluster = np.zeros(n_draws, np.int64)
    cluster[draws] = columns.clusters(kind).codes
    return cluster
