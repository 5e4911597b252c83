"""Worlds in which every waiting claim has a label: who comes first there, and which labels tell.

In each world the labelled claims weigh anew by cluster, which gives the candidates other error
tables; then every waiting claim gets a label by what the candidates say of it, and the rule of
selection is applied to all claims together. That is the decision that all labels would give if the
world were so. What one label tells about it is the mutual information of the two over worlds, and
what a batch does is seen by applying the rule to the labelled claims and the batch alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks, Numbers, as_floats
from metajudge.agreement.expected_information import information, posterior_weights
from metajudge.selection.label_outcomes import (
    ClaimKinds,
    Outcomes,
    Waiting,
    claim_kinds,
    learn_outcomes,
)
from metajudge.selection.measure import Measurer
from metajudge.selection.outcome_claims import with_candidates, with_outcomes
from metajudge.selection.rule import Contest, First, Rule

Counts = np.ndarray[tuple[int, int, int], np.dtype[np.int32]]

WORLDS = 2000
CHECKED = 1000
"""Worlds in which a batch is tried out."""
LEAST_SHARE = 0.01
MOST_CONTENDERS = 8
MOST_KINDS = 1000
"""Contenders are left out, the least likely first, until there are no more kinds of claims."""
BLOCK_CELLS = 4_000_000
"""Numbers of a block of worlds; bounds memory."""


@dataclass(frozen=True, slots=True)
class LabelWorlds:
    """B worlds of labels for M waiting claims.

    Attributes:
        now: The decision on the labelled claims, one entry.
        first: The decision in each world if every claim were labelled, shape (B,).
        contenders: Rows of the candidates that took part, the baseline among them.
        kinds: The kinds of the waiting claims.
        information: Shape (g,), bits that the label of one claim tells about the decision; noise
            can make it negative.
        shares: Shape (g, O), mean probability of each outcome.
        outcomes: The outcomes.
        labels: Shape (B, g, O), how many claims of a kind have which outcome.
        fixed: Clusters of claims whose label stands in every world.
        rule: The rule; its last g · O clusters are waiting claims, by kind and outcome.
    """

    now: First
    first: First
    contenders: Ints
    kinds: ClaimKinds
    information: Floats
    shares: Floats
    outcomes: Outcomes
    labels: Counts
    fixed: int
    rule: Rule

    def standings(self) -> dict[tuple[int, bool], float]:
        """Share of worlds by decision (row, whether it is safe), the greatest first."""
        pairs = list(zip(self.first.row.tolist(), self.first.safe.tolist(), strict=True))
        shares = {pair: pairs.count(pair) / len(pairs) for pair in sorted(set(pairs))}
        return dict(sorted(shares.items(), key=lambda item: (-item[1], item[0])))

    def unchanged(self) -> float:
        """Share of worlds in which all labels leave the decision as it is now."""
        return float(self._same(self.now, len(self.first.row)).mean())

    def right_after(self, claims: Numbers, rng: np.random.Generator) -> float:
        """Share of worlds in which the decision after some labels is that of all labels.

        Args:
            claims: Places of the claims that are labelled, no place twice.
            rng: Which claims of a kind have which label is drawn.
        """
        whole = self.labels[:CHECKED]
        left, world = whole.astype(np.int64), np.arange(len(whole))
        for kind in self.kinds.of[np.asarray(claims, np.int64)].tolist():
            levels = left[:, kind].cumsum(1)
            ticket = rng.integers(0, levels[:, -1])
            left[world, kind, (ticket[:, None] >= levels).sum(1)] -= 1
        return self._right(whole - left)

    def right_at_random(self, n: int, rng: np.random.Generator) -> float:
        """The same for n claims at random, in each world others.

        Args:
            n: Claims that are labelled, at most as many as there are.
            rng: Source of randomness.
        """
        cells = self.labels[:CHECKED].reshape(-1, self.labels[0].size)
        drawn = [rng.multivariate_hypergeometric(row, n, method="marginals") for row in cells]
        return self._right(np.asarray(drawn))

    def _right(self, labelled: Ints) -> float:
        """Share of worlds in which these labels, shape (worlds, …), lead where all labels do."""
        weights = np.ones((len(labelled), self.fixed + self.labels[0].size))
        weights[:, self.fixed :] = labelled.reshape(len(labelled), -1)
        found = _first(self.rule, weights, self.contenders)
        return float(self._same(found, len(labelled)).mean())

    def _same(self, found: First, worlds: int) -> Masks:
        row, safe = self.first.row[:worlds], self.first.safe[:worlds]
        return np.asarray((row == found.row) & (safe == found.safe), np.bool_)


def label_worlds(
    measurer: Measurer,
    waiting: Waiting,
    contest: Contest,
    rng: np.random.Generator,
    *,
    doubtful: Masks | None = None,
    n_worlds: int = WORLDS,
) -> LabelWorlds:
    """Worlds for claims that wait for a label, or for a second one.

    Candidates that hardly ever come first take no part in the worlds, but for the baseline. In a
    world waiting claims are clusters of their own, so limits are a little narrower than they will
    be.

    Args:
        measurer: The labelled claims, at least one, one draw each.
        waiting: The claims that wait.
        contest: How candidates are ranked.
        rng: Source of randomness.
        doubtful: Shape (n,), labelled claims that are among the waiting ones, so that their label
            does not stand; None for none.
        n_worlds: B.

    Source: sampling the rest of a finite population by Bayes, Ericson (1969), JRSS B 31; which
    labels tell candidates apart, Kay et al. (2025), Consensus-driven active model selection, ICCV,
    whose models are scored on all claims too, here by the rule of selection.
    """
    now = contest.rule(measurer).first(_ones(measurer))
    new = waiting.codes.shape[1] if doubtful is None else 0
    growth = 1 + new / len(measurer.columns.gold)
    rows, kinds = _contenders(measurer, waiting, contest, rng, now=now, growth=growth)
    few = with_candidates(measurer, rows)
    told = waiting.of(rows)
    some = told.at(kinds.one)
    outcomes = learn_outcomes(few, some)
    stands = None if doubtful is None else ~doubtful
    extended, fixed = with_outcomes(few, stands, some, outcomes)
    rule = contest.of(rows).rule(extended)
    labels, shares = _drawn(outcomes, some, kinds.sizes, n_worlds, rng)
    first = _first_of_all(rule, labels, fixed, rows)
    return LabelWorlds(
        now=now,
        first=first,
        contenders=rows,
        kinds=kinds,
        information=_information(first, labels, kinds.sizes),
        shares=shares,
        outcomes=outcomes,
        labels=labels,
        fixed=fixed,
        rule=rule,
    )


def _drawn(
    outcomes: Outcomes, some: Waiting, sizes: Ints, n_worlds: int, rng: np.random.Generator
) -> tuple[Counts, Floats]:
    """How many claims of a kind have which outcome, shape (B, g, O), and their mean shares."""
    labels = np.zeros((n_worlds, len(sizes), len(outcomes.label_of)), np.int32)
    shares = np.zeros(labels.shape[1:])
    for block in _blocks(n_worlds, shares.size):
        weights = posterior_weights(len(outcomes.counts), block.stop - block.start, rng)
        chances = np.moveaxis(outcomes.shares(weights, some), 1, 2)
        labels[block] = rng.multinomial(sizes, chances)
        shares += chances.sum(0) / n_worlds
    return labels, shares


def _first_of_all(rule: Rule, labels: Counts, fixed: int, rows: Ints) -> First:
    """The decision of each world on all claims, shape (B,)."""
    found = []
    for block in _blocks(len(labels), fixed + labels[0].size):
        some = labels[block].reshape(block.stop - block.start, -1)
        whole = np.concatenate([np.ones((len(some), fixed)), some], axis=1)
        found.append(_first(rule, whole, rows))
    return First(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def _contenders(
    measurer: Measurer,
    waiting: Waiting,
    contest: Contest,
    rng: np.random.Generator,
    *,
    now: First,
    growth: float,
) -> tuple[Ints, ClaimKinds]:
    """Who may come first once all claims are labelled, and the kinds of claims that they make."""
    rule = contest.rule(measurer)
    groups = measurer.columns.clusters(measurer.cluster).n_clusters
    chosen = np.zeros(len(measurer.candidates.keys))
    for block in _blocks(CHECKED, groups * len(chosen)):
        weights = growth * posterior_weights(groups, block.stop - block.start, rng)
        chosen += np.bincount(rule.first(weights).row, minlength=len(chosen)) / CHECKED
    likely = np.argsort(-chosen, kind="stable")
    likely = likely[chosen[likely] >= LEAST_SHARE][:MOST_CONTENDERS].tolist()
    needed = {int(now.row[0])} | ({contest.baseline} - {None})
    while True:
        rows = np.asarray(sorted({*likely, *needed}), np.int64)
        kinds = claim_kinds(waiting.of(rows))
        if len(kinds.sizes) <= MOST_KINDS or not likely:
            return rows, kinds
        likely.pop()


def _information(first: First, labels: Counts, sizes: Ints) -> Floats:
    """Bits that the label of one claim of each kind tells about the decision, shape (g,)."""
    decisions = np.unique(first.row * 2 + first.safe, return_inverse=True)[1]
    worlds = len(labels)
    chosen = np.zeros((int(decisions.max()) + 1, worlds), np.float32)
    chosen[decisions, np.arange(worlds)] = 1.0
    shares = (labels / sizes[:, None].astype(np.float32)).reshape(worlds, -1)
    joint = as_floats(chosen @ shares).reshape(-1, *labels.shape[1:]) / worlds
    squares = as_floats(np.einsum("bm,bm->m", shares, shares)).reshape(labels.shape[1:]) / worlds
    return information(joint, np.maximum(squares - joint.sum(0) ** 2, 0.0), worlds)


def _first(rule: Rule, weights: Floats, rows: Ints) -> First:
    """The rule in blocks, by rows among all candidates."""
    found = [rule.first(weights[block]) for block in _blocks(len(weights), weights.shape[1])]
    row, safe = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return First(rows[row], safe)


def _ones(measurer: Measurer) -> Floats:
    return np.ones((1, measurer.columns.clusters(measurer.cluster).n_clusters))


def _blocks(n: int, cells: int) -> Iterator[slice]:
    step = max(1, min(250, BLOCK_CELLS // max(cells, 1)))
    return (slice(start, min(start + step, n)) for start in range(0, n, step))
