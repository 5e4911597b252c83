"""The logs of annotators while they grow: of each file only the lines that were added are read."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field, TypeAdapter, ValidationError

from metajudge.gold.events import TORN, Event, events_files, read_events

_EVENT: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="event")])
_STEP = 1 << 16
_END = 512


class _Read(NamedTuple):
    """How far a log was read.

    Attributes:
        inode: Of the file.
        size: Bytes up to the last whole line.
        whole: Size of the file, with what came after that line.
        changed: Nanoseconds; when it was written to last.
        end: The last bytes that were read; others there mean that the file was changed before them.
    """

    inode: int
    size: int = 0
    whole: int = 0
    changed: int = 0
    end: bytes = b""


class ActLogs:
    """The acts in a gold folder, each save once, in the order in which they were read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[str, _Read] = {}
        self._saves: dict[tuple[str, str], Event] = {}

    def saved(self, annotator: str, save_id: str) -> Event | None:
        """The act of a person with this id; None where there is none."""
        return self._saves.get((annotator, save_id))

    def read_all(self) -> tuple[Event, ...]:
        """Every act, read anew.

        Raises:
            GoldError: A log cannot be read.
        """
        places = {path.name: _whole_lines(path) for path in events_files(self._folder)}
        events = read_events(self._folder)
        self._read, self._saves = places, {}
        return tuple(self._new(events))

    def read_more(self) -> tuple[Event, ...] | None:
        """Acts that were added; None where the logs changed otherwise and have to be read anew.

        Raises:
            OSError: A log cannot be read.
        """
        added: list[Event] = []
        paths = {path.name: path for path in events_files(self._folder)}
        if self._read.keys() - paths.keys():
            return None
        for name, path in paths.items():
            stat = path.stat()
            read = self._read.get(name, _Read(stat.st_ino))
            if stat.st_ino != read.inode or stat.st_size < read.size:
                return None
            if (stat.st_size, stat.st_mtime_ns) == (read.whole, read.changed):
                continue
            if stat.st_size == read.whole:
                return None
            events = self._tail(path, read)
            if events is None:
                return None
            added += events
        return tuple(added)

    def _tail(self, path: Path, read: _Read) -> list[Event] | None:
        start = read.size - len(read.end)
        with path.open("rb") as file:
            file.seek(start)
            stat, more = os.fstat(file.fileno()), file.read()
        tail = more[len(read.end) :]
        if not more.startswith(read.end):
            return None
        end = tail.rfind(b"\n") + 1
        lines = (line.rstrip() for line in tail[:end].split(b"\n"))
        try:
            events = [
                _EVENT.validate_json(line) for line in lines if line and not line.endswith(TORN)
            ]
        except ValidationError:
            return None
        size, seen = read.size + end, (read.end + tail[:end])[-_END:]
        whole = start + len(more)
        self._read[path.name] = _Read(read.inode, size, whole, stat.st_mtime_ns, seen)
        return self._new(events)

    def _new(self, events: Iterable[Event]) -> list[Event]:
        new = []
        for event in events:
            key = (event.annotator, event.save_id)
            if key not in self._saves:
                self._saves[key] = event
                new.append(event)
        return new


def _whole_lines(path: Path) -> _Read:
    with path.open("rb") as file:
        stat = os.fstat(file.fileno())
        size = stat.st_size
        while size:
            start = max(0, size - _STEP)
            file.seek(start)
            found = file.read(size - start).rfind(b"\n")
            if found >= 0:
                size = start + found + 1
                break
            size = start
        file.seek(max(0, size - _END))
        end = file.read(min(size, _END))
    return _Read(stat.st_ino, size, stat.st_size, stat.st_mtime_ns, end)
