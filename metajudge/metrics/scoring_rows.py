"""Scores of rows from what was said; a pure function of the replies."""

from __future__ import annotations

from typing import Any

from metajudge.metrics.asked import UnitRead
from metajudge.metrics.judged.unit import Found, JudgedMetric, Said, Unit
from metajudge.metrics.judged.words import because
from metajudge.metrics.scored import MetricScore
from metajudge.metrics.work import Work, tokens_and_usd
from metajudge.scoring.answers import PASS, passes


def judged_scores(work: Work, metric: JudgedMetric) -> list[MetricScore]:
    """Scores of a judged metric, in the order of the rows."""
    return [_score(work, metric, index) for index in range(len(work.rows))]


def _score(work: Work, metric: JudgedMetric, index: int) -> MetricScore:
    row = work.rows[index]
    asked = work.asked[index, metric.name]
    policy = work.serving.policies[metric.name]
    keys = [work.lists.planned[w].call.key for w in asked.wanted if w in work.lists.planned]
    read = [_read(work, index, unit) for unit in asked.units]
    keys += [key for unit in read for key in unit.keys]
    verdicts = tuple(unit.verdict for unit in read)
    if asked.why is not None:
        found = Found(None, because(asked.why, row.chinese, asked.detail))
    elif work.stopped is not None and any(unit.open for unit in read):
        found = Found(None, because("not_yet", row.chinese), {}, ())
    else:
        found = metric.score(Said(row, asked.units, verdicts, policy))
    own = tuple(dict.fromkeys(keys))
    known = [key for key in own if key in work.lists.replies]
    tokens, usd = tokens_and_usd(work.lists.replies, known)
    return MetricScore(
        metric=metric.name,
        score=None if found.score is None else round(found.score, 6) + 0.0,
        reason=found.reason,
        policy=policy.name,
        units=verdicts if found.verdicts is None else found.verdicts,
        calls=len(known),
        tokens=tokens,
        usd=usd,
        details={**_passed(work, metric, found.score), **found.details},
    )


def _read(work: Work, index: int, unit: Unit) -> UnitRead:
    if unit.known is not None:
        return UnitRead(unit.known, (), open=False)
    return work.reads[unit.part].unit(index, unit)


def _passed(work: Work, metric: JudgedMetric, score: float | None) -> dict[str, Any]:
    """Threshold and whether it is reached, where a release states one."""
    release = work.serving.releases.get(metric.parts[0])
    if release is None:
        return {}
    threshold = work.serving.candidates[metric.parts[0]].threshold
    passed = None if score is None else bool(passes([score], threshold)[0] == PASS)
    return {"threshold": threshold, "passed": passed}
