"""Where an import reads from: a file, a folder, or a set on the Hugging Face hub."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from metajudge.errors import GoldError, Problem, short_repr
from metajudge.gold.claim import GoldLabel
from metajudge.gold.importing.json_list import json_records
from metajudge.gold.importing.stream import (
    DECODER,
    UTF8,
    TwiceError,
    csv_rows,
    json_lines,
    opened,
    refuse_workbook,
)
from metajudge.gold.rows import SourceRow
from metajudge.gold.tabular import HUB, is_saved, read_with_datasets

_DOCUMENT = json.JSONDecoder(parse_constant=lambda _: None)


class Source:
    """A place to import from. Faults of single lines are gathered in `problems`, not raised.

    Attributes:
        place: As the user wrote it.
        is_hub: Whether it is `hf:owner/name[:config][#split]`.
        columns: Our field -> their field, dotted inside nested records, as the user gave it.
        labels: Their label word -> ours, as the user gave it.
        encoding: Of its text files.
        problems: Lines that could not be read, in the order met.
    """

    def __init__(
        self,
        place: str | Path,
        columns: Mapping[str, str] | None = None,
        labels: Mapping[str, GoldLabel] | None = None,
        encoding: str = UTF8,
    ) -> None:
        self.place = str(place)
        self.columns: Mapping[str, str] = columns or {}
        self.labels: Mapping[str, GoldLabel] = labels or {}
        self.encoding = encoding
        self.is_hub = self.place.startswith(HUB)
        self.problems: list[Problem] = []
        self._read: dict[Path, None] = {}
        self._rows_hash = hashlib.sha256()

    def again(
        self,
        columns: Mapping[str, str] | None = None,
        labels: Mapping[str, GoldLabel] | None = None,
    ) -> Source:
        """The same place, not read yet; with other maps where these are given."""
        maps = (
            self.columns if columns is None else columns,
            self.labels if labels is None else labels,
        )
        return Source(self.place, *maps, self.encoding)

    @property
    def path(self) -> Path:
        """The place as a path; meaningless for a hub set."""
        return Path(self.place)

    @property
    def is_dataset(self) -> bool:
        """Whether `datasets` reads it: a hub set, or a folder that `save_to_disk` wrote."""
        return self.is_hub or is_saved(Path(self.place.partition("#")[0]))

    def find(self, *patterns: str) -> tuple[Path, ...]:
        """Files of the place: the file itself, or those of the folder that match, by name.

        Raises:
            GoldError: There is none.

        Args:
            patterns: Glob patterns of file names; a file that was named itself need not match.
        """
        if self.path.is_file():
            self._read[self.path] = None
            return (self.path,)
        found = {path for pattern in patterns for path in self.path.glob(pattern) if path.is_file()}
        if not found:
            law = (
                f"the folder holds no {' or '.join(patterns)}"
                if self.path.is_dir()
                else "no such file or folder"
            )
            raise GoldError(Problem(self.place, law, "Check the path."))
        self._read |= dict.fromkeys(found)
        return tuple(sorted(found))

    def beside(self, path: Path, pattern: str) -> Path | None:
        """The first file next to another that matches a pattern; None when there is none."""
        found = next(iter(sorted(path.parent.glob(pattern))), None)
        if found is not None:
            self._read[found] = None
        return found

    def rows(self, path: Path | None = None) -> Iterator[SourceRow]:
        """Records of a file, or of the hub set, one at a time.

        `.jsonl`, `.ndjson`, `.json` (a list, or JSON Lines under that name), `.csv`, `.tsv`,
        `.parquet`, and folders saved by `datasets`. Lines at fault go to `problems`. The separator
        of a CSV file is found from its shape, its cells are texts or None.

        Raises:
            GoldError: The file cannot be read at all.
        """
        if self.is_dataset and path is None:
            yield from self._dataset_rows()
            return
        path = path or self.path
        refuse_workbook(path)
        self._read[path] = None
        ending = path.suffix.lower()
        if ending in (".csv", ".tsv", ".txt"):
            yield from csv_rows(path, self.problems, self.encoding)
        elif ending in (".jsonl", ".ndjson") or (ending == ".json" and self._is_lines(path)):
            yield from json_lines(path, self.problems, self.encoding)
        elif ending == ".json":
            yield from json_records(path, self.problems, self.encoding)
        else:
            read = read_with_datasets(path)
            self.problems += read.problems
            yield from read.rows

    def _is_lines(self, path: Path) -> bool:
        """Whether a `.json` file holds one object a line."""
        if not self.begins_object(path):
            return False
        with opened(path, self.encoding) as file:
            first, second = file.readline().strip(), file.readline().strip()
        return _is_object(first) and (not second or second.startswith("{"))

    def begins_object(self, path: Path) -> bool:
        """Whether what a file says first is the begin of a JSON object.

        Raises:
            GoldError: It cannot be read, or is not in the encoding.
        """
        with opened(path, self.encoding) as file:
            while (char := file.read(1)).isspace():
                pass
            return char == "{"

    def _dataset_rows(self) -> Iterator[SourceRow]:
        read = read_with_datasets(self.place)
        self.problems += read.problems
        for row in read.rows:
            content = json.dumps(row.fields, ensure_ascii=True, sort_keys=True, default=str)
            self._rows_hash.update(content.encode("ascii"))
            yield row

    def document(self, path: Path) -> Any:
        """A whole JSON file as Python values; a number that is none is a missing value.

        Raises:
            GoldError: It cannot be read or is not JSON.
        """
        text = self.text(path)
        try:
            return _DOCUMENT.decode(text)
        except (ValueError, RecursionError) as error:
            line = getattr(error, "lineno", None)
            law = f"this is not JSON: {getattr(error, 'msg', type(error).__name__)}"
            raise GoldError(Problem(str(path), law, "Mend the file.", line=line)) from error

    def text(self, path: Path) -> str:
        """A whole file, without a byte order mark; line ends stay as they are.

        Raises:
            GoldError: It cannot be read, or is not in the encoding.
        """
        self._read[path] = None
        with opened(path, self.encoding) as file:
            return file.read()

    def fault(self, where: str, law: str, mend: str, **more: Any) -> None:
        """Notes a fault; `got` is shortened."""
        if "got" in more:
            more["got"] = short_repr(more["got"])
        self.problems.append(Problem(where, law, mend, **more))

    def hashes(self) -> dict[str, str]:
        """SHA-256 of all that was read: of each file by its name, of a set's rows by its place."""
        if self.is_dataset:
            place = self.place if self.is_hub else Path(self.place).name
            return {place: self._rows_hash.hexdigest()}
        return {self._name(path): _sha256(path) for path in sorted(self._read)}

    def _name(self, path: Path) -> str:
        inside = path.is_relative_to(self.path) and path != self.path
        return (path.relative_to(self.path) if inside else Path(path.name)).as_posix()


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(2**20):
            digest.update(piece)
    return digest.hexdigest()


def _is_object(text: str) -> bool:
    try:
        DECODER.decode(text)
    except TwiceError:
        return True
    except (ValueError, RecursionError):
        return False
    return text.startswith("{")
