"""What a server keeps in the user's cache, so that open windows work again after a restart."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from pathlib import Path
from typing import NamedTuple

_BYTES = 32


class Kept(NamedTuple):
    """What a server keeps for the next time.

    Attributes:
        secret: Behind the session cookie and the mark of forms.
        port: Where it listened; None the first time.
    """

    secret: bytes
    port: int | None = None


def kept_file(folder: Path, annotator: str) -> Path:
    """Where a server keeps its secret: in the user's cache, one file an annotator and folder."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    name = hashlib.sha256(f"{folder.resolve()}\n{annotator}".encode()).hexdigest()[:16]
    return cache / "metajudge" / "labelling" / f"{name}.json"


def read_kept(path: Path) -> Kept:
    """What was kept; a new secret where nothing usable was, or where others could know it."""
    try:
        with path.open(encoding="utf-8") as file:
            if not _is_private(os.fstat(file.fileno())):
                return Kept(secrets.token_bytes(_BYTES))
            fields = json.load(file)
        secret, port = bytes.fromhex(fields["secret"]), int(fields["port"])
    except (OSError, ValueError, KeyError, TypeError):
        return Kept(secrets.token_bytes(_BYTES))
    return Kept(secret, port) if len(secret) == _BYTES else Kept(secrets.token_bytes(_BYTES))


def write_kept(path: Path, kept: Kept) -> bool:
    """Keeps a secret where nobody else can read it; False where there is no place for it."""
    draft = path.with_suffix(f".{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft.unlink(missing_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump({"secret": kept.secret.hex(), "port": kept.port}, file)
        os.replace(draft, path)
    except OSError:
        return False
    return True


def _is_private(stat: os.stat_result) -> bool:
    """Whether a file is this user's, and nobody else may read or write it."""
    if os.name == "nt":
        return True
    return stat.st_uid == os.geteuid() and not stat.st_mode & 0o077
