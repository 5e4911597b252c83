"""What happens to answer scores and to what passes: the dashboard before and after."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, Masks
from metajudge.release.candidate import Candidate
from metajudge.release.consult.bench import Bench, Said, passed, scores_of
from metajudge.report.consult_results import (
    FlippedAnswer,
    LanguageShift,
    ScoreShift,
    SideScores,
)
from metajudge.report.figure import figure, number

BINS = 10
SCORED = "one with a score"


class Scored(NamedTuple):
    """Scores of one side, first draw.

    Attributes:
        candidate: The side.
        values: Shape (A,), nan where an answer has no score.
        passed: Shape (A,); an answer without a score does not pass.
        undefined: Why answers have no score -> how many.
    """

    candidate: Candidate
    values: Floats
    passed: Masks
    undefined: dict[str, int]


def scored(bench: Bench, candidate: Candidate, said: Said) -> Scored:
    """Answer scores of a side under its own policy and threshold."""
    found = bench.scored(said, candidate.policy)
    values = scores_of(found)
    counts = {str(name): n for name, n in found.undefined_counts().items()}
    return Scored(candidate, values, passed(values, candidate.threshold), counts)


def score_shift(bench: Bench, was: Scored, now: Scored) -> ScoreShift:
    """Scores and pass rates of both sides and what lies between, paired by answer."""
    all_answers = np.ones(len(was.values), np.bool_)
    languages = sorted(set(bench.answer_languages.tolist()))
    whole = _shift(bench, was, now, all_answers)
    return ScoreShift(
        answers=len(was.values),
        current=_side(bench, was),
        proposed=_side(bench, now),
        mean_shift=whole.mean_shift,
        pass_rate_shift=whole.pass_rate_shift,
        to_pass=int((~was.passed & now.passed).sum()),
        to_fail=int((was.passed & ~now.passed).sum()),
        flipped=tuple(_flipped(bench, was, now)),
        languages={
            lang: _shift(bench, was, now, np.asarray(bench.answer_languages == lang, np.bool_))
            for lang in languages
        }
        if len(languages) > 1
        else {},
    )


def _shift(bench: Bench, was: Scored, now: Scored, within: Masks) -> LanguageShift:
    units = bench.of_answers
    both = within & np.isfinite(was.values) & np.isfinite(now.values)
    return LanguageShift(
        answers=int(within.sum()),
        mean_shift=figure(units.mean_shift(was.values, now.values, both, "one with both scores")),
        pass_rate_shift=figure(units.share_shift(was.passed, now.passed, within, "in an answer")),
    )


def _side(bench: Bench, side: Scored) -> SideScores:
    known = np.isfinite(side.values)
    everything = np.ones(len(known), np.bool_)
    inside = side.values[known]
    # A score of 0.3 made of floats may lie a hair under its bin's edge.
    places = np.clip(np.floor(inside * BINS + 1e-9).astype(np.int64), 0, BINS - 1)
    tenths = np.linspace(0, 1, BINS + 1)
    deciles = np.quantile(inside, tenths).tolist() if len(inside) else [None] * len(tenths)
    return SideScores(
        policy=side.candidate.policy.name,
        threshold=side.candidate.threshold,
        mean=figure(bench.of_answers.mean(side.values, known, SCORED)),
        pass_rate=figure(bench.of_answers.share(side.passed, everything, "in an answer")),
        histogram=tuple(np.bincount(places, minlength=BINS).tolist()),
        deciles=tuple(number(value) for value in deciles),
        undefined=side.undefined,
    )


def _flipped(bench: Bench, was: Scored, now: Scored) -> list[FlippedAnswer]:
    return [
        FlippedAnswer(
            answer_id=bench.answer_ids[place],
            score_was=_known(was.values[place]),
            score_now=_known(now.values[place]),
            passed_was=bool(was.passed[place]),
            passed_now=bool(now.passed[place]),
        )
        for place in np.flatnonzero(was.passed != now.passed).tolist()
    ]


def _known(value: float) -> float | None:
    return None if np.isnan(value) else number(value)
