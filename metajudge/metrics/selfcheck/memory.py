"""Verdicts kept in memory: the same unit against the same context is judged once."""

from __future__ import annotations

import hashlib
import threading
from collections import Counter, OrderedDict
from collections.abc import Sequence

from metajudge.metrics.selfcheck.checked import Said

Key = tuple[bytes, str]


def matter_digest(passages: Sequence[str], question: str | None, lang: str) -> bytes:
    """Digest of all that a verdict depends on beside the unit, with no two alike by joining."""
    asked = "-" if question is None else f"?{question}"
    sizes = ",".join([str(len(part)) for part in passages])
    text = "\n".join([lang, str(len(asked)), sizes, asked, *passages])
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class Memory:
    """The verdicts used last; safe between threads.

    >>> memory = Memory(1)
    >>> memory.keep((b"", "a"), Said("yes")); memory.keep((b"", "b"), Said("no"))
    >>> memory.find((b"", "a")), memory.find((b"", "b")).label
    (None, 'no')
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[Key, Said] = OrderedDict()
        self._units: Counter[str] = Counter()
        self._lock = threading.Lock()

    def has_unit(self, text: str) -> bool:
        """Whether a unit was judged against any context: a look that needs no digest."""
        return text in self._units

    def find(self, key: Key) -> Said | None:
        """A verdict, marked as taken from memory."""
        with self._lock:
            said = self._kept.get(key)
            if said is not None:
                self._kept.move_to_end(key)
        return said

    def keep(self, key: Key, said: Said) -> None:
        """Keep a verdict that has a label."""
        if said.label is None or not self._size:
            return
        with self._lock:
            if key not in self._kept:
                self._units[key[1]] += 1
            self._kept[key] = said._replace(cached=True)
            if len(self._kept) > self._size:
                (_, oldest), _ = self._kept.popitem(last=False)
                self._units[oldest] -= 1
                if not self._units[oldest]:
                    del self._units[oldest]
