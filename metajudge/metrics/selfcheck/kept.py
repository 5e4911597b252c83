"""What was judged, kept by a thread of its own so that nobody waits for a disk."""

from __future__ import annotations

import atexit
import json
import os
import queue
import threading
import time
import weakref
from collections import deque
from collections.abc import Mapping
from datetime import datetime, timezone
from itertools import islice
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
RETRY_S = 1.0
"""How long a disk that refused is left alone."""
MOST_WAITING = 50_000
"""Rows that wait in memory at most."""


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
        is_text = isinstance(self.answer, str)
        told["answer"] = self.answer if is_text else f"<{type(self.answer).__name__}>"
        if self.matter is not None:
            told |= {"context": list(self.matter.passages), "question": self.matter.question}
        told |= self.checked.to_dict()
        try:
            return f"{json.dumps(told, ensure_ascii=False)}\n".encode()
        except UnicodeEncodeError:
            return f"{json.dumps(told)}\n".encode()


_Row = Logged | tuple[Mapping[str, Scalar], Request, Reply]


class Kept:
    """A log of checks and a store of replies, written in the order in which they came.

    The log is appended to: one JSON object a line, whole lines only, so that several processes may
    share a file and a killed process leaves nothing half-written; where a disk took a part of a
    line, the rest goes first. Rows wait in memory while a disk refuses, up to `MOST_WAITING`; they
    are tried again every `RETRY_S` and at `close`.

    Args:
        log: The log file; None for none.
        store: The reply store; None for none.

    Raises:
        StoreError: One of them cannot be written to.
    """

    def __init__(self, log: str | Path | None, store: str | Path | None) -> None:
        self._log = None if log is None else Path(log)
        self._store = None if store is None else Path(store)
        self._fresh()
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
        return self._waiting

    @property
    def dropped(self) -> int:
        """Rows that were given up, since too many waited."""
        return self._dropped

    @property
    def fault(self) -> str | None:
        """Why rows could not be written lately; None where they were."""
        return self._fault

    def close(self) -> None:
        """Write what waits, and end; safe to call twice."""
        thread = self.leave()
        if thread is not None:
            thread.join(JOIN_S)

    def leave(self) -> threading.Thread | None:
        """`close` for those who must not wait; gives the thread that writes what is left."""
        thread, self._thread = self._thread, None
        if thread is None or self._pid != os.getpid():
            return None
        self._rows.put(None)
        return thread

    def _fresh(self) -> None:
        self._rows: queue.SimpleQueue[_Row | None] = queue.SimpleQueue()
        self._lines: deque[bytes] = deque()
        self._stored = 0
        self._waiting = self._dropped = 0
        self._counting = threading.Lock()

    def _take(self, row: _Row) -> None:
        if self._pid != os.getpid():
            # A forked process has the queue, but no thread that empties it.
            self._fresh()
            self._start()
        with self._counting:
            if self._waiting >= MOST_WAITING:
                self._dropped += 1
                return
            self._waiting += 1
        self._rows.put(row)

    def _start(self) -> None:
        self._pid = os.getpid()
        thread = threading.Thread(target=self._work, name="metajudge-selfcheck-kept", daemon=True)
        self._thread = thread
        thread.start()

    def _work(self) -> None:
        try:
            store = None if self._store is None else Store(self._store)
            self._append()
        except StoreError as error:
            self._refused = error
            return
        finally:
            self._opened.set()
        goes_on = True
        while goes_on:
            goes_on = self._gather(store)
            self._write(store)
        if store is not None:
            store.close()

    def _gather(self, store: Store | None) -> bool:
        """Wait for rows, and while a disk refuses for its rest; False at the end."""
        again = time.monotonic() + RETRY_S
        taken = 0
        while True:
            left = None if self._fault is None else max(0.0, again - time.monotonic())
            try:
                row = self._rows.get(timeout=left)
            except queue.Empty:
                return True
            if row is None:
                return False
            self._fault = self._put(row, store) or self._fault
            taken += 1
            if self._fault is None and (taken >= AT_ONCE or self._rows.empty()):
                return True
            if left == 0.0:
                return True

    def _put(self, row: _Row, store: Store | None) -> str | None:
        """Take a row to be written; why that cannot be, where a store that is full says so."""
        if isinstance(row, Logged):
            self._lines.append(row.line())
            return None
        assert store is not None
        identity, request, reply = row
        self._stored += 1
        try:
            store.put(call_key(identity, request), request, identity, reply)
        except StoreError as error:
            return str(error)
        return None

    def _write(self, store: Store | None) -> None:
        fault: str | None = None
        try:
            self._append()
        except StoreError as error:
            fault = str(error)
        try:
            if store is not None:
                store.flush()
                self._done(self._stored)
                self._stored = 0
        except StoreError as error:
            fault = str(error)
        self._fault = fault

    def _append(self) -> None:
        """Append the lines that wait; of one that a disk took in part the rest stays.

        Raises:
            StoreError: The disk refuses.
        """
        if self._log is None:
            return
        try:
            self._log.parent.mkdir(parents=True, exist_ok=True)
            place = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
            try:
                while self._lines:
                    self._forget(os.write(place, b"".join(islice(self._lines, AT_ONCE))))
            finally:
                os.close(place)
        except OSError as error:
            raise StoreError(
                f"{self._log}: the log of checks cannot be written ({error.strerror})"
            ) from None

    def _forget(self, size: int) -> None:
        """Let go of so many bytes of the lines that wait."""
        whole = 0
        while self._lines and size >= len(self._lines[0]):
            size -= len(self._lines.popleft())
            whole += 1
        if size:
            self._lines[0] = self._lines[0][size:]
        self._done(whole)

    def _done(self, rows: int) -> None:
        with self._counting:
            self._waiting -= rows


def _close_if_alive(kept: weakref.ref[Kept]) -> None:
    found = kept()
    if found is not None:
        found.close()
