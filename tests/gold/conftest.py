import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from metajudge.gold import Claim, Context, GoldManifest, GoldSet, LabellingPolicy
from metajudge.gold.importers.formats import reader_named
from metajudge.gold.importing.imported import ImportedClaim, LeftOut
from metajudge.gold.importing.source import Source
from tests.gold.folding import Desk

MANIFEST = """\
name: tea
version: "1"
languages: [en, zh]
labelling_policy:
  version: "1"
licence: CC-BY-4.0
provenance: written for the tests
label_source: human
"""
CONTEXTS = [
    {"context_id": "x1", "passages": ["Tea is a drink.", "It is hot."]},
    {"context_id": "x2", "passages": ["茶是一种饮料。"], "lang": "zh"},
]
CLAIMS = [
    {"claim_id": "c1", "answer_id": "a1", "context_id": "x1", "claim": "Tea is hot.",
     "label": "yes", "lang": "en"},
    {"claim_id": "c2", "answer_id": "a2", "context_id": "x2", "claim": "茶是食物。", "label": "no"},
]  # fmt: skip


@pytest.fixture
def desk() -> Desk:
    """Where people label: their acts, in order."""
    return Desk()


@pytest.fixture
def tea(tmp_path: Path) -> Callable[..., Path]:
    """Writes a small gold set; each file can be replaced by other text, bytes or rows."""

    def write(claims: Any = CLAIMS, contexts: Any = CONTEXTS, manifest: str = MANIFEST) -> Path:
        folder = tmp_path / "tea"
        folder.mkdir(exist_ok=True)
        (folder / "goldset.yaml").write_text(manifest, encoding="utf-8")
        for name, rows in (("claims", claims), ("contexts", contexts)):
            if rows is not None:
                (folder / f"{name}.jsonl").write_bytes(as_bytes(rows))
        return folder

    return write


def as_bytes(rows: Any) -> bytes:
    if isinstance(rows, bytes):
        return rows
    if isinstance(rows, str):
        return rows.encode()
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


@pytest.fixture
def table(tmp_path: Path) -> Callable[..., Path]:
    """Writes one file from rows, text or bytes."""

    def write(rows: Any, name: str = "rows.jsonl") -> Path:
        path = tmp_path / name
        path.write_bytes(as_bytes(rows))
        return path

    return write


@pytest.fixture
def make_gold() -> Callable[..., GoldSet]:
    """A gold set in memory from claim fields; passages default to one per context id."""

    def make(
        claims: list[dict[str, Any]],
        contexts: dict[str, tuple[str, ...]] | None = None,
        **more: Any,
    ) -> GoldSet:
        built = tuple(
            Claim(
                **{
                    "claim_id": f"c{index}",
                    "answer_id": f"a-{fields.get('context_id', 'x')}",
                    "context_id": "x",
                    "claim": f"Claim number {index}.",
                    "label": "yes",
                }
                | fields
            )
            for index, fields in enumerate(claims)
        )
        texts = contexts or {claim.context_id: (f"Text of {claim.context_id}",) for claim in built}
        manifest: dict[str, Any] = {
            "name": "tea",
            "version": "1",
            "languages": tuple(dict.fromkeys(claim.lang for claim in built)) or ("en",),
            "labelling_policy": LabellingPolicy(version="1"),
            "licence": "none",
            "provenance": "tests",
            "label_source": "human",
        }
        return GoldSet(
            GoldManifest(**(manifest | more)),
            built,
            {name: Context(context_id=name, passages=text) for name, text in texts.items()},
        )

    return make


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
