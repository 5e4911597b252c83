"""Where files will go, checked before anything is paid for."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from metajudge.errors import InputError, Problem


def check_folder(folder: Path, names: Iterable[str] = ()) -> None:
    """Prove that a folder can be made and files of these names written into it; leaves nothing.

    Raises:
        InputError: It is a file, cannot be made or written, or a name in it is a folder.
    """
    option = str(folder)
    try:
        _try_out(folder)
    except OSError as error:
        law = "the output folder must be a folder that can be written"
        if isinstance(error, FileExistsError | NotADirectoryError):
            law = "the output folder must be a folder, and a file is in the way"
        mend = f"{error.strerror or error}; name another one with --out."
        raise InputError(Problem(option, law, mend)) from None
    problems = [
        Problem(str(folder / name), "a folder is where this file goes", "Move it away.")
        for name in names
        if (folder / name).is_dir()
    ]
    if problems:
        raise InputError(problems)


def _try_out(folder: Path) -> None:
    """Makes what is missing of the path, and a file in it, in a folder that is deleted again."""
    there = next(path for path in (folder, *folder.parents) if os.path.lexists(path))
    with tempfile.TemporaryDirectory(prefix=".metajudge-", dir=there) as room:
        inner = Path(room) / folder.relative_to(there)
        inner.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=inner) as probe:
            probe.write(b"0" * 4096)
            probe.flush()
