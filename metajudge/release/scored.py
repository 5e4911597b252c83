"""Verdicts of a release on answers as arrays, and the scores that follow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks, divide
from metajudge.release.application import Application
from metajudge.release.asking import Asking, Verdicts
from metajudge.release.extraction_spread import OverDraws, over_draws
from metajudge.runner.reply_json import is_lasting
from metajudge.scoring.answers import Codes, lost_points, score_answers
from metajudge.scoring.policies import UNDEFINED


@dataclass(frozen=True)
class Scored:
    """What was said of n claims in U units with r draws, and what it makes of A answers.

    Attributes:
        application: Release, answers and settings.
        said: The verdicts.
        unit_of: Shape (n,), unit of each claim.
        open: Shape (U,), units of which some call was left open by an early end.
        stopped: Whether the run ended early.
    """

    application: Application
    said: Verdicts
    unit_of: Ints
    open: Masks
    stopped: bool

    @cached_property
    def _drawn(self) -> tuple[Floats, Codes]:
        """Scores (U, r), and why the first draw of a unit has none (U,)."""
        read, policy = self.said.read, self.application.candidate.policy
        scores = [
            score_answers(
                policy, read.codes[:, r], self.unit_of, len(self.open), read.probabilities[:, r]
            )
            for r in range(self.application.settings.repeats)
        ]
        values = np.stack([each.values for each in scores], axis=1)
        values[self.open] = np.nan
        return values, scores[0].undefined

    @property
    def by_draw(self) -> Floats:
        """Score of each unit and draw, shape (U, r); nan where there is none."""
        return self._drawn[0]

    @cached_property
    def of_units(self) -> Floats:
        """Mean score over the draws that have one, shape (U,)."""
        return _mean_over_draws(self.by_draw)

    @cached_property
    def over_repeats(self) -> OverDraws:
        """Spread of each unit's score over draws of the verdicts."""
        return over_draws(self.by_draw)

    @cached_property
    def first_units(self) -> Ints:
        """The unit that gives each answer's score, shape (A,); -1 where its claims are unknown."""
        found = np.full(len(self.application.answers), -1, np.int64)
        for place, unit in enumerate(self.application.units):
            if unit.draw == 0:
                found[unit.answer] = place
        return found

    @cached_property
    def scores(self) -> Floats:
        """Score of each answer, shape (A,); nan where it has none."""
        return np.where(self.first_units >= 0, self._of_first(self.of_units), np.nan)

    @cached_property
    def settled(self) -> Masks:
        """Answers with known claims of which no call is open, shape (A,)."""
        left = self._of_first(self.open.astype(np.float64)) > 0
        return np.asarray((self.first_units >= 0) & ~left, np.bool_)

    @cached_property
    def judged(self) -> Masks:
        """Answers that state something and are settled, with a score or with failures, (A,)."""
        sizes = np.bincount(self.unit_of, minlength=len(self.open)).astype(np.float64)
        failed = np.zeros(len(self.first_units), np.bool_)
        for index, draws in self.application.extracted.items():
            failed[index] = draws[0].failure is not None
        return np.asarray(failed | (self.settled & (self._of_first(sizes) > 0)), np.bool_)

    @cached_property
    def counted(self) -> Masks:
        """Claims that figures are about: those of settled answers' own units, shape (n,)."""
        own = np.zeros(len(self.open), np.bool_)
        own[self.first_units[self.settled]] = True
        return own[self.unit_of]

    @cached_property
    def lost(self) -> Floats:
        """Points that each claim cost, mean over draws, shape (n,); nan where left out."""
        read, policy = self.said.read, self.application.candidate.policy
        by_draw = [
            lost_points(policy, read.codes[:, r], read.probabilities[:, r])
            for r in range(self.application.settings.repeats)
        ]
        return _mean_over_draws(np.stack(by_draw, axis=1))

    def undefined(self, unit: int) -> str:
        """Why a unit has no score."""
        return UNDEFINED[int(self._drawn[1][unit])]

    def extraction_scores(self) -> tuple[tuple[int, ...], Floats]:
        """Answers whose claims were drawn, and their scores by draw, shape (E, k)."""
        answers = tuple(self.application.extracted)
        places = {index: row for row, index in enumerate(answers)}
        scores = np.full((len(answers), self.application.settings.extraction_repeats), np.nan)
        for place, unit in enumerate(self.application.units):
            if unit.answer in places:
                scores[places[unit.answer], unit.draw] = self.of_units[place]
        return answers, scores

    def _of_first(self, values: Floats) -> Floats:
        """Values of units, taken by answer; the last one stands in where there is no unit."""
        return values[self.first_units] if len(values) else np.zeros(len(self.first_units))


def scored(application: Application, asking: Asking) -> Scored:
    """The verdicts of an asking that is over."""
    (said,) = asking.verdicts()
    sizes = [len(unit.claims) for unit in application.units]
    unit_of = np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)
    stopped = application.report.stopped is not None or asking.stopped is not None
    left = np.zeros(len(sizes), np.bool_)
    if stopped:
        left[unit_of[_open_claims(asking, len(unit_of))]] = True
    return Scored(application, said, unit_of, left, stopped)


def _mean_over_draws(values: Floats) -> Floats:
    """Mean over the draws that have a value: (…, r) to (…,), nan where none has."""
    known = np.isfinite(values)
    return divide(np.where(known, values, 0.0).sum(-1), known.sum(-1))


def _open_claims(asking: Asking, n_claims: int) -> Masks:
    """Claims of which some call has no reply that is kept, so that the next run asks it, (n,)."""
    asked, missing = np.zeros(n_claims, np.bool_), np.zeros(n_claims, np.bool_)
    for calls in asking.plan().calls.values():
        for planned in calls:
            asked[list(planned.claims)] = True
            reply = asking.replies.get(planned.call.key)
            if reply is None or not is_lasting(reply):
                missing[list(planned.claims)] = True
    return missing | ~asked
