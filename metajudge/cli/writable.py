"""Where files will go, checked before anything is paid for."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path

from metajudge.errors import InputError, Problem


def check_folder(folder: Path, names: Iterable[str] = ()) -> None:
    """Make a folder and prove that files of these names can be written into it.

    Raises:
        InputError: It is a file, cannot be made or written, or a name in it is a folder.
    """
    option = str(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"0" * 4096)
            probe.flush()
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
