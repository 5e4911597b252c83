"""Week by week: mean score, pass rate and support rate of the traffic, with intervals.

An answer counts by its weight, so that the figures are those of the traffic and not of the sample:
weighted means are ratios of two sums (Hájek 1971; see `sampling`). Answers of one unit are
resampled together. A week with too few answers has no figures, and says so.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pydantic import Field

from metajudge.agreement.arrays import Floats, as_floats
from metajudge.agreement.bootstrap import ClusterSums, cluster_sums, cluster_weights
from metajudge.agreement.coefficients import Coefficient
from metajudge.agreement.estimate import Estimate, estimate, estimate_share, told_apart
from metajudge.agreement.rates import ratio, share_coefficient
from metajudge.counted import counted
from metajudge.errors import ReleaseError
from metajudge.metrics.monitor.row import MonitorRow
from metajudge.metrics.monitor.times import week_of, weeks_between
from metajudge.release.correction import CorrectedSupport, corrected_support
from metajudge.release.evidence import read_evidence
from metajudge.release.registry import find
from metajudge.release.resampling import LEVEL, RESAMPLES, SEED
from metajudge.report.figure import figure
from metajudge.report.part import Figure, Part

LEAST_ANSWERS = 20
_OTHER_JUDGE = "some answers were scored by another judge than the one that the release pins"
_MEAN = Coefficient("mean score", ratio, "no answer is scored", 0.0)


class WeekFigures(Part):
    """One week of one metric under one release."""

    week: str
    over: bool = Field(description="Whether the week is over, so that it counts for the alarm.")
    answers: int = Field(description="Sampled answers, those without a score too.")
    units: int = Field(description="What they are resampled by.")
    traffic: float = Field(description="Answers that the sample stands for.")
    unscored: dict[str, int] = Field(description="Why an answer has no score -> answers")
    failures: int = Field(description="Claims without a verdict.")
    strata: dict[str, int]
    mean_score: Figure
    pass_rate: Figure = Field(description="Share of the answers with a score.")
    support: CorrectedSupport | None = Field(description="null where no claims are counted")


class GoldErrors(NamedTuple):
    """The judge's errors on gold claims, or why they are not at hand.

    Attributes:
        tables: Shape (G, K, 4), as `corrected_support` takes them.
        reason: None where they are there.
    """

    tables: Floats
    reason: str | None = None


def gold_errors(
    rows: Sequence[MonitorRow], release: str, registry: Path | str | None = None
) -> GoldErrors:
    """The errors of the judge of a release, where all rows were scored by that very judge.

    Args:
        rows: Rows under this release.
        release: Its reference.
        registry: Where it is looked for.
    """
    none = np.zeros((0, 3, 4))
    if any(row.judge_is_pinned is False for row in rows):
        return GoldErrors(none, _OTHER_JUDGE)
    try:
        found = find(release, registry).release
        hashes = {row.release_sha256 for row in rows}
        if hashes - {found.sha256}:
            return GoldErrors(none, f"{release} is not the release that the answers were scored by")
        parts = read_evidence(found.folder).recomputed
    except ReleaseError as error:
        law = error.problems[0].law if error.problems else "it cannot be read"
        return GoldErrors(none, f"the judge's errors on gold claims are not at hand: {law}")
    tables = (*parts.dev.cluster_tables, *parts.test.cluster_tables)
    return GoldErrors(as_floats(tables))


def weekly(
    rows: Sequence[MonitorRow],
    errors: GoldErrors,
    *,
    today: str,
    least: int = LEAST_ANSWERS,
) -> tuple[WeekFigures, ...]:
    """Figures of every week from the first to the last with traffic.

    Args:
        rows: Of one metric under one release.
        errors: From `gold_errors`.
        today: A stamp or day; its week is not over.
        least: Answers with a score that a week needs for figures.
    """
    by_week: dict[str, list[MonitorRow]] = defaultdict(list)
    for row in rows:
        by_week[week_of(row.time)].append(row)
    if not by_week:
        return ()
    now = week_of(today)
    return tuple(
        _figures(week, by_week.get(week, []), errors, over=week < now, least=least)
        for week in weeks_between(min(by_week), max(by_week))
    )


def _figures(
    week: str, rows: Sequence[MonitorRow], errors: GoldErrors, *, over: bool, least: int
) -> WeekFigures:
    scored = [row for row in rows if row.score is not None]
    few = None
    if len(scored) < least:
        few = f"{counted(len(scored), 'answers')} with a score, {least} are needed"
    unscored = Counter(row.reason or "no reason given" for row in rows if row.score is None)
    return WeekFigures(
        week=week,
        over=over,
        answers=len(rows),
        units=len({row.cluster for row in rows}),
        traffic=round(sum(row.weight for row in rows), 3),
        unscored=dict(unscored),
        failures=sum(row.failures for row in rows),
        strata=dict(sorted(Counter(row.stratum for row in rows).items())),
        mean_score=_none(few, scored) if few else mean_score(scored),
        pass_rate=_none(few, scored) if few else _pass_rate(scored),
        support=_support(rows, errors, few),
    )


def _none(reason: str, rows: Sequence[MonitorRow]) -> Figure:
    clusters = len({row.cluster for row in rows})
    return Figure(value=None, n=len(rows), clusters=clusters, reason=reason)


def mean_score(rows: Sequence[MonitorRow]) -> Figure:
    """Weighted mean score with a BCa interval by unit; every row has a score."""
    scores = as_floats([row.score or 0.0 for row in rows])
    weights = as_floats([row.weight for row in rows])
    parts = np.stack([weights * scores, weights], axis=-1)[None]
    codes = unit_codes(rows)
    sums = cluster_sums(codes, parts, np.ones(len(rows), np.bool_))
    draws = cluster_weights(len(sums.sums), RESAMPLES, np.random.default_rng(SEED))
    return figure(told_apart(estimate(sums, _MEAN, draws, "bca", LEVEL)[0]))


def _pass_rate(rows: Sequence[MonitorRow]) -> Figure:
    weights = _normed(rows)
    passed = as_floats([bool(row.passed) for row in rows])
    if all(row.passed is None for row in rows):
        return _none("no threshold was given", rows)
    parts = np.stack([weights * passed, weights], axis=-1)[None]
    sums = cluster_sums(unit_codes(rows), parts, np.ones(len(rows), np.bool_))
    return figure(_share(sums))


def _share(sums: ClusterSums) -> Estimate:
    return told_apart(estimate_share(sums, share_coefficient("pass rate", "scored"), LEVEL)[0])


def _support(
    rows: Sequence[MonitorRow], errors: GoldErrors, few: str | None
) -> CorrectedSupport | None:
    counted = [row for row in rows if row.yes is not None]
    if not counted:
        return None
    if few:
        none = _none(few, counted)
        return CorrectedSupport(raw=none, corrected=none)
    claims = as_floats([[row.yes or 0, row.no or 0, row.idk or 0, row.failures] for row in counted])
    codes = unit_codes(counted)
    sums = np.zeros((codes.max() + 1, 4))
    np.add.at(sums, codes, claims * _normed(counted)[:, None])
    found = corrected_support(errors.tables, sums, resamples=RESAMPLES, seed=SEED, level=LEVEL)
    if errors.reason is None:
        return found
    refused = Figure(value=None, n=found.raw.n, clusters=found.raw.clusters, reason=errors.reason)
    return CorrectedSupport(raw=found.raw, corrected=refused)


def _normed(rows: Sequence[MonitorRow]) -> Floats:
    """Weights with a mean of 1, so that sums of them are numbers of sampled answers."""
    weights = as_floats([row.weight for row in rows])
    return as_floats(weights / weights.mean())


def unit_codes(rows: Sequence[MonitorRow]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Code of each row's unit, the same whatever the order of the rows."""
    names = {name: code for code, name in enumerate(sorted({row.cluster for row in rows}))}
    return np.asarray([names[row.cluster] for row in rows], np.int64)
