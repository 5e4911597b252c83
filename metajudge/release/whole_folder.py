"""Folders that are whole or not there: filled beside their place, then moved into it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from metajudge.errors import Problem, ReleaseError


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """A folder to write into that takes its place at the end, complete and on disk, or is gone.

    It is filled two levels above its place, in the registry itself, where no release is looked for;
    so whatever a killed run leaves there is never taken for one.

    Args:
        target: `<registry>/<name>/<version>`; must not be there.

    Raises:
        ReleaseError: The place was taken meanwhile, or cannot be written to.
    """
    registry = target.parent.parent
    try:
        registry.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f".{target.parent.name}.", dir=registry))
    except OSError as error:
        raise _unwritable(target, error) from error
    try:
        folder.chmod(0o755)
        yield folder
        for path in sorted(folder.rglob("*"), reverse=True):
            _settle(path)
        _settle(folder)
        target.parent.mkdir(exist_ok=True)
        folder.rename(target)
        _settle(target.parent)
    except OSError as error:
        raise _unwritable(target, error) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _settle(path: Path) -> None:
    """On disk before it returns; for folders only where the system can do that."""
    if path.is_dir() and not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _unwritable(target: Path, error: OSError) -> ReleaseError:
    law = f"the release cannot be written: {error.strerror or type(error).__name__}"
    mend = "Make the registry's folder writable, or name another with --registry."
    return ReleaseError(Problem(str(target), law, mend))
