"""Which claims to label next: those whose label tells most about the decision, and some for cover.

Of three claims two are chosen for information and the third for cover: for slices with too few
labels, then for the language, the context and the length of claim that have fewest. Without
verdicts of candidates every claim is chosen for cover.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks, Numbers, as_floats
from metajudge.agreement.table import cluster_codes
from metajudge.gold.claim import Claim, PendingClaim
from metajudge.selection.label_worlds import LabelWorlds

Reason = Literal["information", "cover"]
EVERY = 3
"""One claim of so many is for cover."""
DISCOUNT = 0.8
"""What one more claim of a context counts for, against the one before: its labels hang together."""
LENGTHS = 3
"""Claims are cut into so many equal groups by their length."""
_DIGITS = 9
LIKELY = 0.5
"""Share from which a guessed slice counts for cover: guesses from verdicts alone are weak."""


class Told(NamedTuple):
    """What the candidates' verdicts tell of waiting claims.

    Attributes:
        information: Shape (M,), bits about the decision; nan for a claim that was not judged.
        slices: Names of slices.
        slice_shares: Shape (M, Z), how probable each is; nan for a claim that was not judged.
    """

    information: Floats
    slices: tuple[str, ...]
    slice_shares: Floats


class NextClaim(NamedTuple):
    """One claim to label.

    Attributes:
        place: Its place among the waiting claims.
        claim_id: Its id.
        reason: What it was chosen for.
        information: Bits that its label by itself tells about the decision; None where it was not
            judged.
        slice: Its slice, or the likeliest one by the candidates' verdicts; None where unknown.
        slice_share: How probable that slice is; 1 where it is settled, None where unknown.
    """

    place: int
    claim_id: str
    reason: Reason
    information: float | None
    slice: str | None
    slice_share: float | None


def told_by(worlds: LabelWorlds, judged: Ints, n: int) -> Told:
    """What worlds tell of n waiting claims.

    Args:
        worlds: Made of the claims that were judged.
        judged: Shape (m,), their places among the waiting claims.
        n: Waiting claims.
    """
    kinds, names = worlds.kinds.of, worlds.outcomes.slices
    information = np.full(n, np.nan)
    information[judged] = worlds.information[kinds]
    shares = np.full((n, len(names)), np.nan)
    shares[judged] = worlds.outcomes.slice_shares(worlds.shares)[kinds]
    return Told(information, names, shares)


def next_claims(
    waiting: Sequence[Claim | PendingClaim],
    labelled: Sequence[Claim],
    *,
    n: int,
    seed: int = 1,
    min_slice_n: int = 0,
    told: Told | None = None,
    every: int = EVERY,
) -> tuple[NextClaim, ...]:
    """Claims in the order in which to label them, at most n.

    A claim whose label tells nothing, by verdicts that all agree or for want of them, is chosen for
    cover only. What is equal in every way goes by a hash of seed and id, so that the same input
    gives the same order whatever the order of the claims in it.

    Args:
        waiting: Claims that wait for a label, or for a second one.
        labelled: Those that need none; they count for cover.
        n: Claims wanted.
        seed: Settles what is equal.
        min_slice_n: Labelled claims that a slice should have.
        told: What the candidates' verdicts tell of the waiting claims; None for nothing.
        every: One claim of so many is for cover.

    Source: the discount stands for the design effect of claims of one context (Kish 1965), the rest
    is a rule of this project; `benchmarks/next_claims.md` tries it out.
    """
    known = _nothing(len(waiting)) if told is None else told
    cover = _Cover(waiting, labelled, known, min_slice_n, seed)
    picks: list[NextClaim] = []
    for turn in range(1, min(n, len(waiting)) + 1):
        place = None if turn % every == 0 else cover.most_telling()
        reason: Reason = "cover" if place is None else "information"
        if place is None:
            place = cover.least_covered(np.flatnonzero(cover.left))
        cover.take(place)
        picks.append(_pick(place, waiting[place], reason, known))
    return tuple(picks)


def order_text(picks: Iterable[NextClaim]) -> str:
    """The order as a file that `metajudge label --order` follows: one JSON object a line.

    What candidates said is not in it: whoever labels by it must not see a verdict.
    """
    rows = ({"claim_id": pick.claim_id, "reason": pick.reason} for pick in picks)
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


class _Cover:
    """The claims that are left, and how many labels each slice, language and context has."""

    def __init__(
        self,
        waiting: Sequence[Claim | PendingClaim],
        labelled: Sequence[Claim],
        told: Told,
        min_slice_n: int,
        seed: int,
    ) -> None:
        n, every = len(waiting), (*waiting, *labelled)
        names = sorted({claim.slice for claim in every if claim.slice} | {*told.slices} - {""})
        self.left: Masks = np.ones(n, np.bool_)
        self._information, self._least = told.information, min_slice_n
        self._slices = _slice_shares(waiting, told, names)
        self._by_slice = as_floats([sum(c.slice == name for c in labelled) for name in names])
        self._context, self._by_context = _counted([claim.context_id for claim in every], n)
        self._lang, self._by_lang = _counted([claim.lang for claim in every], n)
        self._lang_total = self._by_lang + np.bincount(self._lang, minlength=len(self._by_lang))
        self._of_batch = np.zeros_like(self._by_context)
        self._length = _length_groups([len(claim.claim) for claim in waiting])
        self._by_length = np.zeros(LENGTHS, np.int64)
        self._lot = _lots([claim.claim_id for claim in waiting], seed)
        self._criteria: tuple[Callable[[Ints], Numbers], ...] = (
            self._not_filled,
            lambda places: (self._by_lang / self._lang_total)[self._lang[places]],
            lambda places: self._by_context[self._context[places]],
            lambda places: self._by_length[self._length[places]],
            lambda places: self._lot[places],
        )

    def most_telling(self) -> int | None:
        """The claim that tells most, discounted by its context; None where none tells anything."""
        told = np.where(self.left, np.nan_to_num(self._information), 0.0)
        worth = np.round(told * DISCOUNT ** self._of_batch[self._context], _DIGITS)
        most = worth.max()
        return self.least_covered(np.flatnonzero(worth == most)) if most > 0 else None

    def least_covered(self, places: Ints) -> int:
        """Of some claims the one that covers what has fewest labels, criterion by criterion."""
        for criterion in self._criteria:
            if len(places) == 1:
                break
            values = np.asarray(criterion(places))
            places = places[values == values.min()]
        return int(places[0])

    def take(self, place: int) -> None:
        """Counts a claim as labelled."""
        self.left[place] = False
        self._by_slice += self._slices[place]
        self._by_context[self._context[place]] += 1
        self._of_batch[self._context[place]] += 1
        self._by_lang[self._lang[place]] += 1
        self._by_length[self._length[place]] += 1

    def _not_filled(self, places: Ints) -> Floats:
        """How little each claim is expected to add to slices with too few labels, -1 to 0."""
        return as_floats(-np.round(self._slices[places] @ (self._by_slice < self._least), _DIGITS))


def _nothing(n: int) -> Told:
    return Told(np.full(n, np.nan), (), np.full((n, 0), np.nan))


def _pick(place: int, claim: Claim | PendingClaim, reason: Reason, told: Told) -> NextClaim:
    bits, chances = float(told.information[place]), told.slice_shares[place]
    name: str | None = claim.slice
    share = None if name is None else 1.0
    if name is None and chances.size and np.isfinite(chances).all():
        best = int(chances.argmax())
        name = told.slices[best] or None
        share = None if name is None else float(chances[best])
    return NextClaim(place, claim.claim_id, reason, None if np.isnan(bits) else bits, name, share)


def _slice_shares(
    waiting: Sequence[Claim | PendingClaim], told: Told, names: Sequence[str]
) -> Floats:
    """How probable each named slice is of each claim, shape (M, Z), 0 where it is not likely."""
    shares = np.zeros((len(waiting), len(names)))
    likely = np.where(told.slice_shares >= LIKELY, told.slice_shares, 0.0)
    for column, name in enumerate(told.slices):
        if name:
            shares[:, names.index(name)] = likely[:, column]
    for place, claim in enumerate(waiting):
        if claim.slice is not None:
            shares[place] = 0.0
            shares[place, names.index(claim.slice)] = 1.0
    return shares


def _counted(names: Sequence[str], waiting: int) -> tuple[Ints, Ints]:
    """Codes of the first, waiting claims, and how often each code stands among the others."""
    codes, n_codes = cluster_codes(names)
    return codes[:waiting], np.bincount(codes[waiting:], minlength=n_codes).astype(np.int64)


def _length_groups(lengths: Sequence[int]) -> Ints:
    """Equally many short, middling and long claims."""
    order = np.argsort(np.argsort(lengths, kind="stable"), kind="stable")
    return np.asarray(order * LENGTHS // max(len(lengths), 1), np.int64)


def _lots(claim_ids: Sequence[str], seed: int) -> Ints:
    """A number drawn for each claim, by seed and id."""
    digests = (hashlib.sha256(f"{seed}\0{name}".encode()).digest() for name in claim_ids)
    return np.asarray([int.from_bytes(digest[:7], "big") for digest in digests], np.int64)
