"""How many claims a gold set has, by split, language, label and slice."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from metajudge.gold.policy import needs_relabelling

if TYPE_CHECKING:
    from metajudge.gold.goldset import GoldSet

Axis = Literal["split", "lang", "label", "slice"]
NONE = "none"
"""Stands for a claim without a slice, and for every split while none is declared."""


class CountCell(NamedTuple):
    """Judged claims of one split, language, label and slice; `claims` is at least 1."""

    split: str
    lang: str
    label: str
    slice: str
    claims: int


@dataclass(frozen=True, slots=True)
class GoldCounts:
    """Counts of a gold set.

    Attributes:
        claims: All claims.
        judged: Claims that count: not excluded, not labelled by a model.
        excluded: Claims marked `exclude`.
        model_labelled: Claims that a model labelled, excluded ones left out.
        answers: Answers of the judged claims.
        contexts: Contexts, used or not.
        annotators: Names that stand in annotations.
        cells: Judged claims by split, language, label and slice; empty cells are left out.
        pending: Claims that wait for their gold label; they are not among `claims`.
        corrected: Gold labels that were changed since the claims file was written.
        stale: Judged claims that wait for relabelling since the labelling policy changed.
    """

    claims: int
    judged: int
    excluded: int
    model_labelled: int
    answers: int
    contexts: int
    annotators: int
    cells: tuple[CountCell, ...]
    pending: int = 0
    corrected: int = 0
    stale: int = 0

    def by(self, *axes: Axis) -> dict[tuple[str, ...], int]:
        """Judged claims by any of the axes, sorted by name.

        >>> counts = GoldCounts(2, 2, 0, 0, 1, 1, 0, (CountCell("dev", "en", "yes", "none", 2),))
        >>> counts.by("lang", "label")
        {('en', 'yes'): 2}
        """
        sums: Counter[tuple[str, ...]] = Counter()
        for cell in self.cells:
            sums[tuple(str(getattr(cell, axis)) for axis in axes)] += cell.claims
        return dict(sorted(sums.items()))


def count_claims(goldset: GoldSet) -> GoldCounts:
    """Counts of a gold set by split, language, label and slice."""
    judged = goldset.judged().claims
    cells = Counter(
        (goldset.split_of(claim) or NONE, claim.lang, claim.label, claim.slice or NONE)
        for claim in judged
    )
    return GoldCounts(
        claims=len(goldset.claims),
        judged=len(judged),
        excluded=sum(claim.exclude for claim in goldset.claims),
        model_labelled=sum(
            claim.label_source == "model" and not claim.exclude for claim in goldset.claims
        ),
        answers=len({claim.answer_id for claim in judged}),
        contexts=len(goldset.contexts),
        annotators=len(
            {note.annotator for claim in goldset.every_claim for note in claim.annotations}
        ),
        cells=tuple(CountCell(*cell, claims) for cell, claims in sorted(cells.items())),
        pending=len(goldset.pending),
        corrected=len(goldset.corrections),
        stale=len(needs_relabelling(goldset)),
    )
