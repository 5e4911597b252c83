"""What was judged, kept by a thread of its own so that nobody waits for a disk."""

from __future__ import annotations

import atexit
import json
import os
import queue
import threading
import weakref
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

from metajudge.errors import StoreError
from metajudge.judges.judge import Request, Scalar, call_key
from metajudge.metrics.selfcheck.checked import Checked
from metajudge.metrics.selfcheck.questions import Matter
from metajudge.runner.store import Store
from metajudge.verdicts.verdict import Reply

FORMAT = "metajudge-check/1"
JOIN_S = 30.0
AT_ONCE = 500


class Logged(NamedTuple):
    """One line of the log.

    Attributes:
        time: ISO 8601 time in UTC.
        judge: Spec of the judge.
        answer: The answer that was checked.
        matter: Context, question and language; None where the arguments were wrong.
        checked: The outcome.
    """

    time: str
    judge: str
    answer: object
    matter: Matter | None
    checked: Checked

    def line(self) -> bytes:
        """The JSON object, with its line break."""
        told: dict[str, Any] = {"format": FORMAT, "time": self.time, "judge": self.judge}
        told["answer"] = self.answer
        if self.matter is not None:
            told |= {"context": list(self.matter.passages), "question": self.matter.question}
        told |= self.checked.to_dict()
        try:
            return f"{json.dumps(told, ensure_ascii=False, default=repr)}\n".encode()
        except UnicodeEncodeError:
            return f"{json.dumps(told, default=repr)}\n".encode()


_Row = Logged | tuple[Mapping[str, Scalar], Request, Reply]


class Kept:
    """A log of checks and a store of replies, written in the order in which they came.

    The log is appended to: one JSON object a line, whole lines only, so that several processes may
    share a file and a killed process leaves nothing half-written. Rows wait in memory while a disk
    refuses; they are tried again with the next row and at `close`.

    Args:
        log: The log file; None for none.
        store: The reply store; None for none.

    Raises:
        StoreError: One of them cannot be written to.
    """

    def __init__(self, log: str | Path | None, store: str | Path | None) -> None:
        self._log = None if log is None else Path(log)
        self._store = None if store is None else Path(store)
        self._rows: queue.SimpleQueue[_Row | None] = queue.SimpleQueue()
        self._unwritten: list[_Row] = []
        self._put = self._written = 0
        self._fault: str | None = None
        self._opened = threading.Event()
        self._refused: StoreError | None = None
        self._thread: threading.Thread | None = None
        self._start()
        self._opened.wait()
        if self._refused is not None:
            raise self._refused
        atexit.register(_close_if_alive, weakref.ref(self))

    def check(self, checked: Checked, answer: object, matter: Matter | None, judge: str) -> None:
        """Keep the account of a check."""
        if self._log is not None:
            now = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
            self._take(Logged(now, judge, answer, matter, checked))

    def reply(self, identity: Mapping[str, Scalar], request: Request, reply: Reply) -> None:
        """Keep a reply under its content key."""
        if self._store is not None:
            self._take((identity, request, reply))

    @property
    def unwritten(self) -> int:
        """Rows that are not on disk yet."""
        return self._put - self._written

    @property
    def fault(self) -> str | None:
        """Why rows could not be written lately; None where they were."""
        return self._fault

    def close(self) -> None:
        """Write what waits, and end; safe to call twice."""
        thread, self._thread = self._thread, None
        if thread is not None and self._pid == os.getpid():
            self._rows.put(None)
            thread.join(JOIN_S)

    def _take(self, row: _Row) -> None:
        if self._pid != os.getpid():
            # A forked process has the queue, but no thread that empties it.
            self._rows = queue.SimpleQueue()
            self._put = self._written = 0
            self._start()
        self._put += 1
        self._rows.put(row)

    def _start(self) -> None:
        self._pid = os.getpid()
        thread = threading.Thread(target=self._work, name="metajudge-selfcheck-kept", daemon=True)
        self._thread = thread
        thread.start()

    def _work(self) -> None:
        try:
            store = None if self._store is None else Store(self._store)
            if self._log is not None:
                _append(self._log, b"")
        except StoreError as error:
            self._refused = error
            return
        finally:
            self._opened.set()
        goes_on = True
        while goes_on:
            goes_on = self._gather()
            self._write(store)
        if store is not None:
            store.close()

    def _gather(self) -> bool:
        """Wait for rows and take those that are there; False at the end."""
        row = self._rows.get()
        while row is not None:
            self._unwritten.append(row)
            if len(self._unwritten) >= AT_ONCE or self._rows.empty():
                return True
            row = self._rows.get()
        return False

    def _write(self, store: Store | None) -> None:
        lines = [row for row in self._unwritten if isinstance(row, Logged)]
        replies = [row for row in self._unwritten if not isinstance(row, Logged)]
        try:
            if lines and self._log is not None:
                _append(self._log, b"".join(row.line() for row in lines))
                self._unwritten = list(replies)
                self._written += len(lines)
            if replies and store is not None:
                for identity, request, reply in replies:
                    store.put(call_key(identity, request), request, identity, reply)
                store.flush()
                self._unwritten = []
                self._written += len(replies)
            self._fault = None
        except StoreError as error:
            self._fault = str(error)


def _append(path: Path, text: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        place = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            while text:
                text = text[os.write(place, text) :]
        finally:
            os.close(place)
    except OSError as error:
        raise StoreError(
            f"{path}: the log of checks cannot be written ({error.strerror})"
        ) from None


def _close_if_alive(kept: weakref.ref[Kept]) -> None:
    found = kept()
    if found is not None:
        found.close()
