"""The canary of a watch: claims with a stored verdict, a fresh draw of some, and what changed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks
from metajudge.agreement.fleiss import rating_counts
from metajudge.agreement.intervals import wilson_interval
from metajudge.agreement.table import FAILURE, YES
from metajudge.errors import Problem, ReleaseError
from metajudge.gold.claim import Claim
from metajudge.gold.goldset import GoldSet, load_goldset
from metajudge.gold.ledger import sealed
from metajudge.release.asking import replayed
from metajudge.release.bundle import Release
from metajudge.release.compared import stored_replies
from metajudge.release.evidence import read_evidence
from metajudge.release.manifest import REPLIES
from metajudge.release.watch_state import CanaryPin, ChangedClaim, ComponentName
from metajudge.report.measured_parts import VERDICT_CODES
from metajudge.runner.recording import read_recording
from metajudge.selection.readings import CLASSES, Read
from metajudge.verdicts.verdict import Reply

UNANSWERED = tuple(CLASSES.index(name) for name in ("timeout", "transport", "missing"))
YES_LABELS = ("yes", "supported")
LEAST_UNREADABLE = 0.02
"""Share of unreadable replies that is never an alarm: coverage of 0.98 is the usual guardrail."""


class Spread(NamedTuple):
    """Claims of some kind in the contexts that have any.

    Attributes:
        largest: Most claims of a context; 0 where there are none.
        mean: Mean claims of a context.
    """

    largest: int
    mean: float

    @property
    def evenness(self) -> float:
        """`mean / largest`, above 0 to 1: turns a share of claims into a mean of outcomes."""
        return self.mean / self.largest


class Sizes(NamedTuple):
    """Claims by context: all of them, and those that gold does not call yes."""

    every: Spread
    not_yes: Spread


def sizes_of(claims: Sequence[Claim]) -> Sizes:
    """Sizes of the contexts of a canary."""
    contexts = np.unique([claim.context_id for claim in claims], return_inverse=True)[1]
    counts = [np.bincount(contexts), np.bincount(contexts, _not_yes(claims)).astype(np.int64)]
    kept = [count[count > 0] for count in counts]
    return Sizes(*(Spread(int(n.max()), float(n.mean())) if len(n) else Spread(0, 0) for n in kept))


@dataclass(frozen=True)
class Canary:
    """The claims of a canary that a release has stored verdicts on.

    Attributes:
        gold: Those claims.
        stored: Shape (n,), the release's verdicts; of several draws the most frequent one.
        left_out: Judged claims of the canary that the release has no verdict on.
        replies: The release's stored replies by key.
    """

    gold: GoldSet
    stored: Ints
    left_out: int
    replies: Mapping[str, Reply]

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims, in the order of `stored`."""
        return self.gold.claims

    @property
    def contexts(self) -> tuple[str, ...]:
        """Their contexts, each once, in the order of the claims."""
        return tuple(dict.fromkeys(claim.context_id for claim in self.claims))

    @property
    def pin(self) -> CanaryPin:
        """What a state file keeps of it."""
        return CanaryPin(
            name=self.gold.manifest.name,
            version=self.gold.manifest.version,
            sha256=self.gold.sha256,
            claims=len(self.claims),
            contexts=len(self.contexts),
        )

    @property
    def unreadable_limit(self) -> float:
        """Share of unreadable replies that the release itself may have had; upper 95 % limit."""
        lost = int((self.stored == FAILURE).sum())
        high = float(wilson_interval(lost, len(self.claims)).high)
        return max(LEAST_UNREADABLE, high) if lost else LEAST_UNREADABLE

    @cached_property
    def sizes(self) -> Sizes:
        """How many claims its contexts have."""
        return sizes_of(self.claims)

    def stored_of(self, part: GoldSet) -> Ints:
        """Stored verdicts of a part of the canary, in the order of its claims."""
        places = {claim.claim_id: place for place, claim in enumerate(self.claims)}
        return self.stored[[places[claim.claim_id] for claim in part.claims]]

    def chosen(self, claims: int, run: int, seed: str) -> GoldSet:
        """The contexts of one run: as many as hold about `claims` claims, each as likely as any.

        Every run chooses anew: going round in turn would make the contexts that are left depend on
        what was seen, and the error rate would no longer hold.

        Args:
            claims: Claims wanted; whole contexts are asked.
            run: Number of the run.
            seed: With the number it decides which.
        """
        every = self.contexts
        n = min(len(every), max(1, round(claims * len(every) / len(self.claims))))
        drawn = sorted(every, key=lambda name: _mixed(f"{seed}/{run}/{name}"))
        return self.gold.of_contexts(set(drawn[:n]))


def _mixed(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def read_canary(release: Release, place: str | Path) -> Canary:
    """A gold set's claims with the verdicts that a release has stored on them.

    Of a gold set with a split the dev claims alone are read. A context counts when every claim of
    it was stored.

    Raises:
        ReleaseError: The set is gold for another metric than the release's, or the release has a
            verdict on no claim of it.
        InputError: The set or a file of the release is faulty.
        StoreError: The stored replies are faulty.
    """
    gold = load_goldset(place)
    if gold.manifest.metric != release.manifest.metric:
        law = f"{release.ref} is watched on gold for {release.manifest.metric}, which it serves"
        mend = "Name the gold set that the release was made on."
        got = repr(gold.manifest.metric)
        raise ReleaseError(Problem(str(place), law, mend, field="metric", got=got))
    gold = gold if gold.manifest.split is None else sealed(gold)
    judged = gold.judged().subset(langs=release.manifest.languages)
    repeats = read_evidence(release.folder).how.repeats
    replies = stored_replies(read_recording(release.folder / REPLIES))
    (said,) = replayed([release.candidate], judged, replies, repeats=repeats)
    missing = (said.read.classes == CLASSES.index("missing")).any(1)
    gone = {claim.context_id for claim, lost in zip(judged.claims, missing, strict=True) if lost}
    kept = judged.of_contexts({claim.context_id for claim in judged.claims} - gone)
    if not kept.claims:
        law = f"the canary has no claim that {release.ref} has a stored verdict on"
        mend = (
            "Name the gold set that the release was made on, or a part of it with whole contexts."
        )
        raise ReleaseError(Problem(str(place), law, mend))
    stays = np.array([claim.context_id not in gone for claim in judged.claims])
    stored = most_frequent(np.asarray(said.read.codes, np.int64)[stays])
    return Canary(kept, stored, len(judged.claims) - len(kept.claims), replies)


def most_frequent(codes: Ints) -> Ints:
    """The most frequent code of each claim's draws, the first draw's where several are.

    Args:
        codes: Shape (n, r).

    >>> most_frequent(np.array([[2, 0, 0], [1, 2, 0]])).tolist()
    [0, 1]
    """
    counts = rating_counts(codes.T, FAILURE + 1)
    counts = counts + 0.5 * np.eye(FAILURE + 1)[codes[:, 0]]
    return np.asarray(counts.argmax(-1), np.int64)


class Outcomes(NamedTuple):
    """What one run says.

    Attributes:
        batches: One number a context, 0 to 1, for each component.
        changes: Claims with another verdict.
        credited: Claims called yes that gold does not call yes and that were not.
        unreadable: Claims whose reply could not be read, and could be before.
        unanswered: Claims without an answer.
    """

    batches: dict[ComponentName, tuple[float, ...]]
    changes: tuple[ChangedClaim, ...]
    credited: int
    unreadable: int
    unanswered: int


def compared(claims: Sequence[Claim], stored: Ints, read: Read, sizes: Sizes) -> Outcomes:
    """Fresh verdicts beside the stored ones.

    With one draw a context's outcome is its number of changed verdicts as a share of the largest
    context, so that every claim weighs the same and the mean over contexts is the share of changed
    claims times `Spread.evenness`, wherever the changes lie. With two draws it is (1 + c - d) / 2,
    where c is the context's share of changed claims and d that of claims whose two draws differ:
    while nothing changed its mean is at most one half, whatever the judge's noise. A claim without
    an answer counts as unchanged, so that an outage is no evidence.

    Args:
        claims: The claims asked.
        stored: Shape (n,), their stored verdicts.
        read: Fresh verdicts, (n, draws).
        sizes: Of the contexts of the whole canary.
    """
    fresh = np.asarray(read.codes, np.int64)
    answered = ~np.asarray(np.isin(read.classes, UNANSWERED).any(1), np.bool_)
    was = stored[:, None]
    not_yes = _not_yes(claims)
    changed = (fresh != was) & answered[:, None]
    credited = changed & (fresh == YES) & not_yes[:, None]
    unreadable = changed & (fresh == FAILURE)
    contexts = np.unique([claim.context_id for claim in claims], return_inverse=True)[1]
    every = np.ones(len(claims), np.bool_)
    batches: dict[ComponentName, tuple[float, ...]] = {
        "verdicts": _outcomes(changed, _differ(fresh) & answered, every, contexts, sizes.every),
        "over_credit": _outcomes(
            credited,
            _differ(np.where(fresh == YES, 1, 0)) & answered & not_yes,
            not_yes,
            contexts,
            sizes.not_yes,
        ),
        "coverage": _of_largest(unreadable.mean(1), every, contexts, sizes.every),
    }
    return Outcomes(
        batches,
        _changes(claims, stored, fresh, changed),
        int(credited.any(1).sum()),
        int(unreadable.any(1).sum()),
        int((~answered).sum()),
    )


def _differ(draws: Ints) -> Masks:
    return np.asarray((draws != draws[:, :1]).any(1))


def _not_yes(claims: Sequence[Claim]) -> Masks:
    return np.array([claim.label not in YES_LABELS for claim in claims], np.bool_)


def _outcomes(
    changed: Masks, differ: Masks, among: Masks, contexts: Ints, spread: Spread
) -> tuple[float, ...]:
    if changed.shape[1] == 1:
        return _of_largest(changed.mean(1), among, contexts, spread)
    n, sums = _sums(changed.mean(1) - differ, among, contexts)
    return tuple(((1 + sums / n) / 2).tolist())


def _of_largest(counted: Floats, among: Masks, contexts: Ints, spread: Spread) -> tuple[float, ...]:
    """Number counted in each context, as a share of the largest context."""
    _, sums = _sums(counted, among, contexts)
    return tuple((sums / spread.largest).tolist())


def _sums(counted: Floats, among: Masks, contexts: Ints) -> tuple[Floats, Floats]:
    """Claims that are `among`, and their sum, of each context that has any."""
    n = np.bincount(contexts, among)
    sums = np.bincount(contexts, np.where(among, counted, 0.0))
    return np.asarray(n[n > 0], np.float64), np.asarray(sums[n > 0], np.float64)


def _changes(
    claims: Sequence[Claim], stored: Ints, fresh: Ints, changed: Masks
) -> tuple[ChangedClaim, ...]:
    return tuple(
        ChangedClaim(
            claim_id=claims[index].claim_id,
            was=VERDICT_CODES[stored[index]],
            now=VERDICT_CODES[fresh[index, changed[index].argmax()]],
        )
        for index in np.flatnonzero(changed.any(1)).tolist()
    )
