"""One annotator at one gold set: what is shown next, and what becomes of what was decided."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, TypedDict

from metajudge.gold.appended import alone_in, utc_now
from metajudge.gold.claim import GoldLabel, Slice
from metajudge.gold.events import (
    Event,
    LabelEvent,
    ReviewEvent,
    SettleEvent,
    SkipEvent,
    UndoEvent,
)
from metajudge.labelling.contested import settling
from metajudge.labelling.folder import GoldFolder
from metajudge.labelling.queue import Queue
from metajudge.labelling.sitting import ShownVerdict, Sitting

LONGEST_SECONDS = 900.0
"""A claim that took longer has no time on record: somebody was away."""
Kind = Literal["saved", "conflict", "changed", "gone", "unreadable", "unwritable"]
ReviewOutcome = Literal["judge_wrong", "gold_wrong", "policy_gap"]
Because = Literal["adjudication", "review"]


class _Act(TypedDict):
    claim_id: str
    annotator: str
    time: str
    save_id: str


class Sent(NamedTuple):
    """What a page sent along with a decision.

    Attributes:
        claim_id: The claim that was shown.
        save_id: Made with the page; sent twice, it counts once.
        state: What stood when the page was made (`Queue.state`).
        seen: Mark of the texts that were shown (`Desk.seen`).
        slice: The kind of claim that was chosen.
        note: What was typed: a note, or a reason.
        flagged: Whether somebody should look at it.
        seconds: Time in sight of the claim; None where it was not measured.
        spans: Texts of the passages that were marked.
    """

    claim_id: str
    save_id: str
    state: str
    seen: str
    slice: Slice | None = None
    note: str | None = None
    flagged: bool = False
    seconds: float | None = None
    spans: tuple[str, ...] = ()


class Outcome(NamedTuple):
    """What became of a decision.

    Attributes:
        kind: `saved` (now or before), or why not: `conflict`: another state stands by now;
            `changed`: texts or policy are not those that were shown; `gone`: there is no such
            claim or act; `unreadable`, `unwritable`: the folder is in the way.
        act: The act that stands; None where there is none.
        reason: Of the system, with `unwritable`.
    """

    kind: Kind
    act: Event | None = None
    reason: str = ""


class Desk:
    """Where one annotator sits: the folder, the queue, and the one way to write into the folder."""

    def __init__(self, folder: GoldFolder, sitting: Sitting) -> None:
        self.folder = folder
        self.sitting = sitting
        self.queue = Queue(folder, sitting)

    def look(self) -> None:
        """Takes in what others wrote to the folder since."""
        self.folder.refresh()
        self.queue.follow()

    def seen(self, claim_id: str) -> str:
        """Mark of all that is shown of a claim and that a label rests on."""
        claim = self.folder.claims[claim_id]
        context = self.folder.base.contexts[claim.context_id]
        policy = self.folder.policy.version
        # A list in JSON, so that no text can take on the place of another one.
        texts = [policy, claim.claim, claim.question, context.title, context.passages]
        return hashlib.sha256(json.dumps(texts).encode()).hexdigest()[:16]

    def label(self, sent: Sent, label: GoldLabel) -> Outcome:
        """Saves the annotator's label of a claim."""
        event = LabelEvent(
            **self._act(sent),
            label=label,
            seconds=_measured(sent.seconds),
            slice=sent.slice,
            spans=sent.spans,
            note=sent.note,
            flagged=sent.flagged or self._after_sight(sent.claim_id),
            policy=self.folder.policy.version,
        )
        outcome = self._save(sent, [event])
        if outcome.kind == "saved":
            self.queue.step_aside(sent.claim_id)
        return outcome

    def skip(self, sent: Sent) -> Outcome:
        """Saves that the annotator leaves a claim for later."""
        event = SkipEvent(**self._act(sent), note=sent.note, flagged=sent.flagged)
        return self._save(sent, [event])

    def settle(self, sent: Sent, label: GoldLabel) -> Outcome:
        """Saves the gold label of a claim that people disagreed on; the note is the reason."""
        return self._save(sent, [self._settled(sent, label, "adjudication", sent.save_id)])

    def review(
        self,
        sent: Sent,
        verdict: ShownVerdict,
        outcome: ReviewOutcome,
        label: GoldLabel | None = None,
    ) -> Outcome:
        """Saves what somebody made of a verdict; with `gold_wrong` the gold label from now on too.

        Args:
            sent: Its note is the reason; needed with `gold_wrong`.
            verdict: The verdict that differs.
            outcome: Who is wrong.
            label: The gold label from now on, with `gold_wrong`.
        """
        gold = self._gold_before(sent)
        if gold is None:
            return Outcome("gone")
        event = ReviewEvent(
            **self._act(sent),
            outcome=outcome,
            verdict=verdict.label,
            gold=gold,
            trial=verdict.trial,
            source=self.sitting.source,
            why=sent.note,
        )
        if label is None:
            return self._save(sent, [event])
        # The correction comes first: a review without it would close the case and change nothing.
        settled = self._settled(sent, label, "review", settling(sent.save_id))
        return self._save(sent, [settled, event])

    def undo(self, undoes: str, save_id: str) -> Outcome:
        """Takes back an act of this annotator; taking it back twice is the same as once."""

        def take_back() -> Outcome:
            act = self.folder.saved(self.sitting.annotator, undoes)
            if act is None or isinstance(act, UndoEvent):
                return Outcome("gone")
            pairs = [(act.save_id, save_id), (settling(act.save_id), settling(save_id))]
            standing = {event.save_id for event in self.folder.standing(act.claim_id)}
            undos = [
                UndoEvent(
                    claim_id=act.claim_id,
                    annotator=self.sitting.annotator,
                    time=utc_now(),
                    save_id=own,
                    undoes=theirs,
                )
                for theirs, own in pairs
                if theirs in standing
            ]
            self._append(undos)
            return Outcome("saved", act)

        return self._alone(take_back)

    def _act(self, sent: Sent) -> _Act:
        return {
            "claim_id": sent.claim_id,
            "annotator": self.sitting.annotator,
            "time": utc_now(),
            "save_id": sent.save_id,
        }

    def _settled(self, sent: Sent, label: GoldLabel, because: Because, save_id: str) -> SettleEvent:
        return SettleEvent(
            claim_id=sent.claim_id,
            annotator=self.sitting.annotator,
            time=utc_now(),
            save_id=save_id,
            label=label,
            was=self._gold_before(sent),
            why=sent.note or "",
            because=because,
            slice=sent.slice,
            policy=self.folder.policy.version,
        )

    def _gold_before(self, sent: Sent) -> GoldLabel | None:
        """The gold label that stood before this save, or a part of it, was written."""
        who = self.sitting.annotator
        for save_id in (sent.save_id, settling(sent.save_id)):
            act = self.folder.saved(who, save_id)
            if isinstance(act, ReviewEvent):
                return act.gold
            if isinstance(act, SettleEvent):
                return act.was
        return getattr(self.folder.claims.get(sent.claim_id), "label", None)

    def _after_sight(self, claim_id: str) -> bool:
        """Whether verdicts of the claim were shown to this annotator before this label."""
        acts = self.folder.acts.get(claim_id, ())
        mine = any(
            isinstance(act, LabelEvent) and act.annotator == self.sitting.annotator for act in acts
        )
        return mine and bool(self.sitting.verdicts.get(claim_id))

    def _save(self, sent: Sent, events: Sequence[Event]) -> Outcome:
        def save() -> Outcome:
            who = self.sitting.annotator
            written = [self.folder.saved(who, event.save_id) for event in events]
            for before, event in zip(written, events, strict=True):
                if before is not None and not _same(before, event):
                    return Outcome("conflict", before)
            if written[-1] is not None:
                return Outcome("saved", written[-1])
            if sent.claim_id not in self.folder.claims:
                return Outcome("gone")
            # Of an act whose first part was written before a server was killed, the rest follows.
            if not any(written):
                if sent.state != self.queue.state(sent.claim_id):
                    return Outcome("conflict", self.queue.standing_act(sent.claim_id))
                if sent.seen != self.seen(sent.claim_id):
                    return Outcome("changed")
            self._append(
                [event for event, before in zip(events, written, strict=True) if not before]
            )
            return Outcome("saved", events[-1])

        return self._alone(save)

    def _append(self, events: Sequence[Event]) -> None:
        self.folder.append(*events)
        self.queue.follow()

    def _alone(self, write: Callable[[], Outcome]) -> Outcome:
        """Looks and writes while nobody else does."""
        try:
            with alone_in(self.folder.path):
                self.look()
                return Outcome("unreadable") if self.folder.log_trouble else write()
        except OSError as error:
            return Outcome("unwritable", reason=error.strerror or type(error).__name__)


def _measured(seconds: float | None) -> float | None:
    if seconds is None or not 0 <= seconds <= LONGEST_SECONDS:
        return None
    return round(seconds, 1)


def _same(before: Event, event: Event) -> bool:
    """Whether two acts say the same, whenever and however long they took."""
    apart = {"time", "seconds", "flagged"}
    return before.model_dump(exclude=apart) == event.model_dump(exclude=apart)
