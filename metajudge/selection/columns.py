"""Gold claims and verdicts as arrays: what every figure of a sweep is computed from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Ints, Masks
from metajudge.agreement.table import Clusters, cluster_codes, to_binary
from metajudge.gold.claim import Claim

GOLD_CODES = {"yes": 0, "no": 1, "idk": 2, "supported": 0, "unsupported": 1}
SUMMARY_SLICES = ("summary", "aggregation")


@dataclass(frozen=True, slots=True)
class ClaimColumns:
    """The claims asked, one entry a claim and draw; draws of one claim share their cluster.

    Attributes:
        gold: Shape (N,), label codes; 0 and 1 for a binary gold set.
        slices: Shape (N,), slice names, "" where a claim has none.
        langs: Shape (N,), language tags.
        answers: Answer of each entry, as codes.
        contexts: Context of each entry, as codes.
        binary: Whether gold says supported/unsupported only.
        n_claims: Claims without counting draws.
        repeats: Draws per claim.
    """

    gold: Ints
    slices: np.ndarray[tuple[int], np.dtype[np.str_]]
    langs: np.ndarray[tuple[int], np.dtype[np.str_]]
    answers: Clusters
    contexts: Clusters
    binary: bool
    n_claims: int
    repeats: int = 1

    @property
    def n_labels(self) -> int:
        """Gold labels there can be: 3, or 2 for a binary set."""
        return 2 if self.binary else 3

    def clusters(self, kind: str) -> Clusters:
        """The groups that are resampled: `answer` or `context`."""
        return self.answers if kind == "answer" else self.contexts

    @property
    def answer_draws(self) -> Clusters:
        """Each draw of each answer, as codes: answer i, draw r is i * repeats + r."""
        draw = np.arange(len(self.gold)) % self.repeats
        codes = self.answers.codes * self.repeats + draw
        return Clusters(codes, self.answers.n_clusters * self.repeats)

    def in_slices(self, names: Sequence[str]) -> Masks:
        """Entries of any of the slices, shape (N,)."""
        return np.isin(self.slices, list(names))

    def in_language(self, lang: str) -> Masks:
        """Entries of one language, shape (N,)."""
        return np.asarray(self.langs == lang, np.bool_)

    def as_labels(self, codes: Ints) -> Ints:
        """Verdict codes in the gold set's label space."""
        return to_binary(codes) if self.binary else codes


class CandidateKey(NamedTuple):
    """A trial under one reading: what is measured and ranked."""

    trial: str
    reading: str


@dataclass(frozen=True, slots=True)
class CandidateCodes:
    """Verdicts of S candidates on the same N entries.

    Attributes:
        keys: Who they are.
        codes: Shape (S, N), yes 0, no 1, idk 2, failure 3.
        probabilities: Shape (S, N, 3), nan where a judge gave none.
    """

    keys: tuple[CandidateKey, ...]
    codes: Ints
    probabilities: np.ndarray[tuple[int, ...], np.dtype[np.float32]]

    def first_of(self, trial: str) -> int | None:
        """Row of a trial under its first reading; None when it has none."""
        return next((i for i, key in enumerate(self.keys) if key.trial == trial), None)


def claim_columns(claims: Sequence[Claim], repeats: int = 1, *, binary: bool) -> ClaimColumns:
    """Columns for claims asked `repeats` times: entry i * repeats + r is draw r of claim i."""
    rows = [claim for claim in claims for _ in range(repeats)]
    return ClaimColumns(
        gold=np.asarray([GOLD_CODES[claim.label] for claim in rows], np.int64),
        slices=np.asarray([claim.slice or "" for claim in rows], np.str_),
        langs=np.asarray([claim.lang for claim in rows], np.str_),
        answers=cluster_codes([claim.answer_id for claim in rows]),
        contexts=cluster_codes([claim.context_id for claim in rows]),
        binary=binary,
        n_claims=len(claims),
        repeats=repeats,
    )
