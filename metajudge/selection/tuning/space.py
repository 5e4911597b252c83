"""What a search on stored replies may vary, as dimensions of a study or a plain grid.

No dimension depends on another, although several settings then measure the same thing: a study
samples such a space several times as fast, and what a setting measures costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from metajudge.selection.columns import CandidateKey
from metajudge.selection.search.space import Dimension, SearchSpace, Setting
from metajudge.selection.tuning.verdicts import VOTES, Tuning, Vote
from metajudge.templates.reading_names import DECIMALS

NOBODY = "nobody"
"""In a panel: no further member."""


@dataclass(frozen=True)
class TuningSpace:
    """Rows, thresholds, panels and policy weights to choose among.

    Attributes:
        keys: The candidates, whose rows settings name.
        members: Most members of a panel; 1 leaves panels out.
        votes: How panels may decide.
        threshold_step: Distance of the thresholds on P(yes) tried, beside 0 for labels as they
            are; None leaves them out.
        weight_step: Distance of the policy weights tried; None leaves scores out.

    Raises:
        ExperimentError: There is no candidate, or a step that leaves no value.
    """

    keys: tuple[CandidateKey, ...]
    members: int = 1
    votes: tuple[Vote, ...] = VOTES
    threshold_step: float | None = 0.01
    weight_step: float | None = 0.05

    @cached_property
    def space(self) -> SearchSpace:
        """The dimensions: `row.1` …, `vote`, `threshold` and `weight`, as far as they vary."""
        return SearchSpace(tuple(self._dimensions()))

    def tuning(self, setting: Setting) -> Tuning:
        """What a setting of the space measures.

        A trial is a member of a panel once, whatever its readings: the first one stands. Members
        are in the order of the rows, so that one panel has one form.

        Raises:
            ValueError: It names a row that there is not.
        """
        rows: dict[str, int] = {}
        for place in range(1, self.members + 1):
            name = setting.get(_row(place), NOBODY)
            if name != NOBODY and name not in self._rows:
                raise ValueError(f"there is no row {name!r}")
            row = self._rows.get(str(name))
            if row is not None:
                rows.setdefault(self.keys[row].trial, row)
        vote = next((vote for vote in VOTES if vote == setting.get("vote")), VOTES[0])
        threshold, weight = setting.get("threshold"), setting.get("weight")
        return Tuning(
            rows=tuple(sorted(rows.values())),
            vote=vote if len(rows) > 1 else VOTES[0],
            threshold=round(float(threshold), DECIMALS) if threshold else None,
            weight=None if weight is None else float(weight),
        )

    def grid(self) -> tuple[Tuning, ...]:
        """Every different thing that the settings of the space measure, in order."""
        return tuple(dict.fromkeys(map(self.tuning, self.space.all())))

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {f"{key.trial} ({key.reading})": row for row, key in enumerate(self.keys)}

    def _dimensions(self) -> Sequence[Dimension]:
        names = tuple(self._rows)
        found = [Dimension(_row(1), choices=names)]
        found += [
            Dimension(_row(place), choices=(NOBODY, *names)) for place in range(2, self.members + 1)
        ]
        if self.members > 1:
            found.append(Dimension("vote", choices=self.votes))
        if self.threshold_step is not None:
            step = self.threshold_step
            found.append(Dimension("threshold", "float", low=0.0, high=1.0, step=step))
        if self.weight_step is not None:
            found.append(Dimension("weight", "float", low=0.0, high=1.0, step=self.weight_step))
        return found


def _row(place: int) -> str:
    return f"row.{place}"
