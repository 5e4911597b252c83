"""The mark of an emitted text: which release it is, and the hash of everything but the mark.

The first line: a comment in Python, YAML and Markdown; the first key in JSON. The hash is over the
body in a normal form, so that line ends, blanks at line ends and the layout of JSON are no edits.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import NamedTuple

from metajudge.version import __version__

KEY = "metajudge_release"
_MARK = re.compile(
    r"metajudge-release: (?P<name>[a-z0-9][a-z0-9._-]{0,79})@(?P<version>\d+\.\d+\.\d+) "
    r"drop-in=(?P<kind>[a-z0-9-]+) by=(?P<by>[0-9A-Za-z.+-]{1,40}) "
    r"release-sha256=(?P<release_sha256>[0-9a-f]{64}) body-sha256=(?P<body_sha256>[0-9a-f]{64})"
)
_COMMENT, _MARKDOWN = ("# ", ""), ("<!-- ", " -->")


class Mark(NamedTuple):
    """What a mark says.

    Attributes:
        name: The release's name.
        version: Its version.
        kind: The row of `kinds` that wrote the text.
        by: The version of metajudge that wrote it.
        release_sha256: Of the release's `SHA256SUMS`.
        body_sha256: Of the text without the mark.
    """

    name: str
    version: str
    kind: str
    by: str
    release_sha256: str
    body_sha256: str

    @property
    def ref(self) -> str:
        """`name@version`."""
        return f"{self.name}@{self.version}"

    def __str__(self) -> str:
        """The mark as a text carries it."""
        return (
            f"metajudge-release: {self.ref} drop-in={self.kind} by={self.by} "
            f"release-sha256={self.release_sha256} body-sha256={self.body_sha256}"
        )


def marked(text: str, file: str, mark: Mark) -> str:
    """A text with a mark; the hash of its body is filled in.

    Args:
        text: The body. JSON must be an object.
        file: The file's name; its ending says how the mark is written.
        mark: The mark, whatever hash of a body it has.
    """
    told = str(mark._replace(body_sha256=body_sha256(text)))
    if file.endswith(".json"):
        return json.dumps({KEY: told, **json.loads(text)}, ensure_ascii=False, indent=2) + "\n"
    before, after = _MARKDOWN if file.endswith(".md") else _COMMENT
    return f"{before}{told}{after}\n{text}"


def mark_for(name: str, version: str, kind: str, release_sha256: str) -> Mark:
    """The mark that this version of metajudge gives; the hash of the body is still empty."""
    return Mark(name, version, kind, __version__, release_sha256, "")


def marks_in(text: str) -> tuple[Mark, ...]:
    """Every mark that a text carries, in order; the same one twice counts once."""
    found = [Mark(**match.groupdict()) for match in _MARK.finditer(text)]
    return tuple(dict.fromkeys(found))


def body_sha256(text: str) -> str:
    r"""SHA-256 in hex of a text without its mark, in normal form.

    >>> body_sha256("a  \r\nb\n\n") == body_sha256("a\nb")
    True
    >>> body_sha256('{"b": 1, "a": 2}') == body_sha256('{\n"a": 2, "b": 1}')
    True
    """
    return hashlib.sha256(_normal(text).encode("utf-8", "surrogatepass")).hexdigest()


def _normal(text: str) -> str:
    plain = text.removeprefix("\ufeff")
    try:
        loaded = json.loads(plain)
    except (ValueError, RecursionError):
        loaded = None
    if isinstance(loaded, dict):
        loaded.pop(KEY, None)
        return json.dumps(loaded, ensure_ascii=False, sort_keys=True)
    lines = plain.replace("\r\n", "\n").replace("\r", "\n").strip("\n").split("\n")
    if _is_mark(lines[0].rstrip()):
        del lines[0]
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def _is_mark(line: str) -> bool:
    """Whether a line is a mark and nothing else: whatever shares its line is part of the body."""
    return any(
        line.startswith(before)
        and line.endswith(after)
        and _MARK.fullmatch(line, len(before), len(line) - len(after)) is not None
        for before, after in (_COMMENT, _MARKDOWN)
    )
