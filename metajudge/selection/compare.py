"""Two candidates on the same claims: what changed, and whether by more than chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metajudge.agreement.adjust import benjamini_hochberg, holm
from metajudge.agreement.arrays import Ints, Masks
from metajudge.agreement.estimate import Estimate
from metajudge.agreement.intervals import NORMAL, critical_z
from metajudge.agreement.paired import (
    Homogeneity,
    McNemar,
    bhapkar,
    change_table,
    mcnemar,
    stuart_maxwell,
)
from metajudge.selection.measure import Measurer
from metajudge.selection.ties import figure_sums, swap_test, told_apart

COMPARED = ("summary_as_idk", "over_credit", "kappa", "accuracy")


@dataclass(frozen=True, slots=True)
class Comparison:
    """One candidate against another, the reference.

    Attributes:
        index: Row of the candidate.
        reference: Row that it is compared with.
        differences: `COMPARED`, candidate minus reference, paired.
        swap_p: p of each difference by the swap test; None where it is undefined.
        changes: Shape (K, 4, 4): gold label, verdict of the reference, verdict of the candidate
            (yes, no, idk, failure); first draws.
        by_slice: The same for each slice.
        mcnemar: Right against wrong, claims as independent.
        stuart_maxwell: Equal shares of the labels; a failure is one more label where there is one.
        bhapkar: The same with the variance not taken under the null.
        holm_p: McNemar's mid-p adjusted over the candidates compared together (Holm).
        fdr_q: The same by Benjamini-Hochberg.
    """

    index: int
    reference: int
    differences: Mapping[str, Estimate]
    swap_p: Mapping[str, float | None]
    changes: Ints
    by_slice: Mapping[str, Ints]
    mcnemar: McNemar
    stuart_maxwell: Homogeneity
    bhapkar: Homogeneity
    holm_p: float
    fdr_q: float

    def told_apart(self, name: str) -> bool:
        """Whether a difference is more than chance, this comparison taken by itself."""
        gap = self.differences[name]
        return told_apart(gap, self.swap_p[name], 1 - gap.level)


def compare(measurer: Measurer, candidate: int, reference: int) -> Comparison:
    """One candidate against another; the adjusted p is McNemar's own."""
    return compare_all(measurer, reference, [candidate])[0]


def compare_all(
    measurer: Measurer, reference: int, candidates: Sequence[int] | None = None
) -> tuple[Comparison, ...]:
    """Candidates against a reference, with p-values adjusted for how many they are.

    Change tables and tests read the first draw of each claim: draws of one claim are not
    independent, and a single run shows one draw. The paired differences use all draws.

    Args:
        measurer: The sweep.
        reference: Row that the others are compared with.
        candidates: Rows compared; None is all but the reference.
    """
    rows = [i for i in range(len(measurer.candidates.keys)) if i != reference]
    chosen = rows if candidates is None else list(candidates)
    figures = {name: figure_sums(measurer, name) for name in COMPARED}
    gaps = {name: measurer.differences(name, reference) for name in COMPARED}
    first = _first_draws(measurer)
    right = measurer.columns.as_labels(measurer.candidates.codes) == measurer.columns.gold
    tests = [mcnemar(right[reference, first], right[index, first]) for index in chosen]
    mid_p = [test.mid_p for test in tests]
    adjusted = zip(holm(mid_p).tolist(), benjamini_hochberg(mid_p).tolist(), strict=True)
    comparisons = []
    for index, test, (holm_p, fdr_q) in zip(chosen, tests, adjusted, strict=True):
        changes = _changes(measurer, reference, index, first)
        moved = changes.sum(0)
        comparisons.append(
            Comparison(
                index=index,
                reference=reference,
                differences={name: gaps[name][index] for name in COMPARED},
                swap_p={
                    name: _number(swap_test(figure, reference, index))
                    for name, figure in figures.items()
                },
                changes=changes,
                by_slice=_by_slice(measurer, reference, index, first),
                mcnemar=test,
                stuart_maxwell=stuart_maxwell(moved),
                bhapkar=bhapkar(moved),
                holm_p=holm_p,
                fdr_q=fdr_q,
            )
        )
    return tuple(comparisons)


def unseen_below(gap: Estimate, power: float = 0.8) -> float | None:
    """Size of a true difference that is seen with the power asked for, from an interval's width.

    (z of the level + z of the power) standard errors; None for an undefined interval.

    Source: Bloom (1995), Eval. Rev. 19 (minimum detectable effect).
    """
    if gap.low is None or gap.high is None:
        return None
    z = critical_z(gap.level)
    return (z + NORMAL.inv_cdf(power)) * (gap.high - gap.low) / (2 * z)


def _first_draws(measurer: Measurer) -> Masks:
    columns = measurer.columns
    return np.asarray(np.arange(len(columns.gold)) % columns.repeats == 0, np.bool_)


def _changes(measurer: Measurer, reference: int, index: int, within: Masks) -> Ints:
    """Gold by former by new verdict; verdicts of binary gold keep their own three labels."""
    codes, gold = measurer.candidates.codes, measurer.columns.gold
    table = change_table(gold[within], codes[reference, within], codes[index, within])
    return table[: measurer.columns.n_labels]


def _by_slice(measurer: Measurer, reference: int, index: int, first: Masks) -> dict[str, Ints]:
    columns = measurer.columns
    return {
        name: _changes(measurer, reference, index, first & columns.in_slices([name]))
        for name in sorted(set(columns.slices.tolist()) - {""})
    }


def _number(p: float) -> float | None:
    return None if np.isnan(p) else p
