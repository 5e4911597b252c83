"""The alarm over the table: which week raised it, since when, what moved, and how soon it comes.

A look is a week that is over (or a day). Every answer's score is ranked among the earlier ones of
its stratum (`ranks`), and the ranks are weighed by `detector`: three sides share the money, scores
that drop, scores that rise, and answers that get no score. Answers of one unit and week count once,
by their mean, so that claims of an answer, and answers of a conversation, may depend in any way. A
unit whose answers lie in several strata counts in that of its first answer, by those in it.

What is taken for quiet is that a new answer scores lower than an earlier one of its stratum with a
chance of at most 1/2 + slack, ties as one half, given everything before. With a slack of 0 that is
"nothing changed"; a little slack leaves room for weeks that differ by themselves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, as_floats
from metajudge.errors import InputError, broken_rules
from metajudge.metrics.monitor.bad_scores import less_is_better
from metajudge.metrics.monitor.detector import Detector, Found, Look, Side, foretold_weeks
from metajudge.metrics.monitor.ranks import Ranked, Ranks, below
from metajudge.metrics.monitor.row import MonitorRow
from metajudge.metrics.monitor.sampling import place
from metajudge.metrics.monitor.times import day_of, week_of

Every = Literal["week", "day"]
WORSE, BETTER = 0.6, 0.2
"""Shares of the money on scores that get worse, and on scores that get better."""
SIDES = (Side("drop", WORSE), Side("rise", BETTER), Side("unscored", 0.2))
LESS_IS_BETTER = (Side("drop", BETTER), Side("rise", WORSE), Side("unscored", 0.2))
"""The same for a metric whose score is better the lower it is."""
DROP = 0.1
"""Drop of the mean score whose delay is foretold."""
DRAWN = 20_000
"""Scores by which the effect of such a drop is reckoned."""
STEEPEST = 1e3
MOST_SLACK = 0.25
_ORDER, _TIE = "metajudge monitor order", "metajudge monitor tie"


@dataclass(frozen=True)
class AlarmSettings:
    """How the alarm is set.

    Attributes:
        alpha: Expected false alarms a quiet week, at most.
        slack: See the module.
        every: Look after each week, or after each day.
    """

    alpha: float = 0.01
    slack: float = 0.01
    every: Every = "week"

    def __post_init__(self) -> None:
        """Refuse values that mean nothing, all at once."""
        rules = (
            ("alpha", 1e-6 <= self.alpha < 1, "from 0.000001 to under 1"),
            ("slack", 0 <= self.slack <= MOST_SLACK, f"from 0 to {MOST_SLACK}"),
            ("every", self.every in ("week", "day"), "week or day"),
        )
        problems = broken_rules("alarm", self, rules)
        if problems:
            raise InputError(problems)


class Looked(NamedTuple):
    """One look.

    Attributes:
        name: Week, or day.
        rows: Rows of it.
        units: Units that were ranked.
        log_evidence: Natural log of the statistic after it.
    """

    name: str
    rows: tuple[MonitorRow, ...]
    units: int
    log_evidence: float


class Raised(NamedTuple):
    """An alarm.

    Attributes:
        at: Look that raised it.
        since: Look from which on things are likely to be otherwise.
        side: `drop`, `rise` or `unscored`.
        before: Rows of the series before `since`.
        after: Rows from `since` to `at`.
    """

    at: str
    since: str
    side: str
    before: tuple[MonitorRow, ...]
    after: tuple[MonitorRow, ...]


class Watched(NamedTuple):
    """The whole series.

    Attributes:
        looks: By time.
        raised: Alarms, by time.
        begins: Index of the first look of the series that goes on now.
    """

    looks: tuple[Looked, ...]
    raised: tuple[Raised, ...]
    begins: int


def watched(rows: Sequence[MonitorRow], settings: AlarmSettings, *, today: str) -> Watched:
    """All looks and alarms of one metric under one release; a pure function of the rows.

    Args:
        rows: Of one metric and release, in any order.
        settings: How the alarm is set.
        today: A stamp or day; its week, or day, is not over and is left out.
    """
    name_of, now = (week_of, week_of(today)) if settings.every == "week" else (day_of, today[:10])
    groups: dict[str, list[MonitorRow]] = defaultdict(list)
    for row in rows:
        groups[name_of(row.time)].append(row)
    sides = LESS_IS_BETTER if any(less_is_better(row.metric) for row in rows) else SIDES
    detector = Detector(sides, settings.alpha, 0.5 + settings.slack)
    scores, states = Ranks(), Ranks()
    looks: list[Looked] = []
    raised: list[Raised] = []
    begins, week = 0, ""
    for name in sorted(name for name in groups if name < now):
        own = tuple(groups[name])
        outcomes = _outcomes(name, own, scores, states)
        enters = 0.0 if week_of(own[0].time) == week else 1.0
        week = week_of(own[0].time)
        found = detector.take(Look(name, enters, outcomes))
        looks.append(Looked(name, own, len(outcomes["unscored"]), detector.evidence[-1]))
        if found is not None:
            raised.append(_raised(looks, found, begins))
            begins, scores, states = len(looks), Ranks(), Ranks()
            week = ""
    return Watched(tuple(looks), tuple(raised), begins)


def _raised(looks: Sequence[Looked], found: Found, begins: int) -> Raised:
    since = max(found.since, begins)
    return Raised(
        looks[found.at].name,
        looks[since].name,
        found.side,
        tuple(row for look in looks[begins:since] for row in look.rows),
        tuple(row for look in looks[since : found.at + 1] for row in look.rows),
    )


def _outcomes(
    name: str, rows: Sequence[MonitorRow], scores: Ranks, states: Ranks
) -> dict[str, Floats]:
    """Outcomes of one look by side, in an order that does not depend on the scores."""
    strata: dict[str, str] = {}
    for row in sorted(rows, key=lambda row: (row.time, row.answer_id)):
        strata.setdefault(row.cluster, row.stratum)
    units: dict[str, list[float | None]] = defaultdict(list)
    for row in rows:
        if row.stratum == strata[row.cluster]:
            units[row.cluster].append(row.score)
    order = sorted(units, key=lambda unit: (place(unit, _ORDER), unit))
    told, known = [], []
    for unit in order:
        stratum = strata[unit]
        values = [value for value in units[unit] if value is not None]
        tie = place(f"{unit}\0{name}", _TIE)
        known.append(Ranked(stratum, len(values) / len(units[unit]), tie))
        if values:
            told.append(Ranked(stratum, sum(values) / len(values), tie))
    drop = scores.take(told)
    return {"drop": drop, "rise": as_floats(1 - drop), "unscored": states.take(known)}


class Delays(NamedTuple):
    """Weeks within which nine of ten drops of 0.1 are found; None where over two years or unknown.

    Attributes:
        spread: Where low scores, as there are now, become more frequent.
        whole: Where a few answers fall to 0 and the others stay: the hardest case for ranks.
        answers: Sampled units a week that it holds for.
    """

    spread: int | None
    whole: int | None
    answers: int


def delays(series: Watched, settings: AlarmSettings, drop: float = DROP) -> Delays:
    """How soon a drop of the mean score would be found, from the scores of the series itself.

    Where less of the metric is better, how soon a rise.

    Args:
        series: From `watched`.
        settings: How the alarm is set.
        drop: Of the mean score, 0 to 1.
    """
    looks = series.looks[series.begins :]
    rows = [row for look in looks for row in look.rows if row.score is not None]
    weeks = {week_of(look.rows[0].time) for look in looks}
    answers = round(sum(look.units for look in looks) / len(weeks)) if weeks else 0
    scores = as_floats([row.score or 0.0 for row in rows])
    if any(less_is_better(row.metric) for row in rows):
        scores = as_floats(1 - scores)
    mean = float(scores.mean()) if len(scores) else 0.0
    if mean <= drop or not answers:
        return Delays(None, None, answers)
    rng = np.random.default_rng(0)
    drawn = rng.choice(scores, size=DRAWN, p=tilted(scores, mean - drop))
    fallen = np.where(rng.random(DRAWN) < drop / mean, 0.0, rng.choice(scores, size=DRAWN))
    found = [
        _weeks(scores.tolist(), after.tolist(), answers, settings) for after in (drawn, fallen)
    ]
    return Delays(found[0], found[1], answers)


def tilted(scores: Floats, mean: float) -> Floats:
    """Chances of the scores that give a lower mean and are otherwise as near as can be to even.

    They fall exponentially with the score: of all laws on these scores with that mean, the one of
    least Kullback-Leibler divergence to the present one, and so the hardest to tell from it.

    Args:
        scores: Shape (n,), not all alike.
        mean: Between their least and their mean; else all chance falls on the least ones.

    Source: Csiszár (1975), Ann. Probab. 3, I-projections.

    >>> tilted(as_floats([0.0, 1.0]), 0.25).round(3).tolist()
    [0.75, 0.25]
    """
    low, high = 0.0, STEEPEST
    for _ in range(60):
        middle = (low + high) / 2
        chances = np.exp(-middle * (scores - scores.min()))
        chances /= chances.sum()
        low, high = (middle, high) if chances @ scores > mean else (low, middle)
    return as_floats(chances)


def _weeks(
    before: Sequence[float], after: Sequence[float], answers: int, settings: AlarmSettings
) -> int | None:
    return foretold_weeks(
        min(0.49, below(before, after) - 0.5),
        answers,
        alpha=settings.alpha,
        weight=WORSE,
        null_mean=0.5 + settings.slack,
    )
