"""What is sure of the full grid after some of its claims: who breaks a guardrail, who is worse.

All limits hold at every look together (`agreement.confidence_sequence`). Gold labels are known
beforehand, so that it is also known how many claims of a kind there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks, as_floats
from metajudge.agreement.confidence_sequence import hits_sequence, least_sum
from metajudge.agreement.intervals import wilson_interval
from metajudge.agreement.table import Clusters
from metajudge.selection.columns import CandidateKey, ClaimColumns
from metajudge.selection.guardrails import LOSS_SLICES, ROUNDING, Bounds
from metajudge.selection.racing.blocks import bare_measurer, some_claims
from metajudge.selection.racing.chance import gradient
from metajudge.selection.ranking import LOWER_IS_BETTER
from metajudge.selection.shares import SHARES
from metajudge.selection.ties import FigureSums, figure_sums


class Held(NamedTuple):
    """One guardrail on R candidates.

    Attributes:
        name: The guardrail; losses are told apart as `loss_literal` and so on.
        bound: Its bound.
        limit: Shape (R,), the least that the full grid can come to, or for coverage and kappa the
            greatest.
        broken: Shape (R,), whether that is over the bound.
    """

    name: str
    bound: float
    limit: Floats
    broken: Masks


class _Parts(NamedTuple):
    """Sums by unit of the units that have claims of a kind.

    Attributes:
        sums: Shape (R, u), units seen, in their order.
        total: Such units among all.
        most: Claims of the kind that a unit can have.
    """

    sums: Floats
    total: int
    most: int


@dataclass(frozen=True)
class Seen:
    """The claims asked so far, and what R candidates said of them.

    Attributes:
        columns: All claims.
        units: What is drawn: claims with their draws, or contexts.
        places: Shape (n,), entries asked in the order of the race; those of a unit stand together.
        codes: Shape (R, n), verdicts on them.
        keys: The candidates.
        baseline: Its place among them; None where there is none.
        level: Coverage of the guardrails' own limits.
    """

    columns: ClaimColumns
    units: Clusters
    places: Ints
    codes: Ints
    keys: tuple[CandidateKey, ...]
    baseline: int | None
    level: float

    @cached_property
    def part(self) -> ClaimColumns:
        """The claims asked."""
        return some_claims(self.columns, self.places)

    def figure(self, target: str) -> FigureSums:
        """A figure with units as clusters, in the order of the race."""
        starts = self._starts()
        sizes = np.diff(np.append(starts, len(self.places)))
        units = Clusters(np.repeat(np.arange(len(starts)), sizes), len(starts))
        part = replace(self.part, answers=units, contexts=units)
        return figure_sums(
            bare_measurer(part, self.keys, self.codes, "context", self.level), target
        )

    def least_hits(self, hits: Masks, kind: Masks, error: float) -> Floats:
        """The fewest hits among all claims of a kind, shape (R,); hits (R, n), kind (N,)."""
        parts = self._of_kind(as_floats(hits), kind)
        if parts.most == 1:
            seen = np.full(len(hits), parts.sums.shape[1])
            return hits_sequence(parts.sums.sum(1), seen, parts.total, error).low
        spread = least_sum(2 * parts.sums / parts.most - 1, parts.total, error)
        return as_floats((spread + parts.total) / 2 * parts.most)

    def least_sum(self, values: Floats, kind: Masks, error: float) -> Floats:
        """The least sum over all claims of a kind, shape (R,); values (R, n) in −1 to 1."""
        parts = self._of_kind(values, kind)
        return as_floats(least_sum(parts.sums / parts.most, parts.total, error) * parts.most)

    def _of_kind(self, values: Floats, kind: Masks) -> _Parts:
        starts = self._starts()
        counted = np.add.reduceat(kind[self.places].astype(np.int64), starts) > 0
        sums = np.add.reduceat(values * kind[self.places], starts, axis=1)[:, counted]
        sizes = np.bincount(self.units.codes[kind], minlength=1)
        return _Parts(as_floats(sums), int((sizes > 0).sum()), max(int(sizes.max()), 1))

    def _starts(self) -> Ints:
        codes = self.units.codes[self.places]
        return np.flatnonzero(np.concatenate([[True], codes[1:] != codes[:-1]]))


def held(seen: Seen, bounds: Bounds, error: float) -> Iterator[Held]:
    """Each guardrail that is sure to be broken on the full grid, whatever is still to come.

    Over-credit: the least errors among all gold-not-yes claims, and Wilson's limit of as many at
    the greatest effective n there is, which is the least limit that they can have. Differences to
    the baseline and kappa: the value alone, whose own limit is further off.

    Args:
        seen: The claims asked.
        bounds: The guardrails.
        error: Chance, for each guardrail and candidate, that it is ever wrong.
    """
    columns, every = seen.columns, np.ones(len(seen.columns.gold), np.bool_)
    unsupported = columns.gold != 0
    if bounds.over_credit_upper is not None and unsupported.any():
        hits = seen.least_hits(seen.codes == 0, unsupported, error)
        n = int(unsupported.sum())
        high = wilson_interval(hits, np.full(len(hits), n), seen.level).high
        yield _over("over_credit_upper", bounds.over_credit_upper, high)
    if bounds.coverage is not None:
        share = 1 - seen.least_hits(seen.codes == 3, every, error) / len(every)
        broken = share < bounds.coverage - ROUNDING
        yield Held("coverage", bounds.coverage, share, broken)
    if bounds.kappa_above is not None:
        high = _highest(seen, "kappa", error)
        yield Held("kappa_above", bounds.kappa_above, high, high <= bounds.kappa_above + ROUNDING)
    if seen.baseline is not None:
        yield from _against_baseline(seen, seen.baseline, bounds, error)


def guardrails_in(bounds: Bounds, baseline: int | None) -> int:
    """How many guardrails `held` looks at, among which the error rate is shared."""
    alone = (bounds.over_credit_upper, bounds.coverage, bounds.kappa_above)
    n = sum(bound is not None for bound in alone)
    if baseline is not None:
        n += bounds.over_credit_above_baseline is not None
        n += 0 if bounds.slice_loss is None else len(LOSS_SLICES) + 1
    return n


def _against_baseline(seen: Seen, baseline: int, bounds: Bounds, error: float) -> Iterator[Held]:
    every = np.ones(len(seen.places), np.bool_)
    wanted = []
    if bounds.over_credit_above_baseline is not None:
        wanted.append(("over_credit_above_baseline", "over_credit", every, 1.0))
    if bounds.slice_loss is not None:
        for name in LOSS_SLICES:
            wanted.append((f"loss_{name}", "accuracy", seen.part.in_slices([name]), -1.0))
        wanted.append(("loss_summary_yes", "summary_yes", every, -1.0))
    for name, share, within, sign in wanted:
        bound = bounds.over_credit_above_baseline if sign > 0 else bounds.slice_loss
        whole = np.ones(len(seen.columns.gold), np.bool_)
        if name.startswith("loss_") and share == "accuracy":
            whole = seen.columns.in_slices([name.removeprefix("loss_")])
        kind = _kind(seen.columns, share, whole)
        if not kind.any() or bound is None:
            continue
        hits = as_floats(SHARES[share].of(seen.part, seen.codes, within).numerator)
        gap = as_floats(sign * (hits - hits[[baseline]]))
        limit = seen.least_sum(gap, kind, error) / kind.sum()
        found = _over(name, bound, limit)
        found.broken[baseline] = False
        yield found


def _over(name: str, bound: float, limit: Floats) -> Held:
    return Held(name, bound, limit, np.asarray(limit > bound + ROUNDING, np.bool_))


def _kind(columns: ClaimColumns, share: str, within: Masks) -> Masks:
    """The claims in the denominator of a share, shape (N,)."""
    nothing = np.full((1, len(columns.gold)), 3)
    return np.broadcast_to(SHARES[share].of(columns, nothing, within).denominator, within.shape)


def least_lead(seen: Seen, target: str, leader: int, error: float) -> Floats:
    """The least by which the leader is better than each candidate on the full grid, shape (R,).

    In units of the target, better being positive. Shares are exact; a coefficient is taken to first
    order at the claims seen, which is what makes it asymptotic.

    Args:
        seen: The claims asked.
        target: Name of the figure that decides.
        leader: Place among the candidates.
        error: Chance, for each pair, that it is ever wrong.
    """
    sign = 1.0 if target in LOWER_IS_BETTER else -1.0
    if target in SHARES:
        kind = _kind(seen.columns, target, np.ones(len(seen.columns.gold), np.bool_))
        within = np.ones(len(seen.places), np.bool_)
        hits = as_floats(SHARES[target].of(seen.part, seen.codes, within).numerator)
        lead = seen.least_sum(sign * (hits - hits[[leader]]), kind, error)
        return as_floats(lead / max(int(kind.sum()), 1))
    values, pulls, slopes = _linear(seen, target)
    gap = sign * (values - values[leader])
    return as_floats(gap + _least_mean(seen, sign * pulls, sign * slopes, leader, error))


def unit_losses(seen: Seen, target: str) -> Floats:
    """What each unit adds to the target as a loss, shape (R, u), for tests by ranks.

    For a share its hits, units without a claim of the kind left out; for a coefficient wrong
    verdicts, since first-order parts differ a little on every claim, which ranks make much of.
    """
    name = target if target in SHARES else "accuracy"
    sums = seen.figure(name).sums.sums
    return as_floats((1 if name in LOWER_IS_BETTER else -1) * sums[sums[:, 0, 1] > 0, :, 0].T)


def _highest(seen: Seen, target: str, error: float) -> Floats:
    """The most that a coefficient can be on the full grid, shape (R,)."""
    values, pulls, slopes = _linear(seen, target)
    return as_floats(values - _least_mean(seen, -pulls, -slopes, None, error))


def _linear(seen: Seen, target: str) -> tuple[Floats, Floats, Floats]:
    """A coefficient (R,), n times what each unit adds to it (R, u), and n times its slopes."""
    figure = seen.figure(target)
    totals = figure.sums.totals
    slopes = len(figure.sums.sums) * gradient(figure, totals)
    pulls = (figure.sums.sums * slopes).sum((-2, -1)).T
    return as_floats(figure.coefficient(totals)), as_floats(pulls), slopes


def _least_mean(
    seen: Seen, pulls: Floats, slopes: Floats, leader: int | None, error: float
) -> Floats:
    """The least mean over all units of what a unit adds, less the leader's, shape (R,)."""
    other = np.zeros_like(slopes[[0]]) if leader is None else slopes[[leader]]
    gaps = pulls if leader is None else pulls - pulls[[leader]]
    up = (slopes.max(-1) - other.min(-1)).max(-1)
    down = (other.max(-1) - slopes.min(-1)).max(-1)
    most = int(np.bincount(seen.units.codes).max())
    reach = np.maximum(np.maximum(up, down), 1e-12)[:, None] * most
    scaled = np.clip(np.nan_to_num(gaps / reach), -1, 1)
    least = least_sum(scaled, seen.units.n_clusters, error) * reach[:, 0]
    return as_floats(np.where(np.isnan(gaps).any(1), -np.inf, least) / seen.units.n_clusters)
