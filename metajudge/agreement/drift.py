"""How an annotator's agreement with the others moves over time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from metajudge.agreement.adjust import holm
from metajudge.agreement.arrays import Floats, Ints, Masks, Numbers, as_floats
from metajudge.agreement.estimate import Estimate
from metajudge.agreement.rest import NOBODY_ELSE, Basis, Rest, differences, mean_gap
from metajudge.agreement.tails import student_lower_tail
from metajudge.counted import counted

LEAST_TIMED, LEAST_CLUSTERS = 20, 10


@dataclass(frozen=True, slots=True)
class Drift:
    """Agreement with the others in the order in which an annotator gave the labels.

    Attributes:
        change: Of the last half of the labels minus of the first half; None with a reason where
            times are missing, equal or too few.
        p: Two-sided, of a straight trend over the order, adjusted over the annotators (Holm);
            None where `change` is, and with fewer than 10 clusters.
        basis: `same_claims`: agreement with the others less that of the others with each other,
            so that harder claims do not pass for a worse annotator. Where one annotator goes down
            the others go up beside them.
            `other_claims`: agreement with the others alone, where no claim has three labels.
    """

    change: Estimate
    p: float | None
    basis: Basis | None = None


def drifts(found: Rest, times: Numbers, weights: Numbers, level: float = 0.95) -> tuple[Drift, ...]:
    """Change of each annotator's agreement with the others over time.

    The trend is the correlation over clusters of the mean place in the order with the sum of the
    claims' agreement less its mean: claims of one context count together. With two labels a claim,
    everybody drifts where the order follows the difficulty of claims; compare annotators.

    Args:
        found: From `rest_of_panel`.
        times: Shape (R, N), seconds since any moment; nan where unknown.
        weights: Shape (B, G), from `cluster_weights`.
        level: Coverage of the percentile interval of the change.

    Returns:
        R of them.

    Source: Pitman (1937), Suppl. J. R. Stat. Soc. 4, part II: the permutation distribution of a
    correlation through Student's t.
    """
    value, paired = _followed(found)
    moment = np.where(np.isnan(value), np.nan, as_floats(times)[found.annotator, found.claim])
    timed = ~np.isnan(moment)
    place = _places(found, moment, timed)
    n_timed = np.bincount(found.annotator[timed], minlength=found.n_annotators)
    half = (n_timed // 2)[found.annotator]
    last = timed & (place >= n_timed[found.annotator] - half)
    first = timed & (place < half)
    columns = [mask * column for mask in (last, first) for column in (np.nan_to_num(value), 1.0)]
    sums = found.sums([as_floats(column) for column in columns], timed)
    changes, _ = differences(sums, mean_gap, weights, NOBODY_ELSE, level)
    reasons = _reasons(found, moment, timed)
    raw = [
        np.nan if reason else _trend(found, value, place, timed & (found.annotator == row))
        for row, reason in enumerate(reasons)
    ]
    return tuple(
        Drift(change, None if np.isnan(p) else float(p), basis)
        if reason is None
        else Drift(Estimate(None, None, None, int(n), 0, "", reason), None)
        for change, p, n, reason, basis in zip(
            changes, holm(raw), n_timed, reasons, _bases(paired), strict=True
        )
    )


def _bases(paired: Masks) -> Iterator[Basis]:
    return ("same_claims" if one else "other_claims" for one in paired.tolist())


def _followed(found: Rest) -> tuple[Floats, Masks]:
    """What is followed, nan where it cannot be had, and who has claims with three labels."""
    triple = found.n_others >= 2
    paired = np.bincount(found.annotator[triple], minlength=found.n_annotators) > 0
    gap = found.agreement - found.among
    return np.where(paired[found.annotator], gap, found.agreement), np.asarray(paired, np.bool_)


def _places(found: Rest, moment: Floats, timed: Masks) -> Ints:
    """Place of each label in its annotator's order, 0 …; labels without a time come last."""
    order = np.lexsort((np.where(timed, moment, np.inf), found.annotator))
    begin = np.searchsorted(found.annotator[order], np.arange(found.n_annotators))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order)) - begin[found.annotator[order]]
    return place


def _reasons(found: Rest, moment: Floats, timed: Masks) -> list[str | None]:
    reasons: list[str | None] = []
    for row in range(found.n_annotators):
        own = found.annotator == row
        known = moment[own & timed]
        if not own.any():
            reasons.append(NOBODY_ELSE)
        elif not len(known):
            reasons.append("the labels have no times")
        elif len(known) < LEAST_TIMED:
            reasons.append(
                f"{counted(len(known), 'common claims')} with a time, {LEAST_TIMED} are needed"
            )
        elif np.ptp(known) == 0:
            reasons.append("all labels have one and the same time")
        else:
            reasons.append(None)
    return reasons


def _trend(found: Rest, followed: Floats, place: Ints, own: Masks) -> float:
    """Two-sided p of the trend; nan with few clusters or where nothing varies."""
    value, order = followed[own], as_floats(place[own])
    groups, codes = np.unique(found.cluster[own], return_inverse=True)
    if len(groups) < LEAST_CLUSTERS:
        return np.nan
    surplus = np.bincount(codes, value - value.mean())
    middle = np.bincount(codes, order) / np.bincount(codes)
    surplus, middle = surplus - surplus.mean(), middle - middle.mean()
    size = np.sqrt((surplus**2).sum() * (middle**2).sum())
    if size == 0:
        return np.nan
    correlation = float(np.clip((surplus * middle).sum() / size, -1, 1))
    df = len(groups) - 2
    if abs(correlation) == 1:
        return 0.0
    return 2 * student_lower_tail(-abs(correlation) * (df / (1 - correlation**2)) ** 0.5, df)
