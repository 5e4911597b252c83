"""A gold folder that stays open while people label: what others write to it is taken in.

Claims, contexts and manifest are read again when one of their files changes; of the logs of
annotators only the lines that were added. While a file cannot be read, the set stays as it was
last known, and says why.
"""

from __future__ import annotations

import errno
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from metajudge.errors import GoldError, Problem
from metajudge.gold.claim import Claim, LabellingPolicy, PendingClaim
from metajudge.gold.events import FOLDER, Event, append_event, events_file, standing
from metajudge.gold.folded import fold
from metajudge.gold.goldset import MANIFEST, load_goldset
from metajudge.labelling.logs import ActLogs

_FILES = (MANIFEST, "claims.jsonl", "claims.csv", "contexts.jsonl", "contexts.csv")


def check_own_log(folder: Path, annotator: str) -> None:
    """Refuses a log that is a link: a set from elsewhere could have any file written to by it.

    Raises:
        OSError: The log, or the folder of logs, leads elsewhere.
    """
    log = events_file(folder, annotator)
    for path in (log.parent, log):
        if path.is_symlink():
            raise OSError(errno.ELOOP, f"{FOLDER}/ has a link that leads elsewhere", str(path))


class GoldFolder:
    """The gold set of a folder, with the acts of its annotators as they come in.

    Attributes:
        path: The folder.
        base: The set as its files state it, without acts.
        claims: Every claim by id, with the acts in it: labelled ones first, then pending ones.
        stated: The same claims without acts.
        acts: Acts by claim, in the order in which they were read.
        reloads: How often the whole set was read; claims and their order may be others since.
        trouble: Why the files of the set cannot be read now; () when they can.
        log_trouble: The same of the annotators' logs.

    Raises:
        GoldError: The set or a log cannot be read.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.trouble: tuple[Problem, ...] = ()
        self.log_trouble: tuple[Problem, ...] = ()
        self.reloads = 0
        self._logs = ActLogs(self.path)
        self._changed: dict[str, None] = {}
        self._stamp = self._stamped()
        self._load()

    @property
    def policy(self) -> LabellingPolicy:
        """The labelling policy as it is now."""
        return self.base.manifest.labelling_policy

    def saved(self, annotator: str, save_id: str) -> Event | None:
        """The act of a person with this id; None where there is none."""
        return self._logs.saved(annotator, save_id)

    def standing(self, claim_id: str) -> tuple[Event, ...]:
        """The acts about a claim that nobody took back, in order."""
        return standing(self.acts.get(claim_id, ()))

    def acts_of(self, annotator: str) -> Sequence[Event]:
        """Everything that one annotator did, in order, undone or not."""
        return self._by_annotator.get(annotator, ())

    def passages(self, claim_id: str) -> tuple[str, ...]:
        """The passages that a claim is judged against."""
        return self.base.contexts[self.claims[claim_id].context_id].passages

    def changed(self) -> tuple[str, ...]:
        """Claims with new acts since this was last asked, or since the whole set was read."""
        changed, self._changed = tuple(self._changed), {}
        return changed

    def refresh(self) -> None:
        """Takes in what was written to the folder since; a fault leaves what was known before."""
        stamp = self._stamped()
        if stamp != self._stamp:
            self._stamp = stamp
            self._reload()
        else:
            self._read_logs()

    def append(self, *events: Event) -> None:
        """Writes acts of one person, on disk when this returns; call it `alone_in` the folder.

        Raises:
            OSError: The log cannot be written, or leads out of the folder.
        """
        for event in events:
            check_own_log(self.path, event.annotator)
            append_event(self.path, event)
        self._read_logs()

    def _stamped(self) -> tuple[tuple[str, int, int, int], ...]:
        stamps = []
        for name in _FILES:
            try:
                stat = (self.path / name).stat()
            except OSError:
                continue
            times = max(stat.st_mtime_ns, stat.st_ctime_ns)
            stamps.append((name, times, stat.st_size, stat.st_ino))
        return tuple(stamps)

    def _load(self) -> None:
        base = load_goldset(self.path, with_acts=False)
        events = self._logs.read_all()
        folded = fold(base, events)
        self.base = base
        self.stated = {claim.claim_id: claim for claim in base.every_claim}
        self.claims: dict[str, Claim | PendingClaim] = {
            claim.claim_id: claim for claim in folded.every_claim
        }
        self._forget()
        self._keep(events)
        self._changed = {}
        self.reloads += 1

    def _reload(self) -> None:
        try:
            self._load()
        except GoldError as error:
            logs = [fault for fault in error.problems if FOLDER in Path(fault.where).parts]
            self.log_trouble = tuple(logs)
            self.trouble = tuple(fault for fault in error.problems if fault not in logs)
        else:
            self.trouble = self.log_trouble = ()

    def _read_logs(self) -> None:
        try:
            events = None if self.log_trouble else self._logs.read_more()
            if events is None:
                self._take_all(self._logs.read_all())
            else:
                self._take(events)
        except GoldError as error:
            self.log_trouble = error.problems
        except OSError as error:
            reason = error.strerror or type(error).__name__
            place, mend = str(error.filename or self.path), "Check its permissions."
            self.log_trouble = (Problem(place, f"the log cannot be read: {reason}", mend),)
        else:
            self.log_trouble = ()

    def _take_all(self, events: Sequence[Event]) -> None:
        before = tuple(self.acts)
        self._forget()
        self._take(events, before)

    def _forget(self) -> None:
        self.acts: dict[str, list[Event]] = defaultdict(list)
        self._by_annotator: dict[str, list[Event]] = defaultdict(list)

    def _keep(self, events: Iterable[Event]) -> None:
        for event in events:
            self.acts[event.claim_id].append(event)
            self._by_annotator[event.annotator].append(event)

    def _take(self, events: Sequence[Event], also: Iterable[str] = ()) -> None:
        self._keep(events)
        for claim_id in dict.fromkeys((*also, *(event.claim_id for event in events))):
            if claim_id in self.stated:
                self.claims[claim_id] = self._folded(claim_id)
                self._changed[claim_id] = None

    def _folded(self, claim_id: str) -> Claim | PendingClaim:
        stated = self.stated[claim_id]
        if isinstance(stated, Claim):
            alone = replace(self.base, claims=(stated,), pending=())
        else:
            alone = replace(self.base, claims=(), pending=(stated,))
        return fold(alone, self.acts[claim_id]).every_claim[0]
