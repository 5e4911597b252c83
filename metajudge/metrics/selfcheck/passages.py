"""Long contexts: their JSON is made once a check, not once for every sentence."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cached_property

LONG_CHARS = 20_000
"""A context of more characters is long; below, looking for its passages costs more than it saves.
"""
_MARK = 64
_TRIES = 8

quoted = json.JSONEncoder(ensure_ascii=False).encode


class LongPassages(tuple[str, ...]):
    """The passages of one check whose context is long."""

    @cached_property
    def _encoded(self) -> tuple[tuple[str, bytes], ...]:
        """The long ones, each with its JSON."""
        return tuple((text, _inner(text)) for text in self if len(text) > _MARK)

    def quoted(self, content: str) -> bytes:
        r"""The JSON of a text, in UTF-8; faster where it holds the passages in their order.

        >>> LongPassages(["Tea is free."]).quoted('Context:\n"Tea is free."')
        b'"Context:\\n\\"Tea is free.\\""'

        Raises:
            UnicodeEncodeError: It holds half a surrogate pair.
        """
        return b'"%b"' % b"".join(self._parts(content))

    def _parts(self, content: str) -> Iterator[bytes]:
        place = 0
        for text, encoded in self._encoded:
            begin = _found(content, text, place)
            if begin >= 0:
                yield _inner(content[place:begin])
                yield encoded
                place = begin + len(text)
        yield _inner(content[place:])


def passages_of(texts: Sequence[str]) -> tuple[str, ...]:
    """The passages of a check."""
    return LongPassages(texts) if sum(map(len, texts)) > LONG_CHARS else tuple(texts)


def _inner(text: str) -> bytes:
    # JSON writes each character by itself, so that parts may be put together.
    return quoted(text)[1:-1].encode()


def _found(content: str, text: str, place: int) -> int:
    """Where a long text stands; -1 where it does not, or many places begin as it does.

    `str.find` would work through the whole text before it begins to look.
    """
    mark = text[:_MARK]
    for _ in range(_TRIES):
        place = content.find(mark, place)
        if place < 0 or content.startswith(text, place):
            return place
        place += 1
    return -1
