"""What the metrics of a gate are measured with, known before anything is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from metajudge.metrics.gate.baseline import Measure
from metajudge.metrics.gate.cases import Cases
from metajudge.metrics.inputs import read_rows_for_metrics
from metajudge.metrics.judged import JUDGED, JudgedMetric
from metajudge.metrics.serving import served
from metajudge.metrics.settings import EvaluateSettings
from metajudge.metrics.work import Work

_COMPUTED = Measure(
    release=None,
    release_sha256=None,
    judge=None,
    identity={},
    templates={},
    extraction={},
    policy=None,
)


def measures_of(
    metrics: Sequence[str], cases: Cases, settings: EvaluateSettings, folder: Path
) -> dict[str, Measure]:
    """Release, judge, wording, extraction and policy of each metric.

    Args:
        metrics: Names.
        cases: Whose lists may have to be extracted.
        settings: What serves the metrics.
        folder: Of the suite; it is taken out of the specs of judges, so that none is stored.

    Raises:
        InputError: A metric cannot be served, with every fault.
    """
    serving = served([JUDGED[name] for name in metrics if name in JUDGED], settings)
    work = Work(read_rows_for_metrics(cases.mappings).rows, serving, settings)
    return {
        name: _measure(work, JUDGED[name], folder) if name in JUDGED else _COMPUTED
        for name in metrics
    }


def release_bars(metrics: Sequence[str], settings: EvaluateSettings) -> Mapping[str, float]:
    """Threshold of the release that serves a metric, where one does."""
    return {
        name: settings.releases[JUDGED[name].parts[0]].candidate.threshold
        for name in metrics
        if name in JUDGED and JUDGED[name].parts[0] in settings.releases
    }


def _measure(work: Work, metric: JudgedMetric, folder: Path) -> Measure:
    serving = work.serving
    candidates = [serving.candidates[part] for part in metric.parts]
    release = serving.releases.get(metric.parts[0])
    pin = candidates[0].judge
    identity = work.judges[pin.name].identity
    return Measure(
        release=None if release is None else release.ref,
        release_sha256=None if release is None else release.sha256,
        judge=pin.spec.replace(f"{folder}/", ""),
        identity={name: value for name, value in identity.items() if name != "seed"},
        templates={
            source.label: source.fingerprint
            for candidate in candidates
            for wording in candidate.variants
            for source in wording.by_language.values()
        },
        extraction=work.lists.prompts(metric.lists),
        policy=serving.policies[metric.name].name,
    )
