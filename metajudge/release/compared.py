"""Two releases on the gold claims that both were asked about, from their own stored replies."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Masks, as_floats
from metajudge.gold.claim import Claim, Split
from metajudge.gold.goldset import GoldSet
from metajudge.release.asking import planned, replayed
from metajudge.release.bundle import Release
from metajudge.release.candidate import Candidate
from metajudge.release.consult.bench import Said
from metajudge.release.flips import Compared
from metajudge.release.manifest import REPLIES
from metajudge.runner.recording import read_recording
from metajudge.runner.reply_json import reply_from_fields
from metajudge.runner.store import StoredCall
from metajudge.verdicts.verdict import Reply


class Recorded(NamedTuple):
    """A candidate and the replies that were stored with its release.

    Attributes:
        candidate: What was asked.
        languages: Languages of the claims that it was asked about.
        gold_sha256: Of the whole gold set that it was asked about.
        replies: By key.
    """

    candidate: Candidate
    languages: tuple[str, ...]
    gold_sha256: str
    replies: Mapping[str, Reply]


class OnBoth(NamedTuple):
    """Gold claims that two releases were asked about.

    Attributes:
        claims: The claims.
        splits: Split of each.
        before: Verdicts of the earlier release, first draw.
        after: Those of the later one.
    """

    claims: tuple[Claim, ...]
    splits: tuple[Split, ...]
    before: Said
    after: Said

    @property
    def codes(self) -> Compared:
        """The label codes alone."""
        return Compared(self.claims, self.splits, self.before.first, self.after.first)


def stored_replies(calls: tuple[StoredCall, ...]) -> dict[str, Reply]:
    """Replies of stored calls by key."""
    return {call.key: reply_from_fields(json.loads(call.reply)) for call in calls}


def recorded(release: Release) -> Recorded:
    """A release with its stored replies.

    Raises:
        InputError: A file of the release is faulty.
        StoreError: Its replies are.
    """
    pin = release.manifest.gold
    replies = stored_replies(read_recording(release.folder / REPLIES))
    return Recorded(release.candidate, pin.languages, pin.sha256, replies)


def on_both(
    earlier: Recorded, later: Recorded, golds: Mapping[Split, GoldSet], gold_sha256: str
) -> OnBoth:
    """Verdicts of both on the claims that both were asked about; a pure function.

    Of the gold set that a release was made with every claim in its languages was asked about, so
    that a lost reply is a failure there; of another one, those whose call has a reply.

    Args:
        earlier: The release before.
        later: The one after.
        golds: Claims by split.
        gold_sha256: Of the whole set that they are from.
    """
    claims: list[Claim] = []
    splits: list[Split] = []
    said: list[tuple[Said, Said]] = []
    for split, gold in golds.items():
        here = gold.judged().claims
        both = _asked(earlier, gold, gold_sha256) & _asked(later, gold, gold_sha256)
        claims += [claim for claim, kept in zip(here, both, strict=True) if kept]
        splits += [split] * int(both.sum())
        said.append((_said(earlier, gold).of(both), _said(later, gold).of(both)))
    before, after = (_together([pair[side] for pair in said]) for side in (0, 1))
    return OnBoth(tuple(claims), tuple(splits), before, after)


def compared(
    earlier: Recorded, later: Recorded, golds: Mapping[Split, GoldSet], gold_sha256: str
) -> Compared:
    """The label codes of `on_both`."""
    return on_both(earlier, later, golds, gold_sha256).codes


def _asked(side: Recorded, gold: GoldSet, gold_sha256: str) -> Masks:
    claims = gold.judged().claims
    spoken = np.asarray([claim.lang in side.languages for claim in claims], np.bool_)
    if side.gold_sha256 == gold_sha256:
        return spoken
    judges = {side.candidate.judge.name: side.candidate.judge.stand_in()}
    plan = planned([side.candidate], gold, judges, side.replies)
    answered = {
        index
        for calls in plan.calls.values()
        for call in calls
        if call.call.key in side.replies
        for index in call.claims
    }
    return np.isin(np.arange(len(claims)), list(answered))


def _said(side: Recorded, gold: GoldSet) -> Said:
    """First draws of every claim."""
    (found,) = replayed([side.candidate], gold, side.replies)
    codes = found.read.codes[:, :1].astype(np.int64)
    everything = np.ones(len(codes), np.bool_)
    return Said(codes, as_floats(found.read.probabilities[:, :1]), everything)


def _together(parts: list[Said]) -> Said:
    return Said(
        np.concatenate([part.codes for part in parts]),
        np.concatenate([part.probabilities for part in parts]),
        np.concatenate([part.asked for part in parts]),
    )
