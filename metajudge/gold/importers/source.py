"""Where an import reads from: a file, a folder, or a set on the Hugging Face hub."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from metajudge.errors import GoldError, Problem, short_repr
from metajudge.gold.claim import GoldLabel
from metajudge.gold.csv_rows import read_csv
from metajudge.gold.rows import RowsRead, SourceRow, read_json, read_jsonl
from metajudge.gold.source_text import decode, read_bytes
from metajudge.gold.tabular import HUB, read_with_datasets


class Source:
    """A place to import from. Faults of single lines are gathered in `problems`, not raised.

    Attributes:
        place: As the user wrote it.
        is_hub: Whether it is `hf:owner/name[:config][#split]`.
        columns: Our field -> their field, dotted inside nested records, as the user gave it.
        labels: Their label word -> ours, as the user gave it.
        problems: Lines that could not be read, in the order met.
    """

    def __init__(
        self,
        place: str | Path,
        columns: Mapping[str, str] | None = None,
        labels: Mapping[str, GoldLabel] | None = None,
    ) -> None:
        self.place = str(place)
        self.columns: Mapping[str, str] = columns or {}
        self.labels: Mapping[str, GoldLabel] = labels or {}
        self.is_hub = self.place.startswith(HUB)
        self.problems: list[Problem] = []

    @property
    def path(self) -> Path:
        """The place as a path; meaningless for a hub set."""
        return Path(self.place)

    def find(self, *patterns: str) -> tuple[Path, ...]:
        """Files of the place: the file itself, or those of the folder that match, by name.

        Raises:
            GoldError: There is none.

        Args:
            patterns: Glob patterns of file names; a file that was named itself need not match.
        """
        if self.path.is_file():
            return (self.path,)
        found = {path for pattern in patterns for path in self.path.glob(pattern) if path.is_file()}
        if not found:
            law = (
                f"the folder holds no {' or '.join(patterns)}"
                if self.path.is_dir()
                else "no such file or folder"
            )
            raise GoldError(Problem(self.place, law, "Check the path."))
        return tuple(sorted(found))

    def beside(self, path: Path, pattern: str) -> Path | None:
        """The first file next to another that matches a pattern; None when there is none."""
        return next(iter(sorted(path.parent.glob(pattern))), None)

    def rows(self, path: Path | None = None) -> Iterator[SourceRow]:
        """Records of a file, or of the hub set.

        `.jsonl`, `.ndjson`, `.json` (a list, or JSON Lines under that name), `.csv`, `.tsv`,
        `.parquet`, and folders saved by `datasets`. Lines at fault go to `problems`.
        """
        read = read_with_datasets(self.place) if self.is_hub else _read(path or self.path)
        self.problems += read.problems
        yield from read.rows

    def document(self, path: Path) -> Any:
        """A whole JSON file as Python values.

        Raises:
            GoldError: It cannot be read or is not JSON.
        """
        text = self.text(path)
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            line = getattr(error, "lineno", None)
            law = f"this is not JSON: {getattr(error, 'msg', type(error).__name__)}"
            raise GoldError(Problem(str(path), law, "Mend the file.", line=line)) from error

    def text(self, path: Path) -> str:
        """A whole file in UTF-8, without a byte order mark.

        Raises:
            GoldError: It cannot be read, or is not UTF-8.
        """
        raw = read_bytes(path)
        text = raw if isinstance(raw, Problem) else decode(raw, str(path))
        if isinstance(text, Problem):
            raise GoldError(text)
        return text

    def fault(self, where: str, law: str, mend: str, **more: Any) -> None:
        """Notes a fault; `got` is shortened."""
        if "got" in more:
            more["got"] = short_repr(more["got"])
        self.problems.append(Problem(where, law, mend, **more))


def _read(path: Path) -> RowsRead:
    ending = path.suffix.lower()
    if ending in (".csv", ".tsv"):
        return read_csv(path, frozenset(), ())
    if ending in (".jsonl", ".ndjson"):
        return read_jsonl(path)
    if ending == ".json":
        return read_jsonl(path) if _is_lines(path) else read_json(path)
    return read_with_datasets(path)


def _is_lines(path: Path) -> bool:
    """Whether a `.json` file holds one object a line."""
    try:
        with path.open("rb") as file:
            first = file.readline().lstrip(b"\xef\xbb\xbf").strip()
            second = file.readline().strip()
    except OSError:
        return False
    if not first.startswith(b"{") or not second.startswith((b"{", b"")):
        return False
    try:
        return isinstance(json.loads(first), dict)
    except ValueError:
        return False
