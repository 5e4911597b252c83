"""Which frames serve which metric: a template is asked only about gold that it is made for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from metajudge.errors import Problem
from metajudge.gold.claim import METRIC_NAMES, MetricName
from metajudge.templates.frame import FrameName
from metajudge.templates.source import PromptSource

FRAME_OF: dict[MetricName, FrameName] = {
    "faithfulness": "claim",
    "groundedness": "sentence",
    "context_relevance": "passage",
    "context_recall": "claim",
    "context_entity_recall": "entity",
    "answer_relevance": "aspect",
    "answer_redundancy": "redundancy",
    "answer_correctness": "reference",
    "goal_achievement": "goal",
}
"""The frame in which each metric's question is asked."""


def frame_of(source: PromptSource) -> FrameName:
    """The frame of a template; a peer's own prompt asks about claims."""
    frame: FrameName = getattr(source, "frame", "claim")
    return frame


def metrics_of(source: PromptSource) -> tuple[MetricName, ...]:
    """The metrics whose question a template asks, in the order of `METRIC_NAMES`.

    Claims are asked about for two metrics; every other frame serves one.
    """
    return tuple(metric for metric in METRIC_NAMES if serves(source, metric))


def serves(source: PromptSource, metric: MetricName) -> bool:
    """Whether a template asks the question of a metric."""
    return frame_of(source) == FRAME_OF[metric]


def serving_problems(
    sources: Iterable[PromptSource], metric: MetricName, where: str
) -> Iterator[Problem]:
    """Templates that ask another question than the metric's, each once.

    Args:
        sources: The templates.
        metric: What the gold set is gold for, or what is to be scored.
        where: The experiment, or whatever names both.
    """
    for source in {s.label: s for s in sources}.values():
        if serves(source, metric):
            continue
        frame, wanted = frame_of(source), FRAME_OF[metric]
        made_for = ", ".join(metrics_of(source))
        law = f"a template for {metric} has the frame {wanted!r}, {source.label} has {frame!r}"
        mend = f"Take a template of {metric} (`metajudge templates list`), or gold for {made_for}."
        yield Problem(where, law, mend, field="templates", got=source.label)
