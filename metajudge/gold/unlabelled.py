"""What stands for a gold set where units are to be asked and nobody labelled them."""

from __future__ import annotations

from collections.abc import Iterable

from metajudge.gold.claim import GoldManifest, LabellingPolicy, MetricName


def unlabelled_manifest(
    name: str, languages: Iterable[str], provenance: str, metric: MetricName = "faithfulness"
) -> GoldManifest:
    """The manifest of a set without labels, which nothing that reads labels may be given.

    Args:
        name: What the set is called in messages.
        languages: Of its units, each as often as it comes; English where there is none.
        provenance: What the units are.
        metric: What is asked of them.

    >>> unlabelled_manifest("answers", ["zh", "en", "zh"], "answers without labels").languages
    ('zh', 'en')
    """
    return GoldManifest(
        name=name,
        version="0",
        languages=tuple(dict.fromkeys(languages)) or ("en",),
        labelling_policy=LabellingPolicy(version="unlabelled"),
        licence="unknown",
        provenance=provenance,
        label_source="model",
        allow_empty_context=True,
        metric=metric,
    )
