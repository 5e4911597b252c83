"""Recordings: replies as a gzip JSONL file that travels with an experiment.

The first line is the header, each further line one call:

```
{"format": "metajudge-recording", "version": 1, "date": …, "replies": n, "judges": [{…}], …}
{"key": "…", "judge": 0, "request": {"messages": [["user", "…"]], …}, "reply": {"text": …, …}}
```

A *bare* recording has `"request": null`: replies to prompts or texts that may not be passed on. Its
replies are found by key, by whoever can make the same request again.

`date` is the creation time of the newest reply, `judges` the distinct judge identities (model,
decoding, backend and its version), `judge` a place in that list. Lines stand in the order of their
requests, so that texts which share a context lie side by side and compress. Equal replies give
equal bytes, whenever and wherever they are written. `recorded:` judges read the same form.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from metajudge.counted import counted
from metajudge.errors import StoreError, short_repr
from metajudge.judges.judge import Request, Scalar, call_key
from metajudge.runner.reply_json import (
    identity_to_json,
    reply_from_fields,
    reply_to_json,
    request_to_json,
    to_json,
)
from metajudge.runner.store import Store, StoredCall
from metajudge.templates.message import Message

FORMAT = "metajudge-recording"
VERSION = 1
NOT_KEPT = "null"
_KEY = re.compile(r"[0-9a-f]{64}")
_MEND = "Get the file again, or record it anew."


class RecordingHeader(NamedTuple):
    """First line of a recording.

    Attributes:
        judges: Distinct judge identities.
        replies: Replies in the file.
        date: ISO 8601 creation time of the newest reply; None when no reply has one.
        facts: Whatever else the maker noted (wall time, machine, …).
    """

    judges: tuple[dict[str, Scalar], ...]
    replies: int
    date: str | None
    facts: dict[str, Scalar]


def export_recording(
    store: Store,
    path: str | Path,
    keys: Iterable[str],
    *,
    facts: Mapping[str, Scalar] | None = None,
    bare: bool = False,
) -> int:
    """Write the stored replies of the keys to a recording; gives the number of replies written.

    Args:
        store: Where the replies are.
        path: The `.jsonl.gz` file; replaced as a whole, or left as it was on an error.
        keys: Wanted calls; those that the store lacks are left out.
        facts: Further facts for the header.
        bare: Leave out what was asked.

    Raises:
        StoreError: The store cannot be read or the file cannot be written.
    """
    rows = sorted(
        store.rows(dict.fromkeys(keys)), key=lambda row: (row.judge, row.request, row.key)
    )
    identities = sorted({row.judge for row in rows})
    header = {
        "format": FORMAT,
        "version": VERSION,
        "date": max((row.created for row in rows if row.created), default=None),
        "replies": len(rows),
        "judges": [json.loads(identity) for identity in identities],
        "facts": dict(sorted((facts or {}).items())),
    }
    _write_whole(Path(path), [to_json(header), *(_line(row, identities, bare) for row in rows)])
    return len(rows)


def load_recording(store: Store, path: str | Path) -> int:
    """Take over a recording's replies; gives how many are new to the store.

    The file's SHA-256 is remembered, so that loading it again costs no more than reading it.
    A faulty file changes nothing in the store.

    Raises:
        StoreError: The file cannot be read, is torn, or a line is no recorded call with the key
            of its request; the message names the line.
    """
    raw = _read(Path(path))
    sha256 = hashlib.sha256(raw).hexdigest()
    if store.has_recording(sha256):
        return 0
    rows = _rows(raw, str(path))
    store.flush()
    return store.insert(rows, recording=sha256)


def read_recording(path: str | Path) -> tuple[StoredCall, ...]:
    """The calls of a recording, without a store.

    Raises:
        StoreError: As `load_recording`.
    """
    return tuple(_rows(_read(Path(path)), str(path)))


def read_header(path: str | Path) -> RecordingHeader:
    """The header of a recording.

    Raises:
        StoreError: The file cannot be read or is no recording of this version.
    """
    where = str(path)
    return _header(next(_lines(_read(Path(path)), where), (1, ""))[1], where)


def _line(row: StoredCall, identities: list[str], bare: bool) -> str:
    request = NOT_KEPT if bare else row.request
    return (
        f'{{"key":{to_json(row.key)},"judge":{identities.index(row.judge)},'
        f'"request":{request},"reply":{row.reply}}}'
    )


def _write_whole(path: Path, lines: Iterable[str]) -> None:
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with (
            beside.open("wb") as raw,
            # Without file name and time in the header the bytes depend on the replies alone.
            gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed,
        ):
            packed.writelines(f"{line}\n".encode() for line in lines)
        beside.replace(path)
    except OSError as error:
        raise StoreError(
            f"{path}: the recording cannot be written ({error.strerror}). "
            "Name a path in a folder that can be written."
        ) from error
    finally:
        if beside.exists():
            beside.unlink()


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise StoreError(
            f"{path}: the recording cannot be read ({error.strerror}). {_MEND}"
        ) from error


def _lines(raw: bytes, where: str) -> Iterator[tuple[int, str]]:
    """Numbered lines; a torn end is reported at the line where it is met."""
    number = 0
    try:
        with gzip.open(io.BytesIO(raw), "rb") as file:
            for number, line in enumerate(file, start=1):
                yield number, line.decode("utf-8")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        law = "a recording must be whole gzip in UTF-8"
        raise _fault(where, number + 1, law, str(error)) from error


def _header(line: str, where: str) -> RecordingHeader:
    try:
        fields = json.loads(line)
        if fields["format"] != FORMAT or fields["version"] != VERSION:
            raise ValueError(f"{fields['format']!r} version {fields['version']!r}")
        return RecordingHeader(
            tuple(dict(identity) for identity in fields["judges"]),
            int(fields["replies"]),
            fields.get("date"),
            dict(fields.get("facts") or {}),
        )
    except (ValueError, KeyError, TypeError) as error:
        law = f"the first line must be the header of a {FORMAT} of version {VERSION}"
        raise _fault(where, 1, law, str(error)) from error


def _rows(raw: bytes, where: str) -> list[StoredCall]:
    lines = _lines(raw, where)
    header = _header(next(lines, (1, ""))[1], where)
    rows = [_row(number, line, header.judges, where) for number, line in lines]
    if len(rows) != header.replies:
        law = f"the header promises {counted(header.replies, 'replies')}"
        raise _fault(where, len(rows) + 1, law, len(rows))
    return rows


def _row(number: int, line: str, judges: tuple[dict[str, Scalar], ...], where: str) -> StoredCall:
    try:
        fields: dict[str, Any] = json.loads(line)
        reply = reply_from_fields(fields["reply"])
        key, identity = fields["key"], judges[fields["judge"]]
        return StoredCall(
            key,
            identity_to_json(identity),
            _request(key, identity, fields["request"]),
            reply_to_json(reply),
            reply.created,
        )
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        law = "a line must be a recorded call with the key of its request"
        raise _fault(where, number, law, str(error)) from error


def _request(key: str, identity: Mapping[str, Scalar], asked: Mapping[str, Any] | None) -> str:
    """The request as JSON text, after its key was checked; `null` in a bare recording."""
    if asked is None:
        if _KEY.fullmatch(key) is None:
            raise ValueError(f"key {key} is no SHA-256")
        return NOT_KEPT
    request = Request(
        tuple(Message(role, content) for role, content in asked["messages"]),
        asked["max_tokens"],
        asked["top_logprobs"],
        asked["repeat"],
    )
    if call_key(identity, request) != key:
        raise ValueError(f"key {key} is not that of the request")
    return request_to_json(request)


def _fault(where: str, line: int, law: str, got: object) -> StoreError:
    return StoreError(f"{where}:{line}: {law} (got {short_repr(got)}). {_MEND}")
