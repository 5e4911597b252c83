"""Which candidate: figures of every candidate on the same resamples, guardrails and ranking."""

from metajudge.selection.columns import (
    CandidateCodes,
    CandidateKey,
    ClaimColumns,
    claim_columns,
)
from metajudge.selection.measure import CandidateFigures, GroupEstimates, Measurer
from metajudge.selection.policies import PolicyEstimates, policy_figures
from metajudge.selection.ranking import Bounds, Broken, Ranked, rank
from metajudge.selection.shares import SHARES

__all__ = [
    "SHARES",
    "Bounds",
    "Broken",
    "CandidateCodes",
    "CandidateFigures",
    "CandidateKey",
    "ClaimColumns",
    "GroupEstimates",
    "Measurer",
    "PolicyEstimates",
    "Ranked",
    "claim_columns",
    "policy_figures",
    "rank",
]
