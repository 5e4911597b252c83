"""People's labels as arrays, on the claims that at least two of them labelled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks, Numbers, divide
from metajudge.agreement.bootstrap import ClusterSums
from metajudge.agreement.ceiling import MISSING
from metajudge.agreement.fleiss import rating_counts


@dataclass(frozen=True, slots=True)
class Panel:
    """People's labels, on the claims that at least two of them labelled.

    Attributes:
        ratings: Shape (R, n), label codes; MISSING where an annotator gave none, and on every
            claim with fewer than two labels.
        annotators: Names of the R annotators who share at least one claim with another.
        cluster: Shape (n,), codes of all n claims.
        n_labels: K.
        n_annotators: Annotators of the set, those without a shared claim included.
    """

    ratings: Ints
    annotators: tuple[str, ...]
    cluster: Ints
    n_labels: int
    n_annotators: int

    @property
    def known(self) -> Masks:
        """Where there is a label, shape (R, n)."""
        return np.asarray(self.ratings != MISSING, np.bool_)

    @property
    def shared(self) -> Masks:
        """Claims with two labels or more, shape (n,)."""
        return np.asarray(self.known.any(0), np.bool_)

    @property
    def counts(self) -> Floats:
        """Labels of each claim by code, shape (n, K)."""
        return rating_counts(self.ratings, self.n_labels).reshape(-1, self.n_labels)

    @property
    def shares(self) -> Floats:
        """Share of a claim's labels by code, shape (n, K); nan on claims that are not shared."""
        counts = self.counts
        return divide(counts, counts.sum(-1, keepdims=True))

    @property
    def overlap(self) -> Ints:
        """Claims that annotators share, shape (R, R); its diagonal is what each labelled."""
        known = self.known.astype(np.int64)
        return known @ known.T

    def pairs(self, least: int) -> tuple[tuple[int, int], ...]:
        """Pairs of annotators, as rows, who share at least so many claims."""
        first, second = np.nonzero(np.triu(self.overlap, 1) >= max(least, 1))
        return tuple(zip(first.tolist(), second.tolist(), strict=True))

    def paired(self, least: int) -> Masks:
        """Where an annotator shares the claim with a partner of such a pair, shape (R, n)."""
        known, mask = self.known, np.zeros_like(self.known)
        for one, other in self.pairs(least):
            both = known[one] & known[other]
            mask[one] |= both
            mask[other] |= both
        return mask

    def counted(self, sums: Floats, within: Masks | None = None) -> ClusterSums:
        """Per-cluster sums (G, S, …) that rest on some claims; None is the shared ones."""
        claims = self.shared if within is None else within
        n_candidates = sums.shape[1]
        groups = len(np.unique(self.cluster[claims]))
        return ClusterSums(
            sums,
            np.full(n_candidates, int(claims.sum()), np.int64),
            np.full(n_candidates, groups, np.int64),
        )


def panel(labels: Numbers, annotators: Sequence[str], cluster: Numbers, n_labels: int) -> Panel:
    """The panel of an annotation matrix.

    Args:
        labels: Shape (n, R), codes 0 … K - 1; MISSING where an annotator gave none.
        annotators: Names of the R columns.
        cluster: Shape (n,), codes of the claims' answers or contexts.
        n_labels: K.

    >>> made = panel([[0, 0, -1], [1, -1, -1]], ["a", "b", "c"], [0, 1], 3)
    >>> made.annotators, made.ratings.tolist()
    (('a', 'b'), [[0, -1], [0, -1]])
    """
    codes = np.asarray(labels, np.int64).T
    lone = (codes != MISSING).sum(0) < 2
    codes = np.where(lone, MISSING, codes)
    took_part = (codes != MISSING).any(1)
    names = tuple(name for name, kept in zip(annotators, took_part, strict=True) if kept)
    return Panel(codes[took_part], names, np.asarray(cluster, np.int64), n_labels, len(annotators))
