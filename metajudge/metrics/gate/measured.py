"""Today's scores of a metric beside those of the baseline, by case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metajudge.metrics.catalogue import METRICS
from metajudge.metrics.gate.baseline import Baseline
from metajudge.metrics.gate.cases import Cases, answer_sha256
from metajudge.metrics.gate.scores import CaseScore, Scores
from metajudge.metrics.gate.suite import Suite


@dataclass(frozen=True)
class Measured:
    """The scores of one metric, by case.

    Attributes:
        metric: Its name.
        now: Scores of today.
        was: Score in the baseline; None where it had none, or did not have the case.
        sign: 1 where higher is better, else -1.
        same: Whether no compared case has another answer than the baseline.
    """

    metric: str
    now: Sequence[CaseScore]
    was: Sequence[float | None]
    sign: int
    same: bool

    @property
    def scored(self) -> int:
        """Cases with a score."""
        return sum(score.score is not None for score in self.now)

    @property
    def lost(self) -> int:
        """Cases without a score since calls failed."""
        return sum(score.lost for score in self.now)

    @property
    def undefined(self) -> int:
        """Cases with nothing to score."""
        return len(self.now) - self.scored - self.lost

    @property
    def newly_undefined(self) -> int:
        """Cases with nothing to score that had a score in the baseline."""
        pairs = zip(self.now, self.was, strict=True)
        return sum(n.score is None and not n.lost and w is not None for n, w in pairs)

    @property
    def coverage(self) -> float | None:
        """Share with a score of the cases that have something to score, now or in the baseline."""
        asked = self.scored + self.lost + self.newly_undefined
        return self.scored / asked if asked else None

    @property
    def pairs(self) -> list[int]:
        """Places of the cases that have a score both times."""
        both = enumerate(zip(self.now, self.was, strict=True))
        return [place for place, (n, w) in both if n.score is not None and w is not None]


def measured(
    suite: Suite, cases: Cases, scores: Scores, baseline: Baseline | None
) -> list[Measured]:
    """Today's scores beside those of the baseline."""
    then = {} if baseline is None else baseline.cases
    compared = [row for row in cases.rows if row.answer_id in then]
    same = all(then[row.answer_id].answer_sha256 == answer_sha256(row) for row in compared)
    return [
        Measured(
            bars.name,
            scores.by_metric[bars.name],
            [then[n].scores.get(bars.name) if n in then else None for n in cases.ids],
            -1 if METRICS[bars.name].better == "lower" else 1,
            bool(compared) and same,
        )
        for bars in suite.metrics
    ]
