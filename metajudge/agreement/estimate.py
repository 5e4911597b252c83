"""A number with its interval, as it leaves this room: null with a reason where undefined."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from metajudge.agreement.arrays import Floats, Numbers, as_floats, divide
from metajudge.agreement.bootstrap import (
    ClusterSums,
    Statistic,
    bootstrap_values,
    jackknife_values,
)
from metajudge.agreement.coefficients import Coefficient
from metajudge.agreement.intervals import (
    Interval,
    bca_interval,
    hull_interval,
    percentile_interval,
    wilson_interval,
)

IntervalMethod = Literal["percentile", "bca", "hull"]
FEW_CLUSTERS = 30
ONE_CONTEXT = "no interval: one context"
UNDEFINED_LIMIT = 0.05
"""Share of undefined resamples above which an interval is withheld."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A coefficient, share or difference with its interval.

    Attributes:
        value: The number on the sample itself; None when undefined, then `reason` is set.
        low: Lower limit; None when undefined.
        high: Upper limit; None when undefined.
        n: Claims asked that count here.
        n_clusters: Answers or contexts that they come from.
        method: How the interval was made.
        reason: Why `value`, or only the interval, is None.
        warning: What to bear in mind, such as few clusters.
        level: Coverage the interval aims at.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    n_clusters: int
    method: str
    reason: str | None = None
    warning: str | None = None
    level: float = 0.95

    @property
    def excludes_zero(self) -> bool:
        """Whether a difference is told apart from none; False for an undefined interval."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


def few_clusters_warning(n_clusters: int) -> str | None:
    """The warning for under 30 clusters, where bootstrap intervals are known to be too narrow.

    >>> few_clusters_warning(30) is None
    True
    """
    if n_clusters >= FEW_CLUSTERS:
        return None
    return f"{n_clusters} clusters, under {FEW_CLUSTERS}: intervals tend to be too narrow"


def told_apart(found: Estimate) -> Estimate:
    """An estimate from resamples, without its interval where one cluster makes them all alike.

    >>> told_apart(Estimate(0.5, 0.5, 0.5, 9, 1, "cluster bootstrap")).reason
    'no interval: one context'
    """
    if found.value is None or found.n_clusters >= 2:
        return found
    return replace(found, low=None, high=None, reason=ONE_CONTEXT)


def to_estimates(
    observed: Floats,
    interval: Interval,
    sums: ClusterSums,
    *,
    undefined: str,
    method: str | list[str],
    level: float,
    undefined_share: Floats | None = None,
) -> tuple[Estimate, ...]:
    """Estimates at the edge of the room: nan becomes None with its reason.

    Args:
        observed: Shape (S,).
        interval: Limits of shape (S,).
        sums: Where n and n_clusters come from.
        undefined: Reason of an undefined value.
        method: Name of the interval, one for all or one each.
        level: Coverage aimed at.
        undefined_share: Shape (S,), share of resamples without a value.
    """
    lost = np.zeros(len(observed)) if undefined_share is None else undefined_share
    estimates = []
    for place, value in enumerate(observed.tolist()):
        low, high = float(interval.low[place]), float(interval.high[place])
        reason = None
        if np.isnan(value):
            reason = undefined
        elif lost[place] > UNDEFINED_LIMIT:
            reason = f"no interval: {lost[place]:.0%} of resamples leave it undefined ({undefined})"
        elif np.isnan(low) or np.isnan(high):
            reason = f"no interval: {undefined}"
        groups = int(sums.n_clusters[place])
        estimates.append(
            Estimate(
                value=None if np.isnan(value) else value,
                low=None if reason else low,
                high=None if reason else high,
                n=int(sums.n[place]),
                n_clusters=groups,
                method=method if isinstance(method, str) else method[place],
                reason=reason,
                warning=few_clusters_warning(groups),
                level=level,
            )
        )
    return tuple(estimates)


def _bootstrap_estimates(
    sums: ClusterSums,
    statistic: Statistic,
    weights: Numbers,
    *,
    undefined: str,
    kind: str,
    method: IntervalMethod,
    level: float,
    bounds: tuple[float, float] = (-np.inf, np.inf),
) -> tuple[Estimate, ...]:
    observed = as_floats(statistic(sums.totals))
    values = bootstrap_values(sums.sums, statistic, weights)
    if method == "percentile":
        interval = percentile_interval(values, level)
    elif method == "hull":
        low, high = hull_interval(values, observed, level)
        interval = Interval(np.maximum(low, bounds[0]), np.minimum(high, bounds[1]))
    else:
        interval = bca_interval(values, observed, jackknife_values(sums.sums, statistic), level)
    return to_estimates(
        observed,
        interval,
        sums,
        undefined=undefined,
        method=f"{kind}, {method}, {len(values)} resamples",
        level=level,
        undefined_share=np.isnan(values).mean(0),
    )


def estimate(
    sums: ClusterSums,
    coefficient: Coefficient,
    weights: Numbers,
    method: IntervalMethod = "percentile",
    level: float = 0.95,
) -> tuple[Estimate, ...]:
    """A coefficient of every candidate with a cluster-bootstrap interval.

    Args:
        sums: Per-cluster sums of S candidates.
        coefficient: What to compute.
        weights: Shape (B, G), from `cluster_weights`.
        method: `percentile`, `bca`, or `hull` for a distance, see `hull_interval`.
        level: Coverage aimed at.

    Returns:
        S estimates, in the order of the candidates.

    >>> from metajudge.agreement.bootstrap import cluster_tables, cluster_weights
    >>> from metajudge.agreement.coefficients import COEFFICIENTS
    >>> sums = cluster_tables([0, 1, 2], [0, 0, 0], [0, 0, 0])
    >>> draws = cluster_weights(3, 10, np.random.default_rng(1))
    >>> estimate(sums, COEFFICIENTS["cohen_kappa"], draws)[0].reason
    'gold and verdicts hold one and the same label only'
    """
    return _bootstrap_estimates(
        sums,
        coefficient,
        weights,
        undefined=coefficient.undefined,
        kind="cluster bootstrap",
        method=method,
        level=level,
        bounds=(coefficient.low, coefficient.high),
    )


def estimate_differences(
    sums: ClusterSums,
    coefficient: Coefficient,
    weights: Numbers,
    *,
    reference: int = 0,
    method: IntervalMethod = "percentile",
    level: float = 0.95,
) -> tuple[Estimate, ...]:
    """Each candidate minus the reference, on the same resamples.

    Independent intervals that overlap say little about a difference on the same claims; this one
    says it. A difference whose interval holds 0 is a tie.

    Args:
        sums: Per-cluster sums of S candidates.
        coefficient: What to compute.
        weights: Shape (B, G).
        reference: Index of the candidate that the others are compared to.
        method: `percentile`, `bca` or `hull`.
        level: Coverage aimed at.

    Returns:
        S estimates; that of the reference itself is 0.
    """

    def difference(resampled: Floats) -> Floats:
        values = coefficient(resampled)
        return as_floats(values - values[..., reference, None])

    return _bootstrap_estimates(
        sums,
        difference,
        weights,
        undefined=coefficient.undefined,
        kind="paired cluster bootstrap",
        method=method,
        level=level,
    )


def effective_n(sums: ClusterSums) -> Floats:
    """Sample size of a share after its design effect, shape (S,), at most n.

    At a share of 0 or 1 clustering cannot be seen; the number of clusters stands in for it.

    Args:
        sums: Per-cluster (numerator, denominator), shape (G, S, 2).

    Source: Kish (1965), Survey Sampling (design effect); linearised variance of a ratio: Cochran
    (1977), Sampling Techniques, ch. 6, with clusters as units.
    """
    hits, kinds = sums.sums[..., 0], sums.sums[..., 1]
    total = kinds.sum(0)
    value = divide(hits.sum(0), total)
    groups = (kinds > 0).sum(0)
    spread = ((hits - value * kinds) ** 2).sum(0) * divide(groups, groups - 1)
    variance = divide(spread, total**2)
    size = divide(value * (1 - value), variance)
    size = np.where(np.isnan(size), groups, size)
    return as_floats(np.minimum(size, total))


def estimate_share(
    sums: ClusterSums, coefficient: Coefficient, level: float = 0.95
) -> tuple[Estimate, ...]:
    """A share of every candidate with a Wilson interval at its effective sample size.

    Unlike the bootstrap it does not collapse to a point at 0 of n, where a guardrail needs it most.

    Args:
        sums: Per-cluster (numerator, denominator), from `cluster_shares`.
        coefficient: From `share_coefficient`.
        level: Coverage aimed at.

    Source: Korn and Graubard (1998), Survey Methodology 24, the effective-size device; Dean and
    Pavlou (2015), J. Surv. Stat. Methodol. 3, with Wilson's interval.
    """
    observed = coefficient(sums.totals)
    size = effective_n(sums)
    interval = wilson_interval(observed * size, size, level)
    return to_estimates(
        observed,
        interval,
        sums,
        undefined=coefficient.undefined,
        method="Wilson, effective n",
        level=level,
    )
