"""What people reach among themselves, and every candidate held against the same people.

Both sides rest on the same claims, those with labels of at least two annotators, and on the same
resamples, so that judge minus people is a paired difference. Annotators may change from claim to
claim. Kappa needs people who share enough claims; alpha and the share of agreeing pairs take
everyone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from metajudge.agreement.alpha import alpha_of_coincidences, coincidences
from metajudge.agreement.arrays import Floats, Ints, Masks, as_floats, divide
from metajudge.agreement.bootstrap import (
    ClusterSums,
    Statistic,
    bootstrap_values,
    cluster_sums,
    cluster_tables,
    jackknife_values,
)
from metajudge.agreement.coefficients import COEFFICIENTS, Coefficient
from metajudge.agreement.estimate import Estimate, estimate, estimate_share, to_estimates
from metajudge.agreement.intervals import Interval, bca_interval, percentile_interval
from metajudge.agreement.kappa import cohen_kappa
from metajudge.agreement.rates import ratio
from metajudge.agreement.spread import without_point_interval
from metajudge.agreement.table import square
from metajudge.counted import counted
from metajudge.selection.panel import Panel
from metajudge.selection.stability import Resampling

LEAST_SHARED = 10
"""Claims that two annotators, or a judge and an annotator, need for a kappa of their own."""
ALIKE = "only one and the same label was given"


class HumanAgreement(NamedTuple):
    """How far people agree with each other.

    Attributes:
        agreement: Share of pairs of labels of one claim that are equal.
        kappa: Mean of Cohen's kappa over pairs of annotators who share enough claims.
        alpha: Krippendorff's alpha, nominal, over all annotators.
        pairs: Pairs of annotators in `kappa`.
        pairs_left_out: Pairs that share claims, but too few.
    """

    agreement: Estimate
    kappa: Estimate
    alpha: Estimate
    pairs: int
    pairs_left_out: int


class Beside(NamedTuple):
    """A judge's figure with people, and what it has over people's figure with each other.

    Attributes:
        judge: The judge's figure.
        difference: Judge minus people, paired.
    """

    judge: Estimate
    difference: Estimate


class JudgeAgreement(NamedTuple):
    """How far one candidate agrees with each of the people.

    Attributes:
        agreement: Share of people's labels that the verdict equals.
        kappa: Mean of Cohen's kappa with each annotator of people's own `kappa`.
        alpha: Alpha of the judge paired with each label; see `judge_agreement`.
        by_annotator: Cohen's kappa with each annotator who labelled enough claims.
    """

    agreement: Estimate
    kappa: Beside
    alpha: Beside
    by_annotator: Mapping[str, Estimate]


def human_agreement(
    people: Panel, resampling: Resampling, least_shared: int = LEAST_SHARED
) -> HumanAgreement:
    """Agreement of people with each other; None with a reason where no claim has two labels.

    Args:
        people: The panel.
        resampling: How intervals are made.
        least_shared: Claims that a pair of annotators needs for its kappa to count.

    Source: Light (1971), Psychol. Bull. 76 (mean of pairwise kappas); Krippendorff (2011).
    """
    pairs = people.pairs(least_shared)
    missing = _no_shared_claim(people)
    agreeing = Coefficient("agreeing_pairs", ratio, missing)
    alpha = Coefficient("krippendorff_alpha", alpha_of_coincidences, missing, -1.0)
    met = _sums(people, coincidences(people.counts)[None])
    return HumanAgreement(
        agreement=estimate_share(_agreeing_pairs(people), agreeing, resampling.level)[0],
        kappa=_human_kappa(people, resampling, least_shared),
        alpha=_bca(met, alpha, resampling)[0],
        pairs=len(pairs),
        pairs_left_out=len(people.pairs(1)) - len(pairs),
    )


def judge_agreement(
    people: Panel, verdicts: Ints, resampling: Resampling, least_shared: int = LEAST_SHARED
) -> tuple[JudgeAgreement, ...]:
    """Every candidate held against each annotator, on the claims that two or more labelled.

    The judge's alpha is 1 - D_o / D_e of the pairs (label of one annotator, verdict), each label
    once: the formula of people's alpha with the judge as the other half of every pair. A failure is
    a label that people never give.

    Args:
        people: The panel.
        verdicts: Shape (S, n), codes in the label space of the gold set, failures included.
        resampling: How intervals are made.
        least_shared: Claims needed for a kappa.

    Returns:
        S entries in the order of the candidates.

    Raises:
        ValueError: No claim has two labels.
    """
    if not people.annotators:
        raise ValueError(_no_shared_claim(people))
    tables = _judge_tables(people, verdicts, people.known)
    agreeing = Coefficient("agreeing_labels", ratio, _no_shared_claim(people))
    agreements = estimate_share(_agreed(people, tables), agreeing, resampling.level)
    kappas = _judge_kappas(people, verdicts, resampling, least_shared)
    alphas = _judge_alphas(people, tables, resampling)
    single = _by_annotator(people, tables, resampling, least_shared)
    rows = zip(agreements, kappas, alphas, single, strict=True)
    return tuple(JudgeAgreement(*row) for row in rows)


def _no_shared_claim(people: Panel) -> str:
    annotators = counted(people.n_annotators, "annotators")
    return f"no claim has labels of two annotators ({annotators})"


def _sums(people: Panel, contributions: Floats) -> ClusterSums:
    """Per-cluster sums of contributions (S, n, …), counted on the shared claims."""
    return cluster_sums(people.cluster, contributions, people.shared)


def _agreeing_pairs(people: Panel) -> ClusterSums:
    counts = people.counts
    total = counts.sum(-1)
    same, pairs = (counts * (counts - 1)).sum(-1) / 2, total * (total - 1) / 2
    return _sums(people, np.stack([same, pairs], axis=-1)[None])


def _agreed(people: Panel, tables: Floats) -> ClusterSums:
    pooled = tables.sum(2)
    agreed = np.einsum("...kk->...", pooled[..., :-1])
    return people.counted(np.stack([agreed, pooled.sum((-2, -1))], axis=-1))


def _label_table(people: Panel, annotator: int, other: Ints, within: Masks) -> ClusterSums:
    own = np.where(people.known[annotator], people.ratings[annotator], 0)
    return cluster_tables(people.cluster, own, other, people.n_labels, within)


def _pair_tables(people: Panel, least: int) -> Floats:
    """Tables of annotators against each other, shape (G, 1, P, K, K + 1)."""
    tables = []
    for one, other in people.pairs(least):
        both = people.known[one] & people.known[other]
        theirs = np.where(both, people.ratings[other], 0)
        tables.append(_label_table(people, one, theirs, both).sums)
    return np.stack(tables, axis=2)


def _judge_tables(people: Panel, verdicts: Ints, within: Masks) -> Floats:
    """Tables of annotators against each candidate, shape (G, S, R, K, K + 1).

    Only for annotators with a claim in `within`, shape (R, n), and on those claims.
    """
    rows = np.flatnonzero(within.any(1)).tolist()
    tables = [_label_table(people, row, verdicts, within[row]).sums for row in rows]
    return np.stack(tables, axis=2)


def _mean_kappa(tables: Floats) -> Floats:
    """Mean of the defined kappas of (…, P, K, K + 1), shape (…); nan where none is defined."""
    kappas = cohen_kappa(tables)
    return divide(np.nan_to_num(kappas).sum(-1), (~np.isnan(kappas)).sum(-1))


def _bca(
    sums: ClusterSums, coefficient: Coefficient, resampling: Resampling
) -> tuple[Estimate, ...]:
    found = estimate(sums, coefficient, resampling.weights, "bca", resampling.level)
    return tuple(map(without_point_interval, found))


def _no_kappa(people: Panel, least: int) -> Estimate:
    reason = f"no two annotators share {least} claims"
    if not people.annotators:
        reason = _no_shared_claim(people)
    return Estimate(None, None, None, 0, 0, "", reason)


def _human_kappa(people: Panel, resampling: Resampling, least: int) -> Estimate:
    if not people.pairs(least):
        return _no_kappa(people, least)
    within = np.asarray(people.paired(least).any(0), np.bool_)
    sums = people.counted(_pair_tables(people, least), within)
    kappa = Coefficient("mean_pairwise_kappa", _mean_kappa, ALIKE, -1.0)
    return _bca(sums, kappa, resampling)[0]


def _judge_kappas(
    people: Panel, verdicts: Ints, resampling: Resampling, least: int
) -> tuple[Beside, ...]:
    """Mean kappa with the annotators of people's own kappa, on the claims that it rests on."""
    if not people.pairs(least):
        missing = _no_kappa(people, least)
        return (Beside(missing, missing),) * len(verdicts)
    paired = people.paired(least)
    judge = people.counted(
        _judge_tables(people, verdicts, paired), np.asarray(paired.any(0), np.bool_)
    )
    return _beside(judge, _pair_tables(people, least), _mean_kappa, resampling)


def _judge_alphas(people: Panel, tables: Floats, resampling: Resampling) -> tuple[Beside, ...]:
    pooled = square(tables.sum(2))
    judge = people.counted((pooled + np.swapaxes(pooled, -1, -2)) / 2)
    theirs = _sums(people, coincidences(people.counts)[None]).sums
    return _beside(judge, theirs, alpha_of_coincidences, resampling)


def _beside(
    judge: ClusterSums, people: Floats, statistic: Statistic, resampling: Resampling
) -> tuple[Beside, ...]:
    """One statistic of the judge's sums (G, S, …) and of people's (G, 1, …), on the same draws."""
    weights, level = resampling.weights, resampling.level
    own = bootstrap_values(judge.sums, statistic, weights)
    apart = own - bootstrap_values(people, statistic, weights)
    seen = as_floats(statistic(judge.totals))
    limits = bca_interval(own, seen, jackknife_values(judge.sums, statistic), level)
    rows = zip(
        _estimates(seen, limits, judge, own, level=level, method="cluster bootstrap, bca"),
        _estimates(
            as_floats(seen - statistic(as_floats(people.sum(0)))),
            percentile_interval(apart, level),
            judge,
            apart,
            level=level,
            method="paired cluster bootstrap, percentile",
        ),
        strict=True,
    )
    return tuple(Beside(figure, difference) for figure, difference in rows)


def _estimates(
    seen: Floats, limits: Interval, sums: ClusterSums, draws: Floats, *, level: float, method: str
) -> tuple[Estimate, ...]:
    found = to_estimates(
        seen,
        limits,
        sums,
        undefined=ALIKE,
        method=f"{method}, {len(draws)} resamples",
        level=level,
        undefined_share=np.isnan(draws).mean(0),
    )
    return tuple(map(without_point_interval, found))


def _by_annotator(
    people: Panel, tables: Floats, resampling: Resampling, least: int
) -> tuple[Mapping[str, Estimate], ...]:
    known, kappa = people.known, COEFFICIENTS["cohen_kappa"]
    columns = {
        name: _bca(people.counted(tables[:, :, row], known[row]), kappa, resampling)
        for row, name in enumerate(people.annotators)
        if known[row].sum() >= least
    }
    return tuple(
        {name: column[i] for name, column in columns.items()} for i in range(tables.shape[1])
    )
