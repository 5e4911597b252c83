"""HTTP/1.1 as a client speaks it to one judge: a kept-alive connection, one request at a time."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import cast

from metajudge.judges.direct import Answer

MOST_BYTES = 4 * 2**20
BUFFER_BYTES = 16384

_END_OF_HEAD = b"\r\n\r\n"
_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})(?: |\r\n)")
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d{1,15})[ \t]*(?=\r\n|\Z)")
_CHUNKED = re.compile(rb"\r\ntransfer-encoding:[^\r\n]*\bchunked[ \t]*(?=\r\n|\Z)")
_CLOSES = re.compile(rb"\r\nconnection:[^\r\n]*\bclose\b")
_ENCODED = re.compile(rb"\r\ncontent-encoding:[ \t]*(?!identity)\S")
_SIZE = re.compile(rb"([0-9a-fA-F]{1,8})[ \t]*(?:;[^\r\n]*)?\r\n")


class NoAnswerError(Exception):
    """A connection ended, or what came is no answer of HTTP/1.1; `nothing` where no byte came."""

    def __init__(self, what: str, *, nothing: bool = False) -> None:
        super().__init__(what)
        self.nothing = nothing


Heard = Callable[[Answer | NoAnswerError], None]


class Connection(asyncio.BufferedProtocol):
    """One connection, one request at a time.

    It reads into a buffer of its own; a `Protocol` would take and give back 256 KiB for every
    answer. Answers go to a callback: a future would cost a turn of the event loop.

    Attributes:
        is_open: Whether another request may be sent.
        rests_since: When the last answer ended, in s of the monotonic clock.
    """

    def __init__(self) -> None:
        self.is_open = False
        self.rests_since = 0.0
        self._transport: asyncio.Transport | None = None
        self._heard: Heard | None = None
        self._came = bytearray()
        self._buffer = memoryview(bytearray(BUFFER_BYTES))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The connection stands."""
        # Transports of other event loops (uvloop's) are not of asyncio's class.
        self._transport = cast("asyncio.Transport", transport)
        self.is_open = True

    def send(self, request: bytes, heard: Heard) -> None:
        """Send a request.

        Args:
            request: Its bytes.
            heard: Is given status, headers and content of the answer, or why there is none, once;
                nothing after `abort`.
        """
        assert self._transport is not None
        self._heard = heard
        if self.is_open:
            self._transport.write(request)
        else:
            self._end(NoAnswerError("the connection was closed", nothing=True))

    def abort(self) -> None:
        """Close at once."""
        self.is_open, self._heard = False, None
        if self._transport is not None:
            self._transport.abort()

    def get_buffer(self, sizehint: int) -> memoryview:
        """Where the event loop puts what comes next."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Some of an answer came."""
        self._came += self._buffer[:nbytes]
        if self._heard is None or len(self._came) > MOST_BYTES:
            self.is_open = False
            self._end(NoAnswerError("more came than an answer"))
            return self.abort()
        self._read(at_end=False)
        return None

    def connection_lost(self, error: Exception | None) -> None:
        """The connection ended; an answer without a stated length is whole now."""
        self.is_open = False
        if self._heard is not None and error is None and self._came:
            self._read(at_end=True)
        what = "the server closed the connection without a whole answer"
        self._end(NoAnswerError(what, nothing=not self._came))

    def _read(self, *, at_end: bool) -> None:
        try:
            read = read_answer(self._came, at_end=at_end)
        except NoAnswerError as error:
            self.is_open = False
            self._end(error)
            return self.abort()
        if read is None:
            return None
        answer, keeps = read
        self._came = bytearray()
        self.is_open = self.is_open and keeps
        self._end(answer)
        if not keeps:
            self.abort()
        return None

    def _end(self, answer: Answer | NoAnswerError) -> None:
        heard, self._heard = self._heard, None
        if heard is not None:
            heard(answer)


def read_answer(came: bytearray, *, at_end: bool) -> tuple[Answer, bool] | None:
    r"""The answer in what came so far, and whether the connection can be used again.

    >>> read_answer(bytearray(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), at_end=False)
    ((200, {}, b'ok'), True)

    Args:
        came: All bytes since the request, of interim answers too.
        at_end: Whether no more will come.

    Returns:
        None while the answer is not whole. Headers are read for answers other than 200 alone.

    Raises:
        NoAnswerError: It is no answer of HTTP/1.1, is compressed, or longer than it says.
    """
    begin = 0
    while True:
        end = came.find(_END_OF_HEAD, begin)
        if end < 0:
            if len(came) - begin > 65536 or (begin == 0 and not _may_begin(came)):
                raise NoAnswerError("what came is no answer of HTTP/1.1")
            return None
        found = _STATUS.match(came, begin)
        if found is None:
            raise NoAnswerError("what came is no answer of HTTP/1.1")
        status = int(found[1])
        if status >= 200:
            break
        begin = end + len(_END_OF_HEAD)
    head = bytes(came[begin:end]).lower()
    # A look for the few bytes spares most answers three regular expressions.
    encoded = b"-encoding:" in head
    if encoded and _ENCODED.search(head):
        raise NoAnswerError("the answer is compressed, which was not asked for")
    if encoded and _CHUNKED.search(head):
        content = _joined_chunks(came, end + len(_END_OF_HEAD))
    else:
        content = _content(came, end + len(_END_OF_HEAD), head, status, at_end=at_end)
    if content is None:
        return None
    headers = {} if status == 200 else _headers(bytes(came[begin:end]))
    closes = head.startswith(b"http/1.0") or (b"\nconnection:" in head and _CLOSES.search(head))
    keeps = not at_end and not closes
    return (status, headers, content), keeps


def _may_begin(came: bytearray) -> bool:
    return b"HTTP/1."[: len(came)] == bytes(came[:7])


def _content(
    came: bytearray, begin: int, head: bytes, status: int, *, at_end: bool
) -> bytes | None:
    length = _LENGTH.search(head)
    if length is not None:
        have, wanted = len(came) - begin, int(length[1])
        if have > wanted:
            raise NoAnswerError("the answer is longer than it says")
        return bytes(came[begin:]) if have == wanted else None
    if status in (204, 304):
        return b""
    return bytes(came[begin:]) if at_end else None


def _joined_chunks(came: bytearray, place: int) -> bytes | None:
    """Chunked content; None while the last chunk has not come."""
    content = bytearray()
    while True:
        if came.find(b"\r\n", place) < 0:
            return None
        size = _SIZE.match(came, place)
        if size is None:
            raise NoAnswerError("the answer's chunks are not marked as they should be")
        wanted, begin = int(size[1], 16), size.end()
        if wanted == 0:
            # Trailing headers, if any, end with an empty line too.
            over = came.startswith(b"\r\n", begin) or came.find(_END_OF_HEAD, begin) >= 0
            return bytes(content) if over else None
        if len(came) < begin + wanted + 2:
            return None
        content += came[begin : begin + wanted]
        place = begin + wanted + 2


def _headers(head: bytes) -> dict[str, str]:
    lines = head.decode("latin-1").split("\r\n")[1:]
    pairs = (line.partition(":") for line in lines)
    return {name.strip(): text.strip() for name, _, text in pairs}
