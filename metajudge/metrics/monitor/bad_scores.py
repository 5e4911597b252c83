"""Which scores are bad: low ones, or high ones where less of the metric is better."""

from __future__ import annotations

from metajudge.metrics.catalogue import METRICS


def less_is_better(metric: str) -> bool:
    """Whether a metric is better the lower it is; a metric of one's own is not.

    >>> less_is_better("answer_redundancy"), less_is_better("faithfulness"), less_is_better("x")
    (True, False, False)
    """
    found = METRICS.get(metric)
    return found is not None and found.better == "lower"


def is_bad(score: float, metric: str, threshold: float) -> bool:
    """Whether a score is under the threshold, or over it where less is better.

    >>> is_bad(0.9, "answer_redundancy", 0.5), is_bad(0.9, "faithfulness", 0.5)
    (True, False)
    """
    return score > threshold if less_is_better(metric) else score < threshold
