"""Two candidates on the same claims: what changed, and whether more than chance changed it.

The tests take claims as independent. Where claims come in clusters of any weight, read the paired
cluster bootstrap (`estimate_differences`) first and these beside it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Numbers, as_floats
from metajudge.agreement.table import FAILURE, table_cells
from metajudge.agreement.tails import binomial_lower_tail, binomial_point, chi_square_tail


def change_table(gold: Numbers, was: Numbers, now: Numbers, n_labels: int = 3) -> Ints:
    """Count verdicts by gold label, former verdict and new verdict.

    Args:
        gold: Shape (n,), codes 0 … K - 1.
        was: Shape (n,), former verdict codes, FAILURE for failures.
        now: Shape (n,), new verdict codes.
        n_labels: K.

    Returns:
        Shape (K, K + 1, K + 1): [gold, was, now]; the last was and now are failures.

    >>> int(change_table([0], [2], [0])[0, 2, 0])
    1
    """
    before = table_cells(gold, was, n_labels)
    after = np.where(np.asarray(now) == FAILURE, n_labels, np.asarray(now, np.int64))
    table_cells(gold, now, n_labels)
    width = n_labels + 1
    counts = np.bincount(before * width + after, minlength=n_labels * width**2)
    return counts.reshape(n_labels, width, width).astype(np.int64)


class McNemar(NamedTuple):
    """Test that as many claims got better as worse.

    `better` and `worse` are the discordant counts, `exact` and `mid_p` two-sided p-values. With no
    discordant claim both are 1.
    """

    better: int
    worse: int
    exact: float
    mid_p: float


def mcnemar(was_right: Numbers, now_right: Numbers) -> McNemar:
    """McNemar's exact test of two candidates' right verdicts, with the mid-p that is less cautious.

    Args:
        was_right: Shape (n,), bool; a failure is not right.
        now_right: Shape (n,), bool.

    Source: McNemar (1947); exact conditional and mid-p form: Fagerland, Lydersen and Laake (2013),
    BMC Med. Res. Methodol. 13, section 3.

    >>> mcnemar([1, 1, 1, 1, 0], [0, 0, 0, 0, 1])
    McNemar(better=1, worse=4, exact=0.375, mid_p=0.21875)
    """
    before, after = np.asarray(was_right, np.bool_), np.asarray(now_right, np.bool_)
    better, worse = int((~before & after).sum()), int((before & ~after).sum())
    n = better + worse
    if n == 0:
        return McNemar(0, 0, 1.0, 1.0)
    few = min(better, worse)
    exact = min(1.0, 2 * binomial_lower_tail(few, n))
    point = binomial_point(few, n)
    mid_p = exact - point if better != worse else 1.0 - point
    return McNemar(better, worse, exact, min(1.0, mid_p))


class Homogeneity(NamedTuple):
    """Chi-square test that two candidates give each label equally often.

    `statistic` and `p` are nan when it cannot be computed; `reason` then says why.
    """

    statistic: float
    df: int
    p: float
    reason: str | None


def _marginal_gap(table: Numbers) -> tuple[Floats, Floats]:
    counts = as_floats(table)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise ValueError(f"a was-now table must be square, got {counts.shape}")
    used = (counts.sum(0) + counts.sum(1)) > 0
    kept = counts[np.ix_(used, used)]
    gap = (kept.sum(1) - kept.sum(0))[:-1]
    spread = np.diag(kept.sum(0) + kept.sum(1)) - kept - kept.T
    return gap, as_floats(spread[:-1, :-1])


def _homogeneity(gap: Floats, spread: Floats) -> Homogeneity:
    df = len(gap)
    if df == 0:
        return Homogeneity(np.nan, 0, np.nan, "only one label occurs")
    if not gap.any() and not spread.any():
        return Homogeneity(0.0, df, 1.0, None)
    if np.linalg.matrix_rank(spread) < df:
        return Homogeneity(np.nan, df, np.nan, "a group of labels is never exchanged for others")
    statistic = float(gap @ np.linalg.solve(spread, gap))
    return Homogeneity(statistic, df, chi_square_tail(statistic, df), None)


def stuart_maxwell(table: Numbers) -> Homogeneity:
    """Test of equal label shares before and after, on a was-now table.

    Labels that neither candidate gives are left out of the degrees of freedom.

    Args:
        table: Shape (C, C), counts [was, now]; failures may be a category.

    Source: Stuart (1955), Biometrika 42; Maxwell (1970), Br. J. Psychiatry 116.

    >>> round(stuart_maxwell([[20, 5], [15, 60]]).statistic, 12)
    5.0
    """
    return _homogeneity(*_marginal_gap(table))


def bhapkar(table: Numbers) -> Homogeneity:
    """Stuart-Maxwell with the variance not taken under the null; somewhat more powerful.

    Args:
        table: Shape (C, C), counts [was, now].

    Source: Bhapkar (1966), JASA 61; Keefe (1982) for W = S / (1 - S / n).

    >>> round(bhapkar([[20, 5], [15, 60]]).statistic, 6)
    5.263158
    """
    gap, spread = _marginal_gap(table)
    n = float(as_floats(table).sum())
    if n == 0:
        return _homogeneity(gap, spread)
    return _homogeneity(gap, as_floats(spread - np.outer(gap, gap) / n))
