"""How far annotators agree, in pairs and all together, with intervals over clusters of claims."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks, Numbers, as_floats
from metajudge.agreement.bootstrap import (
    CHUNK_BYTES,
    ClusterSums,
    cluster_sums,
    cluster_tables,
)
from metajudge.agreement.ceiling import MISSING, rater_agreement
from metajudge.agreement.coefficients import (
    COEFFICIENTS,
    NO_OVERLAP,
    RATER_COEFFICIENTS,
    Coefficient,
)
from metajudge.agreement.estimate import Estimate, estimate, estimate_share
from metajudge.agreement.fleiss import fleiss_sums, rating_counts
from metajudge.agreement.rates import ratio
from metajudge.agreement.spread import without_point_interval
from metajudge.agreement.table import margins, selected

ONE_LABEL = "both gave one and the same label throughout"
ONE_LABEL_OF_ALL = "one label was given throughout: nothing shows that they tell labels apart"
RARE_LABELS, RARE_SHARE = 5, 0.05


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two annotators on the claims that both labelled.

    Attributes:
        one: Row of one annotator.
        other: Row of the other, greater than `one`.
        agreement: Share of the claims with equal labels; `n` counts the claims.
        kappa: Cohen's kappa on them; None where both gave one label only.
    """

    one: int
    other: int
    agreement: Estimate
    kappa: Estimate


@dataclass(frozen=True, slots=True)
class GroupAgreement:
    """All annotators on a group of claims; every figure rests on claims with two labels or more.

    Attributes:
        pairs: Share of pairs of labels of one claim that are equal.
        alpha: Krippendorff's alpha, nominal; None where all labels are one and the same.
        ac1: Gwet's AC1.
        fleiss: Fleiss' kappa; None unless each of the claims has the same number of labels.
        given: Labels given on those claims, by code.
        rare: Codes of labels given so seldom that one disagreement may move alpha to 0.
    """

    pairs: Estimate
    alpha: Estimate
    ac1: Estimate
    fleiss: Estimate
    given: tuple[int, ...]
    rare: tuple[int, ...]


def pair_agreements(
    ratings: Numbers,
    cluster: Numbers,
    weights: Numbers,
    n_labels: int = 3,
    level: float = 0.95,
) -> tuple[PairAgreement, ...]:
    """Agreement of each pair of annotators who share a claim.

    Args:
        ratings: Shape (R, N), label codes; MISSING where an annotator gave none.
        cluster: Shape (N,), codes 0 … G - 1 of the claims' contexts or answers.
        weights: Shape (B, G), from `cluster_weights`.
        n_labels: K.
        level: Coverage of the intervals: of the share Wilson's at its effective sample size, of
            kappa BCa over resampled clusters.

    Returns:
        By row; pairs without a common claim are left out.

    Source: Cohen (1960), Educ. Psychol. Meas. 20, eq. 1.

    >>> from metajudge.agreement.bootstrap import cluster_weights
    >>> draws = cluster_weights(3, 10, np.random.default_rng(1))
    >>> pair = pair_agreements([[0, 1, 0], [0, 1, -1]], [0, 1, 2], draws, 2)[0]
    >>> pair.agreement.n, pair.agreement.value, pair.kappa.value
    (2, 1.0, 1.0)
    """
    codes, groups = np.asarray(ratings, np.int64), np.asarray(cluster, np.int64)
    known = codes != MISSING
    shared = np.argwhere(np.triu(known.astype(np.float32) @ known.T.astype(np.float32), 1) > 0)
    share = Coefficient("equal_labels", ratio, "no claim has labels of both")
    kappa = COEFFICIENTS["cohen_kappa"]
    kappa = Coefficient(kappa.name, kappa.function, ONE_LABEL, kappa.low)
    found: list[PairAgreement] = []
    for pairs, sums in _pair_tables(codes, known, groups, shared, n_labels):
        equal = estimate_share(_equal(sums), share, level)
        kappas = estimate(sums, kappa, weights, "bca", level)
        rows = zip(pairs.tolist(), equal, map(without_point_interval, kappas), strict=True)
        found += [PairAgreement(one, other, same, beyond) for (one, other), same, beyond in rows]
    return tuple(found)


def _pair_tables(
    codes: Ints, known: Masks, cluster: Ints, pairs: Ints, n_labels: int
) -> Iterator[tuple[Ints, ClusterSums]]:
    """Tables of pairs by cluster, (G, P, K, K + 1), in blocks of pairs of bounded memory."""
    n_groups = int(cluster.max(initial=0)) + 1
    most = max(1, 4 * CHUNK_BYTES // (8 * n_groups * n_labels * (n_labels + 1)))
    for start in range(0, len(pairs), most):
        block = pairs[start : start + most]
        parts = []
        for one, other in block:
            both = known[one] & known[other]
            own, theirs = np.where(both, codes[one], 0), np.where(both, codes[other], 0)
            parts.append(cluster_tables(cluster, own, theirs, n_labels, both))
        yield (
            block,
            ClusterSums(
                np.concatenate([part.sums for part in parts], axis=1),
                np.concatenate([part.n for part in parts]),
                np.concatenate([part.n_clusters for part in parts]),
            ),
        )


def _equal(tables: ClusterSums) -> ClusterSums:
    sums = margins(tables.sums)
    return ClusterSums(np.stack([sums.agreed, sums.n], axis=-1), tables.n, tables.n_clusters)


def group_agreement(
    ratings: Numbers,
    cluster: Numbers,
    weights: Numbers,
    n_labels: int = 3,
    *,
    level: float = 0.95,
    within: Masks | None = None,
) -> GroupAgreement:
    """Agreement of all annotators on some of the claims; None with a reason where undefined.

    Args:
        ratings: Shape (R, N), label codes; MISSING where an annotator gave none.
        cluster: Shape (N,), codes 0 … G - 1.
        weights: Shape (B, G); the same for all groups, so that they share resamples.
        n_labels: K.
        level: Coverage of the intervals: BCa over resampled clusters, Wilson's at the effective
            sample size for the share.
        within: Shape (N,), the claims of the group; None is all.

    Source: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability; Gwet (2014), ch. 2;
    Fleiss (1971), Psychol. Bull. 76.

    >>> from metajudge.agreement.bootstrap import cluster_weights
    >>> draws = cluster_weights(2, 10, np.random.default_rng(1))
    >>> group_agreement([[0, 1]], [0, 1], draws).alpha.reason
    'one annotator: agreement needs two'
    """
    codes, groups = np.asarray(ratings, np.int64), np.asarray(cluster, np.int64)
    codes = np.where(selected(within, codes.shape[1]), codes, MISSING)
    counts = rating_counts(codes, n_labels).reshape(-1, n_labels)
    paired = counts.sum(-1) >= 2
    if not paired.any():
        return _no_agreement(int((codes != MISSING).any(1).sum()), n_labels)
    alpha, ac1 = (
        without_point_interval(
            rater_agreement(codes, groups, weights, name, n_labels=n_labels, level=level)
        )
        for name in ("krippendorff_alpha", "gwet_ac1")
    )
    given = counts[paired].sum(0)
    if (given > 0).sum() == 1:
        alpha = replace(alpha, value=None, low=None, high=None, reason=ONE_LABEL_OF_ALL)
    least = max(RARE_LABELS, RARE_SHARE * given.sum())
    return GroupAgreement(
        pairs=_agreeing_pairs(counts, groups, paired, level),
        alpha=alpha,
        ac1=ac1,
        fleiss=_fleiss(counts, groups, paired, weights, level),
        given=tuple(map(int, given)),
        rare=tuple(np.flatnonzero((given > 0) & (given < least)).tolist()),
    )


def _no_agreement(n_annotators: int, n_labels: int) -> GroupAgreement:
    few = {0: "no annotator labelled a claim", 1: "one annotator: agreement needs two"}
    nothing = Estimate(None, None, None, 0, 0, "", few.get(n_annotators, NO_OVERLAP))
    return GroupAgreement(nothing, nothing, nothing, nothing, (0,) * n_labels, ())


def _agreeing_pairs(counts: Floats, cluster: Ints, paired: Masks, level: float) -> Estimate:
    total = counts.sum(-1)
    same, pairs = (counts * (counts - 1)).sum(-1) / 2, total * (total - 1) / 2
    sums = cluster_sums(cluster, np.stack([same, pairs], axis=-1)[None], paired)
    return estimate_share(sums, Coefficient("agreeing_pairs", ratio, NO_OVERLAP), level)[0]


def _fleiss(
    counts: Floats, cluster: Ints, paired: Masks, weights: Numbers, level: float
) -> Estimate:
    sizes = counts[paired].sum(-1)
    low, high = int(sizes.min()), int(sizes.max())
    if low != high:
        reason = f"claims have {low} to {high} labels; Fleiss' kappa needs one number for all"
        return Estimate(None, None, None, int(paired.sum()), 0, "", reason)
    units = np.zeros((len(counts), counts.shape[1] + 2))
    units[paired] = fleiss_sums(counts[paired])
    sums = cluster_sums(cluster, as_floats(units)[None], paired)
    kappa = RATER_COEFFICIENTS["fleiss_kappa"].coefficient
    return without_point_interval(estimate(sums, kappa, weights, "bca", level)[0])
