"""The calls of a run in their given order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from metajudge.runner.call import Call
from metajudge.runner.store import Store
from metajudge.verdicts.verdict import Reply

CALLS_PER_LOOK = 64


class CallQueue:
    """Hands out calls one by one in order, passing over those answered elsewhere meanwhile.

    Every 64 calls the store is asked whether another process has written to it; once one has,
    calls are looked up again before they are handed out.

    Args:
        calls: Calls that the store lacked at the start.
        store: Looked at again while the run goes on.
        on_found: Told of each call that another process has answered.
    """

    def __init__(
        self, calls: Sequence[Call], store: Store, on_found: Callable[[Call, Reply], None]
    ) -> None:
        self._calls = calls
        self._store = store
        self._on_found = on_found
        self._looked_at = 0
        self._shared = False
        self._next: deque[Call] = deque()
        self._look()

    def __bool__(self) -> bool:
        """Whether calls are left."""
        return bool(self._next)

    def take(self) -> Call:
        """The next call."""
        call = self._next.popleft()
        self._look()
        return call

    def _look(self) -> None:
        while not self._next and self._looked_at < len(self._calls):
            chunk = self._calls[self._looked_at : self._looked_at + CALLS_PER_LOOK]
            self._looked_at += len(chunk)
            found: dict[str, Reply] = {}
            self._shared = self._shared or self._store.changed_elsewhere()
            if self._shared:
                found = self._store.get_many(call.key for call in chunk)
            for call in chunk:
                if call.key in found:
                    self._on_found(call, found[call.key])
                else:
                    self._next.append(call)
