"""One trial along one axis of perturbation: its runs, and what moves between them claim by claim.

A failure is a category of its own: a failure in one run and a label in another is a flip.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks, as_floats, divide
from metajudge.agreement.fleiss import rating_counts
from metajudge.agreement.table import FAILURE
from metajudge.counted import counted

Compared = Literal["trial", "first_level", "each_other"]
REPEATS = "repeats"
"""The axis of draws at the judge's own temperature."""
UNPERTURBED = "unperturbed"


class Pairs(NamedTuple):
    """Pairs of runs that disagree, and pairs compared, for each claim; both of shape (n,)."""

    differ: Floats
    of: Floats


@dataclass(frozen=True, slots=True)
class AxisRuns:
    """Verdicts of one trial, unperturbed and at each level of one axis.

    Attributes:
        trial: The trial.
        axis: The axis, such as `passage_order`; `repeats` for draws at the judge's own temperature.
        levels: Names of the L runs; for draws, those after the first.
        base: Shape (n,), verdict codes of the unperturbed trial, or of the first draw.
        runs: Shape (L, n), verdict codes; for draws, those after the first.
        changed: Shape (L, n), whether the run showed the judge something other than what it is
            compared with did; other cells do not count. A draw always counts.
        compared_with: `trial`: each run with `base`. `each_other`: all pairs of `base` and `runs`.
            `first_level`: each run with the first one, `base` and the first row of `changed` take
            no part.

    Raises:
        ValueError: Shapes or codes that do not fit, or nothing to compare with.
    """

    trial: str
    axis: str
    levels: tuple[str, ...]
    base: Ints
    runs: Ints
    changed: Masks
    compared_with: Compared

    def __post_init__(self) -> None:
        shape = (len(self.levels), len(self.base))
        if self.runs.shape != shape or self.changed.shape != shape:
            raise ValueError(
                f"{self.trial}, {self.axis}: runs and changed have shape (levels, claims) {shape}, "
                f"got {self.runs.shape} and {self.changed.shape}"
            )
        if not shape[1]:
            raise ValueError(f"{self.trial}, {self.axis}: no claim")
        if shape[0] < (2 if self.compared_with == "first_level" else 1):
            raise ValueError(
                f"{self.trial}, {self.axis}: no run to compare with, {counted(shape[0], 'levels')}"
            )
        codes = np.concatenate([self.base, self.runs.ravel()])
        if not (codes.min() >= 0 and codes.max() <= FAILURE):
            raise ValueError(f"{self.trial}, {self.axis}: verdict codes are 0 to {FAILURE}")

    @property
    def _skipped(self) -> int:
        return 1 if self.compared_with == "first_level" else 0

    @property
    def reference(self) -> Ints:
        """What runs are held against, shape (n,)."""
        return self.runs[0] if self._skipped else self.base

    @property
    def reference_name(self) -> str:
        """The reference's level: `unperturbed`, or the first one's name."""
        return self.levels[0] if self._skipped else UNPERTURBED

    @property
    def compared_levels(self) -> tuple[str, ...]:
        """Levels that are held against the reference, M of them."""
        return self.levels[self._skipped :]

    @property
    def counted(self) -> Masks:
        """Cells that count, shape (M, n)."""
        return self.changed[self._skipped :]

    @property
    def rows(self) -> Ints:
        """The reference and then each level, shape (1 + M, n).

        Where a level changed nothing the reference's verdict stands for it.
        """
        compared = np.where(self.counted, self.runs[self._skipped :], self.reference)
        return np.concatenate([self.reference[None], compared]).astype(np.int64)

    @property
    def counts(self) -> Floats:
        """Runs by verdict for each claim, shape (n, 4): the reference and the cells that count."""
        seen = np.concatenate([np.ones((1, len(self.base)), np.bool_), self.counted])
        return rating_counts(np.where(seen, self.rows, -1), FAILURE + 1)

    @property
    def moved(self) -> Masks:
        """Cells that differ from the reference, shape (M, n)."""
        rows = self.rows
        return np.asarray(rows[1:] != rows[0], np.bool_)

    def pairs(self) -> Pairs:
        """Pairs of runs that disagree and pairs compared.

        >>> from numpy import array, ones
        >>> draws = AxisRuns("t", "repeats", ("2", "3"), array([0, 0]), array([[0, 2], [0, 1]]),
        ...                  ones((2, 2), bool), "each_other")
        >>> draws.pairs().differ.tolist(), draws.pairs().of.tolist()
        ([0.0, 3.0], [3.0, 3.0])
        """
        if self.compared_with == "each_other":
            counts = self.counts
            runs = counts.sum(1)
            of = runs * (runs - 1) / 2
            return Pairs(of - (counts * (counts - 1)).sum(1) / 2, of)
        return Pairs(as_floats(self.moved.sum(0)), as_floats(self.counted.sum(0)))

    def variance(self) -> Floats:
        """Variance of each claim's verdict over the reference and the levels, shape (n,), 0 to 1.

        The variances of the four indicators of a verdict, added up: with p_k the share of the
        claim's m runs that say k, m / (m - 1) * (1 - sum of p_k^2). It is the chance that two
        different runs disagree. 0 for a claim that no level changed.

        Source: Gini's variation of a categorical response, Light and Margolin (1971), JASA 66;
        without bias for a small m as Simpson (1949), Nature 163.
        """
        counts = self.counts
        runs = counts.sum(1)
        same = (counts * (counts - 1)).sum(1)
        return np.nan_to_num(1.0 - divide(same, runs * (runs - 1)), nan=0.0)


class Flipping(NamedTuple):
    """A claim whose verdict moves.

    Attributes:
        trial: The trial.
        claim: Index of the claim.
        verdict: Its code unperturbed.
        flips: Runs that differ from what they are compared with, over all axes of the trial.
        of: Runs that were compared.
        axes: Axes along which it flips.
    """

    trial: str
    claim: int
    verdict: int
    flips: int
    of: int
    axes: tuple[str, ...]


def variance_shares(axes: Sequence[AxisRuns]) -> dict[str, dict[str, float]]:
    """By trial and axis: share of the verdict variance that all axes make together, 0 to 1.

    V(axis) is the mean over all claims of `AxisRuns.variance`, 0 for a claim that the axis leaves
    as it is. Two runs at different levels disagree by chance too, as two draws of one prompt do:
    for independent runs the chance of disagreement is the mean chance within the levels plus half
    the squared distance of their label shares. Where a trial has repeats, their variance on the
    same claims is therefore taken off each other axis, and what is left under 0 is 0:
    share(axis) = V(axis) / sum of V. That takes a level to be as noisy as the trial itself; a level
    that is less so gets too small a share. Without repeats an axis keeps the noise of its draws.

    The axes are moved one at a time from one trial, so these are main effects there: they say
    nothing of interactions, add up to 1 by construction, and depend on the levels chosen. Draws at
    other temperatures take no part. A trial whose verdicts never move has no shares: {}.

    Args:
        axes: Runs of any number of trials; one axis of a trial once.
    """
    shares: dict[str, dict[str, float]] = {}
    for trial in dict.fromkeys(axis.trial for axis in axes):
        mine = [axis for axis in axes if axis.trial == trial]
        noise = next((axis.variance() for axis in mine if axis.axis == REPEATS), 0.0)
        parts = {}
        for axis in mine:
            if axis.axis == REPEATS:
                parts[axis.axis] = float(axis.variance().mean())
            elif axis.compared_with != "each_other":
                excess = np.where(axis.counted.any(0), axis.variance() - noise, 0.0)
                parts[axis.axis] = max(float(excess.mean()), 0.0)
        total = sum(parts.values())
        shares[trial] = {name: part / total for name, part in parts.items()} if total > 0 else {}
    return shares


def most_flipping(axes: Sequence[AxisRuns], limit: int = 20) -> tuple[Flipping, ...]:
    """The claims that flip most, over all axes of a trial; a claim that never flips is not listed.

    In order of the share of compared runs that differ, then of their number.
    """
    found: list[Flipping] = []
    for trial in dict.fromkeys(axis.trial for axis in axes):
        mine = [axis for axis in axes if axis.trial == trial]
        asked = next((a for a in mine if a.compared_with != "each_other"), mine[0])
        flips = np.stack([axis.moved.sum(0) for axis in mine])
        of = np.sum([axis.counted.sum(0) for axis in mine], axis=0)
        found += [
            Flipping(
                trial,
                claim,
                int(asked.base[claim]),
                int(flips[:, claim].sum()),
                int(of[claim]),
                tuple(axis.axis for axis, n in zip(mine, flips[:, claim], strict=True) if n),
            )
            for claim in np.flatnonzero(flips.any(0)).tolist()
        ]
    return tuple(sorted(found, key=lambda row: (-row.flips / row.of, -row.flips))[:limit])
