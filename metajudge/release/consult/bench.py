"""What both sides said of one set of claims, as arrays: the sample, or the gold claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks, as_floats
from metajudge.agreement.bootstrap import cluster_weights
from metajudge.agreement.table import FAILURE, YES, Clusters, cluster_codes
from metajudge.gold.claim import Claim
from metajudge.release.consult.units import Units, Weights, codes_by_name
from metajudge.scoring.answers import PASS, Scores, passes, score_answers
from metajudge.scoring.policies import Policy


@dataclass(frozen=True, slots=True)
class Said:
    """Verdicts of one side on n claims.

    Attributes:
        codes: Shape (n, r), label codes: yes 0, no 1, idk 2, failure 3.
        probabilities: Shape (n, r, 3), nan where there are none.
        asked: Shape (n,), claims whose calls all have a reply, if only one that cannot be read.
    """

    codes: Ints
    probabilities: Floats
    asked: Masks

    @property
    def first(self) -> Ints:
        """Label codes of the first draw, shape (n,)."""
        return self.codes[:, 0]

    @property
    def repeats(self) -> int:
        """Draws a claim."""
        return int(self.codes.shape[1])

    def of(self, claims: Masks) -> Said:
        """The verdicts on some of the claims."""
        return Said(self.codes[claims], self.probabilities[claims], self.asked[claims])


@dataclass(frozen=True)
class Bench:
    """n claims of A answers in G contexts, and how they are resampled.

    Attributes:
        claims: The claims, in the order of every array.
        cluster_names: Context of each claim, as it is resampled.
        weights: Shape (B, G).
        level: Coverage of intervals.
        same: Whether both sides have one set of verdicts, as where only the policy differs.
        by_name: Whether contexts are numbered by their names rather than as they appear.
    """

    claims: tuple[Claim, ...]
    cluster_names: tuple[object, ...]
    weights: Weights
    level: float
    same: bool = False
    by_name: bool = False

    @cached_property
    def answers(self) -> Clusters:
        """Answer of each claim."""
        return cluster_codes([claim.answer_id for claim in self.claims])

    @cached_property
    def contexts(self) -> Clusters:
        """Context of each claim."""
        return (codes_by_name if self.by_name else cluster_codes)(self.cluster_names)

    @cached_property
    def answer_ids(self) -> tuple[str, ...]:
        """Ids of the answers, in the order of their codes."""
        return tuple(dict.fromkeys(claim.answer_id for claim in self.claims))

    @cached_property
    def slices(self) -> np.ndarray[tuple[int], np.dtype[np.str_]]:
        """Slice of each claim, "" where it has none."""
        return np.asarray([claim.slice or "" for claim in self.claims], np.str_)

    @cached_property
    def languages(self) -> np.ndarray[tuple[int], np.dtype[np.str_]]:
        """Language of each claim."""
        return np.asarray([claim.lang for claim in self.claims], np.str_)

    @cached_property
    def answer_languages(self) -> np.ndarray[tuple[int], np.dtype[np.str_]]:
        """Language of each answer: that of its last claim."""
        found = np.zeros(self.answers.n_clusters, self.languages.dtype)
        found[self.answers.codes] = self.languages
        return found

    @cached_property
    def of_claims(self) -> Units:
        """The claims as units."""
        return Units(self.contexts.codes, self.weights, self.level, self.same)

    @cached_property
    def of_answers(self) -> Units:
        """The answers as units."""
        cluster = np.zeros(self.answers.n_clusters, np.int64)
        cluster[self.answers.codes] = self.contexts.codes
        return Units(cluster, self.weights, self.level)

    def scored(self, said: Said, policy: Policy, draw: int = 0) -> Scores:
        """Answer scores of one draw."""
        codes, n = self.answers
        return score_answers(policy, said.codes[:, draw], codes, n, said.probabilities[:, draw])


def bench(
    claims: Sequence[Claim],
    cluster_names: Sequence[object],
    *,
    resamples: int,
    seed: int | np.random.SeedSequence,
    level: float,
    same: bool = False,
    by_name: bool = False,
) -> Bench:
    """A bench with its resamples; the same seed and number of contexts give the same ones.

    Args:
        claims: At least one.
        cluster_names: Context of each claim.
        resamples: B.
        seed: Of the resamples; two independent samples take two.
        level: Coverage of intervals.
        same: Whether both sides have one set of verdicts.
        by_name: Whether contexts are numbered by their names rather than as they appear.
    """
    groups = max(cluster_codes(list(cluster_names)).n_clusters, 1)
    weights = cluster_weights(groups, resamples, np.random.default_rng(seed))
    return Bench(tuple(claims), tuple(cluster_names), weights, level, same, by_name)


def scorable(said: Said, policy: Policy) -> Masks:
    """Claims whose first verdict the policy can score, shape (n,): `expected` needs P(yes)."""
    known = np.isfinite(said.probabilities[:, 0, YES]) | (not policy.from_probabilities)
    return np.asarray(known & (said.first != FAILURE), np.bool_)


def scores_of(found: Scores) -> Floats:
    """Scores as an array, shape (A,), nan where undefined."""
    return as_floats(found.values)


def passed(values: Floats, threshold: float) -> Masks:
    """Answers that pass, shape (A,); one without a score does not."""
    return np.asarray(passes(values, threshold) == PASS, np.bool_)
