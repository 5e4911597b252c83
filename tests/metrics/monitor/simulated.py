"""Simulated traffic: answers of three to seven claims that depend on each other."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta

import numpy as np

from metajudge.metrics.monitor.row import MonitorRow

RELEASE, METRIC = "m@1.0.0", "faithfulness"
MONDAY = date(2024, 1, 1)
LATER = "2099-01-01T00:00:00Z"
MEANS = {"lang=en": 0.85, "lang=zh": 0.8}


def week_rows(
    rng: np.random.Generator,
    week: int,
    n: int,
    *,
    means: Mapping[str, float] = MEANS,
    mix: Mapping[str, float] | None = None,
    unscored: float = 0.0,
    release: str = RELEASE,
) -> list[MonitorRow]:
    """A week of answers; claims of an answer share its own rate of support."""
    names = list(means)
    bounds = np.cumsum([1 / len(names) if mix is None else mix[name] for name in names])
    chosen = np.minimum(np.searchsorted(bounds, rng.random(n), "right"), len(names) - 1)
    mean = np.array([means[name] for name in names])[chosen]
    claims = rng.integers(3, 8, n)
    yes = rng.binomial(claims, rng.beta(4 * mean, 4 * (1 - mean)))
    without = rng.random(n) < unscored
    rows = []
    for number in range(n):
        lost, told, all_ = bool(without[number]), int(yes[number]), int(claims[number])
        score = None if lost else told / all_
        rows.append(
            MonitorRow(
                f"w{week}-{number}-{release}",
                release,
                METRIC,
                f"{MONDAY + timedelta(days=7 * week + number % 7)}T10:00:00Z",
                score,
                reason="no claims" if lost else None,
                passed=None if score is None else score >= 0.8,
                stratum=names[int(chosen[number])],
                weight=10.0,
                yes=None if lost else told,
                no=None if lost else 0,
                idk=None if lost else all_ - told,
            )
        )
    return rows


def series(
    seed: int, weeks: int, n: int, *, at: int | None = None, drop: float = 0.0
) -> list[MonitorRow]:
    """Weeks of answers whose mean drops from one week on, in every stratum."""
    rng = np.random.default_rng(seed)
    low = {name: mean - drop for name, mean in MEANS.items()}
    return [
        row
        for week in range(weeks)
        for row in week_rows(rng, week, n, means=low if at is not None and week >= at else MEANS)
    ]
