"""The metric that a release serves, by the frame of its templates."""

from __future__ import annotations

from metajudge.release.bundle import Release
from metajudge.templates.serving import FRAME_OF, frame_of


def metric_of_release(release: Release) -> str:
    """The first metric whose question the release's templates ask.

    A release for context recall asks about claims, as one for faithfulness does: name its metric.
    """
    source = next(iter(release.candidate.variants[0].by_language.values()))
    return next(metric for metric, frame in FRAME_OF.items() if frame == frame_of(source))
