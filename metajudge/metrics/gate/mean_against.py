"""Is the mean over cases under a limit, or over it? Both ways, with groups as the units.

Cases of one group (one context, one customer) are not independent: the mean is a ratio of sums over
groups, and whole groups are resampled. From 10 groups on the test is the bootstrap-t, which follows
the skew that a few changed cases have. With fewer groups, and where so few cases changed that many
resamples have none of them, it is a bet against the limit, which holds for any bounded scores and
any number of groups. Where all groups agree there is nothing to
resample: the chance that so many groups would agree if the mean were at the limit is counted out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Numbers, as_floats
from metajudge.agreement.bootstrap import cluster_weights
from metajudge.agreement.intervals import NORMAL

Method = Literal["bootstrap-t", "exact bet", "no spread"]
FEW_GROUPS = 10
"""Under so many groups the test is the exact one."""
RESAMPLES = 4999
BETS = np.arange(1, 21) / 20
_HALVINGS = 40
_TINY = 1e-12


class Errors(NamedTuple):
    """Error rates of a test.

    Attributes:
        alpha: Chance that a mean at the limit or better is called worse.
        miss: Chance that a mean at the limit or worse is called better.
    """

    alpha: float = 0.05
    miss: float = 0.05


DEFAULT_ERRORS = Errors()


@dataclass(frozen=True, slots=True)
class MeanTest:
    """A mean against a limit.

    Attributes:
        mean: Of the values.
        low: Lower limit of the mean, one-sided at `1 - miss`.
        high: Upper limit of the mean, one-sided at `1 - alpha`.
        p_under: Of the mean being at the limit or over it: small says that it is under.
        p_over: Of the mean being at the limit or under it: small says that it is over.
        spread: Standard error of the mean over groups; 0 where all groups agree.
        n: Values.
        groups: Groups that they come from.
        method: How the p-values were made.
    """

    mean: float
    low: float
    high: float
    p_under: float
    p_over: float
    spread: float
    n: int
    groups: int
    method: Method


@dataclass(frozen=True)
class GroupSums:
    """Values by group, within bounds known beforehand.

    Attributes:
        n: Shape (G,), values of each group.
        sums: Shape (G,), their sums.
        least: Least value that is possible.
        most: Greatest value that is possible.
    """

    n: Floats
    sums: Floats
    least: float
    most: float

    @property
    def mean(self) -> float:
        """Mean of all values."""
        return float(self.sums.sum() / self.n.sum())

    @property
    def spread(self) -> float:
        """Standard error of the mean, linearised over groups (Cochran 1977, eq. 6.13)."""
        groups = len(self.n)
        if groups < 2:
            return 0.0
        squares = float(((self.sums - self.mean * self.n) ** 2).sum())
        found = math.sqrt(squares * groups / (groups - 1)) / float(self.n.sum())
        return found if found > _TINY else 0.0

    @property
    def evenness(self) -> float:
        """Mean size of a group over the greatest, above 0 and up to 1."""
        return float(self.n.mean() / self.n.max())


def mean_against(
    values: Numbers,
    group: Ints,
    limit: float,
    *,
    bounds: tuple[float, float],
    errors: Errors = DEFAULT_ERRORS,
    seed: int = 0,
) -> MeanTest:
    """Tests the mean of values against a limit, both ways.

    Args:
        values: Shape (n,), n at least 1, within `bounds`.
        group: Shape (n,), codes 0 … G - 1, each used.
        limit: What the mean is held against, inside `bounds`.
        bounds: Least and greatest value that are possible.
        errors: One-sided levels of the limits.
        seed: Of the resamples.

    Source: bootstrap-t: Efron and Tibshirani (1993), An Introduction to the Bootstrap, section
    12.5; p-values with one added above and below: Davison and Hinkley (1997), eq. 4.11. Bets:
    Waudby-Smith and Ramdas (2024), J. R. Stat. Soc. B 86, section 4, here with a uniform mixture
    over 20 bets, so that the order of cases does not matter.

    >>> found = mean_against([0.0] * 59, np.arange(59), -0.05, bounds=(-1, 1))
    >>> found.method, round(found.p_over, 3), found.p_under
    ('no spread', 0.048, 1.0)
    """
    codes = np.asarray(group, np.int64)
    given = as_floats(values)
    sums = GroupSums(
        as_floats(np.bincount(codes)), as_floats(np.bincount(codes, weights=given)), *bounds
    )
    spread = sums.spread
    if spread == 0.0 and float(np.ptp(given)) < _TINY:
        return _tested(sums, _agreed(sums), limit, errors, "no spread")
    if len(sums.n) < FEW_GROUPS or spread == 0.0:
        return _tested(sums, _bets(sums), limit, errors, "exact bet")
    drawn = _studentised(sums, np.random.default_rng(seed))
    if float(np.isinf(drawn).mean()) > min(errors):
        return _tested(sums, _bets(sums), limit, errors, "exact bet")
    step = (sums.mean - limit) / spread
    return MeanTest(
        mean=sums.mean,
        low=max(sums.mean - _quantile(drawn, 1 - errors.miss) * spread, sums.least),
        high=min(sums.mean - _quantile(drawn, errors.alpha) * spread, sums.most),
        p_under=(1 + int((drawn <= step).sum())) / (1 + len(drawn)),
        p_over=(1 + int((drawn >= step).sum())) / (1 + len(drawn)),
        spread=spread,
        n=int(sums.n.sum()),
        groups=len(sums.n),
        method="bootstrap-t",
    )


class _Chances(NamedTuple):
    """p-values against a limit: of a mean that is not under it, and of one that is not over it."""

    under: float
    over: float


def _studentised(sums: GroupSums, rng: np.random.Generator) -> Floats:
    """Studentised means of the resamples, sorted; infinite where a resample has no spread."""
    groups = len(sums.n)
    weights = cluster_weights(groups, RESAMPLES, rng).astype(np.float64)
    n, total = weights @ sums.n, weights @ sums.sums
    mean = total / n
    squares = weights @ sums.sums**2
    squares += mean**2 * (weights @ sums.n**2) - 2 * mean * (weights @ (sums.n * sums.sums))
    spread = np.sqrt(np.maximum(squares, 0.0) * groups / (groups - 1)) / n
    gap = mean - sums.mean
    still = spread < _TINY * max(1.0, abs(sums.most), abs(sums.least))
    step = np.where(np.abs(gap) < _TINY, 0.0, np.copysign(np.inf, gap))
    return as_floats(np.sort(np.where(still, step, gap / np.where(still, 1.0, spread))))


def _quantile(drawn: Floats, share: float) -> float:
    """The value that a share of the resamples lies under, on the cautious side."""
    place = math.floor(share * (len(drawn) + 1)) if share < 0.5 else math.ceil(
        share * (len(drawn) + 1)
    )  # fmt: skip
    return float(drawn[min(max(place, 1), len(drawn)) - 1])


def _agreed(sums: GroupSums) -> Callable[[float], _Chances]:
    """Chances that every value would be the same if the mean were at a limit."""
    value, groups = sums.mean, len(sums.n)

    def chance(gap: float, reach: float) -> float:
        if gap <= 0:
            return 1.0
        other = 1.0 if reach <= 0 else min(1.0, gap / reach * sums.evenness)
        return max(1.0 - other, 0.0) ** groups

    return lambda limit: _Chances(
        chance(limit - value, sums.most - value), chance(value - limit, value - sums.least)
    )


def _bets(sums: GroupSums) -> Callable[[float], _Chances]:
    """Evidence of bets against a limit; 1 over the money won is a p-value by Markov."""
    largest = float(sums.n.max())

    def chance(gains: Floats, worst: float) -> float:
        bets = BETS / max(worst, _TINY)
        with np.errstate(divide="ignore"):
            logs = np.log(np.maximum(1.0 + bets[:, None] * gains[None, :], 0.0)).sum(1)
        top = float(logs.max())
        if not math.isfinite(top):
            return 1.0
        won = top + math.log(float(np.exp(logs - top).mean()))
        return math.exp(-max(won, 0.0))

    def both(limit: float) -> _Chances:
        over = (sums.sums - limit * sums.n) / largest
        return _Chances(chance(-over, sums.most - limit), chance(over, limit - sums.least))

    return both


def _tested(
    sums: GroupSums,
    chances: Callable[[float], _Chances],
    limit: float,
    errors: Errors,
    method: Method,
) -> MeanTest:
    at = chances(limit)
    low = _edge(sums.mean, sums.least, lambda place: chances(place).over <= errors.miss)
    high = _edge(sums.mean, sums.most, lambda place: chances(place).under <= errors.alpha)
    return MeanTest(
        sums.mean, low, high, at.under, at.over, sums.spread, int(sums.n.sum()), len(sums.n), method
    )


def _edge(inside: float, outside: float, ruled_out: Callable[[float], bool]) -> float:
    """The limit nearest to the mean that is ruled out, by halving."""
    if not ruled_out(outside):
        return outside
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        inside, outside = (inside, middle) if ruled_out(middle) else (middle, outside)
    return outside


def power(distance: float, spread: float, level: float) -> float:
    """Chance that a one-sided test tells a mean from a limit that far away, by the normal law.

    Args:
        distance: From the limit to the true mean, 0 and more.
        spread: Standard error of the mean, above 0.
        level: Of the test.

    >>> round(power(0.1, 0.03, 0.05), 2)
    0.95
    """
    return NORMAL.cdf(distance / spread - NORMAL.inv_cdf(1 - level))


def cases_by_bets(chance: float, found: MeanTest, level: float) -> int | None:
    """Cases with which bets that go on as they went reach a level.

    The logarithm of the money won grows in proportion to the cases.

    Args:
        chance: The p-value so far; None is returned where nothing was won.
        found: A test by bets.
        level: Of the test.

    >>> found = mean_against([0.0] * 30, np.arange(30), -0.05, bounds=(-1, 1))
    >>> cases_by_bets(0.2, found, 0.04)
    60
    """
    if not 0.0 < chance < 1.0:
        return None
    return math.ceil(round(found.n * math.log(level) / math.log(chance), 6))


def cases_needed(distance: float, found: MeanTest, level: float, chance: float) -> int | None:
    """Cases with which a mean that far from the limit is told from it.

    Args:
        distance: From the limit to the true mean; None is returned where it is 0.
        found: A test, for the spread of a case and the size of a group.
        level: Of the test.
        chance: With which it is told.

    >>> found = mean_against([0.0] * 30, np.arange(30), -0.05, bounds=(-1, 1))
    >>> cases_needed(0.05, found, 0.05, 0.8)
    59
    """
    if distance <= 0:
        return None
    if found.spread == 0.0:
        groups = math.ceil(math.log(level) / math.log(1 - min(distance, 0.999)))
        return math.ceil(groups * found.n / found.groups)
    ratio = (NORMAL.inv_cdf(1 - level) + NORMAL.inv_cdf(chance)) * found.spread / distance
    return math.ceil(found.n * ratio**2)
