"""Did a change help? Scores of the same answers before and after, paired."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metajudge.agreement.estimate import Estimate
from metajudge.errors import InputError, Problem
from metajudge.metrics.diagnosis.diagnose import Diagnosis
from metajudge.metrics.diagnosis.evaluated import EvaluatedRow, resampled, values_of


class Shift(NamedTuple):
    """One metric after minus before.

    Attributes:
        metric: Which.
        before: Mean before, over the pairs.
        after: Mean after.
        difference: After minus before, with the interval of the paired cluster bootstrap.
    """

    metric: str
    before: float
    after: float
    difference: Estimate

    @property
    def told_apart(self) -> bool:
        """Whether the interval leaves out no change."""
        return self.difference.excludes_zero


def compared(before: Diagnosis, after: Diagnosis) -> tuple[Shift, ...]:
    """Metrics that both have, over the answers that have a score in both.

    Args:
        before: The rows as they were.
        after: The same questions answered again, with the same `answer_id`.

    Raises:
        InputError: No answer, or no metric, is in both.
    """
    earlier = {row.row.answer_id: row for row in before.sample.rows}
    later = [row for row in after.sample.rows if row.row.answer_id in earlier]
    metrics = [name for name in after.sample.means if name in before.sample.means]
    if not later or not metrics:
        law = "answers before and after are paired by answer_id, and scored by the same metrics"
        raise InputError(Problem("--against", law, "Keep the answer_id of each question."))
    first: list[EvaluatedRow] = [earlier[row.row.answer_id] for row in later]
    units = resampled(first, after.settings.level)
    shifts = []
    for name in metrics:
        was, now = values_of(first, name), values_of(later, name)
        both = np.isfinite(was) & np.isfinite(now)
        if both.any():
            gap = units.mean_shift(np.nan_to_num(was), np.nan_to_num(now), both, "scored twice")
            shifts.append(Shift(name, float(was[both].mean()), float(now[both].mean()), gap))
    return tuple(shifts)
