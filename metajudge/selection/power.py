"""What size of difference a gold set can show, and how many labels a smaller one needs.

Worlds are drawn from the verdicts of one candidate, see `agreement.power`. Differences are sizes,
without a sign: a candidate that is better by so much is seen as often as one that is worse.
They are those of *two* candidates; among many, the adjustment in `rank` needs somewhat more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Ints, Masks
from metajudge.agreement.bootstrap import ClusterSums, cluster_shares, cluster_tables
from metajudge.agreement.coefficients import COEFFICIENTS, Coefficient
from metajudge.agreement.power import (
    Detectable,
    Measure,
    Pilot,
    PowerPoint,
    clusters_needed,
    detectable_change,
    mend_for,
    power_of_change,
)
from metajudge.agreement.rates import called_idk, over_credit, share_coefficient
from metajudge.counted import counted
from metajudge.selection.columns import SUMMARY_SLICES
from metajudge.selection.measure import Measurer
from metajudge.selection.shares import SHARES

FIGURES = ("kappa", "summary_as_idk", "over_credit")
LOWERED = frozenset({"summary_as_idk", "over_credit"})
"""Figures that a better candidate lowers."""
CURVE = (0.1, 0.25, 0.5, 0.75)
"""Shares of the wrong verdicts mended, at which the power curve is drawn."""
STATED: Mapping[str, float] = {"kappa": 0.10, "summary_as_idk": 0.10, "over_credit": 0.05}
"""Differences that labels are counted for unless others are named."""
FEWEST = 4
"""Clusters under which no world is drawn."""


@dataclass(frozen=True, slots=True)
class Detection:
    """What the gold set can show about one figure.

    Attributes:
        figure: Its name.
        power: Share of worlds that must see the difference.
        found: The smallest change seen with that power, or why there is none.
        curve: Power at other changes, by size of the difference.
        n_clusters: Answers or contexts with claims of the kind.
        n: Claims of the kind, each counted once.
    """

    figure: str
    power: float
    found: Detectable
    curve: tuple[PowerPoint, ...]
    n_clusters: int
    n: int

    @property
    def difference(self) -> float | None:
        """Size of the smallest difference seen; None where `found` has a reason."""
        return None if self.found.point is None else abs(self.found.point.difference)


@dataclass(frozen=True, slots=True)
class Need:
    """Labels needed for a stated difference.

    Attributes:
        figure: Its name.
        slice: The slice, or `all` of those that count for the figure.
        difference: Size of the difference.
        have: Claims of the kind in this gold set.
        need: Claims of the kind needed; None with a `reason`.
        reason: Why there is no number.
    """

    figure: str
    slice: str
    difference: float
    have: int
    need: int | None
    reason: str | None = None


class _Probe(NamedTuple):
    """One figure on the claims it counts: worlds are drawn from `pilot`."""

    pilot: Pilot
    measure: Measure
    coefficient: Coefficient


def detections(
    measurer: Measurer,
    candidate: int,
    rng: np.random.Generator,
    *,
    power: float = 0.8,
    n_worlds: int = 200,
    churn: float = 0.02,
    figures: Sequence[str] = FIGURES,
) -> tuple[Detection, ...]:
    """The smallest detectable difference of each figure, with its power curve.

    Args:
        measurer: The sweep; first draws count.
        candidate: Row whose verdicts worlds are drawn from, usually the baseline.
        rng: Source of randomness.
        power: Share of worlds that must see it.
        n_worlds: Worlds a step; the power's own error is at most 0.5 / sqrt(n_worlds).
        churn: Share of right verdicts that another candidate of the same quality gets wrong.
        figures: Names, of `FIGURES`.

    Source: see `agreement.power.power_of_change`.
    """
    return tuple(
        _detection(
            name,
            _probe(measurer, candidate, name, None, churn),
            rng,
            power=power,
            n_worlds=n_worlds,
            level=measurer.level,
        )
        for name in figures
    )


def _detection(
    name: str,
    probe: _Probe,
    rng: np.random.Generator,
    *,
    power: float,
    n_worlds: int,
    level: float,
) -> Detection:
    n, groups = len(probe.pilot.gold), probe.pilot.n_clusters
    if groups < FEWEST:
        return Detection(name, power, Detectable(None, _too_few(name, groups)), (), groups, n)
    found = detectable_change(*probe, rng, power=power, n_worlds=n_worlds, level=level)
    points = [power_of_change(*probe, mend, rng, n_worlds=n_worlds, level=level) for mend in CURVE]
    points += [] if found.point is None else [found.point]
    known = [point for point in points if not np.isnan(point.difference)]
    curve = tuple(sorted(known, key=lambda point: abs(point.difference)))
    return Detection(name, power, found, curve, groups, n)


def labels_needed(
    measurer: Measurer,
    candidate: int,
    rng: np.random.Generator,
    *,
    stated: Mapping[str, float] = STATED,
    power: float = 0.8,
    n_worlds: int = 100,
    churn: float = 0.02,
) -> tuple[Need, ...]:
    """Labels needed to see stated differences; summary-as-idk by slice too.

    New claims are taken to be like those there are, and as many to an answer or context.

    Args:
        measurer: The sweep; first draws count.
        candidate: Row whose verdicts worlds are drawn from.
        rng: Source of randomness.
        stated: Size of the difference by figure, of `FIGURES`.
        power: Share of worlds that must see it.
        n_worlds: Worlds a step.
        churn: Share of right verdicts that another candidate of the same quality gets wrong.
    """
    wanted = [
        (name, kind, size)
        for name, size in stated.items()
        for kind in (*(SUMMARY_SLICES if name == "summary_as_idk" else ()), None)
    ]
    return tuple(
        _need(
            _probe(measurer, candidate, name, kind, churn),
            Need(name, kind or "all", size, 0, None),
            rng,
            power=power,
            n_worlds=n_worlds,
            level=measurer.level,
        )
        for name, kind, size in wanted
    )


def _need(
    probe: _Probe,
    asked: Need,
    rng: np.random.Generator,
    *,
    power: float,
    n_worlds: int,
    level: float,
) -> Need:
    have, groups = len(probe.pilot.gold), probe.pilot.n_clusters

    def none(reason: str | None) -> Need:
        return Need(asked.figure, asked.slice, asked.difference, have, None, reason)

    if groups < FEWEST:
        return none(_too_few(asked.figure, groups))
    sign = -1.0 if asked.figure in LOWERED else 1.0
    mend = mend_for(*probe, sign * asked.difference, rng)
    if mend is None:
        return none("no candidate can be better by so much: too few verdicts here are wrong")
    found = clusters_needed(*probe, mend, rng, power=power, n_worlds=n_worlds, level=level)
    if found.point is None:
        return none(found.reason)
    per_cluster = have / groups
    need = int(np.ceil(found.point.n_clusters * per_cluster))
    return Need(asked.figure, asked.slice, asked.difference, have, need)


def _too_few(name: str, groups: int) -> str:
    kind = SHARES[name].kind if name in SHARES else "asked"
    return f"only {counted(groups, 'clusters have')} a claim that is {kind}; worlds need {FEWEST}"


def _probe(measurer: Measurer, candidate: int, name: str, kind: str | None, churn: float) -> _Probe:
    """The claims of the figure's denominator, or those of one slice among them."""
    columns = measurer.columns
    within = np.arange(len(columns.gold)) % columns.repeats == 0
    if kind is not None:
        within &= columns.in_slices([kind])
    said = measurer.candidates.codes[candidate]
    n_labels = columns.n_labels
    if name == "kappa":
        measure, coefficient = _tables(n_labels), COEFFICIENTS["cohen_kappa"]
        said = columns.as_labels(said)
    elif name == "over_credit":
        within &= columns.gold != 0
        measure, coefficient = _over_credit, share_coefficient(name, SHARES[name].kind)
        said = columns.as_labels(said)
    else:
        # All these claims are gold yes, so their verdicts keep idk apart in a binary set too.
        within &= (columns.gold == 0) & columns.in_slices(SUMMARY_SLICES)
        measure, coefficient = _called_idk, share_coefficient(name, SHARES[name].kind)
        n_labels = 3
    return _Probe(_pilot(measurer, said, within, churn, n_labels), measure, coefficient)


def _pilot(measurer: Measurer, said: Ints, within: Masks, churn: float, n_labels: int) -> Pilot:
    columns = measurer.columns
    codes = columns.clusters(measurer.cluster).codes[within]
    return Pilot(codes, columns.gold[within], said[within], churn, n_labels)


def _tables(n_labels: int) -> Measure:
    def measure(cluster: Ints, gold: Ints, verdicts: Ints) -> ClusterSums:
        return cluster_tables(cluster, gold, verdicts, n_labels)

    return measure


def _over_credit(cluster: Ints, gold: Ints, verdicts: Ints) -> ClusterSums:
    return cluster_shares(cluster, over_credit(gold, verdicts))


def _called_idk(cluster: Ints, gold: Ints, verdicts: Ints) -> ClusterSums:
    return cluster_shares(cluster, called_idk(gold, verdicts))
