"""doccano: classified texts, one file for all annotators or one file for each.

Shapes as doccano 1.5 to 1.8 exports them (`backend/data_export`): `id`, `text`, the fields of the
upload's metadata, `label` (a list of names; of sequence labelling `[start, end, name]`; in CSV one
text) and `Comments`. Intent detection has `cats`, relation extraction `entities`. A project whose
members annotate separately exports one file per member, named after the user; one that shares its
annotations exports `all`, which does not say who gave a label. Releases before 1.5 wrote
`annotations` with numbers for labels, which nothing in the file explains.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from metajudge.gold.importing.fields import (
    Record,
    Texts,
    each_once,
    file_records,
    listed,
    records,
    structured,
    texts_of,
)
from metajudge.gold.importing.given import Given, settled
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut
from metajudge.gold.importing.source import Source
from metajudge.gold.importing.words import identifier

FORMAT = Format(
    name="doccano",
    title="doccano",
    kind="tool",
    holds="an unpacked export (.jsonl, .json or .csv), or the folder with one file per annotator",
    label_space="ternary",
    mapping=(
        "The one label of a text, in our words or by the label map; the annotator is the name of "
        "the file, none where it is `all`; several labels on one text, and labels that are "
        "numbers, are left out; marked parts of a passage are evidence."
    ),
    url="https://doccano.github.io/doccano/",
    marks=("text", "label", "Comments"),
)
_SHARED = ("all", "unknown", "export")
_PATTERNS = ("*.jsonl", "*.json", "*.csv")
_Key = tuple[str, str, tuple[str, ...]]


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Claims of all files, one for each text, and what is left out of them.

    Raises:
        GoldError: The files cannot be read.
    """
    rows: dict[_Key, list[tuple[Record, Texts, str | None]]] = {}
    for record, annotator in _by_file(source):
        texts = texts_of(record, source)
        if isinstance(texts, LeftOut):
            yield texts
            continue
        key = (str(record.fields.get("id")), texts.claim, texts.passages)
        rows.setdefault(key, []).append((record, texts, annotator))
    texts_with = Counter(name for name, _, _ in rows)
    waiting = list(rows.items())
    rows.clear()
    for (name, _, _), held in each_once(waiting):
        yield from _claim(held, source, name if texts_with[name] == 1 else None)


def _by_file(source: Source) -> Iterator[tuple[Record, str | None]]:
    if source.is_hub:
        yield from ((record, None) for record in records(source))
        return
    for path in source.find(*_PATTERNS):
        annotator = _annotator(path)
        yield from ((record, annotator) for record in file_records(source, path))


def _annotator(path: Path) -> str | None:
    return None if path.stem.casefold() in _SHARED else identifier(path.stem)


def _claim(
    rows: list[tuple[Record, Texts, str | None]], source: Source, claim_id: str | None
) -> Iterator[ImportedClaim | LeftOut]:
    given, left, stated = [], [], []
    for record, _, annotator in rows:
        value = _labels(record.fields, source)
        marked = _spans(record.fields)
        if not value and (marked or record.fields.get("annotations")):
            detail = "parts are marked, the text has no label" if marked else "labels are numbers"
            left.append(record.left("unlabelled", claim_id or "", detail))
        elif annotator is None:
            stated += [value] if value else []
        elif value:
            note = _note(record.fields, source)
            given.append(Given(annotator, value, claim_id or "", note=note, spans=marked))
    record, texts, _ = rows[0]
    yield from settled(record, texts, source, given, left=left, stated=stated, claim_id=claim_id)


def _labels(fields: Mapping[str, Any], source: Source) -> list[Any]:
    """Labels of the whole text; those of parts are not among them."""
    names = (source.columns["label"],) if "label" in source.columns else ("label", "labels", "cats")
    held: Any = next((structured(fields[name]) for name in names if fields.get(name)), [])
    labels = held if isinstance(held, list) else [held]
    return [label for label in labels if not isinstance(label, list | dict)]


def _spans(fields: Mapping[str, Any]) -> tuple[str, ...]:
    """Parts of the text that were marked."""
    text = fields.get("text")
    edges: list[tuple[Any, Any]] = []
    for name in ("label", "labels", "entities"):
        for part in listed(fields.get(name)):
            if isinstance(part, list) and len(part) == 3:
                edges.append((part[0], part[1]))
            elif isinstance(part, Mapping):
                edges.append((part.get("start_offset"), part.get("end_offset")))
    if not isinstance(text, str):
        return ()
    return tuple(text[a:b] for a, b in edges if isinstance(a, int) and isinstance(b, int) and a < b)


def _note(fields: Mapping[str, Any], source: Source) -> str | None:
    held = structured(fields.get(source.columns.get("note", "Comments")))
    notes = held if isinstance(held, list) else [held]
    texts = [note.get("text") if isinstance(note, Mapping) else note for note in notes]
    return "\n".join(text for text in texts if isinstance(text, str) and text.strip()) or None
