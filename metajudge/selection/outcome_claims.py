"""Labelled claims, and the labels that waiting claims may get, as the claims of one sweep."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from metajudge.agreement.arrays import Ints, Masks
from metajudge.agreement.table import Clusters
from metajudge.selection.columns import CandidateCodes, CandidateKey, ClaimColumns
from metajudge.selection.label_outcomes import PARTS, Outcomes, Waiting
from metajudge.selection.measure import Measurer


def with_outcomes(
    measurer: Measurer, stands: Masks | None, some: Waiting, outcomes: Outcomes
) -> tuple[Measurer, int]:
    """Labels that stand, then each kind of waiting claim with each outcome as its own cluster.

    Args:
        measurer: The labelled claims.
        stands: Shape (n,), labelled claims whose label stands; None for all.
        some: One waiting claim of each kind.
        outcomes: The outcomes.

    Returns:
        The sweep, to be weighed by how many claims of a kind have which outcome; and its clusters
        of labels that stand, which come first.
    """
    columns, size = measurer.columns, len(outcomes.label_of)
    kept = np.ones(len(columns.gold), np.bool_) if stands is None else stands
    groups, cluster = np.unique(columns.clusters(measurer.cluster).codes[kept], return_inverse=True)
    n_kinds = some.codes.shape[1]
    gold = np.concatenate([columns.gold[kept], np.tile(outcomes.label_of, n_kinds)])
    names = np.asarray(PARTS, np.str_)[outcomes.part_of]
    slices = np.concatenate([columns.slices[kept], np.tile(names, n_kinds)])
    codes = np.concatenate(
        [measurer.candidates.codes[:, kept], np.repeat(some.codes, size, axis=1)], axis=1
    )
    fixed = len(groups)
    clusters = Clusters(
        np.concatenate([cluster.astype(np.int64), fixed + np.arange(n_kinds * size)]),
        fixed + n_kinds * size,
    )
    made = ClaimColumns(
        gold, slices, np.full(len(gold), "", np.str_), clusters, clusters, columns.binary, len(gold)
    )
    return replace(
        measurer, columns=made, candidates=_verdicts(measurer.candidates.keys, codes)
    ), fixed


def with_candidates(measurer: Measurer, rows: Ints) -> Measurer:
    """The sweep with some of its candidates, without their label probabilities."""
    keys = tuple(measurer.candidates.keys[row] for row in rows)
    return replace(measurer, candidates=_verdicts(keys, measurer.candidates.codes[rows]))


def _verdicts(keys: tuple[CandidateKey, ...], codes: Ints) -> CandidateCodes:
    return CandidateCodes(keys, codes, np.broadcast_to(np.float32(np.nan), (*codes.shape, 3)))
