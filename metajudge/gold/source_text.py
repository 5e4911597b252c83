"""Bytes of a file as text: UTF-8, with or without a byte order mark, faults named by line."""

from __future__ import annotations

from pathlib import Path

from metajudge.errors import Problem, short_repr

_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_SAVE_AS_UTF8 = "Save the file as UTF-8."


def read_bytes(path: Path) -> bytes | Problem:
    """The file's bytes without a UTF-8 byte order mark, or why it cannot be read."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return Problem(str(path), "no such file", "Check the path.")
    except IsADirectoryError:
        return Problem(str(path), "a file is expected, this is a folder", "Name the file.")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        return Problem(str(path), f"the file cannot be read: {reason}", "Check its permissions.")
    if raw.startswith(_UTF16_MARKS):
        return Problem(str(path), "the file is UTF-16, not UTF-8", _SAVE_AS_UTF8)
    return raw.removeprefix(_UTF8_MARK)


def decode(raw: bytes, where: str, line: int = 1) -> str | Problem:
    r"""The bytes as text; `line` is the line in which they begin.

    >>> str(decode("超".encode("gb18030"), "claims.jsonl", 3))
    "claims.jsonl:3: the text is not UTF-8 (got b'\\xb3\\xac'). Save the file as UTF-8."
    """
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return Problem(
            where,
            "the text is not UTF-8",
            _SAVE_AS_UTF8,
            line=line + raw.count(b"\n", 0, error.start),
            got=short_repr(raw[error.start : error.start + 12]),
        )


def lone_surrogate(text: str) -> str | None:
    """The first half character (U+D800 to U+DFFF) of a text, as `U+XXXX`; None when it has none.

    Such a text cannot be sent or saved: no UTF-8 exists for it.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        return f"U+{ord(text[error.start]):04X}"
    return None
