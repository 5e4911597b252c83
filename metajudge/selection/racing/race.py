"""A race: claims are spent in blocks, and candidates that cannot be chosen any more stop early.

The question is what the full grid would decide, all candidates on all claims. `bound` stops a
candidate once a time-uniform bound says that it breaks a guardrail or that another one is better,
and ends the race once the full grid would most likely not tell apart who is left. `halving` keeps
the better half of the trials at each rung; `wilcoxon` prunes by a signed-rank test, as Optuna's
pruner does; `none` asks everything.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from metajudge.agreement.arrays import Ints, Masks, as_floats
from metajudge.agreement.signed_rank import signed_rank_p
from metajudge.selection.columns import CandidateKey, ClaimColumns
from metajudge.selection.measure import Measurer
from metajudge.selection.racing.blocks import Unit, bare_measurer, race_units, some_claims
from metajudge.selection.racing.bounds import Seen, guardrails_in, held, least_lead, unit_losses
from metajudge.selection.racing.chance import NOT_ASKED, FullGrids, chance_otherwise, full_grids
from metajudge.selection.ranking import LOWER_IS_BETTER
from metajudge.selection.rule import Contest
from metajudge.selection.ties import figure_sums

Method = Literal["bound", "halving", "wilcoxon", "none"]
LEAST_SHARE = 0.15
"""Share of all claims under which nobody is taken for tied, and no test is made."""
END_AT = 0.02
"""Simulated chance of another decision at which `bound` ends a race. It is too small, all the more
as the first of many looks that has it ends the race: `docs/methods.md` has by how much."""
LOOK_SHARE = 1 / 12
"""Share of all claims that two such looks are apart at least, however small the blocks are."""
LOOK_WORLDS = 200
"""Worlds at each look; the outcome has more."""
SURE = 1e-9
"""A lead of no more than this is none, and a chance that is greater by no more is not greater."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """A candidate that left the race.

    Attributes:
        row: The candidate.
        claims: Entries asked of it when it stopped.
        why: `guardrail NAME`, `beaten`, `halved` or `pruned`.
        by: The candidate that beat it; None where nobody did.
        limit: For a guardrail what the full grid comes to at least (coverage, kappa: at most); for
            `beaten` the least lead of the other one; for `pruned` the p-value; else None.
        bound: The guardrail's bound, 0 for `beaten`, the threshold for `pruned`; else None.
    """

    row: int
    claims: int
    why: str
    by: int | None = None
    limit: float | None = None
    bound: float | None = None


@dataclass(frozen=True, slots=True)
class RaceOutcome:
    """What a race comes to.

    Attributes:
        first: Row of the safe winner; None for no safe winner.
        safe: Whether there is one.
        ties: Candidates still running that the full grid would mostly not tell from the first.
        stopped: Who left, in the order of leaving; who came back is not in it.
        asked: Shape (T,), entries asked by trial.
        calls: Calls they took.
        calls_full: Calls of the full grid.
        chance_otherwise: P(the full grid would decide otherwise), simulated; a statistical tie is
            the same decision.
    """

    first: int | None
    safe: bool
    ties: tuple[int, ...]
    stopped: tuple[Stopped, ...]
    asked: Ints
    calls: int
    calls_full: int
    chance_otherwise: float


class Race:
    """One race under way: ask `block()` for claims, ask them of `running`, hand verdicts to `take`.

    Args:
        columns: All claims.
        keys: The S candidates.
        trial_of: Shape (S,), the trial of each, 0 … T − 1. Readings of one trial cost no call, so
            a trial goes on while any of its candidates runs.
        contest: How they are ranked.
        blocks: Claims in the order of the race, from `stratified_blocks`.
        error: Chance that a candidate the full grid would choose is ever stopped by a bound, shared
            out over all comparisons. For `wilcoxon` also the p under which a candidate is pruned.
        method: See the module.
        level: Coverage of intervals, that of the full grid.
        unit: What was drawn for the blocks.
        cluster: `answer` or `context`, as in the full grid.
        seed: For the simulation.
        end_at: `bound` ends the race once the simulated chance that the full grid decides
            otherwise is this or less; None goes on until bounds settle it or all is asked.
    """

    def __init__(
        self,
        columns: ClaimColumns,
        keys: Sequence[CandidateKey],
        trial_of: Ints,
        *,
        contest: Contest,
        blocks: Sequence[Ints],
        error: float = 0.05,
        method: Method = "bound",
        level: float = 0.95,
        unit: Unit = "claim",
        cluster: str = "context",
        seed: int = 0,
        end_at: float | None = END_AT,
    ) -> None:
        self._columns, self._keys, self._trial_of = columns, tuple(keys), np.asarray(trial_of)
        self._contest, self._blocks, self._error, self._method = contest, blocks, error, method
        self._level, self._cluster, self._seed = level, cluster, seed
        self._end_at = end_at
        self._units = race_units(columns, unit)
        shape = len(self._keys), len(columns.gold)
        self._codes = np.full(shape, NOT_ASKED, np.int64)
        self._given, self._looked = 0, -math.inf
        self._stopped: dict[int, Stopped] = {}
        self._beaten: dict[int, dict[int, Stopped]] = {}
        self._over: tuple[int | None, float] | None = None
        pairs = len(self._keys) - 1 + guardrails_in(contest.bounds, contest.baseline)
        self._each = error / max(pairs, 1)
        for row in np.flatnonzero(contest.off > 0).tolist():
            self._stopped[row] = Stopped(row, 0, "guardrail beside", limit=float(contest.off[row]))

    @property
    def running(self) -> Masks:
        """Candidates that are to be asked, shape (S,); the baseline as long as any other is."""
        if self._over is not None:
            return np.zeros(len(self._keys), np.bool_)
        alive = np.asarray([self._out(row) is None for row in range(len(self._keys))])
        if self._contest.baseline is not None and alive.any():
            alive[self._contest.baseline] = True
        return alive

    def block(self) -> Ints | None:
        """Claims to ask of `running` next; None when the race is over.

        A candidate that comes back lacks claims asked meanwhile: those are the next block then.
        """
        running = self.running
        if not running.any():
            return None
        seen = self._seen()
        lacking = (self._codes[running][:, seen] == NOT_ASKED).any(0)
        if lacking.any():
            again: Ints = seen[lacking]
            return again
        if self._given == len(self._blocks):
            return None
        return np.asarray(self._blocks[self._given], np.int64)

    def take(self, codes: Ints) -> tuple[Stopped, ...]:
        """The verdicts so far; who stops now.

        Args:
            codes: Shape (S, N), verdict codes, -1 where not asked. The whole matrix each time:
                codes of claims asked before may be others now, since a batch prior moves with the
                claims that it is the mean of.

        Raises:
            ValueError: A running candidate has no verdict on a claim of the block.
        """
        running, before = self.running, self.stopped
        block = self.block()
        if block is None:
            return ()
        if (codes[running][:, block] == NOT_ASKED).any():
            raise ValueError("a running candidate has no verdict on a claim of the block")
        if self._given < len(self._blocks) and np.array_equal(block, self._blocks[self._given]):
            self._given += 1
        self._codes = np.array(codes, np.int64)
        if self._method != "none" and (codes[running][:, self._seen()] != NOT_ASKED).all():
            self._judge(np.flatnonzero(running))
        return tuple(entry for entry in self.stopped if entry not in before)

    @property
    def stopped(self) -> tuple[Stopped, ...]:
        """Who is out now, by claims asked."""
        found = (self._out(row) for row in range(len(self._keys)))
        return tuple(sorted((s for s in found if s is not None), key=lambda s: (s.claims, s.row)))

    def outcome(self, calls_per_entry: Sequence[int] | None = None) -> RaceOutcome:
        """What the race has come to so far.

        Args:
            calls_per_entry: Calls that one entry takes, by trial (orders of the labels); None is 1.
        """
        rng = np.random.default_rng([self._seed, 1])
        asked = np.asarray(
            [
                int((self._codes[self._trial_of == trial] != NOT_ASKED).any(0).sum())
                for trial in range(int(self._trial_of.max()) + 1)
            ]
        )
        grids = self._grids()
        first = grids.best()[0] if self._over is None else self._over[0]
        price = np.ones(len(asked), np.int64) if calls_per_entry is None else calls_per_entry
        chance = chance_otherwise(
            self._columns,
            self._keys,
            self._codes,
            self._contest,
            rng,
            chosen=first,
            cluster=self._cluster,
            level=self._level,
        )
        return RaceOutcome(
            first,
            first is not None,
            grids.tied(first),
            self.stopped,
            asked,
            int((asked * price).sum()),
            int(len(self._columns.gold) * np.sum(price)),
            chance,
        )

    def _seen(self) -> Ints:
        given = [np.asarray(block, np.int64) for block in self._blocks[: self._given]]
        return np.concatenate([np.zeros(0, np.int64), *given])

    def _out(self, row: int) -> Stopped | None:
        """Why a candidate is out; one that was beaten comes back when those who beat it break."""
        if row in self._stopped:
            return self._stopped[row]
        beaten = self._beaten.get(row, {})
        return next((s for by, s in beaten.items() if by not in self._stopped), None)

    def _judge(self, rows: Ints) -> None:
        """Who stops after the claims asked so far."""
        seen = self._seen_of(rows)
        self._hold(seen, rows)
        rows = rows[[self._out(row) is None for row in rows.tolist()]]
        if len(rows) == 0:
            return
        if self._method == "halving":
            self._halve(rows)
        elif len(seen.places) >= LEAST_SHARE * len(self._columns.gold):
            leader = self._leader(rows)
            self._prune(rows, leader) if self._method == "wilcoxon" else self._beat(rows, leader)

    def _seen_of(self, rows: Ints) -> Seen:
        baseline, places = self._contest.baseline, self._seen()
        return Seen(
            self._columns,
            self._units,
            places,
            self._codes[rows][:, places],
            tuple(self._keys[row] for row in rows),
            rows.tolist().index(baseline) if baseline in rows else None,
            self._level,
        )

    def _hold(self, seen: Seen, rows: Ints) -> None:
        for found in held(seen, self._contest.bounds, self._each):
            for place in np.flatnonzero(found.broken).tolist():
                row, limit = int(rows[place]), float(found.limit[place])
                why = f"guardrail {found.name}"
                stop = Stopped(row, len(seen.places), why, limit=limit, bound=found.bound)
                self._stopped.setdefault(row, stop)

    def _leader(self, rows: Ints) -> int:
        """Place among the rows of the one with the best target so far."""
        figure = figure_sums(self._measurer(rows), self._contest.target)
        sign = 1.0 if self._contest.target in LOWER_IS_BETTER else -1.0
        loss = sign * as_floats(figure.coefficient(figure.sums.totals))
        return int(np.where(np.isnan(loss), np.inf, loss).argmin())

    def _beat(self, rows: Ints, leader: int) -> None:
        """Who is worse than the leader for sure; then whether the rest is worth going on for."""
        seen = self._seen_of(rows)
        lead = least_lead(seen, self._contest.target, leader, self._each)
        by, n = int(rows[leader]), len(seen.places)
        for place in np.flatnonzero(lead > SURE).tolist():
            row = int(rows[place])
            stop = Stopped(row, n, "beaten", by=by, limit=float(lead[place]), bound=0.0)
            self._beaten.setdefault(row, {})[by] = stop
        if self._end_at is not None and n - self._looked >= LOOK_SHARE * len(self._columns.gold):
            self._looked = n
            first, chance = self._grids().best()
            if 1 - chance <= self._end_at + SURE:
                self._over = first, chance

    def _prune(self, rows: Ints, leader: int) -> None:
        seen = self._seen_of(rows)
        losses = unit_losses(seen, self._contest.target)
        for place, row in enumerate(rows.tolist()):
            p = signed_rank_p(losses[place] - losses[leader])
            if p < self._error:
                by, n = int(rows[leader]), len(seen.places)
                stop = Stopped(row, n, "pruned", by=by, limit=p, bound=self._error)
                self._stopped.setdefault(row, stop)

    def _halve(self, rows: Ints) -> None:
        """Keep the better half of the trials that entered at each rung, the last at half of all."""
        entered = len(set(self._trial_of[self._contest.off == 0].tolist()))
        rungs, n = math.ceil(math.log2(entered)), len(self._seen())
        rung = math.floor(rungs + 1 - math.log2(len(self._columns.gold) / n))
        keep = math.ceil(entered / 2 ** min(max(rung, 0), rungs))
        if len(set(self._trial_of[rows].tolist())) <= keep:
            return
        kept = self._best_trials(rows, keep)
        for row in rows[~np.isin(self._trial_of[rows], kept)].tolist():
            self._stopped[row] = Stopped(row, n, "halved")

    def _best_trials(self, rows: Ints, keep: int) -> list[int]:
        """The first trials by the rule, with limits as a whole set has them."""
        rows, contest = self._with_baseline(rows)
        measurer, off = self._measurer(rows), contest.off.copy()
        groups = measurer.columns.clusters(self._cluster).n_clusters
        scale = self._columns.clusters(self._cluster).n_clusters / groups
        kept: list[int] = []
        while len(kept) < keep:
            rule = contest._replace(off=off).rule(measurer)
            row = int(rule.first(np.full((1, groups), scale)).row[0])
            kept.append(int(self._trial_of[rows[row]]))
            off[self._trial_of[rows] == kept[-1]] = np.inf
        return kept

    def _with_baseline(self, rows: Ints) -> tuple[Ints, Contest]:
        """Some candidates and the baseline, which cannot come first where it is out."""
        baseline, off = self._contest.baseline, self._contest.off.copy()
        if baseline is not None:
            rows = np.union1d(rows, [baseline])
        off[[row for row in rows.tolist() if row in self._stopped]] = np.inf
        return rows, self._contest._replace(off=off).of(rows)

    def _grids(self) -> _Grids:
        """What the full grid would decide among those who may still be chosen.

        Beaten ones are among them, since they come first where all who beat them break a guardrail.
        """
        alive = [row for row in range(len(self._keys)) if row not in self._stopped]
        if not alive or not self._given:
            return _Grids(np.asarray(alive, np.int64), None)
        rows, contest = self._with_baseline(np.asarray(alive))
        keys = tuple(self._keys[row] for row in rows)
        rng = np.random.default_rng([self._seed, 2, self._given])
        found = full_grids(
            self._columns,
            keys,
            self._codes[rows],
            contest,
            rng,
            cluster=self._cluster,
            level=self._level,
            worlds=LOOK_WORLDS,
        )
        return _Grids(rows, found)

    def _measurer(self, rows: Ints) -> Measurer:
        places = self._seen()
        part = some_claims(self._columns, places)
        keys = tuple(self._keys[row] for row in rows)
        codes = self._codes[rows][:, places]
        return bare_measurer(part, keys, codes, self._cluster, self._level)


@dataclass(frozen=True, slots=True)
class _Grids:
    """Full grids of some rows; None where there is nothing to simulate."""

    rows: Ints
    found: FullGrids | None

    def best(self) -> tuple[int | None, float]:
        """The likeliest decision, by row among all candidates, and its chance."""
        if self.found is None:
            return None, float(len(self.rows) == 0)
        place, chance = self.found.best()
        return (None if place is None else int(self.rows[place])), chance

    def tied(self, first: int | None) -> tuple[int, ...]:
        """Who else would mostly be first or tied with the first."""
        if self.found is None or first is None:
            return ()
        rows = self.rows[self.found.right.mean(0) >= 0.5].tolist()
        return tuple(row for row in rows if row != first)
