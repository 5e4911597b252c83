"""The account of all metrics over all rows: means with intervals, and why scores are missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from metajudge.agreement.bootstrap import cluster_weights
from metajudge.metrics.accounts import CalibrationAccount, Told, TurnsAccount, turns_account
from metajudge.metrics.calibrating import CALIBRATED
from metajudge.metrics.catalogue import METRICS
from metajudge.metrics.computed.turns import turn_counts
from metajudge.metrics.computed.words import sentence
from metajudge.metrics.evaluation import EvaluationSummary, MetricAccount
from metajudge.metrics.judged import JUDGED
from metajudge.metrics.missing import missing_columns
from metajudge.metrics.scored import MetricScore, ScoredRow
from metajudge.metrics.work import Work
from metajudge.release.consult.units import Units, codes_by_name
from metajudge.release.judged_summary import call_account
from metajudge.release.resampling import LEVEL, RESAMPLES, SEED
from metajudge.report.figure import figure
from metajudge.report.part import Figure
from metajudge.runner.call import RunReport
from metajudge.version import __version__

_BY_CONTEXT = ("faithfulness", "groundedness", "context_recall", "context_entity_recall")
"""Metrics whose units are held against all passages."""
_WHOLE = {"groundedness": "grounded", "goal_achievement": "achieved"}
"""Metrics that also say yes or no of an answer, and the detail in which they do."""


def summarise(
    work: Work,
    rows: Sequence[ScoredRow],
    names: Sequence[str],
    notes: Sequence[str],
    calibrations: Mapping[str, CalibrationAccount],
    *,
    reports: Sequence[RunReport],
) -> EvaluationSummary:
    """The account of what was asked, said and scored.

    Args:
        work: The judged metrics' work.
        rows: All rows with their scores.
        names: Metrics in the order asked for.
        notes: What reading the rows decided for the user.
        calibrations: What raw scores mean on gold, by metric.
        reports: The account of each run, of vectors too.
    """
    groups = codes_by_name([row.context_id for row in work.rows])
    weights = cluster_weights(groups.n_clusters, RESAMPLES, np.random.default_rng(SEED))
    units = Units(groups.codes, weights, LEVEL)
    return EvaluationSummary(
        package_version=__version__,
        answers=len(rows),
        contexts=groups.n_clusters,
        languages=dict(Counter(row.lang for row in work.rows)),
        metrics=tuple(
            _account(work, rows, name, units).model_copy(
                update=_beside(work, rows, name, calibrations)
            )
            for name in names
        ),
        calls=call_account(reports, work.settings.budget),
        notes=(*notes, *_notes(work)),
    )


def _account(work: Work, rows: Sequence[ScoredRow], name: str, units: Units) -> MetricAccount:
    scores = [row.scores[name] for row in rows]
    values = np.asarray([np.nan if s.score is None else s.score for s in scores], np.float64)
    known = np.isfinite(values)
    failed = Counter(unit.failure for score in scores for unit in score.failures)
    prices = [score.usd for score in scores if score.usd is not None]
    metric = METRICS[name]
    return MetricAccount(
        metric=name,
        kind=metric.kind,
        range=metric.range,
        better=metric.better,
        mean=figure(units.mean(values, known, "scored")),
        whole=_whole(scores, name, units),
        rows=len(rows),
        scored=int(known.sum()),
        undefined=dict(Counter(str(s.reason) for s in scores if s.score is None)),
        units=sum(len(score.units) for score in scores),
        failures={str(kind): n for kind, n in sorted(failed.items(), key=str)},
        policy=next((s.policy for s in scores if s.policy is not None), None),
        **_served(work, name),
        calls=sum(score.calls for score in scores),
        tokens=sum(score.tokens for score in scores),
        cost_usd=round(sum(prices), 6) if prices else None,
    )


def _whole(scores: Sequence[MetricScore], name: str, units: Units) -> Figure | None:
    """Share of the answers of which all holds, of those where that is known."""
    if name not in _WHOLE:
        return None
    found = [score.details.get(_WHOLE[name]) for score in scores]
    hit = np.asarray([each is True for each in found], np.bool_)
    return figure(units.share(hit, np.asarray([e is not None for e in found], np.bool_), "known"))


def _beside(
    work: Work, rows: Sequence[ScoredRow], name: str, calibrations: Mapping[str, CalibrationAccount]
) -> dict[str, Any]:
    """What an account holds beside its mean."""
    scores = [row.scores[name] for row in rows]
    warnings = [*missing_columns(work.rows, name), *_supported_by_nothing(work, scores, name)]
    if name in CALIBRATED and name not in calibrations:
        warnings.append(_told(name, sentence("raw", "en"), sentence("raw", "zh")))
    turns = None
    if name == "turns":
        turns, told = _turns(scores)
        warnings += told
    calibration = calibrations.get(name)
    return {"turns": turns, "calibration": calibration, "warnings": tuple(warnings)}


def _supported_by_nothing(work: Work, scores: Sequence[MetricScore], name: str) -> tuple[Told, ...]:
    """A judge that finds support where no passage was retrieved is not to be believed there."""
    if name not in _BY_CONTEXT:
        return ()
    said = [
        unit
        for row, score in zip(work.rows, scores, strict=True)
        if row.passages == ()
        for unit in score.units
    ]
    wrong = sum(unit.label == "yes" for unit in said)
    texts = [sentence("by_nothing", tag, wrong=wrong, n=len(said)) for tag in ("en", "zh")]
    return (_told(name, *texts),) if wrong else ()


def _turns(scores: Sequence[MetricScore]) -> tuple[TurnsAccount, list[Told]]:
    counts = turn_counts(None if s.score is None else int(s.score) for s in scores)
    en, zh = counts.warning("en"), counts.warning("zh")
    told = [] if en is None or zh is None else [_told("turns", en, zh)]
    return turns_account(counts), told


def _told(name: str, en: str, zh: str) -> Told:
    return Told(en=f"{name}: {en}", zh=f"{name}：{zh}")


def _served(work: Work, name: str) -> Mapping[str, Any]:
    """What a judged metric was asked with."""
    judged = JUDGED.get(name)
    if judged is None:
        return {"release": None, "judge": None, "templates": {}, "extraction": {}}
    candidates = [work.serving.candidates[part] for part in judged.parts]
    release = work.serving.releases.get(judged.parts[0])
    return {
        "release": None if release is None else release.ref,
        "judge": candidates[0].judge.spec,
        "templates": {
            source.label: source.fingerprint
            for candidate in candidates
            for wording in candidate.variants
            for source in wording.by_language.values()
        },
        "extraction": work.lists.prompts(judged.lists),
    }


def _notes(work: Work) -> list[str]:
    """Templates that ask in another language than a row's."""
    notes = []
    tags = dict.fromkeys(row.lang for row in work.rows)
    for part, candidate in work.serving.candidates.items():
        missed = candidate.variants[0].misses(tags)
        if missed:
            told = f"no template of {candidate.name} in {', '.join(missed)}: another language's"
            notes.append(f"{part}: {told}")
    return notes
