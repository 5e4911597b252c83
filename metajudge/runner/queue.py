"""The calls of a run in their given order."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence

from metajudge.runner.call import Call
from metajudge.runner.leases import Leases
from metajudge.runner.store import Store
from metajudge.verdicts.verdict import Reply

CALLS_PER_LOOK = 64
POLL_S = 0.25
"""How often calls that another process has out are looked up."""


class CallQueue:
    """Hands out calls one by one in order, passing over those answered elsewhere meanwhile.

    Every 64 calls the store is asked whether another process has written to it; once one has,
    calls are looked up again before they are handed out.

    With leases a call is handed out only once this run holds its lease, and then never when
    another process has answered it; those that others hold come last, when they are answered or
    free.

    Args:
        calls: Calls that the store lacked at the start.
        store: Looked at again while the run goes on.
        on_found: Told of each call that another process has answered.
        leases: Of this run; None hands out calls whoever else may ask for them.
    """

    def __init__(
        self,
        calls: Sequence[Call],
        store: Store,
        on_found: Callable[[Call, Reply], None],
        leases: Leases | None = None,
    ) -> None:
        self._calls = calls
        self._store = store
        self._on_found = on_found
        self._leases = leases
        self._looked_at = 0
        self._shared = False
        self._next: deque[Call] = deque()
        self._elsewhere: dict[str, Call] = {}
        self._look_again_at = 0.0
        self._look()

    def __bool__(self) -> bool:
        """Whether calls are left."""
        return bool(self._next or self._elsewhere)

    def take(self) -> Call | None:
        """The next call; None where others have out all that are left."""
        while self._next:
            call = self._next.popleft()
            self._look()
            if self._leases is None or self._lease(self._leases, call):
                return call
        return None if self._leases is None else self._from_elsewhere(self._leases)

    def _lease(self, leases: Leases, call: Call) -> bool:
        """Whether the call is to be asked by this run, which holds its lease then."""
        if not leases.take(call.key):
            self._elsewhere[call.key] = call
            return False
        self._elsewhere.pop(call.key, None)
        # Whoever had the lease before gave it back with the reply stored.
        found = self._store.get_many([call.key])
        if not found:
            return True
        leases.give_back([call.key])
        self._on_found(call, found[call.key])
        return False

    def _from_elsewhere(self, leases: Leases) -> Call | None:
        if not self._elsewhere or time.monotonic() < self._look_again_at:
            return None
        free = leases.free(self._elsewhere)
        for key, reply in self._store.get_many(self._elsewhere).items():
            self._on_found(self._elsewhere.pop(key), reply)
        for call in [call for key, call in self._elsewhere.items() if key in free]:
            if self._lease(leases, call):
                return call
        self._look_again_at = time.monotonic() + POLL_S
        return None

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
