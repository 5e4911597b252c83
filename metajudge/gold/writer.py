"""A gold set as files: the same set gives the same bytes, and reads back equal."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import yaml
from pydantic import BaseModel

from metajudge.errors import GoldError, Problem, short_repr
from metajudge.gold import formula_guard
from metajudge.gold.annotators import adjudicate
from metajudge.gold.claim import Claim, Context, GoldManifest, PendingClaim
from metajudge.gold.formula_guard import guarded
from metajudge.gold.goldset import MANIFEST, GoldSet
from metajudge.gold.source_text import lone_surrogate
from metajudge.gold.strict_yaml import dump_yaml, parse_yaml

Form = Literal["jsonl", "csv"]
CLAIM_ORDER = (
    *("claim_id", "answer_id", "context_id", "claim", "label", "slice", "lang", "question"),
    *("annotations", "spans", "note", "label_source", "label_policy", "generator", "exclude"),
    "why",
)
"""Fields of a claim in the order in which they are written."""
_BREAKS = "\x85\u2028\u2029"
_LINE_BREAKS = str.maketrans({char: f"\\u{ord(char):04x}" for char in _BREAKS})
_JSON = json.JSONEncoder(ensure_ascii=False)


def write_goldset(goldset: GoldSet, folder: str | Path, form: Form = "jsonl") -> None:
    """Writes `goldset.yaml`, `claims` and `contexts` into a folder, which is made if needed.

    Claims and contexts keep their order; optional fields without a value are left out. Lines are
    UTF-8 with characters as they are; only U+0085, U+2028 and U+2029 are escaped in JSON, since
    careless readers take them for line ends.

    Args:
        goldset: What to write.
        folder: Where to; each file is replaced as a whole.
        form: `jsonl`, or `csv` with lists as JSON in a cell, where no text is taken for a formula.

    Raises:
        GoldError: A text holds half a character, or the folder holds the set in the other form.
    """
    place = Path(folder)
    files, faults = rendered(goldset, form)
    problems = [*_in_other_form(place, "csv" if form == "jsonl" else "jsonl"), *faults]
    if problems:
        raise GoldError(problems)
    place.mkdir(parents=True, exist_ok=True)
    write_manifest(goldset.manifest, place)
    for name, content in files.items():
        _replace(place / name, content)


class Rendered(NamedTuple):
    """Claims and contexts as the bytes of their files.

    Attributes:
        files: By name.
        problems: Texts that no file can hold; the file that one stands in is missing.
    """

    files: dict[str, bytes]
    problems: list[Problem]


def rendered(goldset: GoldSet, form: Form = "jsonl") -> Rendered:
    """What `write_goldset` writes beside the manifest."""
    claims = claim_rows(goldset)
    contexts = [_context_fields(context) for context in goldset.contexts.values()]
    render = _jsonl if form == "jsonl" else _csv
    made = Rendered({}, [])
    for name, entries, order in (
        (f"claims.{form}", claims, CLAIM_ORDER),
        (f"contexts.{form}", contexts, tuple(Context.model_fields)),
    ):
        text = render(entries, order)
        try:
            made.files[name] = text.encode("utf-8")
        except UnicodeEncodeError:
            made.problems.extend(_unwritable(entries, name))
    return made


def write_manifest(manifest: GoldManifest, place: Path) -> None:
    """Writes `goldset.yaml` into a folder, which is there."""
    write_text(place / MANIFEST, dump_yaml(_without_defaults(manifest)))


def _in_other_form(place: Path, form: Form) -> list[Problem]:
    law, mend = "the folder has the set in another form", "Remove it or choose another folder."
    paths = [place / f"{stem}.{form}" for stem in ("claims", "contexts")]
    return [Problem(str(path), law, mend) for path in paths if path.exists()]


def record_split(goldset: GoldSet, folder: str | Path) -> tuple[Path, ...]:
    """Writes a frozen split into the files of a gold set; gives the files that changed.

    The rule is added at the end of `goldset.yaml`, whose comments stay; the contexts file is
    written anew only where contexts were grouped.

    Args:
        goldset: What `freeze_split` gave.
        folder: The folder that the set was read from.

    Raises:
        GoldError: The set declares no split, or grouped contexts stand inside the claim rows.
    """
    place = Path(folder)
    rule = goldset.manifest.split
    if rule is None:
        law = "there is no split to record"
        raise GoldError(Problem(str(place), law, "Freeze one first.", field="split"))
    changed = _record_groups(goldset, place)
    manifest = place / MANIFEST
    text = manifest.read_bytes().decode("utf-8-sig")
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if any(key.value == "split" for key, _ in getattr(root, "value", ())):
        return tuple(changed)
    block = dump_yaml({"split": rule.model_dump(mode="json")})
    gap = "" if text.endswith("\n") else "\n"
    whole = f"{text}{gap}{block}"
    if getattr(root, "flow_style", False):
        stated = parse_yaml(text, str(manifest), GoldManifest, GoldError)
        whole = dump_yaml(_without_defaults(stated.model_copy(update={"split": rule})))
    write_text(manifest, whole)
    changed.append(manifest)
    return tuple(changed)


def write_text(path: Path, text: str) -> None:
    """Replaces a file as a whole with a text in UTF-8; line ends stay as they are."""
    _replace(path, text.encode("utf-8"))


def _replace(path: Path, content: bytes) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    draft.write_bytes(content)
    os.replace(draft, path)


def _record_groups(goldset: GoldSet, place: Path) -> list[Path]:
    grouped = any(context.group for context in goldset.contexts.values())
    renders = {"jsonl": _jsonl, "csv": _csv}
    for form, render in renders.items():
        path = place / f"contexts.{form}"
        if grouped and path.is_file():
            contexts = [_context_fields(context) for context in goldset.contexts.values()]
            text = render(contexts, list(Context.model_fields))
            if path.read_bytes() == text.encode("utf-8"):
                return []
            write_text(path, text)
            return [path]
    if grouped:
        law = "contexts must be grouped, but they stand inside the claim rows"
        mend = "Write the set with write_goldset; it gives contexts a file of their own."
        raise GoldError(Problem(str(place), law, mend))
    return []


def _without_defaults(model: BaseModel) -> dict[str, Any]:
    return model.model_dump(mode="json", exclude_defaults=True)


def claim_rows(goldset: GoldSet) -> list[dict[str, Any]]:
    """Fields of every claim as a gold folder holds them: labelled claims, then pending ones."""
    return [_claim_fields(claim, goldset.manifest) for claim in goldset.every_claim]


def _claim_fields(claim: Claim | PendingClaim, manifest: GoldManifest) -> dict[str, Any]:
    fields = _without_defaults(claim) | {"lang": claim.lang}
    fields.pop("why", None)
    if isinstance(claim, PendingClaim):
        # Else the reader would make a label of annotations that people did not settle on.
        decided = adjudicate(claim.annotations, manifest.adjudication).label
        fields |= {"why": claim.why} if decided else {}
    fields.pop("label_source", None)
    if claim.label_source != manifest.label_source:
        fields["label_source"] = claim.label_source
    return fields


def _context_fields(context: Context) -> dict[str, Any]:
    return _without_defaults(context)


def _unwritable(entries: Iterable[Mapping[str, Any]], where: str) -> Iterable[Problem]:
    identifier = "claim_id" if where.startswith("claims") else "context_id"
    for entry in entries:
        half = lone_surrogate(json.dumps(entry, ensure_ascii=False))
        if half is not None:
            law = f"a text holds half a character ({half}), which no file can hold"
            got = short_repr(entry[identifier])
            yield Problem(where, law, "Mend the text.", field=identifier, got=got)


def _jsonl(entries: Sequence[Mapping[str, Any]], order: Sequence[str]) -> str:
    ordered = ({name: entry[name] for name in order if name in entry} for entry in entries)
    return "".join(f"{json_text(entry)}\n" for entry in ordered)


def json_text(content: Any) -> str:
    """JSON on one line, characters as they are but for U+0085, U+2028 and U+2029."""
    text = _JSON.encode(content)
    if text.isascii() or not any(char in text for char in _BREAKS):
        return text
    return text.translate(_LINE_BREAKS)


def _csv(entries: Sequence[Mapping[str, Any]], order: Sequence[str]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    rows = [guarded({name: csv_text(entry.get(name)) for name in order}) for entry in entries]
    columns = (
        (*order, formula_guard.COLUMN) if any(r[formula_guard.COLUMN] for r in rows) else order
    )
    writer.writerow(columns)
    writer.writerows([row[name] for name in columns] for row in rows)
    return text.getvalue()


def csv_text(value: Any) -> str:
    """A value as the text of a cell: lists as JSON, nothing as an empty one."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json_text(value)
