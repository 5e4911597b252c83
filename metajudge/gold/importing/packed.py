"""Packed files, which are not read."""

from __future__ import annotations

from pathlib import Path

from metajudge.errors import GoldError, Problem

_ENDINGS = (*(".zip", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z", ".rar", ".tar", ".lz4"),)
_BEGINNINGS = {
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "zip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"7z\xbc\xaf\x27\x1c": "7z",
}
_WORKBOOKS = (".xlsx", ".xlsm", ".ods", ".numbers")


def refuse_packed(path: Path) -> None:
    """Says what to do with a packed file, by its ending or by how it begins.

    Args:
        path: A file; a folder, and what is not there, are passed over.

    Raises:
        GoldError: It is one.
    """
    ending = path.suffix.lower()
    if not path.is_file() or ending in _WORKBOOKS:
        return
    try:
        with path.open("rb") as file:
            begins = file.read(8)
    except OSError:
        return
    kind = next((name for mark, name in _BEGINNINGS.items() if begins.startswith(mark)), "")
    if kind or ending in _ENDINGS:
        law = "a packed file is not read"
        got = kind if kind and ending not in _ENDINGS else None
        raise GoldError(Problem(str(path), law, "Unpack it, and name the file or folder.", got=got))
