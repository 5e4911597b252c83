"""Lines added to files that only grow: one write each, on disk before anything rests on it."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator


def in_utc(time: str) -> str:
    """The time as it is.

    Raises:
        ValueError: It is no ISO 8601 time in UTC.

    >>> in_utc("2025-03-01T09:30:00+00:00")
    '2025-03-01T09:30:00+00:00'
    """
    try:
        offset = datetime.fromisoformat(time.replace("Z", "+00:00")).utcoffset()
    except ValueError as error:
        raise ValueError("must be an ISO 8601 time") from error
    if offset is None or offset.total_seconds() != 0:
        raise ValueError("must be a time in UTC, ending in Z or +00:00")
    return time


UtcTime = Annotated[str, AfterValidator(in_utc)]
"""ISO 8601 in UTC, such as 2025-03-01T09:30:00+00:00."""


def utc_now() -> str:
    """This second as ISO 8601 in UTC."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def append_line(path: Path, text: str) -> None:
    """Adds a line to a file; two processes never tear each other's.

    A last line without a line feed is ended first. The file is made when it is not there. A line
    that the disk has no room for is taken back, so that the lines before it can still be read.

    Raises:
        OSError: It cannot be read or written.
    """
    line = b"\n" * ends_inside_a_line(path) + text.encode() + b"\n"
    is_new = not path.exists()
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        before = os.fstat(descriptor).st_size
        written = os.write(descriptor, line)
        if written != len(line):
            if os.fstat(descriptor).st_size == before + written:
                os.ftruncate(descriptor, before)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    if is_new and hasattr(os, "O_DIRECTORY"):
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Keeps other runs from reading and writing between this one's look at a file and its write.

    Where a system or a file system has no such lock, the look alone has to do.

    Raises:
        OSError: There is no such folder, or it cannot be opened.
    """
    if sys.platform == "win32":
        yield
        return
    import fcntl

    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def ends_inside_a_line(path: Path) -> bool:
    """Whether the last line of a file lacks its line feed; not so where there is no file.

    Raises:
        OSError: It cannot be read.
    """
    if not path.exists() or path.stat().st_size == 0:
        return False
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"
