"""Each annotator held against the others who labelled the same claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks, Numbers, as_floats, divide
from metajudge.agreement.bootstrap import ClusterSums, Statistic, bootstrap_values
from metajudge.agreement.ceiling import MISSING
from metajudge.agreement.coefficients import Coefficient
from metajudge.agreement.estimate import Estimate, estimate_share, to_estimates
from metajudge.agreement.fleiss import rating_counts
from metajudge.agreement.intervals import percentile_interval
from metajudge.agreement.rates import ratio
from metajudge.agreement.spread import without_point_interval

Basis = Literal["same_claims", "other_claims"]
"""Whether the others are looked at on the claims that the annotator labelled, or on others."""
NOBODY_ELSE = "nobody else labelled a claim of this annotator"


@dataclass(frozen=True, slots=True)
class Rest:
    """Labels of claims that at least one other annotator labelled too, one by one.

    Attributes:
        annotator: Shape (m,), row of the annotator.
        claim: Shape (m,), column of the claim.
        label: Shape (m,), code of the label.
        others: Shape (m, K), how many others gave the claim each label.
        n_annotators: R.
        cluster: Shape (m,), code of the claim's cluster.
        n_clusters: G.
    """

    annotator: Ints
    claim: Ints
    label: Ints
    others: Floats
    n_annotators: int
    cluster: Ints
    n_clusters: int

    @property
    def n_others(self) -> Floats:
        """Others who labelled the claim, shape (m,), 1 or more."""
        return as_floats(self.others.sum(-1))

    @property
    def same(self) -> Floats:
        """Others who gave the same label, shape (m,)."""
        return as_floats(self.others[np.arange(len(self.label)), self.label])

    @property
    def agreement(self) -> Floats:
        """Share of the others who gave the same label, shape (m,), 0 to 1."""
        return divide(self.same, self.n_others)

    @property
    def among(self) -> Floats:
        """Share of agreeing pairs among the others, shape (m,); nan where there is one other."""
        pairs = self.n_others * (self.n_others - 1)
        return divide((self.others * (self.others - 1)).sum(-1), pairs)

    @property
    def majority(self) -> Floats:
        """1 with the label that most others gave, 0 with another; nan where they are tied."""
        most = self.others.max(-1, initial=0)
        tied = (self.others == most[:, None]).sum(-1) > 1
        return np.where(tied, np.nan, as_floats(self.same == most))

    def sums(self, columns: Sequence[Floats], counted: Masks | None = None) -> ClusterSums:
        """Columns of shape (m,) added up by cluster and annotator, (G, R, columns).

        Args:
            columns: What each label adds; nan adds nothing.
            counted: Shape (m,), the labels that n and n_clusters count; None is all.
        """
        place = self.cluster * self.n_annotators + self.annotator
        size = self.n_clusters * self.n_annotators
        parts = [np.bincount(place, np.nan_to_num(column), size) for column in columns]
        sums = as_floats(parts).T.reshape(self.n_clusters, self.n_annotators, len(parts))
        held = np.ones(len(place), np.bool_) if counted is None else counted
        n = np.bincount(self.annotator[held], minlength=self.n_annotators)
        met = np.unique(place[held]) % max(self.n_annotators, 1)
        return ClusterSums(sums, n, np.bincount(met, minlength=self.n_annotators))


def rest_of_panel(ratings: Numbers, cluster: Numbers, n_labels: int = 3) -> Rest:
    """Every label beside the others' labels of the same claim.

    Args:
        ratings: Shape (R, N), label codes; MISSING where an annotator gave none.
        cluster: Shape (N,), codes 0 … G - 1.
        n_labels: K.

    >>> rest_of_panel([[0, 1, 0], [0, 0, -1], [1, 1, -1]], [0, 0, 0], 2).agreement.tolist()
    [0.5, 0.5, 0.5, 0.0, 0.0, 0.5]
    """
    codes, groups = np.asarray(ratings, np.int64), np.asarray(cluster, np.int64)
    counts = rating_counts(codes, n_labels).reshape(-1, n_labels)
    annotator, claim = np.nonzero((codes != MISSING) & (counts.sum(-1) >= 2))
    label = codes[annotator, claim]
    others = counts[claim]
    others[np.arange(len(label)), label] -= 1
    n_clusters = int(groups.max(initial=-1)) + 1
    return Rest(annotator, claim, label, others, len(codes), groups[claim], n_clusters)


def agreement_with_rest(found: Rest, level: float = 0.95) -> tuple[Estimate, ...]:
    """Mean share of the others whose label is the annotator's, with Wilson's interval; R of them.

    It is the chance that another annotator of one of their claims gave the same label.
    """
    sums = found.sums([found.agreement, np.ones(len(found.label))])
    return estimate_share(sums, Coefficient("with_rest", ratio, NOBODY_ELSE), level)


def agreement_with_majority(found: Rest, level: float = 0.95) -> tuple[Estimate, ...]:
    """Share of claims with the label that most of the others gave; claims on a tie are left out."""
    right = found.majority
    settled = ~np.isnan(right)
    undefined = "no claim of this annotator has a majority among the others"
    sums = found.sums([right, as_floats(settled)], settled)
    return estimate_share(sums, Coefficient("with_majority", ratio, undefined), level)


def agreement_with_gold(
    ratings: Numbers, gold: Numbers, cluster: Numbers, level: float = 0.95
) -> tuple[Estimate, ...]:
    """Share of each annotator's labels that are the gold label, with Wilson's interval.

    A gold label that was made of the votes holds the annotator's own vote.

    Args:
        ratings: Shape (R, N), label codes; MISSING where an annotator gave none.
        gold: Shape (N,), codes; MISSING where a claim has no gold label.
        cluster: Shape (N,), codes 0 … G - 1.
        level: Coverage of the interval.
    """
    codes, truth = np.asarray(ratings, np.int64), np.asarray(gold, np.int64)
    groups = np.asarray(cluster, np.int64)
    annotator, claim = np.nonzero((codes != MISSING) & (truth != MISSING))
    label = codes[annotator, claim]
    n_clusters = int(groups.max(initial=-1)) + 1
    met = Rest(annotator, claim, label, np.zeros((0, 0)), len(codes), groups[claim], n_clusters)
    sums = met.sums([as_floats(label == truth[claim]), np.ones(len(label))])
    undefined = "no claim of this annotator has a gold label"
    return estimate_share(sums, Coefficient("with_gold", ratio, undefined), level)


def label_bias(
    found: Rest, weights: Numbers, level: float = 0.95
) -> tuple[tuple[Estimate, ...], ...]:
    """Share of each label among an annotator's labels minus its share among the others' labels.

    Both on the same claims, each claim weighing the same; above 0 the annotator gives the label
    more often than the others do. -1 to 1; the K differences of one annotator add up to 0.

    Args:
        found: From `rest_of_panel`.
        weights: Shape (B, G), from `cluster_weights`.
        level: Coverage of the percentile interval.

    Returns:
        R tuples of K estimates.

    >>> found = rest_of_panel([[0, 0], [0, 1]], [0, 1], 2)
    >>> [bias.value for bias in label_bias(found, np.ones((2, 2)))[0]]
    [0.5, -0.5]
    """
    n_labels = found.others.shape[1]
    own = np.eye(n_labels)[found.label]
    apart = own - divide(found.others, found.n_others[:, None])
    each = found.sums([*apart.T, np.ones(len(found.label))])
    by_label = []
    for code in range(n_labels):
        sums = ClusterSums(each.sums[..., [code, n_labels]], each.n, each.n_clusters)
        by_label.append(differences(sums, ratio, weights, NOBODY_ELSE, level)[0])
    return tuple(zip(*by_label, strict=True))


def mean_gap(sums: Numbers) -> Floats:
    """One mean minus another from added (sum, n, other sum, other n), shape (…, 4) to (…).

    nan where either has no claim.

    >>> float(mean_gap([3, 4, 1, 4]))
    0.5
    """
    parts = as_floats(sums)
    return ratio(parts[..., :2]) - ratio(parts[..., 2:])


def differences(
    sums: ClusterSums,
    statistic: Statistic,
    weights: Numbers,
    undefined: str,
    level: float,
) -> tuple[tuple[Estimate, ...], Floats]:
    """A difference of each annotator with its percentile interval, and its resampled values.

    Args:
        sums: Per-cluster sums (G, R, …).
        statistic: From sums (…, R, …) to differences (…, R).
        weights: Shape (B, G).
        undefined: Reason of an undefined one.
        level: Coverage of the interval.

    Returns:
        R estimates, and the values on the resamples, shape (B, R), nan where undefined.
    """
    if not len(sums.n):
        return (), np.zeros((len(np.asarray(weights)), 0))
    observed, draws = statistic(sums.totals), bootstrap_values(sums.sums, statistic, weights)
    found = to_estimates(
        observed,
        percentile_interval(draws, level),
        sums,
        undefined=undefined,
        method=f"cluster bootstrap, percentile, {len(draws)} resamples",
        level=level,
        undefined_share=np.isnan(draws).mean(0),
    )
    return tuple(map(without_point_interval, found)), draws
