"""What a results file holds as arrays again, for figures that need no reply."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metajudge.agreement.bootstrap import cluster_weights
from metajudge.agreement.table import cluster_codes
from metajudge.experiment.run_pair import is_binary
from metajudge.report.part import VerdictCode
from metajudge.report.results import ClaimKey, Results
from metajudge.selection.columns import GOLD_CODES, CandidateCodes, CandidateKey, ClaimColumns
from metajudge.selection.measure import Measurer

VERDICTS: tuple[VerdictCode, ...] = ("yes", "no", "idk", "failure")


def measurer_of(
    results: Results,
    claims: Sequence[ClaimKey],
    verdicts: Sequence[tuple[CandidateKey, Sequence[VerdictCode]]],
) -> Measurer:
    """Candidates of a run with its clusters, resamples, seed and alpha; first draws only.

    Args:
        results: The run.
        claims: Its claims, or some of them.
        verdicts: Candidates and their verdicts in the order of the claims.
    """
    codes = np.asarray([[VERDICTS.index(v) for v in row] for _, row in verdicts])
    columns = ClaimColumns(
        gold=np.asarray([GOLD_CODES[claim.gold] for claim in claims], np.int64),
        slices=np.asarray([claim.slice or "" for claim in claims], np.str_),
        langs=np.asarray([claim.lang for claim in claims], np.str_),
        answers=cluster_codes([claim.answer_id for claim in claims]),
        contexts=cluster_codes([claim.context_id for claim in claims]),
        binary=is_binary(results),
        n_claims=len(claims),
    )
    groups = columns.clusters(results.cluster).n_clusters
    weights = cluster_weights(groups, results.resamples, np.random.default_rng(results.seed))
    unknown = np.full((*codes.shape, 3), np.nan, np.float32)
    candidates = CandidateCodes(tuple(key for key, _ in verdicts), codes, unknown)
    return Measurer(columns, candidates, weights, results.cluster, 1 - results.alpha)
