"""Which claims wait for an annotator, in which order, and how far the work has come."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Literal, NamedTuple

from metajudge.gold.claim import Claim, PendingClaim
from metajudge.gold.events import (
    LabelEvent,
    ReviewEvent,
    SettleEvent,
    SkipEvent,
    UndoEvent,
)
from metajudge.gold.policy import changed_since, given_under_now
from metajudge.labelling.contested import open_verdicts, why_contested
from metajudge.labelling.folder import GoldFolder
from metajudge.labelling.sitting import Sitting, Work, in_share

Status = Literal["again", "open", "skipped", "done", "out"]
"""`again`: labelled by this annotator under an earlier policy; `out`: no part of this sitting."""
Act = LabelEvent | SkipEvent | SettleEvent | ReviewEvent

_OWN_WORK: dict[Work, type[Act]] = {
    "label": LabelEvent,
    "double": LabelEvent,
    "adjudicate": SettleEvent,
    "review": ReviewEvent,
}
_MEETING_S = 900
"""Two people are labelling at one place when they label a claim within this many seconds."""


class Progress(NamedTuple):
    """How far a sitting has come.

    Attributes:
        done: Claims done by this annotator.
        again: Claims to be labelled anew.
        open: Other claims that wait.
        skipped: Claims that were skipped, the one skipped first in front.
    """

    done: int
    again: int
    open: int
    skipped: tuple[str, ...]

    @property
    def waiting(self) -> int:
        """Claims that wait, without skipped ones."""
        return self.again + self.open

    @property
    def total(self) -> int:
        """All claims of the sitting."""
        return self.done + self.waiting + len(self.skipped)


class Queue:
    """The claims of a sitting; it follows the folder."""

    def __init__(self, folder: GoldFolder, sitting: Sitting) -> None:
        self.folder = folder
        self.sitting = sitting
        self._reloads = -1
        self._status: dict[str, Status] = {}
        self._start = 0
        self.follow()

    def follow(self) -> None:
        """Takes in what changed in the folder since."""
        changed = self.folder.changed()
        if self._reloads != self.folder.reloads:
            self._reloads = self.folder.reloads
            self._status = dict.fromkeys(self._order(), "out")
            self._start = 0
            changed = tuple(self._status)
        for claim_id in changed:
            if claim_id in self._status:
                self._status[claim_id] = self._status_of(claim_id)

    def status(self, claim_id: str) -> Status:
        """Where a claim stands in this sitting."""
        return self._status.get(claim_id, "out")

    def next_claim(self) -> str | None:
        """The claim that comes next: those to be labelled anew first; None when none waits."""
        names = tuple(self._status)
        from_here = (*names[self._start :], *names[: self._start])
        for wanted in ("again", "open"):
            for claim_id in from_here:
                if self._status[claim_id] == wanted:
                    return claim_id
        return None

    def step_aside(self, claim_id: str) -> None:
        """Goes on half-way through what waits, where somebody else is labelling here right now.

        Two people who start at one place would otherwise label every claim twice. Whoever comes
        second to a claim moves; nothing of what the other one said can be seen by it.
        """
        waiting = [name for name, status in self._status.items() if status == "open"]
        others = self.folder.standing(claim_id)
        met = any(
            isinstance(act, LabelEvent)
            and act.annotator != self.sitting.annotator
            and abs(_seconds_ago(act.time)) < _MEETING_S
            for act in others
        )
        if met and self.sitting.work == "label" and waiting:
            self._start = tuple(self._status).index(waiting[len(waiting) // 2])

    def progress(self) -> Progress:
        """How far the sitting has come."""
        values = list(self._status.values())
        counts = (values.count("done"), values.count("again"), values.count("open"))
        return Progress(*counts, self._skipped() if "skipped" in values else ())

    def _skipped(self) -> tuple[str, ...]:
        names = (claim_id for claim_id, status in self._status.items() if status == "skipped")
        acts = [act for name in names if isinstance(act := self.mine(name), SkipEvent)]
        mine = self.folder.acts_of(self.sitting.annotator)
        place = {act.save_id: at for at, act in enumerate(mine) if isinstance(act, SkipEvent)}
        return tuple(act.claim_id for act in sorted(acts, key=lambda act: place[act.save_id]))

    def mine(self, claim_id: str) -> Act | None:
        """The annotator's last act about a claim that stands; None where there is none."""
        return next(self._mine(claim_id), None)

    def my_label(self, claim_id: str) -> LabelEvent | None:
        """The annotator's label of a claim that stands."""
        return next((act for act in self._mine(claim_id) if isinstance(act, LabelEvent)), None)

    def my_acts(self) -> Iterator[Act]:
        """The annotator's standing acts, the last one first; of a claim only its last."""
        for act in reversed(self.folder.acts_of(self.sitting.annotator)):
            if not isinstance(act, UndoEvent) and self.mine(act.claim_id) == act:
                yield act

    def last_act(self) -> Act | None:
        """What one key takes back: the last standing act of this kind of work, or a skip."""
        kinds = (_OWN_WORK[self.sitting.work], SkipEvent)
        return next((act for act in self.my_acts() if isinstance(act, kinds)), None)

    def standing_act(self, claim_id: str) -> Act | None:
        """What stands of a claim where a save meets another state: one's own act, or anybody's."""
        if self.sitting.is_blind:
            return self.mine(claim_id)
        acts = [act for act in self.folder.standing(claim_id) if not isinstance(act, UndoEvent)]
        return max(reversed(acts), key=lambda act: act.time, default=None)

    def state(self, claim_id: str) -> str:
        """What a page carries so that a save on top of another state is noticed.

        The id of the annotator's act that stands; where labels are settled, a hash of everybody's
        acts and of the gold label, which is shown there.
        """
        if self.sitting.is_blind:
            act = self.mine(claim_id)
            return "" if act is None else act.save_id
        acts = [act.save_id for act in self.folder.standing(claim_id)]
        gold = getattr(self.folder.claims[claim_id], "label", "")
        return hashlib.sha256(" ".join([gold, *acts]).encode()).hexdigest()[:16]

    def waits_again(self, claim: Claim | PendingClaim) -> bool:
        """Whether the label of a claim was given under a policy that has changed since."""
        policy = self.folder.policy
        if not isinstance(claim, Claim) or claim.label_source == "model":
            return False
        return bool(changed_since(policy, claim.slice, claim.label_policy))

    def _order(self) -> list[str]:
        claims = self.folder.claims
        if self.sitting.order is not None:
            return [claim_id for claim_id in self.sitting.order if claim_id in claims]
        if self.sitting.work == "adjudicate":
            return self._most_pressing_first()
        stated = self.folder.stated
        if self.sitting.work == "double":
            return self._by_context()
        return sorted(stated, key=lambda name: isinstance(stated[name], Claim))

    def _by_context(self) -> list[str]:
        """Claims in an order that says nothing of their labels.

        The order of the set parts claims that people agree on from those that wait for a label.
        """
        stated = self.folder.stated
        place = {name: at for at, name in enumerate(self.folder.base.contexts)}

        def key(name: str) -> tuple[int, list[str | int], list[str | int]]:
            claim = stated[name]
            return place[claim.context_id], _numbered(claim.answer_id), _numbered(name)

        return sorted(stated, key=key)

    def _most_pressing_first(self) -> list[str]:
        from metajudge.labelling.disputed import WHYS

        claims, acts = self.folder.claims, self.folder.standing
        whys = {name: why_contested(claim, acts(name)) for name, claim in claims.items()}
        place = {why: rank for rank, why in enumerate((*WHYS, None))}
        return sorted(claims, key=lambda name: place[whys[name]])

    def _mine(self, claim_id: str) -> Iterator[Act]:
        for act in reversed(self.folder.standing(claim_id)):
            if act.annotator == self.sitting.annotator and not isinstance(act, UndoEvent):
                yield act

    def _status_of(self, claim_id: str) -> Status:
        claim = self.folder.claims[claim_id]
        if claim.exclude:
            return "out"
        if self.sitting.is_blind:
            return self._status_of_label(claim)
        acts, last = self.folder.standing(claim_id), self.mine(claim_id)
        if self.sitting.work == "review":
            shown = self.sitting.verdicts.get(claim_id, ())
            waits = bool(open_verdicts(claim, shown, acts))
            decided = bool(shown) and self._did(claim_id, ReviewEvent)
        else:
            waits = why_contested(claim, acts) is not None
            decided = self._did(claim_id, SettleEvent)
        if not waits:
            return "done" if decided else "out"
        return "skipped" if isinstance(last, SkipEvent) else "open"

    def _did(self, claim_id: str, kind: type[SettleEvent | ReviewEvent]) -> bool:
        return any(isinstance(act, kind) for act in self._mine(claim_id))

    def _status_of_label(self, claim: Claim | PendingClaim) -> Status:
        if self.sitting.work == "double" and not self._is_double(claim):
            return "out"
        who = self.sitting.annotator
        mine = tuple(note for note in claim.annotations if note.annotator == who)
        if given_under_now(self.folder.policy, claim.slice, mine):
            return "done"
        waits = self._waits(claim, bool(mine))
        if waits is not None and isinstance(self.mine(claim.claim_id), SkipEvent):
            return "skipped"
        return waits or "out"

    def _is_double(self, claim: Claim | PendingClaim) -> bool:
        """Whether others labelled the claim, and it is among those that are labelled twice."""
        who = self.sitting.annotator
        others = any(note.annotator != who for note in claim.annotations)
        known = others or isinstance(self.folder.stated[claim.claim_id], Claim)
        return known and in_share(claim.claim_id, self.sitting.share)

    def _waits(self, claim: Claim | PendingClaim, labelled_before: bool) -> Status | None:
        if labelled_before:
            return "again"
        if self.sitting.work == "double" or self.sitting.only == "all":
            return "open"
        # That others have to label it again would tell which kind of claim they took it for.
        if self.waits_again(claim):
            return "open"
        waits = self.sitting.only == "pending" and isinstance(claim, PendingClaim)
        return "open" if waits else None


def _numbered(name: str) -> list[str | int]:
    """A name as it is sorted, numbers by their size.

    >>> sorted(["c10", "c2"], key=_numbered)
    ['c2', 'c10']
    """
    parts = re.split(r"(\d{1,18})", name, flags=re.ASCII)
    return [int(part) if part.isdecimal() and part.isascii() else part for part in parts]


def _seconds_ago(time: str) -> float:
    moment = datetime.fromisoformat(time.replace("Z", "+00:00"))
    return (datetime.now(timezone.utc) - moment).total_seconds()
