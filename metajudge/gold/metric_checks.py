"""What gold for a metric other than faithfulness has to keep: its labels, its evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from metajudge.errors import Problem, short_repr
from metajudge.gold.claim import (
    SPACE_LABELS,
    TWO_LABELS,
    Claim,
    Context,
    GoldLabel,
    GoldManifest,
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


def label_problems(
    manifest: GoldManifest,
    claims: Iterable[Claim],
    places: Mapping[str, tuple[str, int | None]],
) -> Iterator[Problem]:
    """Labels that the metric does not have.

    Args:
        manifest: Of the set.
        claims: Its claims.
        places: File and line of each claim, by its id.
    """
    allowed = metric_labels(manifest.metric, manifest.label_space)
    for claim in claims:
        if claim.label not in allowed:
            where, line = places[claim.claim_id]
            law = f"gold for {manifest.metric} has the labels {', '.join(allowed)}"
            mend = "Say what their word means with --labels WORD=LABEL."
            yield Problem(where, law, mend, line, "label", repr(claim.label))


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
