"""Every metric: what it asks, what it does not say, what it needs, and where it is undefined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any, Literal, NamedTuple

import yaml

from metajudge.gold.claim import MetricName
from metajudge.metrics.computed_metrics import COMPUTED, Compute
from metajudge.metrics.judged import JUDGED
from metajudge.templates.catalogue import catalogue


class InBoth(NamedTuple):
    """A text in both languages."""

    en: str
    zh: str


@dataclass(frozen=True)
class Metric:
    """One metric as people read of it.

    Attributes:
        name: As it is asked for.
        kind: Whether a judge is asked.
        asks: The question that it answers.
        not_said: What its number does not say.
        undefined: Where it has no score.
        needs: Fields of a row; `a or b` where either will do.
        range: Values that its score can have.
        better: Which way is good.
        parts: Metrics whose gold and templates measure it; () for one that is computed.
        compute: How it is computed; None for one that a judge is asked for.
    """

    name: str
    kind: Literal["judged", "computed"]
    asks: InBoth
    not_said: InBoth
    undefined: InBoth
    needs: tuple[str, ...]
    range: str
    better: Literal["higher", "lower", "neither"]
    parts: tuple[MetricName, ...] = ()
    compute: Compute | None = None

    @property
    def wordings(self) -> tuple[str, ...]:
        """Shipped wordings that it can be asked with, the default one of a part first."""
        return tuple(name for part in self.parts for name in catalogue(part))


def _metrics() -> dict[str, Metric]:
    text = (resources.files("metajudge.metrics") / "metrics.yaml").read_text(encoding="utf-8")
    told: Mapping[str, Mapping[str, Any]] = yaml.safe_load(text)
    return {name: _metric(name, told[name]) for name in (*JUDGED, *COMPUTED)}


def _metric(name: str, told: Mapping[str, Any]) -> Metric:
    judged = JUDGED.get(name)
    return Metric(
        name=name,
        kind="computed" if judged is None else "judged",
        asks=InBoth(*told["asks"]),
        not_said=InBoth(*told["not_said"]),
        undefined=InBoth(*told["undefined"]),
        needs=tuple(told["needs"]),
        range=told["range"],
        better=told["better"],
        parts=() if judged is None else judged.parts,
        compute=COMPUTED.get(name),
    )


METRICS: dict[str, Metric] = _metrics()
"""Every metric by name; judged ones first."""


def known_metrics() -> tuple[str, ...]:
    """Names of all metrics.

    >>> known_metrics()[:3]
    ('faithfulness', 'groundedness', 'context_relevance')
    """
    return tuple(METRICS)
