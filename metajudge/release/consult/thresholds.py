"""Where the proposed side has to pass answers for a rate of today to stay.

Only the scores that occur can tell answers apart, so a rate is met as nearly as they allow. Of
thresholds that come equally near, the one next to the proposed side's own is taken, so that nothing
is moved without need.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks, as_floats, divide
from metajudge.agreement.estimate import Estimate, few_clusters_warning, told_apart
from metajudge.agreement.intervals import percentile_interval
from metajudge.release.consult.bench import Bench, passed
from metajudge.release.consult.on_gold import GoldBench, should_fail
from metajudge.release.consult.shifts import Scored
from metajudge.release.consult.units import Units
from metajudge.report.consult_results import MatchedThreshold, Thresholds
from metajudge.report.figure import figure
from metajudge.report.part import Figure

METHOD = "threshold chosen anew on each cluster bootstrap resample, percentile"
MOST_CANDIDATES = 1000
_DECIMALS = 9
_SHOWN = 6
_HAIR = 1e-6
NO_GOLD = "there is no gold set to tell which answers should pass"
NO_CHOICE = "every threshold passes the same answers"
_ANSWER = "in an answer"
_FAILS = "in an answer that should fail"


def matched_thresholds(
    bench: Bench,
    sides: tuple[Scored, Scored],
    gold: GoldBench | None,
    gold_sides: tuple[Scored, Scored] | None,
) -> Thresholds:
    """The thresholds of the proposed side that keep today's pass rate and false-pass rate.

    Args:
        bench: The sample.
        sides: Both sides' scores on it, current first.
        gold: The labelled claims; None leaves the false-pass rate undefined.
        gold_sides: Both sides' scores on these.
    """
    everything = np.ones(len(sides[0].values), np.bool_)
    if gold is None or gold_sides is None:
        nothing = Figure(value=None, n=0, reason=NO_GOLD)
        false_pass = MatchedThreshold(
            keeps="false_pass_rate",
            threshold=nothing,
            wanted=nothing,
            obtained=nothing,
            at_own=nothing,
        )
    else:
        among = should_fail(gold, gold_sides[1].candidate)
        units = gold.bench.of_answers
        false_pass = _matched("false_pass_rate", units, gold_sides, among, _FAILS)
    return Thresholds(
        current=sides[0].candidate.threshold,
        proposed=sides[1].candidate.threshold,
        pass_rate=_matched("pass_rate", bench.of_answers, sides, everything, _ANSWER),
        false_pass_rate=false_pass,
    )


def _matched(
    keeps: Literal["pass_rate", "false_pass_rate"],
    units: Units,
    sides: tuple[Scored, Scored],
    among: Masks,
    kind: str,
) -> MatchedThreshold:
    was, now = sides
    own = units.share(now.passed, among, kind)
    wanted = units.share(was.passed, among, kind)
    found = _nearest_threshold(units, sides, among, kind)
    undefined = Figure(value=None, n=found.n, reason=found.reason)
    return MatchedThreshold(
        keeps=keeps,
        threshold=figure(found),
        wanted=figure(wanted),
        obtained=undefined
        if found.value is None
        else figure(units.share(passed(now.values, found.value), among, kind)),
        at_own=figure(own),
    )


def _nearest_threshold(
    units: Units, sides: tuple[Scored, Scored], among: Masks, kind: str
) -> Estimate:
    was, now = sides
    n, groups = int(among.sum()), len(np.unique(units.cluster[among]))
    scores, own = now.values[among], now.candidate.threshold
    candidates = thresholds_to_try(scores, own)
    reached = reaching(now.values, candidates) & among[:, None]
    passing = reached.sum(0)
    reason = None
    if not n or not np.isfinite(scores).any():
        reason = f"no answer {kind.removeprefix('in an answer ')} has a score"
        if kind == _ANSWER:
            reason = "no answer has a score under the proposed side"
    elif (passing == passing[0]).all() and passing[0] != (was.passed & among).sum():
        reason = NO_CHOICE
    if reason is not None:
        return Estimate(None, None, None, n, groups, METHOD, reason, level=units.level)
    far = np.abs(candidates - own)
    place = int(_nearest(passing / n, (was.passed & among).sum() / n, far))
    hits = units.resampled(np.column_stack([reached, was.passed & among, among]))
    rates = divide(hits[:, :-1], hits[:, -1:])
    drawn = candidates[_nearest(rates[:, :-1], rates[:, -1:], far)]
    drawn = np.where(np.isnan(rates[:, -1]), np.nan, drawn)
    low, high = (float(limit[0]) for limit in percentile_interval(drawn[:, None], units.level))
    threshold = Estimate(
        value=float(candidates[place]),
        low=low,
        high=high,
        n=n,
        n_clusters=groups,
        method=METHOD,
        warning=few_clusters_warning(groups),
        level=units.level,
    )
    return told_apart(threshold)


def thresholds_to_try(scores: Floats, own: float) -> Floats:
    """One threshold for each way of passing answers, none included, and the side's own; ascending.

    Passing none takes a threshold above the greatest score, so that there is none such where an
    answer has score 1.

    >>> thresholds_to_try(np.array([0.5, 2 / 3, np.nan]), 0.8).tolist()
    [0.5, 0.6, 0.7, 0.8]
    >>> thresholds_to_try(np.array([1.0]), 0.8).tolist()
    [0.8, 1.0]
    """
    ladder = rungs(scores)
    found = [own, *(plain_threshold(ladder, place) for place in range(len(ladder)))]
    if len(ladder):
        found += threshold_above(float(ladder[-1]))
    return np.unique(np.asarray(found))


def threshold_above(score: float) -> list[float]:
    """A threshold with few decimals that no answer reaches; [] where there is none.

    >>> threshold_above(0.5), threshold_above(0.95), threshold_above(1.0)
    ([0.6], [1.0], [])
    """
    for decimals in range(1, _SHOWN + 1):
        step = 10.0**decimals
        above = (math.floor(score * step + _HAIR) + 1) / step
        if above <= 1:
            return [above]
    return []


def rungs(scores: Floats) -> Floats:
    """Scores at which what passes can change, ascending; at most 1000, spread over their ranks.

    >>> rungs(np.array([0.5, 1.0, 0.5, np.nan])).tolist()
    [0.5, 1.0]
    """
    known = np.unique(np.round(scores[np.isfinite(scores)], _DECIMALS))
    if len(known) <= MOST_CANDIDATES:
        return known
    spread = np.linspace(0, len(known) - 1, MOST_CANDIDATES).round().astype(np.int64)
    return as_floats(known[spread])


def reaching(scores: Floats, ladder: Floats) -> Masks:
    """Which answers reach which threshold, shape (A, V); one without a score reaches none."""
    return np.column_stack([passed(scores, threshold) for threshold in ladder])


def plain_threshold(ladder: Floats, place: int) -> float:
    """A threshold with few decimals that passes what reaches this rung and nothing below.

    >>> plain_threshold(np.array([0.6, 2 / 3]), 1)
    0.66
    >>> plain_threshold(np.array([0.6, 0.8]), 1)
    0.8
    """
    top = float(ladder[place])
    below = float(ladder[place - 1]) if place else -1.0
    for decimals in range(1, _SHOWN):
        step = 10.0**decimals
        shown = math.floor(top * step + _HAIR) / step
        if below < shown <= top + 1e-12:
            return shown
    step = 10.0**_SHOWN
    return math.floor(top * step) / step


def _nearest(rates: Floats, wanted: Floats | float, far: Floats) -> Ints:
    """Place of the rate nearest to the one wanted, the least far threshold of equals.

    Args:
        rates: Shape (…, V), one a threshold.
        wanted: Shape (…, 1).
        far: Shape (V,), distance of each threshold from the side's own.
    """
    gaps = np.nan_to_num(np.round(np.abs(rates - wanted), _DECIMALS), nan=2.0)
    equal = gaps == gaps.min(axis=-1, keepdims=True)
    return np.asarray(np.argmin(np.where(equal, far, np.inf), axis=-1), np.int64)
