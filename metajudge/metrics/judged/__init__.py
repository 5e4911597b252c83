"""Metrics that a judge answers: units of a row, verdicts, and the score that follows."""

from metajudge.metrics.judged.answer_correctness import ANSWER_CORRECTNESS
from metajudge.metrics.judged.answer_relevance import ANSWER_REDUNDANCY, ANSWER_RELEVANCE
from metajudge.metrics.judged.context_recall import CONTEXT_ENTITY_RECALL, CONTEXT_RECALL
from metajudge.metrics.judged.context_relevance import CONTEXT_PRECISION, CONTEXT_RELEVANCE
from metajudge.metrics.judged.faithfulness import FAITHFULNESS
from metajudge.metrics.judged.goal_achievement import GOAL_ACHIEVEMENT
from metajudge.metrics.judged.groundedness import GROUNDEDNESS
from metajudge.metrics.judged.unit import JudgedMetric

JUDGED: dict[str, JudgedMetric] = {
    metric.name: metric
    for metric in (
        FAITHFULNESS,
        GROUNDEDNESS,
        CONTEXT_RELEVANCE,
        CONTEXT_PRECISION,
        CONTEXT_RECALL,
        CONTEXT_ENTITY_RECALL,
        ANSWER_RELEVANCE,
        ANSWER_REDUNDANCY,
        ANSWER_CORRECTNESS,
        GOAL_ACHIEVEMENT,
    )
}
"""Metrics that a judge answers, by name."""

__all__ = ["JUDGED", "JudgedMetric"]
