"""What the full grid would decide, simulated from the claims that a race has asked so far.

Claims not asked yet are filled in from those asked of the same gold label, mostly of the same
slice: a Pólya urn, with one donor for all candidates, so that they stay paired. The rule of
selection is applied to all claims together.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks, as_floats, divide
from metajudge.agreement.bootstrap import weighted_sums
from metajudge.agreement.intervals import critical_z
from metajudge.agreement.table import Clusters
from metajudge.selection.columns import CandidateKey, ClaimColumns
from metajudge.selection.measure import Measurer
from metajudge.selection.racing.blocks import bare_measurer, some_claims
from metajudge.selection.rule import Contest, First, Guardrails
from metajudge.selection.ties import FigureSums, figure_sums

WORLDS = 400
FILLINGS = 4
"""Lots that are drawn for doubtful donors, and for claims that one candidate lacks."""
BORROWED = 1.0
"""Claims that the same gold label of other slices counts for in the urn of a slice."""
TURNED = 0.5
"""Claims that a claim counts for on which one candidate's verdict is turned."""
NOT_ASKED = -1
STEP = 1e-4


class FullGrids(NamedTuple):
    """The decision on all claims in R worlds.

    Attributes:
        first: Who comes first, and whether it is safe, shape (R,) each.
        right: Shape (R, S), whether a candidate is first or tied with the first, and safe.
    """

    first: First
    right: Masks

    def none(self) -> float:
        """Share of worlds without a safe winner."""
        return float(1 - self.first.safe.mean())

    def best(self) -> tuple[int | None, float]:
        """The decision that most worlds take for right, None for no safe winner; and their share.

        Of equally good ones the candidate that comes first more often.
        """
        rights = self.right.mean(0)
        firsts = np.bincount(self.first.row[self.first.safe], minlength=len(rights))
        row = int(np.lexsort((-firsts, -np.round(rights, 9)))[0])
        none = self.none()
        return (None, none) if none >= rights[row] else (row, float(rights[row]))

    def wrong(self, row: int | None) -> float:
        """Share of worlds that decide otherwise than for a candidate, or for nobody (None)."""
        return 1 - (self.none() if row is None else float(self.right[:, row].mean()))


def full_grids(
    columns: ClaimColumns,
    keys: tuple[CandidateKey, ...],
    codes: Ints,
    contest: Contest,
    rng: np.random.Generator,
    *,
    cluster: str = "context",
    level: float = 0.95,
    worlds: int = WORLDS,
) -> FullGrids:
    """Worlds in which every candidate was asked about every claim.

    Waiting claims are clusters of their own there, so limits are a little narrower than they will
    be. Doubtful donors of each gold label stand for what no claim has shown yet: one that all
    candidates judge rightly, one that all judge wrongly (over-credit; idk for yes), and for each
    candidate half a claim on which it alone judges otherwise. They count for the common figures
    only. Ties are by the paired difference with linearised error, normal, not
    adjusted for the number of candidates, so that fewer are taken for tied than `rank` finds.

    Args:
        columns: All claims.
        keys: The candidates.
        codes: Shape (S, N), -1 where a candidate was not asked.
        contest: How they are ranked.
        rng: Source of randomness.
        cluster: `answer` or `context`.
        level: Coverage of intervals.
        worlds: R.

    Source: finite populations completed by a Pólya urn, Ericson (1969), JRSS B 31; Ghosh and
    Meeden (1997), Bayesian Methods for Finite Population Sampling, ch. 2.
    """
    asked = codes != NOT_ASKED
    seen = np.flatnonzero(asked.any(0))
    whole = bool(asked[:, seen].all())
    parts = []
    for _ in range(FILLINGS):
        filled = codes[:, seen] if whole else _filled(columns, codes, seen, rng)
        measurer = _with_donors(columns, keys, filled, seen, rng, cluster=cluster, level=level)
        weights = _weights(columns, seen, measurer, rng, worlds // FILLINGS)
        parts.append(_decided(measurer, contest, weights))
    row, safe = (np.concatenate([getattr(p.first, f) for p in parts]) for f in First._fields)
    return FullGrids(First(row, safe), np.concatenate([part.right for part in parts]))


def chance_otherwise(
    columns: ClaimColumns,
    keys: tuple[CandidateKey, ...],
    codes: Ints,
    contest: Contest,
    rng: np.random.Generator,
    *,
    chosen: int | None,
    cluster: str = "context",
    level: float = 0.95,
    worlds: int = WORLDS,
) -> float:
    """P(the full grid would decide otherwise), 0 to 1; a statistical tie is the same decision.

    Args:
        columns: All claims.
        keys: The candidates.
        codes: Shape (S, N), -1 where a candidate was not asked.
        contest: How they are ranked.
        rng: Source of randomness.
        chosen: Row chosen as safe; None for no safe winner.
        cluster: `answer` or `context`.
        level: Coverage of intervals.
        worlds: How many are simulated.
    """
    found = full_grids(
        columns, keys, codes, contest, rng, cluster=cluster, level=level, worlds=worlds
    )
    return found.wrong(chosen)


def _decided(measurer: Measurer, contest: Contest, weights: Floats) -> FullGrids:
    first = contest.rule(measurer).first(weights)
    kept = Guardrails(measurer, contest.bounds, contest.baseline).on(weights)
    safe = kept.allowed & (contest.off == 0) & first.safe[:, None]
    figure = figure_sums(measurer, contest.target)
    tied = ties(figure, weights, first.row, measurer.level)
    return FullGrids(first, safe & tied)


def ties(figure: FigureSums, weights: Floats, first: Ints, level: float) -> Masks:
    """Who cannot be told from the first of each world, the first itself among them, (R, S).

    Args:
        figure: The target, by cluster.
        weights: Shape (R, G), how often each cluster counts.
        first: Shape (R,), rows.
        level: Coverage of the normal interval of the difference.
    """
    values = as_floats(figure.coefficient(weighted_sums(weights, figure.sums.sums)))
    pulls = influences(figure, weights.mean(0))
    groups = weights.sum(1)
    tied = np.zeros(values.shape, np.bool_)
    for row in np.unique(first).tolist():
        mine = first == row
        squares = weights[mine] @ (pulls - pulls[:, [row]]) ** 2
        error = np.sqrt(squares * divide(groups[mine], groups[mine] - 1)[:, None])
        gap = np.abs(values[mine] - values[mine][:, [row]])
        tied[mine] = gap <= critical_z(level) * error + 1e-12
    return tied


def influences(figure: FigureSums, weights: Floats) -> Floats:
    """What each cluster adds to a figure, to first order, shape (G, S); 0 in sum over weights.

    Args:
        figure: The figure, by cluster.
        weights: Shape (G,), how often each counts where the derivative is taken.
    """
    sums = figure.sums.sums
    slopes = gradient(figure, np.tensordot(weights, sums, 1))
    return as_floats((sums * slopes).reshape(*sums.shape[:2], -1).sum(-1))


def gradient(figure: FigureSums, totals: Floats) -> Floats:
    """Derivative of a figure by each of its sums, shape (S, …) as the totals'; by differences.

    The figure has to be the same of twice the sums, as every share and coefficient is.
    """
    shape = totals.shape[1:]
    flat = totals.reshape(len(totals), -1)
    step = STEP * max(float(flat.max(initial=0.0)), 1.0)
    slopes = np.zeros(flat.shape)
    for cell in range(flat.shape[1]):
        nudge = step * np.eye(flat.shape[1])[cell]
        up, down = (
            figure.coefficient((flat + sign * nudge).reshape(-1, *shape)) for sign in (1, -1)
        )
        slopes[:, cell] = (up - down) / (2 * step)
    return as_floats(slopes.reshape(totals.shape))


def _with_donors(
    columns: ClaimColumns,
    keys: tuple[CandidateKey, ...],
    codes: Ints,
    seen: Ints,
    rng: np.random.Generator,
    *,
    cluster: str,
    level: float,
) -> Measurer:
    """The claims asked, then each of them and the doubtful donors, as clusters of their own."""
    asked = some_claims(columns, seen)
    gold, doubtful = _doubtful(asked, codes, rng)
    groups = asked.clusters(cluster)
    alone = groups.n_clusters + np.arange(len(seen) + len(gold))
    clusters = Clusters(np.concatenate([groups.codes, alone]), groups.n_clusters + len(alone))
    nowhere = np.full(len(gold), "", np.str_)
    made = replace(
        asked,
        gold=np.concatenate([asked.gold, asked.gold, gold]),
        slices=np.concatenate([asked.slices, asked.slices, nowhere]),
        langs=np.concatenate([asked.langs, asked.langs, nowhere]),
        answers=clusters,
        contexts=clusters,
    )
    return bare_measurer(made, keys, np.concatenate([codes, codes, doubtful], 1), cluster, level)


def _doubtful(asked: ClaimColumns, codes: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Donors for what was not seen yet: gold labels (D,) and verdicts (S, D), label by label.

    Of each label: a claim that all judge rightly, one that all judge wrongly, and for each
    candidate a claim asked, by lot, with the verdict of this candidate alone turned.
    """
    own = np.arange(len(codes))
    gold, verdicts = [], []
    for label in range(asked.n_labels):
        wrong = 2 if label == 0 else 0
        mine = np.flatnonzero(asked.gold == label)
        turned = np.full((len(own), len(own)), label)
        if len(mine):
            turned = codes[:, rng.choice(mine, len(own))]
        is_right = asked.as_labels(turned[own, own]) == label
        turned[own, own] = np.where(is_right, wrong, label)
        everybody = np.repeat([[label, wrong]], len(own), axis=0)
        verdicts.append(np.concatenate([everybody, turned], axis=1))
        gold.append(np.full(verdicts[-1].shape[1], label))
    return np.concatenate(gold), np.concatenate(verdicts, axis=1)


def _weights(
    columns: ClaimColumns, seen: Ints, measurer: Measurer, rng: np.random.Generator, worlds: int
) -> Floats:
    """How often each cluster of `_with_donors` counts in each world, shape (R, G).

    Donors of a gold label have one weight in a world, whatever slice they stand in for.
    """
    n_labels, n_rows = columns.n_labels, len(measurer.candidates.keys)
    rest = np.setdiff1d(np.arange(len(columns.gold)), seen)
    cells = np.stack([columns.gold, np.unique(columns.slices, return_inverse=True)[1]], 1)
    doubts = np.concatenate([np.ones(2), np.full(n_rows, TURNED)])
    shape = np.concatenate([np.ones(len(seen)), np.tile(doubts, n_labels)])
    label = np.repeat(np.arange(n_labels), len(doubts))
    likely = rng.standard_gamma(shape, (worlds, len(shape))) + 1e-12
    donated = np.zeros(likely.shape)
    for (gold, part), size in zip(*np.unique(cells[rest], axis=0, return_counts=True), strict=True):
        same = cells[seen, 0] == gold
        near = same & (cells[seen, 1] == part)
        far = same & ~near
        pull = 1.0 * near + BORROWED / max(int(far.sum()), 1) * far
        doubt = (label == gold) * (pull.sum() / same.sum() if same.any() else 1.0)
        shares = likely * np.concatenate([pull, doubt])
        donated += rng.multinomial(int(size), shares / shares.sum(1, keepdims=True))
    fixed = measurer.columns.contexts.n_clusters - len(shape)
    return np.concatenate([np.ones((worlds, fixed)), donated], axis=1)


def _filled(columns: ClaimColumns, codes: Ints, seen: Ints, rng: np.random.Generator) -> Ints:
    """Codes on the claims asked, those that a candidate lacks taken from a claim that it has.

    One lot decides for all candidates which claim stands for which, so far as they have it.
    """
    part, filled = some_claims(columns, seen), codes[:, seen].copy()
    near = 1.0 * (part.gold[:, None] == part.gold) + 0.5 * (part.slices[:, None] == part.slices) * (
        part.gold[:, None] == part.gold
    )
    lots = near + 0.4 * rng.random(near.shape)
    for row in filled:
        has = row != NOT_ASKED
        if not has.any():
            row[:] = 3
        elif not has.all():
            row[~has] = row[has][lots[~has][:, has].argmax(1)]
    return filled
