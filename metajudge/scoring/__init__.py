"""From verdicts to scores: policies, answers, and the frameworks' own scorers beside them."""

from metajudge.scoring.answers import Scores, costly_claims, lost_points, passes, score_answers
from metajudge.scoring.policies import (
    POLICY_NAMES,
    UNDEFINED,
    Policy,
    Score,
    check_policy,
    parse_policy,
)
from metajudge.scoring.statements import is_statement_free

__all__ = [
    "POLICY_NAMES",
    "UNDEFINED",
    "Policy",
    "Score",
    "Scores",
    "check_policy",
    "costly_claims",
    "is_statement_free",
    "lost_points",
    "parse_policy",
    "passes",
    "score_answers",
]
