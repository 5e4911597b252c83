"""How far the label probabilities of a candidate can be believed, and what could be made of them.

Only entries with a label and label probabilities count; coverage says elsewhere how many they are.
A binary gold set does not tell no from idk, so there the probabilities are those of supported,
P(yes), and of unsupported, P(no) + P(idk); the threshold on P(yes) is the same for both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from metajudge.agreement.abstention import (
    RiskCoverage,
    area_under_risk_coverage,
    coverage_thresholds,
    risk_coverage,
)
from metajudge.agreement.arrays import Floats, Ints, Masks, Numbers, as_floats
from metajudge.agreement.bootstrap import ClusterSums, cluster_shares, cluster_sums
from metajudge.agreement.calibration import (
    Murphy,
    Reliability,
    bin_edges,
    bin_sums,
    brier_score,
    calibrated_ece,
    ece_of_sums,
    murphy_decomposition,
    reliability,
)
from metajudge.agreement.coefficients import Coefficient
from metajudge.agreement.estimate import Estimate, estimate, estimate_share
from metajudge.agreement.intervals import critical_z
from metajudge.agreement.rates import ratio, share_coefficient
from metajudge.agreement.table import FAILURE, YES, Clusters
from metajudge.selection.calibrate import (
    FITS,
    cross_fitted,
    fit_temperature,
    fit_yes_threshold,
    folds_by_context,
    told_shares,
    verdicts_at,
)
from metajudge.selection.columns import ClaimColumns
from metajudge.selection.shares import SHARES

NO_PROBABILITIES = "no reply has label probabilities"
ONE_CONTEXT = "a map is fitted and judged on different contexts, and there is only one"
ECE = Coefficient("ece", ece_of_sums, NO_PROBABILITIES)
BRIER = Coefficient("brier", ratio, NO_PROBABILITIES, 0.0, 2.0)
COVERAGES = np.arange(20, 0, -1) / 20
"""Shares of the verdicts kept, at which abstention is shown."""
THRESHOLD_SHARES = ("summary_as_idk", "over_credit")


@dataclass(frozen=True, slots=True)
class CalibrationRow:
    """What the label probabilities of one candidate are worth.

    Attributes:
        n: Entries with a label and label probabilities.
        ece: Expected calibration error: the probability of the label given against being right.
        brier: Mean Brier score, 0 to 2.
        parts: Brier score of `yes` against the rest, taken apart; None without probabilities.
        reliability: The reliability table; None likewise.
        temperature: Fitted on these claims; None likewise.
        ece_after: ECE of the same labels by map, each claim's map fitted without its context.
        threshold: Least P(yes) to call yes that keeps the bound of over-credit, fitted on these
            claims; None where there is none, and then the shares at it say why.
        at_threshold: Shares with verdicts made by the threshold; those that end in `cross_fitted`
            have each claim's threshold fitted without its context.
        error: Coverage and share wrong when unsure verdicts are left to people.
        over_credit: The same for over-credit; risk is nan where no gold-not-yes claim is kept.
        aurc: Area under the risk-coverage curve; None without probabilities.
        reason: Why there is nothing; None otherwise.
    """

    n: int
    ece: Estimate
    brier: Estimate
    parts: Murphy | None
    reliability: Reliability | None
    temperature: float | None
    ece_after: Mapping[str, Estimate]
    threshold: float | None
    at_threshold: Mapping[str, Estimate]
    error: RiskCoverage
    over_credit: RiskCoverage
    aurc: float | None
    reason: str | None = None


class _Rows(NamedTuple):
    """The entries that count: their arrays of length n, and their places among all (N,)."""

    columns: ClaimColumns
    clusters: Clusters
    known: Masks
    probabilities: Floats
    """(n, 3)"""
    events: Floats
    """(n, K), in the gold set's label space"""
    gold: Ints
    said: Ints
    """(n,), in the gold set's label space"""

    @property
    def confidence(self) -> Floats:
        """Probability of the label given, shape (n,)."""
        return self.of_said(self.events)

    @property
    def right(self) -> Masks:
        """Labels given that are gold's, shape (n,)."""
        return np.asarray(self.said == self.gold, np.bool_)

    @property
    def contexts(self) -> Ints:
        """Context codes, shape (n,)."""
        return self.columns.contexts.codes[self.known]

    def of_said(self, events: Floats) -> Floats:
        """Probabilities (n, K) of the labels given, shape (n,)."""
        return as_floats(events[np.arange(len(self.said)), self.said])

    def added(self, parts: Floats) -> ClusterSums:
        """Contributions (n, …) added by cluster, every cluster of the sweep among them."""
        full = np.zeros((1, len(self.known), *parts.shape[1:]))
        full[0, self.known] = parts
        return cluster_sums(self.clusters.codes, full, self.known)


def calibration_of(
    columns: ClaimColumns,
    probabilities: Numbers,
    codes: Ints,
    *,
    clusters: Clusters,
    weights: Numbers,
    bound: float | None,
    level: float = 0.95,
) -> CalibrationRow:
    """Calibration of one candidate.

    Args:
        columns: The claims.
        probabilities: Shape (N, 3), of yes, no and idk; nan where a judge gave none.
        codes: Shape (N,), verdict codes; failures do not count here.
        clusters: Answers or contexts, the groups resampled.
        weights: Shape (B, G), from `cluster_weights`.
        bound: Largest upper limit of over-credit allowed; None fits no threshold.
        level: Coverage of intervals.
    """
    given = as_floats(probabilities)
    known = np.isfinite(given).all(-1) & (codes != FAILURE)
    if not known.any():
        return _nothing(level)
    kept = given[known]
    rows = _Rows(
        columns,
        clusters,
        known,
        kept,
        np.stack([kept[:, 0], kept[:, 1:].sum(-1)], -1) if columns.binary else kept,
        columns.gold[known],
        columns.as_labels(codes)[known],
    )
    edges = bin_edges(rows.confidence)
    brier = brier_score(rows.events, rows.gold)
    added = rows.added(np.stack([brier, np.ones_like(brier)], axis=-1))
    threshold, at_threshold = _threshold(rows, bound, level)
    limits = coverage_thresholds(rows.confidence, COVERAGES)
    return CalibrationRow(
        n=int(known.sum()),
        ece=_ece(rows, rows.confidence, weights, level),
        brier=estimate(added, BRIER, weights, "bca", level)[0],
        parts=murphy_decomposition(kept[:, YES], rows.gold == YES, edges),
        reliability=reliability(rows.confidence, rows.right, edges),
        temperature=fit_temperature(rows.events, rows.gold),
        ece_after=_ece_after(rows, weights, level),
        threshold=threshold,
        at_threshold=at_threshold,
        error=risk_coverage(rows.confidence, ~rows.right, limits),
        over_credit=risk_coverage(rows.confidence, rows.said == YES, limits, kind=rows.gold != YES),
        aurc=area_under_risk_coverage(rows.confidence, ~rows.right),
    )


def _nothing(level: float) -> CalibrationRow:
    none = _undefined(0, 0, "", NO_PROBABILITIES, level)
    curve = RiskCoverage(np.zeros(0), np.zeros(0), np.zeros(0))
    return CalibrationRow(
        0, none, none, None, None, None, {}, None, {}, curve, curve, None, NO_PROBABILITIES
    )


def _undefined(n: int, n_clusters: int, method: str, reason: str, level: float) -> Estimate:
    return Estimate(None, None, None, n, n_clusters, method, reason, level=level)


def _ece(rows: _Rows, confidence: Floats, weights: Numbers, level: float) -> Estimate:
    """The ECE; its lower limit is 0 where a perfectly calibrated judge may show as much."""
    edges = bin_edges(confidence)
    sums = rows.added(bin_sums(confidence, rows.right, edges))
    found = estimate(sums, ECE, weights, "hull", level)[0]
    chance = calibrated_ece(confidence, edges)
    if found.value is None or found.value > chance.mean + critical_z(level) * chance.spread:
        return found
    small = f"a perfectly calibrated judge would show about {chance.mean:.2f} on so few claims"
    return replace(
        found,
        low=None if found.low is None else 0.0,
        warning="; ".join(filter(None, [found.warning, small])),
    )


def _ece_after(rows: _Rows, weights: Numbers, level: float) -> dict[str, Estimate]:
    after: dict[str, Estimate] = {}
    for name, fit in FITS.items():
        mapped = cross_fitted(rows.events, rows.gold, rows.contexts, fit)
        if mapped is None:
            before = _ece(rows, rows.confidence, weights, level)
            after[name] = _undefined(before.n, before.n_clusters, before.method, ONE_CONTEXT, level)
        else:
            after[name] = _ece(rows, rows.of_said(mapped), weights, level)
    return after


def _threshold(
    rows: _Rows, bound: float | None, level: float
) -> tuple[float | None, dict[str, Estimate]]:
    """The threshold, and the shares with its verdicts, as fitted and cross-fitted."""
    if bound is None:
        return None, {}
    shares = told_shares(rows.probabilities)
    not_yes = rows.gold != YES
    cluster = rows.clusters.codes[rows.known]

    def fitted(on: Ints | Masks) -> float | None:
        return fit_yes_threshold(shares[on, YES], not_yes[on], cluster[on], bound, level)

    threshold = fitted(np.ones(len(shares), np.bool_))
    found = _shares_at(rows, verdicts_at(shares, threshold), level)
    if threshold is None:
        kept = f"no threshold keeps the upper limit of over-credit at or below {bound:g} here"
        reason = kept if not_yes.any() else f"no claim is {SHARES['over_credit'].kind}"
        return None, {
            name: _undefined(one.n, one.n_clusters, one.method, reason, level)
            for name, one in found.items()
        }
    folds = folds_by_context(rows.contexts)
    if folds:
        codes = np.empty(len(shares), np.int64)
        for on, held in folds:
            codes[held] = verdicts_at(shares[held], fitted(on))
        apart = _shares_at(rows, codes, level)
        found |= {f"{name}_cross_fitted": one for name, one in apart.items()}
    return threshold, found


def _shares_at(rows: _Rows, verdicts: Ints, level: float) -> dict[str, Estimate]:
    codes = np.full((1, len(rows.known)), FAILURE, np.int64)
    codes[0, rows.known] = verdicts
    found: dict[str, Estimate] = {}
    for name in THRESHOLD_SHARES:
        part = SHARES[name].of(rows.columns, codes, rows.known)
        sums = cluster_shares(rows.clusters.codes, part)
        found[name] = estimate_share(sums, share_coefficient(name, SHARES[name].kind), level)[0]
    return found
