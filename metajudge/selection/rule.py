"""The rule of selection on many resamples at once: who keeps the guardrails, and who comes first.

Two limits that `rank` takes from resamples are normal here, with the linearised error by cluster,
since a bootstrap inside each resample would be too dear: the lower limit of kappa, and the upper
limit of the paired difference of over-credit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks, Numbers, as_floats
from metajudge.agreement.bootstrap import weighted_sums
from metajudge.agreement.rates import ratio
from metajudge.selection.columns import CandidateKey
from metajudge.selection.guardrails import LOSS_SLICES, ROUNDING, Bounds
from metajudge.selection.limits import (
    gap_moments,
    gap_upper,
    kappa_lower,
    share_moments,
    share_upper,
)
from metajudge.selection.measure import Measurer
from metajudge.selection.ranking import LOWER_IS_BETTER
from metajudge.selection.ties import figure_sums
from metajudge.templates.reading_names import reading_place

DIGITS = 9
"""Figures that are equal to so many digits leave the place to the next one, as in `rank`."""


class Kept(NamedTuple):
    """How the guardrails fare on R resamples.

    Attributes:
        allowed: Shape (R, S), who keeps all of them.
        off: Shape (R, S), by how much they are broken in sum; 0 for who keeps them, inf where it
            is undefined by how much.
        kappa: Shape (R, S).
    """

    allowed: Masks
    off: Floats
    kappa: Floats


class First(NamedTuple):
    """Who comes first on R resamples, and whether it is safe: shape (R,) each."""

    row: Ints
    safe: Masks


class Guardrails:
    """Who keeps the guardrails, as a function of resample weights.

    Flip rates and insensitivity rest on other calls than these verdicts, and are not among them.

    Args:
        measurer: The sweep; its own resamples are not used.
        bounds: The guardrails.
        baseline: Row of today's practice; None leaves its guardrails out.
    """

    def __init__(self, measurer: Measurer, bounds: Bounds, baseline: int | None) -> None:
        self._bounds, self._level, self._baseline = bounds, measurer.level, baseline
        over_credit = measurer.share_sums("over_credit")
        self._over_credit = share_moments(over_credit)
        self._gap = None if baseline is None else gap_moments(over_credit, baseline)
        self._coverage = measurer.share_sums("coverage").sums
        self._tables = measurer.table_sums()
        columns = measurer.columns
        self._guarded = {
            f"loss_{name}": measurer.share_sums("accuracy", columns.in_slices([name])).sums
            for name in LOSS_SLICES
        }
        self._guarded["loss_summary_yes"] = measurer.share_sums("summary_yes").sums

    def on(self, weights: Numbers) -> Kept:
        """The guardrails on each resample.

        Args:
            weights: Shape (R, G), how often each cluster counts, whole numbers or not. Their sum
                stands for the number of clusters: limits are those of a set of that size.
        """
        draws = as_floats(weights)
        kappa, low = kappa_lower(draws, self._tables, self._level)
        allowed, off = np.ones(kappa.shape, np.bool_), np.zeros(kappa.shape)
        for _, kept, amount in self._each(draws, low):
            allowed &= kept
            off += np.where(kept, 0.0, np.where(np.isnan(amount), np.inf, amount))
        return Kept(allowed, off, kappa)

    def broken_by(self, weights: Numbers) -> dict[str, Floats]:
        """By how much each guardrail is broken on each resample, shape (R, S), by its name.

        0 where it is kept, above 0 where it is broken, inf where it is undefined by how much.

        Args:
            weights: As for `on`.
        """
        draws = as_floats(weights)
        _, low = kappa_lower(draws, self._tables, self._level)
        return {
            name: np.where(
                kept, 0.0, np.where(np.isnan(amount), np.inf, np.maximum(amount, ROUNDING))
            )
            for name, kept, amount in self._each(draws, low)
        }

    def _each(self, weights: Floats, low: Floats) -> Iterator[tuple[str, Masks, Floats]]:
        """For each guardrail its name, who keeps it, and by how much the others are off."""
        bounds, baseline = self._bounds, self._baseline
        if (bound := bounds.over_credit_upper) is not None:
            high = share_upper(weights, self._over_credit, self._level)
            yield "over_credit_upper", high <= bound + ROUNDING, high - bound
        if (bound := bounds.coverage) is not None:
            share = ratio(weighted_sums(weights, self._coverage))
            yield "coverage", share >= bound - ROUNDING, bound - share
        if (bound := bounds.kappa_above) is not None:
            yield "kappa_above", low > bound + ROUNDING, bound - low
        if baseline is None:
            return
        if (bound := bounds.over_credit_above_baseline) is not None and self._gap is not None:
            high = gap_upper(weights, self._gap, self._level)
            kept = self._but_itself(high <= bound + ROUNDING)
            yield "over_credit_above_baseline", kept, high - bound
        if (bound := bounds.slice_loss) is not None:
            for name, sums in self._guarded.items():
                share = ratio(weighted_sums(weights, sums))
                loss = share[:, [baseline]] - share
                yield name, self._but_itself(~(loss > bound + ROUNDING)), loss - bound

    def _but_itself(self, kept: Masks) -> Masks:
        """The baseline is not compared with itself."""
        kept[:, self._baseline] = True
        return kept


class Rule:
    """Who comes first: the safe ones by target, then the others by how far they are off.

    Args:
        measurer: The sweep; its own resamples are not used.
        target: Name of the figure that decides.
        bounds: The guardrails.
        baseline: Row of today's practice; None leaves its guardrails out.
        off: Shape (S,), how far each candidate is off in guardrails that rest on other calls; 0
            where it keeps them, inf where there is no number. None is 0 for all.
    """

    def __init__(
        self,
        measurer: Measurer,
        *,
        target: str,
        bounds: Bounds,
        baseline: int | None,
        off: Numbers | None = None,
    ) -> None:
        keys = measurer.candidates.keys
        self._guardrails = Guardrails(measurer, bounds, baseline)
        self._figure = figure_sums(measurer, target)
        self._sign = 1.0 if target in LOWER_IS_BETTER else -1.0
        self._off = np.zeros(len(keys)) if off is None else as_floats(off)
        self._place = np.argsort(name_order(keys))

    def first(self, weights: Numbers) -> First:
        """Who comes first on each resample; `rank` but for the two normal limits.

        Args:
            weights: Shape (R, G), see `Guardrails.on`.
        """
        kept = self._guardrails.on(weights)
        loss = self._sign * as_floats(
            self._figure.coefficient(weighted_sums(weights, self._figure.sums.sums))
        )
        safe = kept.allowed & (self._off == 0)
        keys = (
            np.broadcast_to(self._place, loss.shape),
            _last_if_nan(-kept.kappa),
            _last_if_nan(loss),
            np.round(kept.off + self._off, DIGITS),
            ~safe,
        )
        row = np.lexsort(keys, axis=-1)[:, 0]
        return First(row, safe[np.arange(len(row)), row])


class Contest(NamedTuple):
    """How candidates are ranked.

    Attributes:
        target: Name of the figure that decides.
        bounds: The guardrails.
        baseline: Row of today's practice; None leaves its guardrails out.
        off: Shape (S,), how far each is off in guardrails that rest on other calls than the
            verdicts; 0 where they are kept, inf where there is no number.
    """

    target: str
    bounds: Bounds
    baseline: int | None
    off: Floats

    def rule(self, measurer: Measurer) -> Rule:
        """The rule on the claims of a measurer with all candidates."""
        return Rule(
            measurer,
            target=self.target,
            bounds=self.bounds,
            baseline=self.baseline,
            off=self.off,
        )

    def of(self, candidates: Ints) -> Contest:
        """The contest of some candidates; the baseline is one of them."""
        rows = candidates.tolist()
        baseline = None if self.baseline is None else rows.index(self.baseline)
        return self._replace(baseline=baseline, off=self.off[candidates])


def name_order(keys: Sequence[CandidateKey]) -> Ints:
    """Candidates by name and reading, which settle what figures leave open, shape (S,)."""
    places = [(key.trial, reading_place(key.reading)) for key in keys]
    return np.asarray(sorted(range(len(keys)), key=places.__getitem__), np.int64)


def _last_if_nan(values: Floats) -> Floats:
    return as_floats(np.round(np.where(np.isnan(values), np.inf, values), DIGITS))
