"""Where the proposed side has to pass answers for a rate of today to stay.

Only the scores that occur can tell answers apart, so a rate is met as nearly as they allow, by the
stricter of two thresholds that are equally near.
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
NO_GOLD = "there is no gold set to tell which answers should pass"
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
    ladder = rungs(now.values[among])
    wanted = units.share(was.passed, among, kind)
    own = units.share(now.passed, among, kind)
    if not len(ladder) or wanted.value is None:
        reason = f"no answer {kind.removeprefix('in an answer ')} has a score"
        if kind == _ANSWER:
            reason = "no answer has a score under the proposed side"
        nothing = Figure(value=None, n=int(among.sum()), reason=reason)
        return MatchedThreshold(
            keeps=keeps,
            threshold=nothing,
            wanted=figure(wanted),
            obtained=nothing,
            at_own=figure(own),
        )
    reached = reaching(now.values, ladder) & among[:, None]
    place = int(
        _nearest(reached.sum(0) / among.sum(), np.asarray(was.passed & among).sum() / among.sum())
    )
    hits = units.resampled(np.column_stack([reached, was.passed & among, among]))
    rates = divide(hits[:, :-1], hits[:, -1:])
    drawn = ladder[_nearest(rates[:, :-1], rates[:, -1:])]
    drawn = np.where(np.isnan(rates[:, -1]), np.nan, drawn)
    low, high = (float(limit[0]) for limit in percentile_interval(drawn[:, None], units.level))
    threshold = Estimate(
        value=plain_threshold(ladder, place),
        low=low,
        high=high,
        n=int(among.sum()),
        n_clusters=own.n_clusters,
        method=METHOD,
        warning=few_clusters_warning(own.n_clusters),
        level=units.level,
    )
    return MatchedThreshold(
        keeps=keeps,
        threshold=figure(told_apart(threshold)),
        wanted=figure(wanted),
        obtained=figure(units.share(passed(now.values, threshold.value or 0.0), among, kind)),
        at_own=figure(own),
    )


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
    rounded = np.round(np.nan_to_num(scores, nan=-1.0), _DECIMALS)
    return np.asarray(rounded[:, None] >= ladder, np.bool_)


def plain_threshold(ladder: Floats, place: int) -> float:
    """A threshold with few decimals that passes what reaches this rung and nothing below.

    >>> plain_threshold(np.array([0.6, 2 / 3]), 1)
    0.66
    >>> plain_threshold(np.array([0.6, 0.8]), 1)
    0.8
    """
    top = float(ladder[place])
    below = float(ladder[place - 1]) if place else -1.0
    for decimals in range(1, 6):
        step = 10**decimals
        shown = math.floor(top * step + 1e-6) / step
        if below < shown <= top + 1e-12:
            return float(shown)
    return math.floor(top * 1e6) / 1e6


def _nearest(rates: Floats, wanted: Floats | float) -> Ints:
    """Place of the rate nearest to the one wanted along the last axis, the last of equals."""
    gaps = np.round(np.abs(rates - wanted), _DECIMALS)
    last = gaps.shape[-1] - 1
    return np.asarray(last - np.argmin(np.nan_to_num(gaps, nan=2.0)[..., ::-1], axis=-1), np.int64)
