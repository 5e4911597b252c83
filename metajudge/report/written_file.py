"""Files that are whole or not there: written beside their place, then moved into it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from metajudge.errors import InputError, Problem


def write_whole(path: str | Path, text: str, encoding: str = "utf-8") -> Path:
    """Writes a text file in one step; an older file stays whole until the new one is complete.

    Line ends stay as they are in `text`. Folders on the way are made.

    Raises:
        InputError: When the place cannot be written to.
    """
    target = Path(path)
    raw = text.encode(encoding)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:60]}.", dir=target.parent)
    except OSError as error:
        raise _unwritable(target, error) from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, _mode_of(target))
        os.replace(name, target)
    except OSError as error:
        raise _unwritable(target, error) from error
    finally:
        Path(name).unlink(missing_ok=True)
    return target


def _mode_of(target: Path) -> int:
    try:
        return target.stat().st_mode & 0o777
    except FileNotFoundError:
        return 0o644


def _unwritable(target: Path, error: OSError) -> InputError:
    return InputError(
        Problem(
            where=str(target),
            law="the file must be writable",
            mend=f"{error.strerror or error}; choose another place for it",
        )
    )
