"""`SHA256SUMS`: the hash of every file of a release, as `sha256sum --check` reads it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from metajudge.errors import Problem, ReleaseError, short_repr
from metajudge.release.manifest import NEVER_EDITED, SIGNATURE, SUMS
from metajudge.report.written_file import write_whole

_LINE = re.compile(r"(?P<sha256>[0-9a-f]{64})  (?P<file>[^\n\\]+)")


def file_sha256(path: Path) -> str:
    """SHA-256 of a file's bytes, in hex.

    Raises:
        OSError: It cannot be read.
    """
    return hashlib.sha256(path.read_bytes()).hexdigest()


def listed_files(folder: Path) -> tuple[str, ...]:
    """Every file below a release's folder but the sums and their signature, sorted.

    Paths are written from the folder, with slashes; a link counts as a file and is not followed.
    """
    return tuple(
        sorted(
            path.relative_to(folder).as_posix()
            for path in folder.rglob("*")
            if (path.is_symlink() or not path.is_dir())
            and path.relative_to(folder).as_posix() not in (SUMS, SIGNATURE)
        )
    )


def write_sums(folder: Path) -> str:
    """Writes `SHA256SUMS` over all other files of a release; gives the SHA-256 of it.

    Raises:
        InputError: It cannot be written.
    """
    lines = [f"{file_sha256(folder / name)}  {name}\n" for name in listed_files(folder)]
    return file_sha256(write_whole(folder / SUMS, "".join(lines)))


def read_sums(folder: Path) -> dict[str, str]:
    """Hashes by file, as `SHA256SUMS` has them.

    Raises:
        ReleaseError: With every line that is none, or the reason why the file cannot be read.
    """
    path = folder / SUMS
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        law = f"the hashes of the release cannot be read: {type(error).__name__}"
        raise ReleaseError(Problem(str(path), law, NEVER_EDITED)) from error
    found: dict[str, str] = {}
    problems = []
    for number, line in enumerate(lines, 1):
        if not line and number == len(lines):
            continue
        match = _LINE.fullmatch(line)
        if match is None or match["file"] in found or not _inside(match["file"]):
            law = "a line is a SHA-256 in hex, two blanks and a file of the release, each file once"
            got = short_repr(line)
            problems.append(Problem(str(path), law, NEVER_EDITED, number, None, got))
        else:
            found[match["file"]] = match["sha256"]
    if problems:
        raise ReleaseError(problems)
    return found


def _inside(name: str) -> bool:
    return not PurePosixPath(name).is_absolute() and ".." not in PurePosixPath(name).parts


def irregular(folder: Path) -> list[Problem]:
    """Links, pipes and devices, which a release never holds; none of them is opened."""
    law = "a release holds files, and this is a link or no file"
    return [
        Problem(str(path), law, NEVER_EDITED)
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or not (path.is_file() or path.is_dir())
    ]


def unlisted(folder: Path, sums: Mapping[str, str]) -> list[Problem]:
    """Files that lie in the folder but not in the sums, and the other way round."""
    there = set(listed_files(folder))
    more = [(name, f"{SUMS} does not list this file") for name in sorted(there - set(sums))]
    less = [(name, f"{SUMS} lists this file, but it is gone") for name in sorted(set(sums) - there)]
    return [Problem(str(folder / name), law, NEVER_EDITED) for name, law in more + less]


def altered(folder: Path, sums: Mapping[str, str]) -> list[Problem]:
    """Files whose bytes are not those that were hashed; what is gone is passed over.

    Args:
        folder: Of the release, with nothing `irregular` in it.
        sums: Hashes by file.
    """
    problems = []
    for name, wanted in sums.items():
        path = folder / name
        got = file_sha256(path) if path.is_file() else wanted
        if got != wanted:
            law = f"the file is not the one that was hashed ({wanted})"
            problems.append(Problem(str(path), law, NEVER_EDITED, got=got))
    return problems
