"""What a cascade costs for 1,000 answers: calls of the judge, and minutes of people.

Every number is a ratio of sums over contexts, with a percentile interval of the cluster bootstrap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from pydantic import Field

from metajudge.agreement.arrays import Floats, Masks, as_floats, divide
from metajudge.agreement.bootstrap import ClusterSums, cluster_sums, cluster_weights
from metajudge.agreement.coefficients import Coefficient
from metajudge.agreement.estimate import estimate, told_apart
from metajudge.metrics.cascade.cut_offs import Claims, joined
from metajudge.report.figure import figure
from metajudge.report.part import Figure, Part

RESAMPLES = 2000
PER = 1000.0
_REASON = "no answer"


class Prices(Part):
    """What a verdict and a person's look cost; null is not known, and never taken for nothing."""

    usd_per_screening: float | None = Field(
        default=0.0, ge=0, description="The screen's price for one claim, in USD."
    )
    usd_per_verdict: float | None = Field(
        default=None, ge=0, description="The judge's price for one claim, in USD."
    )
    tokens_per_verdict: float | None = Field(
        default=None, ge=0, description="Tokens read and written for one claim, mean on gold."
    )
    minutes_per_claim: float | None = Field(
        default=None, ge=0, description="A person's time for one claim, in minutes."
    )
    usd_per_hour: float | None = Field(
        default=None, ge=0, description="What an hour of a person's work costs, in USD."
    )
    supported_share: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Share of supported claims where the cascade is used; null: as in gold.",
    )

    @property
    def usd_per_look(self) -> float | None:
        """A person's look at one claim, in USD; None where it is not known."""
        if self.minutes_per_claim is None or self.usd_per_hour is None:
            return None
        return self.minutes_per_claim / 60 * self.usd_per_hour

    @property
    def total_known(self) -> bool:
        """Whether a cost can be told at all."""
        return None not in (self.usd_per_screening, self.usd_per_verdict, self.usd_per_look)


class Expected(Part):
    """What 1,000 answers like those of gold are expected to bring."""

    claims: Figure
    to_judge: Figure = Field(description="Claims that the screen does not pass.")
    to_people: Figure = Field(description="Claims that nothing passes.")
    share_screen: Figure = Field(description="Share of claims that pass the screen.")
    share_judge: Figure = Field(description="Share of claims that the judge passes.")
    share_people: Figure = Field(description="Share of claims that people see.")
    tokens: Figure | None = Field(description="Of the judge; null where replies tell none.")
    screen_usd: Figure | None = Field(description="null where the screen's price is not known.")
    judge_usd: Figure | None = Field(description="null where the judge's price is not known.")
    people_minutes: Figure | None = Field(description="null where no time a claim is given.")
    people_usd: Figure | None
    usd: Figure | None = Field(description="null unless every price is known.")


class Routed(NamedTuple):
    """Where each claim goes, shape (n,): the judge, and people."""

    to_judge: Masks
    to_people: Masks


def routed(claims: Claims, screen: float | None, judge: float | None) -> Routed:
    """Claims that the judge sees, and that people see, at these cut-offs.

    A judge without a cut-off passes nothing, and is not asked.
    """
    scores = joined(claims, screen)
    left = ~np.isposinf(scores)
    if judge is None:
        return Routed(np.zeros_like(left), left)
    return Routed(left, left & (scores < judge))


@dataclass(frozen=True)
class CostOf:
    """The costs of a set of claims; all figures on the same resamples.

    Attributes:
        claims: Labelled claims.
        prices: What is known about prices.
        seed: Of the resamples.
        resamples: How many.
    """

    claims: Claims
    prices: Prices
    seed: int = 0
    resamples: int = RESAMPLES

    def expected(self, screen: float | None, judge: float | None) -> Expected:
        """What cut-offs bring for 1,000 answers; a screen without a cut-off is not asked."""
        prices = self.prices
        screening = 0.0 if screen is None else prices.usd_per_screening
        route = routed(self.claims, screen, judge)
        made = partial(self._figure, self._sums(route))
        return Expected(
            claims=made(lambda c, j, p: c * PER),
            to_judge=made(lambda c, j, p: j * PER),
            to_people=made(lambda c, j, p: p * PER),
            share_screen=made(lambda c, j, p: divide(c - np.maximum(j, p), c)),
            share_judge=made(lambda c, j, p: divide(np.maximum(j, p) - p, c)),
            share_people=made(lambda c, j, p: divide(p, c)),
            tokens=self._priced(made, verdict=prices.tokens_per_verdict),
            screen_usd=self._priced(made, screening=screening),
            judge_usd=self._priced(made, verdict=prices.usd_per_verdict),
            people_minutes=self._priced(made, look=prices.minutes_per_claim),
            people_usd=self._priced(made, look=prices.usd_per_look),
            usd=self._priced(made, screening, prices.usd_per_verdict, prices.usd_per_look),
        )

    def rank(self, screen: float | None, judge: float | None) -> tuple[float, ...]:
        """What is smaller for the cheaper cut-offs: cost, else claims for people, then calls."""
        sums = self._sums(routed(self.claims, screen, judge)).sum(0)
        seen, calls, looks = self._per_answer(sums)
        prices = self.prices
        if prices.total_known:
            total = calls * (prices.usd_per_verdict or 0.0) + looks * (prices.usd_per_look or 0.0)
            total += 0.0 if screen is None else seen * (prices.usd_per_screening or 0.0)
            return (float(total), float(looks), float(calls))
        return (float(looks), float(calls))

    def _sums(self, route: Routed) -> Floats:
        """By context: answers; then claims, judged and seen of supported and of other ones."""
        good = ~self.claims.unsupported
        parts = [
            kind & part
            for kind in (good, ~good)
            for part in (np.ones_like(good), route.to_judge, route.to_people)
        ]
        first = np.zeros(len(good), np.bool_)
        first[np.unique(self.claims.answers, return_index=True)[1]] = True
        stacked = as_floats(np.stack([first, *parts], axis=-1))[None]
        return cluster_sums(self.claims.contexts, stacked, np.ones_like(good)).sums[:, 0]

    def _per_answer(self, sums: Floats) -> tuple[Floats, Floats, Floats]:
        """Claims, calls and looks for one answer, from sums (…, 7)."""
        good, bad = sums[..., 1:4], sums[..., 4:7]
        if self.prices.supported_share is None:
            total = good + bad
        else:
            share = self.prices.supported_share
            claims = (good + bad)[..., :1]
            total = claims * (share * _each(good) + (1 - share) * _each(bad))
        told = divide(total, sums[..., :1])
        return told[..., 0], told[..., 1], told[..., 2]

    def _figure(self, sums: Floats, of: Callable[..., Floats]) -> Figure:
        def value(resampled: Floats) -> Floats:
            return as_floats(of(*self._per_answer(resampled)))

        n, groups = len(self.claims.unsupported), len(np.unique(self.claims.contexts))
        whole = ClusterSums(sums[:, None], np.array([n]), np.array([groups]))
        weights = cluster_weights(len(sums), self.resamples, np.random.default_rng(self.seed))
        coefficient = Coefficient("cost", value, _REASON, 0.0, np.inf)
        return figure(told_apart(estimate(whole, coefficient, weights)[0]))

    def _priced(
        self,
        made: Callable[..., Figure],
        screening: float | None = 0.0,
        verdict: float | None = 0.0,
        look: float | None = 0.0,
    ) -> Figure | None:
        if screening is None or verdict is None or look is None:
            return None
        return made(lambda c, j, p: PER * (c * screening + j * verdict + p * look))


def _each(kind: Floats) -> Floats:
    """Sums (…, 3) for one claim of the kind; nothing where there is none."""
    return np.nan_to_num(divide(kind, kind[..., :1]))
