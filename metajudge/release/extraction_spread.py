"""How far the scores of answers move with nothing but the extraction of their claims.

Needs no gold: the same answers, drawn into claims several times by the same prompt and judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from pydantic import Field

from metajudge.agreement.arrays import Floats, as_floats, divide
from metajudge.agreement.rates import ratio
from metajudge.release.claim_matching import matched_claims
from metajudge.release.consult.units import Units
from metajudge.release.extraction import Extracted
from metajudge.report.figure import figure, number
from metajudge.report.part import Figure, Part
from metajudge.scoring.answers import FAIL, PASS, passes

_TWICE = "scored in two draws"


class ExtractionSpread(Part):
    """What extraction alone does to the scores."""

    draws: int
    score_sd: Figure = Field(description="Mean over answers of the SD of the score over draws.")
    score_range: Figure = Field(description="Mean over answers of largest minus smallest score.")
    largest_range: float | None = Field(description="The largest such difference of any answer.")
    pass_changes: Figure = Field(
        description="Share of answers that pass in some draws and fail in others."
    )
    recurrence: Figure = Field(
        description="Share of claims that another draw has too, over all pairs of draws."
    )
    claims_sd: Figure = Field(description="Mean over answers of the SD of the number of claims.")


class OverDraws(NamedTuple):
    """One figure an answer, each of shape (A,); nan with fewer than two values."""

    sd: Floats
    low: Floats
    high: Floats


def over_draws(values: Floats) -> OverDraws:
    """Sample SD, least and greatest value over draws.

    Args:
        values: Shape (A, k), nan where a draw has none.

    >>> over_draws(np.array([[0.5, 1.0, np.nan], [0.5, np.nan, np.nan]])).low.tolist()
    [0.5, nan]
    """
    known = np.isfinite(values)
    n = known.sum(1)
    filled = np.where(known, values, 0.0)
    mean = divide(filled.sum(1), n)
    squares = np.where(known, (filled - mean[:, None]) ** 2, 0.0).sum(1)
    twice = n >= 2
    low = np.where(known, values, np.inf).min(1, initial=np.inf)
    high = np.where(known, values, -np.inf).max(1, initial=-np.inf)
    return OverDraws(
        as_floats(np.sqrt(divide(squares, np.where(twice, n - 1, 0)))),
        as_floats(np.where(twice, low, np.nan)),
        as_floats(np.where(twice, high, np.nan)),
    )


def extraction_spread(
    scores: Floats, drawn: Sequence[Sequence[Extracted]], units: Units, threshold: float
) -> ExtractionSpread:
    """The spread of scores over draws of the claims.

    Args:
        scores: Shape (A, k), one score a draw, nan where there is none.
        drawn: The claims of each answer's draws.
        units: The answers with their contexts.
        threshold: Least score that passes.
    """
    spread = over_draws(scores)
    measured = np.isfinite(spread.sd)
    width = spread.high - spread.low
    passed = passes(scores.ravel(), threshold).reshape(scores.shape)
    changes = (passed == PASS).any(1) & (passed == FAIL).any(1)
    counts = over_draws(_counts(drawn, scores.shape))
    return ExtractionSpread(
        draws=scores.shape[1],
        score_sd=figure(units.mean(spread.sd, measured, _TWICE)),
        score_range=figure(units.mean(width, measured, _TWICE)),
        largest_range=number(float(width[measured].max())) if measured.any() else None,
        pass_changes=figure(units.share(changes, measured, f"part of an answer {_TWICE}")),
        recurrence=_recurrence(drawn, units),
        claims_sd=figure(units.mean(counts.sd, np.isfinite(counts.sd), "drawn twice")),
    )


def _counts(drawn: Sequence[Sequence[Extracted]], shape: tuple[int, ...]) -> Floats:
    counts = [[len(draw.claims) if draw.known else np.nan for draw in draws] for draws in drawn]
    return as_floats(counts).reshape(shape)


def _recurrence(drawn: Sequence[Sequence[Extracted]], units: Units) -> Figure:
    """Over pairs of draws: twice the matched claims, out of the claims of both (Dice)."""
    sums = np.zeros((len(drawn), 2))
    for index, draws in enumerate(drawn):
        known = [draw.claims for draw in draws if draw.known]
        for one, other in combinations(known, 2):
            sums[index] += 2 * len(matched_claims(one, other)), len(one) + len(other)
    return figure(units.statistic(sums, ratio, "no answer has a claim in two draws"))
