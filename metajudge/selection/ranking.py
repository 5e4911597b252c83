"""Which candidate keeps the guardrails, in what order, with whom it is tied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from metajudge.agreement.estimate import Estimate
from metajudge.selection.measure import CandidateFigures, Measurer

LOWER_IS_BETTER = frozenset({"summary_as_idk", "over_credit"})
LOSS_SLICES = ("literal", "contradiction")
READING_ORDER = ("top", "prior_corrected", "batch_corrected")
"""Of two readings that nothing else tells apart, the plainer one goes first."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Guardrails of a selection; None lifts one.

    Attributes:
        over_credit_upper: Upper limit of over-credit stays at or below it.
        over_credit_above_baseline: Upper limit of the paired difference of over-credit to the
            baseline stays at or below it.
        slice_loss: Accuracy on the slices literal and contradiction, and the share of gold-yes
            summaries called yes, lose at most this much to the baseline.
        coverage: Share of claims with a readable verdict is at least this.
        kappa_above: Lower limit of kappa is above it, so that a constant answer never wins.
    """

    over_credit_upper: float | None = 0.10
    over_credit_above_baseline: float | None = 0.02
    slice_loss: float | None = 0.02
    coverage: float | None = 0.98
    kappa_above: float | None = 0.0


@dataclass(frozen=True, slots=True)
class Broken:
    """A guardrail that a candidate did not keep; `by` is how far it is off, None if undefined."""

    guardrail: str
    bound: float
    got: float | None
    by: float | None


@dataclass(frozen=True, slots=True)
class Ranked:
    """One candidate's place.

    Attributes:
        index: Row among the candidates.
        rank: 1-based; candidates tied with the first share rank 1.
        tied_with_first: Its target cannot be told from the first one's.
        broken: Guardrails it does not keep; () for a safe candidate.
        target: The figure that decides.
        difference: Paired difference of the target to the first; None for the first itself.
    """

    index: int
    rank: int
    tied_with_first: bool
    broken: tuple[Broken, ...]
    target: Estimate
    difference: Estimate | None = field(default=None)

    @property
    def safe(self) -> bool:
        """Whether every guardrail is kept."""
        return not self.broken


def rank(
    measurer: Measurer,
    figures: Sequence[CandidateFigures],
    *,
    target: str,
    bounds: Bounds,
    baseline: int | None,
) -> tuple[Ranked, ...]:
    """Candidates in order: the safe ones by target, then the others by how far they are off.

    Ties go to the greater kappa, then to the name; an undefined figure comes last. The order in
    which candidates are declared decides nothing.

    Args:
        measurer: The sweep.
        figures: Its figures, in the candidates' order.
        target: Name of the figure that decides.
        bounds: Guardrails.
        baseline: Row of the candidate that stands for today's practice; None leaves the
            guardrails that compare with it out.
    """
    broken = _broken(measurer, figures, bounds, baseline)
    order = sorted(
        range(len(figures)),
        key=lambda index: _place(figures[index], target, broken[index], measurer, index),
    )
    if not order:
        return ()
    differences = measurer.differences(target, order[0])
    safe_first = not broken[order[0]]
    ranked: list[Ranked] = []
    for position, index in enumerate(order, 1):
        gap = None if position == 1 else differences[index]
        tied = _tied(gap) and safe_first and not broken[index]
        ranked.append(
            Ranked(
                index=index,
                rank=1 if tied else position,
                tied_with_first=tied and position > 1,
                broken=broken[index],
                target=figures[index].figures[target],
                difference=gap,
            )
        )
    return tuple(ranked)


def _place(
    row: CandidateFigures, target: str, broken: Sequence[Broken], measurer: Measurer, index: int
) -> tuple[object, ...]:
    """Sort key of `rank`; safe goes before all else, for a bound can be missed by exactly 0."""
    sign = 1.0 if target in LOWER_IS_BETTER else -1.0
    value, second = row.figures[target].value, row.figures["kappa"].value
    return (
        bool(broken),
        sum(np.inf if b.by is None else b.by for b in broken),
        np.inf if value is None else sign * value,
        np.inf if second is None else -second,
        measurer.candidates.keys[index].trial,
        READING_ORDER.index(measurer.candidates.keys[index].reading),
    )


def _tied(gap: Estimate | None) -> bool:
    return gap is None or (gap.value is not None and not gap.excludes_zero)


def _broken(
    measurer: Measurer,
    figures: Sequence[CandidateFigures],
    bounds: Bounds,
    baseline: int | None,
) -> list[tuple[Broken, ...]]:
    rows: list[list[Broken | None]] = [
        [
            _above("over_credit_upper", bounds.over_credit_upper, f.figures["over_credit"].high),
            _below("coverage", bounds.coverage, f.figures["coverage"].value),
            _below("kappa_above", bounds.kappa_above, f.figures["kappa"].low, strict=True),
        ]
        for f in figures
    ]
    if baseline is not None:
        gaps = measurer.differences("over_credit", baseline)
        bound = bounds.over_credit_above_baseline
        losses = _losses(measurer, baseline)
        for index, row in enumerate(rows):
            if index == baseline:
                continue
            row.append(_above("over_credit_above_baseline", bound, gaps[index].high))
            for name, loss in losses.items():
                if not np.isnan(loss[index]):
                    row.append(_above(f"loss_{name}", bounds.slice_loss, float(loss[index])))
    return [tuple(b for b in row if b is not None) for row in rows]


def _losses(
    measurer: Measurer, baseline: int
) -> dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    values = {name: measurer.slice_accuracy(name) for name in LOSS_SLICES}
    kept = [e.value for e in measurer.shares("summary_yes")]
    values["summary_yes"] = np.asarray([np.nan if v is None else v for v in kept])
    return {name: row[baseline] - row for name, row in values.items()}


def _above(name: str, bound: float | None, got: float | None) -> Broken | None:
    if bound is None or (got is not None and got <= bound + 1e-12):
        return None
    return Broken(name, bound, got, None if got is None else got - bound)


def _below(
    name: str, bound: float | None, got: float | None, *, strict: bool = False
) -> Broken | None:
    if bound is None:
        return None
    if got is not None and (got > bound if strict else got >= bound - 1e-12):
        return None
    return Broken(name, bound, got, None if got is None else bound - got)
