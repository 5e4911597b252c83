"""Who agrees less than the others do: a rule with its numbers, not a verdict on a person."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from metajudge.agreement.adjust import holm
from metajudge.agreement.arrays import Floats, Ints, Masks, Numbers, as_floats, divide
from metajudge.agreement.bootstrap import ClusterSums
from metajudge.agreement.estimate import Estimate
from metajudge.agreement.intervals import NORMAL, wilson_interval
from metajudge.agreement.rest import NOBODY_ELSE, Basis, Rest, differences, mean_gap
from metajudge.agreement.tails import student_lower_tail
from metajudge.counted import counted

Outcome = Literal["below", "in_line", "open", "untested"]
TOLERANCE = 0.10
"""Gap to the others that is taken for none in practice."""
LEAST_CLAIMS, LEAST_CLUSTERS = 30, 10
POWER = 0.8


@dataclass(frozen=True, slots=True)
class Standing:
    """How an annotator's agreement stands to that of the others with each other.

    Attributes:
        gap: Agreement with the others minus the others' agreement with each other; below 0 the
            annotator agrees less.
        basis: `same_claims`: both on the claims that the annotator and two others labelled.
            `other_claims`: the others on other claims, where no claim has three labels; harder
            claims then look like a worse annotator.
        p: One-sided, that the gap is not below 0, adjusted over the annotators (Holm); None where
            it was not tested.
        outcome: `below`: p is at most 1 - level. `in_line`: the lower limit of the gap is not
            below -tolerance. `open`: neither is shown. `untested`: there is nothing to compare.
        claims_needed: With `open`, about how many more common claims would show a gap of the
            tolerance; None otherwise.
        reason: Why it is open or untested; None otherwise.
    """

    gap: Estimate
    basis: Basis | None
    p: float | None
    outcome: Outcome
    claims_needed: int | None = None
    reason: str | None = None


class _Compared(NamedTuple):
    """Sums for `mean_gap`, (G, R, 4), and which annotators are compared on the same claims."""

    sums: ClusterSums
    paired: Masks


def standings(
    found: Rest,
    weights: Numbers,
    level: float = 0.95,
    tolerance: float = TOLERANCE,
) -> tuple[Standing, ...]:
    """Each annotator's agreement against that of the others with each other.

    On the same claims the difficulty of claims cancels out, also for somebody who is shown disputed
    claims only. A minority of one may be right: the rule says whose labels to look at first.

    Args:
        found: From `rest_of_panel`.
        weights: Shape (B, G), from `cluster_weights`.
        level: 1 - level is the chance, over all annotators together, to call anyone `below` who is
            not; also the coverage of the gaps' intervals.
        tolerance: See `TOLERANCE`.

    Returns:
        R of them. With two annotators nobody is tested: a disagreement does not say who erred.

    Source: one-sided bootstrap p by resampled gaps at or above 0, Davison and Hinkley (1997),
    Bootstrap Methods and their Application, ch. 4.4, where there is none Student's t of the gap by
    its bootstrap spread if that is less; Holm (1979), Scand. J. Stat. 6.
    """
    n_people = len(np.unique(found.annotator))
    if n_people < 3:
        return (_untested(_too_few(n_people)),) * found.n_annotators
    compared = _compared(found)
    gaps, draws = differences(compared.sums, mean_gap, weights, NOBODY_ELSE, level)
    tested = np.array([_short_of(gap) is None for gap in gaps])
    known = ~np.isnan(draws)
    spread = np.sqrt(np.maximum(_variance(draws, known), _unseen(compared.sums.n_clusters) ** 2))
    adjusted = holm(np.where(tested, _p_values(gaps, draws, spread), np.nan))
    share = (1 - level) / max(int(tested.sum()), 1)
    reach = (NORMAL.inv_cdf(1 - share) + NORMAL.inv_cdf(POWER)) / tolerance
    return tuple(
        _standing(
            gap,
            "same_claims" if compared.paired[row] else "other_claims",
            float(adjusted[row]) if tested[row] else None,
            _more_claims(gap.n, float(spread[row]) * reach),
            level=level,
            tolerance=tolerance,
        )
        for row, gap in enumerate(gaps)
    )


def _p_values(gaps: Sequence[Estimate], draws: Floats, spread: Floats) -> Floats:
    """One-sided p; where no resample reaches 0, no more than Student's t has.

    Resamples alone give no p under 1 / (1 + B), which is too much for many annotators at once.
    """
    reached = (draws >= 0).sum(0)
    raw = divide(1 + reached, 1 + (~np.isnan(draws)).sum(0))
    for row, gap in enumerate(gaps):
        if gap.value is not None and not reached[row] and gap.n_clusters > 1 and spread[row] > 0:
            tail = student_lower_tail(gap.value / float(spread[row]), gap.n_clusters - 1)
            raw[row] = min(raw[row], tail)
    return raw


def _standing(
    gap: Estimate,
    basis: Basis,
    p: float | None,
    more: int,
    *,
    level: float,
    tolerance: float,
) -> Standing:
    if gap.value is None:
        return _untested(gap.reason or NOBODY_ELSE)
    if p is None:
        return Standing(gap, basis, None, "open", more, _short_of(gap))
    if p <= 1 - level + 1e-12:
        return Standing(gap, basis, p, "below")
    if _lower_limit(gap) >= -tolerance:
        return Standing(gap, basis, p, "in_line")
    reason = f"a gap of {tolerance:g} is neither shown nor ruled out"
    return Standing(gap, basis, p, "open", more, reason)


def _too_few(n_people: int) -> str:
    if n_people == 2:
        return "two annotators: a disagreement does not say who erred"
    return "nobody else labelled these claims"


def _untested(reason: str) -> Standing:
    nothing = Estimate(None, None, None, 0, 0, "", reason)
    return Standing(nothing, None, None, "untested", None, reason)


def _compared(found: Rest) -> _Compared:
    """On the claims with three labels where an annotator has such, on all others' claims else."""
    triple = found.n_others >= 2
    same = found.sums([found.agreement * triple, as_floats(triple)], triple)
    among = found.sums([found.among, as_floats(triple)])
    paired = np.concatenate([same.sums, among.sums], axis=-1)
    own = found.sums([found.same, found.n_others])
    apart = np.concatenate([own.sums, own.sums.sum(1, keepdims=True) / 2 - own.sums], axis=-1)
    has_triple = same.n > 0
    return _Compared(
        ClusterSums(
            np.where(has_triple[:, None], paired, apart),
            np.where(has_triple, same.n, own.n),
            np.where(has_triple, same.n_clusters, own.n_clusters),
        ),
        has_triple,
    )


def _short_of(gap: Estimate) -> str | None:
    """Why a gap is not tested; None where it is."""
    if gap.value is None:
        return gap.reason
    if gap.n < LEAST_CLAIMS:
        return f"{counted(gap.n, 'common claims')}, {LEAST_CLAIMS} are needed"
    if gap.n_clusters < LEAST_CLUSTERS:
        return (
            f"common claims in {counted(gap.n_clusters, 'contexts')}, {LEAST_CLUSTERS} are needed"
        )
    return None


def _lower_limit(gap: Estimate) -> float:
    """Of a gap that is the same in every resample: less what so few clusters may not have shown."""
    if gap.low is not None:
        return gap.low
    return float(gap.value or 0.0) - float(wilson_interval(0, gap.n_clusters, gap.level).high)


def _unseen(n_clusters: Ints) -> Floats:
    """Standard error of a share of one cluster, the least that can be seen."""
    return np.nan_to_num(divide(1.0, n_clusters))


def _variance(draws: Floats, known: Masks) -> Floats:
    n = known.sum(0)
    mean = divide(np.nan_to_num(draws).sum(0), n)
    return np.nan_to_num(divide((np.where(known, draws - mean, 0.0) ** 2).sum(0), n))


def _more_claims(n: int, reach: float) -> int:
    """Claims beside those that there are, for a spread that shrinks by the root of their number."""
    return max(LEAST_CLAIMS - n, math.ceil(n * reach**2) - n, 1)
