"""What gold for a metric other than faithfulness has to keep: its labels, its evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from metajudge.errors import Problem, short_repr
from metajudge.gold.claim import (
    SPACE_LABELS,
    TWO_LABELS,
    Context,
    GoldLabel,
    LabelSpace,
    MetricName,
)


def metric_labels(metric: MetricName, space: LabelSpace = "ternary") -> tuple[GoldLabel, ...]:
    """Labels that gold for a metric can have.

    >>> metric_labels("context_relevance"), metric_labels("context_recall")
    (('yes', 'no'), ('yes', 'no', 'idk'))
    """
    labels = SPACE_LABELS[space]
    return tuple(label for label in labels if metric not in TWO_LABELS or label != "idk")


def context_problems(
    metric: MetricName, contexts: Iterable[Context], where: str
) -> Iterator[Problem]:
    """Contexts that the metric cannot be judged against.

    Args:
        metric: The metric of the set.
        contexts: Its contexts.
        where: Their file.
    """
    if metric != "context_relevance":
        return
    for context in contexts:
        if len(context.passages) > 1:
            n = len(context.passages)
            law = f"context_relevance judges one passage at a time, and this context has {n}"
            mend = "Give each passage a context of its own."
            got = short_repr(context.context_id)
            yield Problem(where, law, mend, field="passages", got=got)
