"""Claims or answers with their clusters: every figure of a consultation on the same resamples.

Shares have Wilson's interval at the effective sample size, means BCa, and paired differences the
percentile interval of the paired cluster bootstrap. A difference of shares on under 30 clusters, or
without any spread, has the paired score interval, which does not shrink to a point; where no unit
changes, it reaches as far either way as Wilson's interval of no change in so many clusters, unless
nothing can change: both sides then have one set of verdicts.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks, Numbers, as_floats
from metajudge.agreement.bootstrap import ClusterSums, cluster_shares, cluster_sums
from metajudge.agreement.coefficients import Coefficient
from metajudge.agreement.estimate import (
    Estimate,
    IntervalMethod,
    estimate,
    estimate_share,
    few_clusters_warning,
    told_apart,
)
from metajudge.agreement.intervals import wilson_interval
from metajudge.agreement.rates import ratio, share, share_coefficient
from metajudge.agreement.table import IDK, YES, Clusters, cluster_codes
from metajudge.selection.sensitivity import NO_BEFORE, ControlRuns, drop

NOTHING_CHANGES = "Wilson of no change among the clusters"
"""Method of the interval of a difference where no unit changes."""
SAME = "same verdicts on both sides"
"""Method where none can."""
Weights = np.ndarray[tuple[int, int], np.dtype[np.float32]]


def codes_by_name(names: Sequence[Hashable]) -> Clusters:
    """Cluster names numbered in their own order, so that resamples do not depend on that of rows.

    >>> codes_by_name(["b", "a", "b"])
    Clusters(codes=array([1, 0, 1]), n_clusters=2)
    """
    found = cluster_codes(names)
    ranks = np.argsort(np.argsort([str(name) for name in dict.fromkeys(names)], kind="stable"))
    return Clusters(ranks.astype(np.int64)[found.codes], found.n_clusters)


@dataclass(frozen=True, slots=True)
class Units:
    """n claims or answers.

    Attributes:
        cluster: Shape (n,), the context of each as a code below G.
        weights: Shape (B, G), from `agreement.cluster_weights`.
        level: Coverage of intervals.
        same: Whether both sides are one by construction, so that no difference is exactly none.
    """

    cluster: Ints
    weights: Weights
    level: float
    same: bool = False

    def share(self, hit: Masks, among: Masks, kind: str) -> Estimate:
        """Share of the units of `among` that are hit.

        Args:
            hit: Shape (n,).
            among: Shape (n,).
            kind: What `among` means, for the reason of a null: "no unit is …".
        """
        sums = cluster_shares(self.cluster, share(hit, among))
        return estimate_share(sums, share_coefficient("share", kind), self.level)[0]

    def share_shift(self, was: Masks, now: Masks, among: Masks, kind: str) -> Estimate:
        """Share hit now minus share hit before, of the same units.

        Args:
            was: Shape (n,).
            now: Shape (n,).
            among: Shape (n,).
            kind: As in `share`.
        """
        if among.any() and not (among & (was != now)).any():
            return self._unmoved(among)
        # A drop is former minus later, so the two change places.
        later, former = (np.where(hit, YES, IDK).astype(np.int64) for hit in (now, was))
        run = ControlRuns("", "", np.where(among, later, NO_BEFORE), former, self.cluster)
        found = drop(run, self.weights, self.level)
        return found if found.value is not None else replace(found, reason=f"no claim is {kind}")

    def mean(self, values: Numbers, counted: Masks, kind: str) -> Estimate:
        """Mean of the counted values, BCa; undefined where none counts."""
        return self._mean(values, counted, kind, "bca", 0.0)

    def mean_shift(self, was: Numbers, now: Numbers, counted: Masks, kind: str) -> Estimate:
        """Mean of now minus before over the counted units, percentile."""
        return self._mean(as_floats(now) - as_floats(was), counted, kind, "percentile", -1.0)

    def statistic(
        self, contributions: Numbers, function: Callable[[Floats], Floats], undefined: str
    ) -> Estimate:
        """Any number made of sums over units, percentile.

        Args:
            contributions: Shape (n, k), what each unit adds.
            function: From sums (…, k) to values (…).
            undefined: Why it is undefined where it is nan.
        """
        parts = as_floats(contributions)[None]
        sums = self._padded(cluster_sums(self.cluster, parts, np.ones(parts.shape[1], np.bool_)))
        coefficient = Coefficient("statistic", function, undefined, -1.0)
        return self._estimate(sums, coefficient, "percentile")

    def resampled(self, contributions: Numbers) -> Floats:
        """Sums of contributions (n, …) on every resample, shape (B, …)."""
        per_cluster = self.by_cluster(contributions)
        flat = per_cluster.reshape(len(per_cluster), -1)
        return as_floats(self.weights @ flat).reshape(-1, *per_cluster.shape[1:])

    def by_cluster(self, contributions: Numbers) -> Floats:
        """Sums of contributions (n, …) by cluster, shape (G, …)."""
        parts = as_floats(contributions)
        sums = np.zeros((self.weights.shape[1], *parts.shape[1:]))
        np.add.at(sums, self.cluster, parts)
        return sums

    def _mean(
        self, values: Numbers, counted: Masks, kind: str, method: IntervalMethod, low: float
    ) -> Estimate:
        numbers = np.where(counted, as_floats(values), 0.0)
        parts = np.stack([numbers, counted.astype(np.float64)], axis=-1)[None]
        sums = self._padded(cluster_sums(self.cluster, parts, counted))
        return self._estimate(sums, Coefficient("mean", ratio, f"no answer is {kind}", low), method)

    def _estimate(
        self, sums: ClusterSums, coefficient: Coefficient, method: IntervalMethod
    ) -> Estimate:
        return told_apart(estimate(sums, coefficient, self.weights, method, self.level)[0])

    def _unmoved(self, among: Masks) -> Estimate:
        groups = len(np.unique(self.cluster[among]))
        most = 0.0 if self.same else float(wilson_interval(0, groups, self.level).high)
        return Estimate(
            value=0.0,
            low=0.0 - most,
            high=most,
            n=int(among.sum()),
            n_clusters=groups,
            method=SAME if self.same else NOTHING_CHANGES,
            warning=few_clusters_warning(groups),
            level=self.level,
        )

    def _padded(self, sums: ClusterSums) -> ClusterSums:
        missing = self.weights.shape[1] - len(sums.sums)
        padding = ((0, missing), *((0, 0),) * (sums.sums.ndim - 1))
        return ClusterSums(np.pad(sums.sums, padding), sums.n, sums.n_clusters)
