"""What an alarm is about: the strata and slices whose scores moved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from pydantic import Field

from metajudge.agreement.adjust import holm
from metajudge.agreement.arrays import Floats, as_floats, divide
from metajudge.agreement.bootstrap import cluster_weights
from metajudge.agreement.intervals import percentile_interval
from metajudge.agreement.tails import student_lower_tail
from metajudge.metrics.monitor.alarm import Raised
from metajudge.metrics.monitor.row import MonitorRow
from metajudge.metrics.monitor.trend import unit_codes
from metajudge.release.resampling import LEVEL, RESAMPLES, SEED
from metajudge.report.figure import number
from metajudge.report.part import Figure, Part

LEAST_UNITS = 8
STRATUM = "stratum"
EVERYTHING = "all"
METHOD = "cluster bootstrap, percentile"


class Shift(Part):
    """One part of the traffic before and after a change."""

    kind: str = Field(description="`all`, `stratum`, or the name of a further field.")
    name: str
    before: float | None = Field(description="Weighted mean before; of `unscored`, that share.")
    after: float | None
    change: Figure = Field(description="After minus before, with its interval.")
    p: float | None = Field(description="Two-sided, adjusted over all parts (Holm).")

    @property
    def moved(self) -> bool:
        """Whether it moved by more than chance at 5 % over all parts together."""
        return self.p is not None and self.p < 0.05


def shifts(raised: Raised) -> tuple[Shift, ...]:
    """Each part of the traffic before and after, the largest drops first within a kind.

    Intervals and p are for telling parts apart once an alarm has been raised; they are not the
    alarm's error rate, and the time of the change was chosen by the same scores.

    Source: Welch (1947), Biometrika 34, for two samples of unequal spread; Holm (1979).
    """
    unscored = raised.side == "unscored"
    found = []
    for kind, name in _parts((*raised.before, *raised.after)):
        before, after = (
            _sums(rows, kind, name, unscored) for rows in (raised.before, raised.after)
        )
        found.append((kind, name, *_change(before, after)))
    adjusted = holm([np.nan if raw is None else raw for *_, raw in found])
    rows = [
        Shift(kind=kind, name=name, before=was, after=now, change=change,
              p=None if np.isnan(p) else number(float(p)))
        for (kind, name, was, now, change, _), p in zip(found, adjusted, strict=True)
    ]  # fmt: skip
    kinds = list(dict.fromkeys(row.kind for row in rows))
    return tuple(sorted(rows, key=lambda row: (kinds.index(row.kind), _size(row))))


def _size(row: Shift) -> float:
    return np.inf if row.change.value is None else -abs(row.change.value)


def _parts(rows: Sequence[MonitorRow]) -> Iterator[tuple[str, str]]:
    yield EVERYTHING, EVERYTHING
    strata = sorted({row.stratum for row in rows})
    if len(strata) > 1:
        yield from ((STRATUM, name) for name in strata)
    for kind in sorted({kind for row in rows for kind in row.slices}):
        names = sorted({row.slices[kind] for row in rows if kind in row.slices})
        if len(names) > 1:
            yield from ((kind, name) for name in names)


def _is_of(row: MonitorRow, kind: str, name: str) -> bool:
    if kind == EVERYTHING:
        return True
    return (row.stratum if kind == STRATUM else row.slices.get(kind)) == name


def _sums(rows: Sequence[MonitorRow], kind: str, name: str, unscored: bool) -> Floats:
    """Per unit: weighted sum of what is compared, and of weights; shape (u, 2)."""
    own = [row for row in rows if _is_of(row, kind, name)]
    own = own if unscored else [row for row in own if row.score is not None]
    if not own:
        return np.zeros((0, 2))
    values = [float(row.score is None) if unscored else float(row.score or 0) for row in own]
    weights = as_floats([row.weight for row in own])
    codes = unit_codes(own)
    sums = np.zeros((codes.max() + 1, 2))
    np.add.at(sums, codes, np.stack([weights * values, weights], axis=-1))
    return sums


def _change(
    before: Floats, after: Floats
) -> tuple[float | None, float | None, Figure, float | None]:
    was, now = (
        number(float(side[:, 0].sum() / side[:, 1].sum())) if len(side) else None
        for side in (before, after)
    )
    n = len(before) + len(after)
    if min(len(before), len(after)) < LEAST_UNITS or was is None or now is None:
        reason = f"{len(before)} before and {len(after)} after, {LEAST_UNITS} of each are needed"
        return was, now, Figure(value=None, n=n, clusters=n, reason=reason), None
    rng = np.random.default_rng(SEED)
    drawn = [cluster_weights(len(side), RESAMPLES, rng) @ side for side in (before, after)]
    values = divide(drawn[1][:, 0], drawn[1][:, 1]) - divide(drawn[0][:, 0], drawn[0][:, 1])
    low, high = (float(limit[0]) for limit in percentile_interval(values[:, None], LEVEL))
    spread = float(values.std())
    change = Figure(
        value=number(now - was), low=number(low), high=number(high), n=n, clusters=n, method=METHOD
    )
    if spread == 0:
        return was, now, change, 1.0 if now == was else 0.0
    return was, now, change, 2 * student_lower_tail(-abs(now - was) / spread, n - 2)
