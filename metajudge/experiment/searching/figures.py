"""What a race says of each candidate in numbers: figures on the claims asked, guardrails, calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Ints, Masks
from metajudge.agreement.bootstrap import cluster_weights
from metajudge.agreement.coefficients import COEFFICIENTS
from metajudge.agreement.estimate import Estimate
from metajudge.experiment.config import ExperimentConfig
from metajudge.experiment.racing.race import Raced, contest_of
from metajudge.experiment.selection_part import tokens_per_claim
from metajudge.selection.columns import CandidateCodes, CandidateKey
from metajudge.selection.guardrails import Bounds, broken_guardrails
from metajudge.selection.measure import TABLE_FIGURES, CandidateFigures, Measurer
from metajudge.selection.racing.blocks import some_claims
from metajudge.selection.ranking import LOWER_IS_BETTER
from metajudge.selection.rule import Guardrails
from metajudge.selection.shares import SHARES
from metajudge.verdicts.verdict import Reply

SHOWN = ("summary_as_idk", "over_credit", "kappa", "coverage")
"""Figures that are kept of every candidate, beside the objectives."""
GUARDRAILS = "guardrails"
"""The constraint: how far a candidate is off in sum; at most 0 where all are kept."""
LEAST_OFF = 1e-6
MOST_RESAMPLES = 1000


class Row(NamedTuple):
    """One candidate of a race.

    Attributes:
        figures: By name, on the claims that it was asked about; {} where there are none.
        off: How far it is off its guardrails in sum; 0 where it keeps them, None where a guardrail
            has no number. On part of the claims, limits are those of a set of full size.
        broken: Names of the guardrails that it breaks; only for one asked about every claim.
        claims: Claims asked, draws counted.
    """

    figures: Mapping[str, Estimate]
    off: float | None
    broken: tuple[str, ...]
    claims: int


def race_rows(raced: Raced, config: ExperimentConfig, names: Sequence[str] = ()) -> tuple[Row, ...]:
    """Every candidate of a race, in the order of its keys.

    Args:
        raced: The race.
        config: The experiment.
        names: Figures wanted beside those of `SHOWN`.
    """
    wanted = tuple(name for name in dict.fromkeys((*SHOWN, *names)) if _known(name))
    baseline = contest_of(config, raced.field.keys).baseline
    rows: dict[int, Row] = {}
    for mask in np.unique(raced.asked, axis=0):
        members = np.flatnonzero((raced.asked == mask).all(1))
        if not mask.any():
            rows |= {int(row): Row({}, None, (), 0) for row in members}
            continue
        group = _Group(raced, config, members, mask, baseline)
        rows |= dict(zip(members.tolist(), group.rows(wanted), strict=True))
    return tuple(rows[row] for row in range(len(raced.field.keys)))


def _known(name: str) -> bool:
    return name in SHARES or name in TABLE_FIGURES


class _Group:
    """Candidates that were asked about the same claims, and the baseline beside them."""

    def __init__(
        self,
        raced: Raced,
        config: ExperimentConfig,
        members: Ints,
        mask: Masks,
        baseline: int | None,
    ) -> None:
        self._bounds = Bounds(**config.guardrails.model_dump())
        self._n, self._places = len(members), np.flatnonzero(mask)
        rows = members.tolist()
        beside = baseline is not None and bool(raced.asked[baseline][mask].all())
        if beside and baseline not in rows:
            rows.append(baseline)
        self._baseline = rows.index(baseline) if beside and baseline is not None else None
        self._whole = bool(mask.all())
        columns = some_claims(raced.field.columns, self._places)
        codes = raced.candidates.codes
        part = CandidateCodes(
            tuple(codes.keys[row] for row in rows),
            codes.codes[rows][:, self._places],
            codes.probabilities[rows][:, self._places],
        )
        kind = config.bootstrap.cluster
        groups = columns.clusters(kind).n_clusters
        self._of_all = raced.field.columns.clusters(kind).n_clusters / groups
        resamples = min(config.bootstrap.resamples, MOST_RESAMPLES)
        weights = cluster_weights(groups, resamples, np.random.default_rng(config.seed))
        self._measurer = Measurer(columns, part, weights, kind, 1 - config.alpha)

    def rows(self, names: Sequence[str]) -> list[Row]:
        figures = self._figures(names)
        broken = self._broken(figures) if self._whole else ((),) * self._n
        off = self._off(broken)
        return [
            Row(figures[row], off[row], tuple(name for name, _ in broken[row]), len(self._places))
            for row in range(self._n)
        ]

    def _figures(self, names: Sequence[str]) -> list[dict[str, Estimate]]:
        tables = self._measurer.table_sums()
        found = {
            name: self._measurer.shares(name)
            if name in SHARES
            else self._measurer.coefficients(tables, COEFFICIENTS[TABLE_FIGURES[name]])
            for name in names
        }
        every = len(self._measurer.candidates.keys)
        return [{name: row[place] for name, row in found.items()} for place in range(every)]

    def _broken(
        self, figures: Sequence[Mapping[str, Estimate]]
    ) -> tuple[tuple[tuple[str, float | None], ...], ...]:
        bare = np.zeros((0, 4), np.int64)
        told = [CandidateFigures(bare, row, {}, {}, {}) for row in figures]
        found = broken_guardrails(self._measurer, told, self._bounds, self._baseline)
        return tuple(tuple((b.guardrail, b.by) for b in row) for row in found)

    def _off(self, broken: Sequence[Sequence[tuple[str, float | None]]]) -> list[float | None]:
        if self._whole:
            return [_sum([by for _, by in row]) for row in broken]
        groups = self._measurer.columns.clusters(self._measurer.cluster).n_clusters
        rule = Guardrails(self._measurer, self._bounds, self._baseline)
        kept = rule.on(np.full((1, groups), self._of_all))
        return [
            0.0 if allowed else _sum([amount if np.isfinite(amount) else None])
            for allowed, amount in zip(kept.allowed[0], kept.off[0].tolist(), strict=True)
        ]


def _sum(amounts: Sequence[float | None]) -> float | None:
    """How far off in sum; a bound that is missed by nothing is missed all the same."""
    known = [amount for amount in amounts if amount is not None]
    if len(known) < len(amounts):
        return None
    return max(sum(known), LEAST_OFF) if known else 0.0


class Spent(NamedTuple):
    """Distinct calls of a trial: those that a race took, and those of the full grid."""

    calls: int
    full: int


def calls_of(raced: Raced) -> dict[str, Spent]:
    """Calls by trial; a call that two trials share counts for both."""
    field = raced.field
    asked = np.zeros((len(field.trials), raced.asked.shape[1]), np.bool_)
    np.logical_or.at(asked, field.trial_of, raced.asked)
    spent: dict[int, set[str]] = {}
    full: dict[int, set[str]] = {}
    for planned in (call for calls in field.plan.calls.values() for call in calls):
        full.setdefault(planned.trial, set()).add(planned.call.key)
        claims = [claim * field.repeats + planned.repeat for claim in planned.claims]
        if asked[planned.trial][claims].any() if claims else asked[planned.trial].any():
            spent.setdefault(planned.trial, set()).add(planned.call.key)
    return {
        trial.name: Spent(len(spent.get(index, ())), len(full.get(index, ())))
        for index, trial in enumerate(field.trials)
    }


def costs_of(raced: Raced, replies: Mapping[str, Reply]) -> dict[str, dict[str, float | None]]:
    """Calls and tokens for one claim and draw, by trial."""
    entries = len(raced.field.columns.gold)
    tokens = tokens_per_claim(raced.field.plan, replies)
    return {
        name: {"calls": spent.full / entries, "tokens": tokens[name]}
        for name, spent in calls_of(raced).items()
    }


def target_of(row: Row, name: str) -> float | None:
    """A figure's value; None where it is undefined or was not measured."""
    found = row.figures.get(name)
    return None if found is None else found.value


def key_text(key: CandidateKey) -> str:
    """A candidate in one line."""
    return f"{key.trial} ({key.reading})"


def nearest_row(rows: Sequence[Row], target: str) -> int | None:
    """The candidate that is least off, then best, among those asked about the most claims."""
    most = max((row.claims for row in rows), default=0)
    sign = 1.0 if target in LOWER_IS_BETTER else -1.0

    def place(index: int) -> tuple[float, float]:
        value = target_of(rows[index], target)
        off = rows[index].off
        return np.inf if off is None else off, np.inf if value is None else sign * value

    asked = [index for index, row in enumerate(rows) if row.claims and row.claims == most]
    return min(asked, key=place, default=None)
