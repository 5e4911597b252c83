"""What labelling a claim can bring, and how probable it is by what the candidates say of it.

An *outcome* is a label together with the part of the figures that the claim enters: its slice
decides whether summary-as-idk or a loss on literal claims counts it, and whoever labels a claim
states its slice too. Claims that the candidates judge alike, of which the same is known
beforehand, are of one *kind*: nothing tells them apart here, so they are counted together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks, as_floats
from metajudge.agreement.outcome_model import (
    SHRINKAGE,
    OutcomeModel,
    as_shares,
    fit_outcome_model,
    outcome_prior,
)
from metajudge.selection.columns import SUMMARY_SLICES
from metajudge.selection.guardrails import LOSS_SLICES
from metajudge.selection.measure import Measurer

Names = np.ndarray[tuple[int], np.dtype[np.str_]]

PARTS = ("", SUMMARY_SLICES[0], *LOSS_SLICES)
"""One slice of each part of the figures; "" for all that only the common figures count."""
NO_LABEL = -1
LABEL_ERROR = 0.05
"""Chance that the label of one annotator is not the one that people would settle on, assumed."""


class Waiting(NamedTuple):
    """M claims whose label is to be learnt, with what is known of them before.

    Attributes:
        codes: Shape (S, M), verdicts of the candidates: yes 0, no 1, idk 2, failure 3.
        slices: Shape (M,), slice names, "" for none.
        known: Shape (M,), whether the slice is settled.
        given: Shape (M,), label that one annotator gave; NO_LABEL where nobody did.
        labels: How many labels there can be; 2 where the metric has no idk.
    """

    codes: Ints
    slices: Names
    known: Masks
    given: Ints
    labels: int = 3

    def of(self, candidates: Ints) -> Waiting:
        """The same with the verdicts of some candidates only."""
        return self._replace(codes=self.codes[candidates])

    def at(self, places: Ints) -> Waiting:
        """Some of the claims."""
        return self._replace(
            codes=self.codes[:, places],
            slices=self.slices[places],
            known=self.known[places],
            given=self.given[places],
        )


class ClaimKinds(NamedTuple):
    """The kinds of waiting claims, g of them.

    Attributes:
        of: Shape (M,), the kind of each claim.
        sizes: Shape (g,), claims of each kind.
        one: Shape (g,), place of the first claim of each kind.
    """

    of: Ints
    sizes: Ints
    one: Ints


def claim_kinds(waiting: Waiting) -> ClaimKinds:
    """Claims with the same verdicts, known slice and given label make one kind."""
    slices = np.unique(waiting.slices, return_inverse=True)[1]
    known = np.where(waiting.known, slices, NO_LABEL)
    rows = np.concatenate([waiting.codes, known[None], waiting.given[None]])
    _, one, of, sizes = np.unique(
        rows, axis=1, return_index=True, return_inverse=True, return_counts=True
    )
    return ClaimKinds(of.reshape(-1).astype(np.int64), sizes.astype(np.int64), one)


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The outcomes there can be, O of them, and how probable each is.

    Attributes:
        label_of: Shape (O,), label codes.
        part_of: Shape (O,), index in `PARTS`.
        model: What the candidates' verdicts say.
        slices: Names of the slices seen among labelled claims, "" among them.
        counts: Shape (G, Z, O), labelled claims by cluster, slice and outcome.
    """

    label_of: Ints
    part_of: Ints
    model: OutcomeModel
    slices: tuple[str, ...]
    counts: Floats

    def shares(self, weights: Floats, waiting: Waiting) -> Floats:
        """How probable each outcome is in each world, shape (B, O, M).

        A known slice has its own label shares, shrunk to those of its part of the figures, and no
        outcome of another part. A label that one annotator gave is right but for `LABEL_ERROR`.

        Args:
            weights: Shape (B, G).
            waiting: The claims.
        """
        by_slice = np.tensordot(weights, self.counts, axes=(1, 0))
        whole = by_slice.sum(1)
        possible = (whole.sum(0) > 0) | (self.part_of == 0)
        prior = np.where(possible, outcome_prior(whole), 0.0)
        logs = self.model.log_likelihood(weights, waiting.codes)
        names, place = np.unique(np.where(waiting.known, waiting.slices, "?"), return_inverse=True)
        for number, name in enumerate(names.tolist()):
            before = prior if name == "?" else self._of_slice(name, by_slice, outcome_prior(whole))
            with np.errstate(divide="ignore"):
                logs[:, :, place == number] += np.log(before)[..., None]
        return as_shares(logs + self._of_given(waiting.given), 1)

    def slice_shares(self, shares: Floats) -> Floats:
        """How probable each of `slices` is, given outcome shares (…, O); shape (…, Z).

        They sum to less than 1 where an outcome is possible that was not seen.
        """
        table = self.counts.sum(0)
        sizes = table.sum(0)
        return as_floats(shares @ np.divide(table, sizes, out=0 * table, where=sizes > 0).T)

    def _of_slice(self, name: str, by_slice: Floats, prior: Floats) -> Floats:
        mine = prior * (self.part_of == part_of([name])[0])
        mine *= SHRINKAGE / mine.sum(-1, keepdims=True)
        if name in self.slices:
            mine = mine + by_slice[:, self.slices.index(name)]
        return as_floats(mine / mine.sum(-1, keepdims=True))

    def _of_given(self, given: Ints) -> Floats:
        """Log-likelihood of the label that one annotator gave, shape (O, M)."""
        labels = max(len(np.unique(self.label_of)), 2)
        same = self.label_of[:, None] == given
        told = np.where(same, np.log1p(-LABEL_ERROR), np.log(LABEL_ERROR / (labels - 1)))
        return as_floats(np.where(given == NO_LABEL, 0.0, told))


def part_of(slices: Names | list[str]) -> Ints:
    """The part of the figures of each slice, as an index in `PARTS`.

    >>> part_of(["aggregation", "summary", "hedged", ""]).tolist()
    [1, 1, 0, 0]
    """
    places = {name: place for place, name in enumerate(PARTS)}
    places |= dict.fromkeys(SUMMARY_SLICES, 1)
    return np.asarray([places.get(str(name), 0) for name in slices], np.int64)


def learn_outcomes(measurer: Measurer, waiting: Waiting) -> Outcomes:
    """The outcomes seen among labelled claims, and every label of the set and of known slices.

    Args:
        measurer: Labelled claims, one draw each, at least one.
        waiting: The claims whose outcomes are to be weighed.
    """
    columns = measurer.columns
    parts = part_of(columns.slices)
    wanted = np.unique(np.append(part_of(waiting.slices[waiting.known]), 0))
    labels = np.arange(min(columns.n_labels, waiting.labels))
    seen = columns.gold * len(PARTS) + parts
    more = (labels[:, None] * len(PARTS) + wanted).ravel()
    codes = np.unique(np.concatenate([seen, more]))
    outcome = np.searchsorted(codes, seen)
    groups = columns.clusters(measurer.cluster)
    names, place = np.unique(columns.slices, return_inverse=True)
    counts = np.zeros((groups.n_clusters, len(names), len(codes)))
    np.add.at(counts, (groups.codes, place, outcome), 1.0)
    label_of, part = np.divmod(codes, len(PARTS))
    model = fit_outcome_model(groups.codes, outcome, measurer.candidates.codes, label_of)
    return Outcomes(label_of, part, model, tuple(names.tolist()), counts)
