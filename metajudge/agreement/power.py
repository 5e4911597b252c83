"""How small a change this gold set can show, and how many labels a stated change needs.

By simulation from the observed verdicts: clusters are drawn with replacement, a second candidate
is made by mending some wrong verdicts and upsetting some right ones, and the paired difference is
tested with its cluster-jackknife error. So the design effect, the label shares and the pairing are
those of the real claims.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks
from metajudge.agreement.bootstrap import ClusterSums, jackknife_values
from metajudge.agreement.coefficients import Coefficient
from metajudge.agreement.intervals import critical_z

Measure = Callable[[Ints, Ints, Ints], ClusterSums]
"""From cluster, gold and verdicts (S, n) to per-cluster sums, such as `cluster_tables`."""

_HALVINGS = 7


@dataclass(frozen=True, slots=True)
class Pilot:
    """Observed verdicts that worlds are drawn from.

    Attributes:
        cluster: Shape (n,), codes 0 … G - 1.
        gold: Shape (n,), label codes.
        verdict: Shape (n,), label codes of one candidate, failures included.
        churn: Share of right verdicts that another candidate of the same quality gets wrong.
        n_labels: K of the gold labels.
    """

    cluster: Ints
    gold: Ints
    verdict: Ints
    churn: float = 0.02
    n_labels: int = 3

    @property
    def n_clusters(self) -> int:
        """Clusters that have claims."""
        return len(np.unique(self.cluster))

    def only(self, within: Masks) -> Pilot:
        """The pilot of some claims, such as a slice: what is needed is then counted in these.

        Clusters without such a claim are left out, so a world's clusters each have one.

        Args:
            within: Shape (n,), claims that stay.

        >>> codes = np.array([0, 0, 1])
        >>> Pilot(codes, codes, codes).only(codes == 0).n_clusters
        1
        """
        kept = np.asarray(within, np.bool_)
        return replace(
            self,
            cluster=self.cluster[kept],
            gold=self.gold[kept],
            verdict=self.verdict[kept],
        )


@dataclass(frozen=True, slots=True)
class PowerPoint:
    """One point of a power curve.

    Attributes:
        power: Share of worlds whose interval excludes 0, 0 to 1.
        difference: Mean difference over the worlds, second minus first candidate; nan if undefined.
        mend: Share of wrong verdicts that the second candidate gets right.
        n_clusters: Clusters in each world.
        n: Mean claims that count in each world.
    """

    power: float
    difference: float
    mend: float
    n_clusters: int
    n: float


@dataclass(frozen=True, slots=True)
class Detectable:
    """The smallest change seen with the power asked for; `point` is None with a `reason`."""

    point: PowerPoint | None
    reason: str | None = None


def second_candidate(pilot: Pilot, mend: float, rng: np.random.Generator) -> Ints:
    """Verdicts of a candidate that mends a share of the wrong ones and upsets `churn` of the right.

    Args:
        pilot: The first candidate.
        mend: Share of wrong verdicts (failures among them) that become right, 0 to 1.
        rng: Source of randomness.

    Returns:
        Shape (n,).
    """
    draw = rng.random(len(pilot.gold))
    right = pilot.verdict == pilot.gold
    other = (pilot.gold + rng.integers(1, pilot.n_labels, len(pilot.gold))) % pilot.n_labels
    mended = np.where(draw < mend, pilot.gold, pilot.verdict)
    return np.where(right, np.where(draw < pilot.churn, other, pilot.verdict), mended)


def _too_few(pilot: Pilot) -> str | None:
    groups = pilot.n_clusters
    return None if groups >= 2 else f"needs claims in two clusters, got {groups}"


def _worlds(pilot: Pilot, n_clusters: int, rng: np.random.Generator) -> Pilot:
    """A world of n_clusters drawn clusters, each with a number of its own."""
    order = np.argsort(pilot.cluster, kind="stable")
    starts = np.flatnonzero(np.diff(pilot.cluster[order], prepend=-1))
    sizes = np.diff(np.append(starts, len(order)))
    drawn = rng.integers(0, len(starts), n_clusters)
    lengths = sizes[drawn]
    within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    claims = order[np.repeat(starts[drawn], lengths) + within]
    cluster = np.repeat(np.arange(n_clusters), lengths)
    return replace(pilot, cluster=cluster, gold=pilot.gold[claims], verdict=pilot.verdict[claims])


def _difference(sums: ClusterSums, coefficient: Coefficient) -> tuple[float, float]:
    """Paired difference and its jackknife standard error."""

    def gap(added: Floats) -> Floats:
        values = coefficient(added)
        return values[..., 1:] - values[..., :1]

    left_out = jackknife_values(sums.sums, gap)[:, 0]
    groups = len(left_out)
    spread = ((left_out - left_out.mean()) ** 2).sum() * (groups - 1) / groups
    return float(gap(sums.totals)[0]), float(np.sqrt(spread))


def power_of_change(
    pilot: Pilot,
    measure: Measure,
    coefficient: Coefficient,
    mend: float,
    rng: np.random.Generator,
    *,
    n_clusters: int | None = None,
    n_worlds: int = 200,
    level: float = 0.95,
) -> PowerPoint:
    """Share of simulated worlds that tell the second candidate from the first.

    Args:
        pilot: Observed verdicts.
        measure: Per-cluster sums behind the coefficient.
        coefficient: What is compared.
        mend: See `second_candidate`; the size of the change.
        rng: Source of randomness.
        n_clusters: Clusters in each world; None is as many as observed.
        n_worlds: Worlds simulated; the power's own error is at most 0.5 / sqrt(n_worlds).
        level: Of the two-sided interval.

    Source: simulation-based power, Arnold et al. (2011), BMC Med. Res. Methodol. 11.
    """
    groups = pilot.n_clusters if n_clusters is None else n_clusters
    z, hits, gaps, counted = critical_z(level), 0, [], 0
    for _ in range(n_worlds):
        world = _worlds(pilot, groups, rng)
        verdicts = np.stack([world.verdict, second_candidate(world, mend, rng)])
        sums = measure(world.cluster, world.gold, verdicts)
        gap, error = _difference(sums, coefficient)
        hits += bool(abs(gap) > z * error)
        gaps.append(gap)
        counted += int(sums.n[0])
    known = [gap for gap in gaps if not np.isnan(gap)]
    mean = float(np.mean(known)) if known else float("nan")
    return PowerPoint(hits / n_worlds, mean, mend, groups, counted / n_worlds)


def detectable_change(
    pilot: Pilot,
    measure: Measure,
    coefficient: Coefficient,
    rng: np.random.Generator,
    *,
    power: float = 0.8,
    n_clusters: int | None = None,
    n_worlds: int = 200,
    level: float = 0.95,
) -> Detectable:
    """The smallest improvement that is seen with the power asked for, by halving.

    Args:
        pilot: Observed verdicts of the baseline.
        measure: Per-cluster sums behind the coefficient.
        coefficient: What is compared.
        rng: Source of randomness.
        power: Share of worlds that must see it.
        n_clusters: Clusters; None is as many as observed.
        n_worlds: Worlds a step.
        level: Of the two-sided interval.
    """
    few = _too_few(pilot)
    if few:
        return Detectable(None, few)
    seed = int(rng.integers(2**32))
    curve = partial(
        power_of_change,
        pilot,
        measure,
        coefficient,
        n_clusters=n_clusters,
        n_worlds=n_worlds,
        level=level,
    )

    def at(mend: float) -> PowerPoint:
        # One seed for all steps keeps the curve monotone enough to halve.
        return curve(mend, np.random.default_rng(seed))

    best = at(1.0)
    if best.power < power:
        return Detectable(
            None,
            f"even mending every wrong verdict is seen in {best.power:.0%} of worlds, "
            f"under {power:.0%}",
        )
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        point = at(middle)
        if point.power >= power:
            best, high = point, middle
        else:
            low = middle
    return Detectable(best)


def clusters_needed(
    pilot: Pilot,
    measure: Measure,
    coefficient: Coefficient,
    mend: float,
    rng: np.random.Generator,
    *,
    power: float = 0.8,
    most: int = 4096,
    n_worlds: int = 200,
    level: float = 0.95,
) -> Detectable:
    """The fewest clusters, within a tenth, that show a change of the size of `mend`.

    Args:
        pilot: Observed verdicts; new clusters are taken to be like these.
        measure: Per-cluster sums behind the coefficient.
        coefficient: What is compared.
        mend: Size of the change; `mend_for` finds it from a stated difference.
        rng: Source of randomness.
        power: Share of worlds that must see it.
        most: Clusters above which the search gives up.
        n_worlds: Worlds a step.
        level: Of the two-sided interval.
    """
    few = _too_few(pilot)
    if few:
        return Detectable(None, few)
    at = partial(
        power_of_change, pilot, measure, coefficient, mend, rng, n_worlds=n_worlds, level=level
    )
    low, high = 4, 8
    point = at(n_clusters=high)
    while point.power < power:
        low, high = high, high * 2
        if high > most:
            return Detectable(None, f"{low} clusters are not enough; more were not tried")
        point = at(n_clusters=high)
    while high - low > max(1, high // 10):
        middle = (low + high) // 2
        found = at(n_clusters=middle)
        if found.power >= power:
            point, high = found, middle
        else:
            low = middle
    return Detectable(point)


def mend_for(
    pilot: Pilot,
    measure: Measure,
    coefficient: Coefficient,
    difference: float,
    rng: np.random.Generator,
    *,
    n_draws: int = 50,
) -> float | None:
    """The share of wrong verdicts to mend for a stated mean difference; None when out of reach.

    Args:
        pilot: Observed verdicts.
        measure: Per-cluster sums behind the coefficient.
        coefficient: What is compared.
        difference: Second minus first candidate, negative for shares to be lowered.
        rng: Source of randomness.
        n_draws: Second candidates averaged a step.
    """
    seed = int(rng.integers(2**32))

    def mean_gap(mend: float) -> float:
        source = np.random.default_rng(seed)
        changed = [second_candidate(pilot, mend, source) for _ in range(n_draws)]
        verdicts = np.stack([pilot.verdict, *changed])
        values = coefficient(measure(pilot.cluster, pilot.gold, verdicts).totals)
        return float(values[1:].mean() - values[0])

    sign = 1.0 if difference > 0 else -1.0
    if not sign * mean_gap(1.0) >= abs(difference):
        return None
    low, high = 0.0, 1.0
    for _ in range(2 * _HALVINGS):
        middle = (low + high) / 2
        if sign * mean_gap(middle) >= abs(difference):
            high = middle
        else:
            low = middle
    return high
