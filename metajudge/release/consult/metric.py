"""Which metric a consultation is about: both sides and the gold set ask one question."""

from __future__ import annotations

from collections.abc import Sequence

from metajudge.errors import InputError, Problem
from metajudge.gold.claim import METRIC_NAMES, MetricName
from metajudge.gold.goldset import GoldSet
from metajudge.release.consult.sides import Draft
from metajudge.templates.serving import metrics_of


def served_by(draft: Draft) -> tuple[MetricName, ...]:
    """Metrics that a side can stand for: a release's own, else those its templates ask for.

    A framework's metric is its faithfulness, whatever else is asked about claims.
    """
    if draft.kind == "metric":
        return ("faithfulness",)
    sources = [source for wording in draft.variants for source in wording.by_language.values()]
    asked = [
        metric for metric in METRIC_NAMES if all(metric in metrics_of(source) for source in sources)
    ]
    own = None if draft.release is None else draft.release.manifest.metric
    return (own,) if own in asked else tuple(asked)


def common_metrics(drafts: Sequence[Draft]) -> tuple[MetricName, ...]:
    """The metrics that both sides can stand for; the first is taken where gold says nothing.

    Raises:
        InputError: There is none: the sides ask different questions.
    """
    current, proposed = (served_by(draft) for draft in drafts)
    common = tuple(metric for metric in current if metric in proposed)
    if common:
        return common
    law = (
        f"both sides of a consultation ask for one metric, and {drafts[0].name} is for "
        f"{_listed(current)}"
    )
    mend = "Name two sides of one metric; `metajudge templates list` says which is for which."
    got = f"{drafts[1].name} for {_listed(proposed)}"
    raise InputError(Problem("command line", law, mend, field="--proposed", got=got))


def settled_metric(common: Sequence[MetricName], gold: GoldSet | None) -> MetricName:
    """The metric of a consultation: that of its gold, which has to be one of the sides'.

    Raises:
        InputError: The gold set is gold for another metric.
    """
    if gold is None:
        return common[0]
    found = gold.manifest.metric
    if found in common:
        return found
    law = f"the gold set must be gold for what both sides ask: {_listed(common)}"
    mend = "Name another with --gold, or go without: --gold none."
    where = str(gold.path or gold.manifest.name)
    raise InputError(Problem(where, law, mend, field="metric", got=repr(found)))


def _listed(metrics: Sequence[MetricName]) -> str:
    return " or ".join(metrics) or "no one metric"
