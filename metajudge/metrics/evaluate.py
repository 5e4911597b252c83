"""Metrics over rows: lists that are not given first, then verdicts, scores and the account."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

from metajudge.errors import InputError, MetajudgeError, Problem
from metajudge.gold.setting_names import check_names
from metajudge.metrics.accounts import calibration_account
from metajudge.metrics.calibrating import calibrate, read_calibration, told_by
from metajudge.metrics.catalogue import METRICS, known_metrics
from metajudge.metrics.computed.similarity import ANSWER_SIMILARITY
from metajudge.metrics.computed_metrics import (
    ComputeSettings,
    Computing,
    check_computing,
    check_records,
    weighted,
)
from metajudge.metrics.evaluation import Evaluation
from metajudge.metrics.inputs import RowsForMetrics, read_rows_for_metrics
from metajudge.metrics.judged import JUDGED
from metajudge.metrics.row import MetricRow
from metajudge.metrics.scored import MetricScore, ScoredRow
from metajudge.metrics.scoring_rows import judged_scores
from metajudge.metrics.serving import served
from metajudge.metrics.settings import EvaluateSettings
from metajudge.metrics.summary import summarise
from metajudge.metrics.work import Work
from metajudge.release.answers_file import AnswersSource
from metajudge.release.bundle import Release
from metajudge.runner.absent import from_store_alone
from metajudge.runner.door import inside_a_loop, run_sync
from metajudge.runner.engine import run_calls
from metajudge.runner.recording import load_recording
from metajudge.runner.store import Store

Releases = Release | str | Path | Mapping[str, Release | str | Path] | None


def evaluate(
    rows: AnswersSource,
    metrics: Sequence[str],
    *,
    judge: str | None = None,
    release: Releases = None,
    settings: EvaluateSettings | None = None,
    **more: Any,
) -> Evaluation:
    """Scores of rows under some metrics, each with its verdicts and reason.

    What the store holds is not asked again, and no call is made twice, also where two metrics ask
    the same; a run that ended early goes on where it ended.

    Args:
        rows: As `read_rows_for_metrics` takes them.
        metrics: Names, e.g. `["faithfulness", "groundedness"]`; `known_metrics()` has them all.
        judge: Judge spec for every metric that no release serves with its own judge.
        release: A release, its reference or folder, which serves the metric that its templates are
            made for; or several, by metric.
        settings: Everything else; alternatively its fields by name (`store=…`, `policies=…`).
        more: Fields of `EvaluateSettings`, and of `ComputeSettings` (`nli=…`, `calibrate=…`,
            `same_tools=…`).

    Raises:
        InputError: Rows, a metric, a template, a policy or a release are faulty, with every fault.
        MetajudgeError: An event loop is running in this thread.
        StoreError: The store cannot be used.
    """
    if inside_a_loop():
        raise MetajudgeError(
            "evaluate cannot work inside a running event loop (a notebook or a web service has "
            "one). Write `await metajudge.evaluate_async(...)` with the same arguments instead."
        )
    asked = _prepared(rows, metrics, _settings(judge, release, settings, more))
    work = asked.work
    with Store(work.settings.store) as store:
        for path in work.settings.recordings:
            load_recording(store, path)
        for step in work.steps(store):
            work.take(
                from_store_alone(step.calls, store, step.absent, work.settings.observer)
                if step.absent is not None
                else run_sync(step.calls, step.judge, store, step.limits, work.settings.observer)
            )
    return _evaluation(asked)


async def evaluate_async(
    rows: AnswersSource,
    metrics: Sequence[str],
    *,
    judge: str | None = None,
    release: Releases = None,
    settings: EvaluateSettings | None = None,
    **more: Any,
) -> Evaluation:
    """`evaluate` for programs with an event loop: notebooks and web services."""
    # Files that are read here, and models that are run here, would hold the loop up.
    asked = await asyncio.to_thread(
        _prepared, rows, metrics, _settings(judge, release, settings, more)
    )
    work = asked.work
    observer = work.settings.observer
    with Store(work.settings.store) as store:
        for path in work.settings.recordings:
            load_recording(store, path)
        try:
            for step in work.steps(store):
                work.take(
                    from_store_alone(step.calls, store, step.absent, observer)
                    if step.absent is not None
                    else await run_calls(step.calls, step.judge, store, step.limits, observer)
                )
        finally:
            for opened in work.judges.values():
                await opened.close()
    return await asyncio.to_thread(_evaluation, asked)


def _settings(
    judge: str | None,
    release: Releases,
    settings: EvaluateSettings | None,
    more: Mapping[str, Any],
) -> EvaluateSettings:
    """Settings from their own object and from arguments by name; never both for one field."""
    base = settings or EvaluateSettings()
    computing = {field.name for field in fields(ComputeSettings)}
    check_names("evaluate", more, EvaluateSettings, ComputeSettings)
    given = {field.name: getattr(base, field.name) for field in fields(EvaluateSettings)}
    given |= {name: value for name, value in more.items() if name not in computing}
    own = {name: value for name, value in more.items() if name in computing}
    given["computed"] = replace(given["computed"], **own)
    if judge is not None:
        given["judge"] = judge
    if release is not None:
        given["releases"] = dict(given["releases"]) | releases_by_metric(release)
    return EvaluateSettings(**given)


def releases_by_metric(release: Releases, registry: Path | None = None) -> dict[str, Release]:
    """Releases by the metric that each serves.

    Args:
        release: One, which serves what its templates are made for, or several by metric.
        registry: Where references are looked up; None takes the default one.

    Raises:
        ReleaseError: A reference names no release.
    """
    from metajudge.metrics.release_metric import metric_of_release
    from metajudge.release.registry import find

    def opened(one: Release | str | Path) -> Release:
        return one if isinstance(one, Release) else find(str(one), registry).release

    if isinstance(release, Mapping):
        return {name: opened(one) for name, one in release.items()}
    if release is None:
        return {}
    found = opened(release)
    return {metric_of_release(found): found}


class _Prepared(NamedTuple):
    work: Work
    read: RowsForMetrics
    names: tuple[str, ...]
    using: Computing


def _prepared(rows: AnswersSource, metrics: Sequence[str], settings: EvaluateSettings) -> _Prepared:
    names = _checked(metrics)
    check_computing(names, settings.computed)
    gold = read_calibration(names, settings.computed)
    serving = served([JUDGED[name] for name in names if name in JUDGED], settings)
    read = read_rows_for_metrics(rows)
    check_records(names, read.rows)
    work = Work(read.rows, serving, settings)
    using = Computing(settings.computed, settings.store, work.limits, gold)
    using.open(names)
    return _Prepared(work, read, names, using)


def _checked(metrics: Sequence[str]) -> tuple[str, ...]:
    from metajudge.gold.validation import suggest

    listed = [metrics] if isinstance(metrics, str) else list(metrics or ())
    parts = [name.strip() for entry in listed for name in str(entry).split(",")]
    names = tuple(dict.fromkeys(filter(None, parts)))
    known = known_metrics()
    law = f"a metric is one of {', '.join(known)}"
    problems = [
        Problem("evaluate", law, suggest(name, known), field="metrics", got=repr(name))
        for name in names
        if name not in METRICS
    ]
    if not names:
        problems.append(Problem("evaluate", "no metric is named", "Name one.", field="metrics"))
    if problems:
        raise InputError(problems)
    return names


def _evaluation(asked: _Prepared) -> Evaluation:
    """What follows from the replies."""
    work, read, names, using = asked
    columns = {name: _scores(work, name, using) for name in names}
    weight = work.settings.computed.similarity_weight
    if weight > 0 and "answer_correctness" in columns:
        alike = columns.get(ANSWER_SIMILARITY) or _scores(work, ANSWER_SIMILARITY, using)
        columns["answer_correctness"] = weighted(columns["answer_correctness"], alike, weight)
    calibrations = {}
    for name in names:
        found = calibrate(name, using)
        if found is not None and using.gold is not None:
            columns[name] = told_by(found, columns[name])
            labels = [s.details["label"] for s in columns[name] if s.score is not None]
            calibrations[name] = calibration_account(found, using.gold, labels)
    rows = tuple(
        ScoredRow(row.answer_id, {name: columns[name][index] for name in names}, row_fields(row))
        for index, row in enumerate(read.rows)
    )
    reports = [*work.reports, *using.reports]
    return Evaluation(summarise(work, rows, names, read.notes, calibrations, reports=reports), rows)


def _scores(work: Work, name: str, using: Computing) -> list[MetricScore]:
    """Scores of one metric: from what was said, or computed now."""
    compute = METRICS[name].compute
    if compute is None:
        return judged_scores(work, JUDGED[name])
    return compute(work.rows, using)


def row_fields(row: MetricRow) -> dict[str, Any]:
    """What a row held, under our names, so that the output can be evaluated again."""
    held: dict[str, Any] = {
        "question": row.question,
        "answer": row.answer,
        "context": _listed(row.passages),
        "reference": row.reference,
        "reference_contexts": _listed(row.reference_contexts),
        "goal": row.goal,
        "turns": None if row.turns is None else [asdict(turn) for turn in row.turns],
        "expected_tools": _listed(row.expected_tools),
        "actual_tools": _listed(row.actual_tools),
        "lang": row.lang,
        "context_id": row.context_id,
    }
    kept = {name: value for name, value in held.items() if value is not None}
    return {**kept, **{name: list(texts) for name, texts in row.lists.items()}, **row.fields}


def _listed(values: tuple[Any, ...] | None) -> list[Any] | None:
    return None if values is None else list(values)
