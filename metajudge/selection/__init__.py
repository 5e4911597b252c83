"""Which candidate: figures of every candidate on the same resamples, guardrails and ranking."""

from metajudge.selection.choice import selection_luck
from metajudge.selection.columns import (
    CandidateCodes,
    CandidateKey,
    ClaimColumns,
    claim_columns,
)
from metajudge.selection.compare import Comparison, compare, compare_all, unseen_below
from metajudge.selection.front import AXES, Front, candidate_front, pareto_front
from metajudge.selection.guardrails import (
    Bounds,
    Broken,
    broken_guardrails,
    idle_guardrails,
)
from metajudge.selection.measure import CandidateFigures, GroupEstimates, Measurer
from metajudge.selection.policies import PolicyEstimates, policy_figures
from metajudge.selection.power import Detection, Need, detections, labels_needed
from metajudge.selection.ranking import Ranked, rank
from metajudge.selection.shares import SHARES
from metajudge.selection.ties import adjusted_p, sign_flip_p, swap_test, told_apart

__all__ = [
    "AXES",
    "SHARES",
    "Bounds",
    "Broken",
    "CandidateCodes",
    "CandidateFigures",
    "CandidateKey",
    "ClaimColumns",
    "Comparison",
    "Detection",
    "Front",
    "GroupEstimates",
    "Measurer",
    "Need",
    "PolicyEstimates",
    "Ranked",
    "adjusted_p",
    "broken_guardrails",
    "candidate_front",
    "claim_columns",
    "compare",
    "compare_all",
    "detections",
    "idle_guardrails",
    "labels_needed",
    "pareto_front",
    "policy_figures",
    "rank",
    "selection_luck",
    "sign_flip_p",
    "swap_test",
    "told_apart",
    "unseen_below",
]
