"""Which candidate keeps the guardrails, in what order, with whom it is tied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from metajudge.agreement.estimate import Estimate
from metajudge.selection.guardrails import (
    LOSS_SLICES,
    Bounds,
    Broken,
    Insensitive,
    broken_guardrails,
    idle_guardrails,
)
from metajudge.selection.measure import CandidateFigures, Measurer
from metajudge.selection.ties import adjusted_p, told_apart
from metajudge.templates.reading_names import READING_ORDER, reading_place

__all__ = [
    "LOSS_SLICES",
    "LOWER_IS_BETTER",
    "READING_ORDER",
    "Bounds",
    "Broken",
    "Ranked",
    "idle_guardrails",
    "rank",
]

LOWER_IS_BETTER = frozenset({"summary_as_idk", "over_credit"})


@dataclass(frozen=True, slots=True)
class Ranked:
    """One candidate's place.

    Attributes:
        index: Row among the candidates.
        rank: 1-based; candidates tied with the first share rank 1, and candidates with equal
            figures share a rank.
        tied_with_first: Its target cannot be told from the first one's.
        broken: Guardrails it does not keep; () for a safe candidate.
        target: The figure that decides.
        difference: Paired difference of the target to the first; None for the first itself.
        adjusted_p: Of that difference by the swap test, adjusted over the safe candidates; None
            where nothing is tested: for the first, an unsafe one, or an undefined difference.
    """

    index: int
    rank: int
    tied_with_first: bool
    broken: tuple[Broken, ...]
    target: Estimate
    difference: Estimate | None = field(default=None)
    adjusted_p: float | None = field(default=None)

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
    flip_rates: Mapping[str, Estimate] | None = None,
    insensitive: Insensitive | None = None,
) -> tuple[Ranked, ...]:
    """Candidates in order: the safe ones by target, then the others by how far they are off.

    Equal targets go to the greater kappa, then to the name; an undefined figure comes last. The
    order in which candidates are declared decides nothing.

    A safe candidate is tied with the first unless its difference is told apart from nothing: the
    paired interval leaves 0 out, and the swap test's p, adjusted over the safe candidates (Holm),
    is at most 1 - level. So where candidates are equally good, one is set above all others in at
    most 1 - level of sweeps, however many there are.

    Args:
        measurer: The sweep.
        figures: Its figures, in the candidates' order.
        target: Name of the figure that decides.
        bounds: Guardrails.
        baseline: Row of the candidate that stands for today's practice; None leaves the
            guardrails that compare with it out.
        flip_rates: Flip rate over repeats, by trial. A trial that is not there is not held to it,
            which `idle_guardrails` puts in words.
        insensitive: Why a candidate, or a trial under every reading, is taken not to read the
            evidence; None where it reads.

    Source: Holm (1979), Scand. J. Stat. 6; Hsu (1984), Ann. Stat. 12 (comparisons with the best).
    """
    broken = broken_guardrails(
        measurer, figures, bounds, baseline, flip_rates=flip_rates, insensitive=insensitive
    )
    places = [
        _place(figures[index], target, broken[index], measurer, index)
        for index in range(len(figures))
    ]
    order = sorted(range(len(figures)), key=places.__getitem__)
    if not order:
        return ()
    return _rows(measurer, figures, target, order=order, places=places, broken=broken)


def _rows(
    measurer: Measurer,
    figures: Sequence[CandidateFigures],
    target: str,
    *,
    order: Sequence[int],
    places: Sequence[tuple[object, ...]],
    broken: Sequence[tuple[Broken, ...]],
) -> tuple[Ranked, ...]:
    """The candidates in their order, with whom the first is tied."""
    differences = measurer.differences(target, order[0])
    safe = [index for index in order[1:] if not broken[index] and not broken[order[0]]]
    chances = adjusted_p(measurer, target, order[0], safe)
    ranked: list[Ranked] = []
    for position, index in enumerate(order, 1):
        gap = None if position == 1 else differences[index]
        tied = index in chances and _tied(gap, chances[index], 1 - measurer.level)
        usual = _shared_rank(ranked, places, index) or position
        ranked.append(
            Ranked(
                index=index,
                rank=1 if tied else usual,
                tied_with_first=tied,
                broken=broken[index],
                target=figures[index].figures[target],
                difference=gap,
                adjusted_p=chances.get(index),
            )
        )
    return tuple(ranked)


def _place(
    row: CandidateFigures, target: str, broken: Sequence[Broken], measurer: Measurer, index: int
) -> tuple[object, ...]:
    """Sort key of `rank`; safe goes before all else, for a bound can be missed by exactly 0.

    The last two entries, trial and reading, only settle an order that figures leave open.
    """
    sign = 1.0 if target in LOWER_IS_BETTER else -1.0
    value, second = row.figures[target].value, row.figures["kappa"].value
    return (
        bool(broken),
        round(sum(np.inf if b.by is None else b.by for b in broken), 9),
        np.inf if value is None else round(sign * value, 9),
        np.inf if second is None else round(-second, 9),
        measurer.candidates.keys[index].trial,
        reading_place(measurer.candidates.keys[index].reading),
    )


def _shared_rank(
    ranked: Sequence[Ranked], places: Sequence[tuple[object, ...]], index: int
) -> int | None:
    """The rank of the row before, where only names tell the two apart."""
    if not ranked or ranked[-1].tied_with_first:
        return None
    last = ranked[-1]
    return last.rank if places[index][:-2] == places[last.index][:-2] else None


def _tied(gap: Estimate | None, p: float | None, alpha: float) -> bool:
    return gap is not None and gap.value is not None and not told_apart(gap, p, alpha)
