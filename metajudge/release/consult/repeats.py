"""What asking again does by itself, beside what the change does."""

from __future__ import annotations

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, as_floats, divide
from metajudge.agreement.estimate import Estimate
from metajudge.agreement.stability import flips
from metajudge.release.candidate import Candidate
from metajudge.release.consult.bench import Bench, Said, scores_of
from metajudge.release.consult.units import Units
from metajudge.report.consult_results import RepeatNoise, Repeats
from metajudge.report.figure import figure
from metajudge.scoring.answers import passes

KINDS = 4
"""Verdicts, failures included; and, with one to spare, pass, fail and no score."""


def repeats(bench: Bench, said: tuple[Said, Said], sides: tuple[Candidate, Candidate]) -> Repeats:
    """Flips between draws of one side, and between draws of the two sides.

    Args:
        bench: The sample.
        said: Verdicts of all draws, current first.
        sides: The sides.
    """
    draws = said[0].repeats
    if draws < 2:
        return Repeats(repeats=draws, measured=False)
    verdicts = [one.codes for one in said]
    outcomes = [_outcomes(bench, one, side) for one, side in zip(said, sides, strict=True)]
    claims, answers = bench.of_claims, bench.of_answers
    alone = [
        RepeatNoise(
            flip_rate=figure(_mean(claims, flips(codes.T))),
            pass_flip_rate=figure(_mean(answers, flips(passing.T))),
        )
        for codes, passing in zip(verdicts, outcomes, strict=True)
    ]
    return Repeats(
        repeats=draws,
        measured=True,
        current=alone[0],
        proposed=alone[1],
        between=RepeatNoise(
            flip_rate=figure(_mean(claims, between(*verdicts))),
            pass_flip_rate=figure(_mean(answers, between(*outcomes))),
        ),
        beyond=figure(_beyond(claims, verdicts)),
    )


def between(was: Ints, now: Ints) -> Floats:
    """Share of pairs of a draw of one side and a draw of the other that disagree, shape (n,).

    Args:
        was: Shape (n, r), codes 0 to 3.
        now: Shape (n, s).

    >>> between(np.array([[0, 0]]), np.array([[0, 2]])).tolist()
    [0.5]
    """
    shares = [
        np.stack([(codes == kind).mean(1) for kind in range(KINDS)], axis=-1)
        for codes in (was, now)
    ]
    return as_floats(1.0 - (shares[0] * shares[1]).sum(-1))


def _outcomes(bench: Bench, said: Said, side: Candidate) -> Ints:
    """Fail 1, pass 2 and no score 0 of each draw of each answer, shape (A, r)."""
    found = [
        passes(scores_of(bench.scored(said, side.policy, draw)), side.threshold)
        for draw in range(said.repeats)
    ]
    return np.asarray(np.stack(found, axis=-1) + 1, np.int64)


def _mean(units: Units, each: Floats) -> Estimate:
    return units.mean(each, np.ones(len(each), np.bool_), "asked")


def _beyond(units: Units, verdicts: list[Ints]) -> Estimate:
    """Flips between the sides minus those within the side that flips more."""
    parts = [between(*verdicts), *(flips(codes.T) for codes in verdicts)]
    contributions = np.column_stack([*parts, np.ones(len(parts[0]))])

    def excess(sums: Floats) -> Floats:
        rates = divide(sums[..., :3], sums[..., 3:])
        return as_floats(rates[..., 0] - np.maximum(rates[..., 1], rates[..., 2]))

    return units.statistic(contributions, excess, "no claim was asked")
