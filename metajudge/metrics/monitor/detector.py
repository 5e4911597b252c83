"""An alarm for a change at an unknown time, with a bound on how often it is false.

Each look (a week, or a day) brings outcomes between 0 and 1 whose mean is at most `null_mean` while
nothing changed. With every week one unit of money begins to bet against that, and all of it is bet
on at each look; the sum is the statistic of Shiryaev and Roberts for e-values. It is an alarm once
the sum reaches 1 / alpha, and then everything begins anew.

While nothing changed, nobody can expect to gain, so the money on the table plus 1 / alpha for every
alarm so far is at most the number of weeks, in the mean. Hence in any number N of quiet weeks the
expected number of false alarms is at most alpha N, and the mean time to the first is at least
1 / alpha weeks.

Sources: Shin, Ramdas and Rinaldo (2024), New Engl. J. Stat. Data Sci. 2, definition 2.2 and theorem
2.4 (e-detectors, average run length); Roberts (1966), Technometrics 8; Waudby-Smith and Ramdas
(2024), J. R. Stat. Soc. B 86, for bets on bounded means. `agreement.eprocess` bounds the chance of
*ever* a false alarm instead, which has no room for a second alarm.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, Numbers, as_floats

BETS = (0.2, 0.5, 0.9)
"""Shares of the money at stake in one outcome, each with an equal part of it."""
LONGEST_DELAY = 104
"""Weeks up to which a delay is foretold."""
SIMULATED = 400
"""Series by which it is."""
GRID = 50
"""Places by which the mean gain of an answer is reckoned."""
FOUND_SHARE = 0.92
"""Share of simulated changes that a foretold delay covers, so that nine of ten hold."""


class Side(NamedTuple):
    """One thing that is followed.

    Attributes:
        name: `drop`, `rise` or `unscored`.
        weight: Its share of the money.
    """

    name: str
    weight: float


@dataclass(frozen=True, slots=True)
class Look:
    """What one look brought.

    Attributes:
        name: Week, or day.
        enters: Money that enters, 1 at the first look of a week, else 0.
        outcomes: By side, shape (k,), 0 to 1.
    """

    name: str
    enters: float
    outcomes: dict[str, Floats]


@dataclass(frozen=True, slots=True)
class Found:
    """An alarm of the statistic.

    Attributes:
        at: Index of the look that raised it.
        since: Index of the look from which on money that began to bet has gained most: the
            estimate of when the change came.
        side: The side that has most of the money.
    """

    at: int
    since: int
    side: str


class Detector:
    """The statistic, look by look.

    Attributes:
        sides: What is followed; weights sum to 1.
        alpha: Expected false alarms a week at most.
        null_mean: Highest mean outcome while nothing changed.
        evidence: Natural log of the sum after each look, minus infinity before any money.
    """

    def __init__(self, sides: Sequence[Side], alpha: float, null_mean: float = 0.5) -> None:
        if not 0 < alpha < 1 or not 0 < null_mean < 1:
            raise ValueError(f"alpha and null_mean lie between 0 and 1: {alpha!r}, {null_mean!r}")
        self.sides, self.alpha, self.null_mean = tuple(sides), alpha, null_mean
        self.evidence: list[float] = []
        self._begin(0)

    def _begin(self, first: int) -> None:
        self._first = first
        shape = (len(self.sides), len(BETS))
        self._money = np.full(shape, -np.inf)
        self._gains: list[Floats] = [np.zeros(shape)]

    def take(self, look: Look) -> Found | None:
        """Weigh one look; an alarm begins everything anew with the next one."""
        shares = np.log([side.weight / len(BETS) for side in self.sides])[:, None]
        entering = shares + (math.log(look.enters) if look.enters else -np.inf)
        gains = as_floats([self._gain(look.outcomes[side.name]) for side in self.sides])
        self._money = np.logaddexp(self._money, entering) + gains
        self._gains.append(self._gains[-1] + gains)
        total = float(np.logaddexp.reduce(self._money, axis=None))
        self.evidence.append(total)
        if total < -math.log(self.alpha):
            return None
        found = self._found()
        self._begin(len(self.evidence))
        return found

    def _gain(self, outcomes: Numbers) -> Floats:
        odds = as_floats(outcomes) / self.null_mean - 1
        return as_floats([np.log1p(bet * odds).sum() for bet in BETS])

    def _found(self) -> Found:
        side, bet = np.unravel_index(int(np.argmax(self._money)), self._money.shape)
        path = as_floats([gains[side, bet] for gains in self._gains[:-1]])
        since = self._first + int(len(path) - 1 - np.argmin(path[::-1]))
        return Found(len(self.evidence) - 1, since, self.sides[int(side)].name)


def foretold_weeks(
    effect: float,
    answers: int,
    *,
    alpha: float,
    weight: float,
    null_mean: float = 0.5,
    before: int = 12,
    seed: int = 0,
) -> int | None:
    """Weeks within which nine of ten changes of one size are found; None where over two years.

    By simulation of the statistic under Lehmann's alternatives: among earlier answers a changed one
    falls short of a share U^(1 / θ), U uniform, with a mean of θ / (θ + 1) = effect + 1/2; among
    answers that changed with it, of U. What it is ranked among moves from the first to the second.
    A week's gain is taken as normal, with mean and spread of the sum over its answers. That the
    earlier answers are a sample moves the effect by a normal error with the variance of
    the mean of uniform ranks.

    Args:
        effect: Chance that a changed answer scores lower than an earlier one of its stratum, ties
            as one half, less one half; under 0.5.
        answers: Sampled answers a week.
        alpha: As in `Detector`.
        weight: Of the side that follows the change.
        null_mean: As in `Detector`.
        before: Quiet weeks before the change.
        seed: Of the simulation.

    Source: Lehmann (1953), Ann. Math. Stat. 24, for the alternatives.

    >>> foretold_weeks(0.1, 200, alpha=0.01, weight=0.6)
    1
    """
    if effect <= null_mean - 0.5 or answers < 1:
        return None
    rng = np.random.default_rng(seed)
    money = np.full((SIMULATED, len(BETS)), -np.inf)
    known = effect + rng.standard_normal((SIMULATED, 1)) / math.sqrt(12 * before * answers)
    power = np.clip((0.5 - known) / (0.5 + known), 0.0, None)
    grid = (np.arange(GRID) + 0.5) / GRID
    short, quiet = grid**power, np.log1p(as_floats(BETS) * (grid[:, None] / null_mean - 1))[None]
    for week in range(1 - before, LONGEST_DELAY + 1):
        logs = quiet
        if week > 0:
            old = before / (before + week - 0.5)
            odds = (old * short + (1 - old) * grid) / null_mean - 1
            logs = np.stack([np.log1p(bet * odds) for bet in BETS], axis=-1)
        chance = rng.standard_normal((SIMULATED, 1)) * math.sqrt(answers)
        gains = answers * logs.mean(1) + chance * logs.std(1)
        money = np.logaddexp(money, math.log(weight / len(BETS))) + gains
        reached = np.logaddexp.reduce(money, axis=-1) >= -math.log(alpha)
        if week <= 0:
            money[reached] = -np.inf
        else:
            money[reached] = np.inf
            if reached.mean() >= FOUND_SHARE:
                return week
    return None
