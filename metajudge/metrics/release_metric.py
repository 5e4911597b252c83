"""The metric that a release serves."""

from __future__ import annotations

from metajudge.release.bundle import Release
from metajudge.templates.serving import metrics_of


def metric_of_release(release: Release) -> str:
    """The metric in the manifest, or the first one whose question its templates ask.

    Manifests of early releases all say faithfulness, whatever their templates ask.
    """
    source = next(iter(release.candidate.variants[0].by_language.values()))
    served = metrics_of(source)
    told = release.manifest.metric
    return told if told in served else served[0]
