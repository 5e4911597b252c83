import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from metajudge.gold.importers.formats import reader_named
from metajudge.gold.importers.imported import ImportedClaim, LeftOut
from metajudge.gold.importers.source import Source


class Read:
    """What an importer gave: `claims` and `left` apart, and the faults of the source."""

    def __init__(self, source: Source, rows: list[ImportedClaim | LeftOut]) -> None:
        self.rows = rows
        self.claims = [row for row in rows if isinstance(row, ImportedClaim)]
        self.left = [row for row in rows if isinstance(row, LeftOut)]
        self.problems = source.problems

    @property
    def reasons(self) -> list[str]:
        return [row.reason for row in self.left]

    @property
    def labels(self) -> list[str | None]:
        return [claim.label for claim in self.claims]

    def votes(self, index: int = 0) -> dict[str, str]:
        return {note.annotator: note.label for note in self.claims[index].annotations}


@pytest.fixture
def imported() -> Callable[..., Read]:
    """Reads a place by a format."""

    def read(name: str, place: Path, columns: Any = None, labels: Any = None) -> Read:
        source = Source(place, columns, labels)
        return Read(source, list(reader_named(name)(source)))

    return read


@pytest.fixture
def saved(tmp_path: Path) -> Callable[..., Path]:
    """Writes a JSON document, or JSON Lines where the name ends so; gives the path."""

    def write(held: Any, name: str = "export.json") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".jsonl":
            text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in held)
        else:
            text = json.dumps(held, ensure_ascii=False, indent=1)
        path.write_text(text, encoding="utf-8")
        return path

    return write
