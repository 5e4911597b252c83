"""What becomes of an import in a folder: a new set, nothing new, claims added, a set replaced."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from metajudge.counted import counted
from metajudge.errors import GoldError, Problem
from metajudge.gold.claim import GoldManifest
from metajudge.gold.datasheet import datasheet, is_generated
from metajudge.gold.events import read_events
from metajudge.gold.folded import fold
from metajudge.gold.goldset import MANIFEST, GoldSet, load_goldset
from metajudge.gold.importing.assemble import Imported
from metajudge.gold.importing.collecting import uncollected
from metajudge.gold.importing.manifest_text import with_manifest
from metajudge.gold.importing.merge import Difference, added, difference, orphaned_acts, replaced
from metajudge.gold.importing.whole import README, check_apart, drafted, put_in_place
from metajudge.gold.strict_yaml import read_yaml
from metajudge.gold.writer import Form

Mode = Literal["add", "replace"]
Action = Literal["new", "same", "add", "replace"]
_MANY = 3


@dataclass(frozen=True, slots=True)
class Placing:
    """What an import does to a folder.

    Attributes:
        folder: Of the set.
        action: What is done; `same` writes nothing.
        goldset: The set as it is afterwards, without annotators' acts; None with `same`.
        difference: To the set that is there; None where there is none or it was made of the very
            same files.
    """

    folder: Path
    action: Action
    goldset: GoldSet | None = None
    difference: Difference | None = None


def placing(folder: Path, imported: Imported, mode: Mode | None = None) -> Placing:
    """What an import would do to a folder; nothing is written.

    Args:
        folder: Where the set shall be.
        imported: The import.
        mode: What may happen to a set that is there.

    Raises:
        GoldError: The folder holds another set and no mode is given, holds other things and no
            set, or people have labelled what would be replaced.
    """
    check_apart(folder)
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return Placing(folder, "new", imported.goldset)
    if not (folder / MANIFEST).is_file():
        law = (
            "a file is in the way" if folder.is_file() else "the folder holds other things, no set"
        )
        raise GoldError(Problem(str(folder), law, "Name a folder of its own with --to."))
    if mode is None and _is_same_import(folder, imported):
        return Placing(folder, "same")
    old = load_goldset(folder, with_acts=False)
    found = difference(old, imported)
    if not found.new and not (mode == "replace" and (found.conflicts or found.gone)):
        return Placing(folder, "same", difference=found)
    if mode is None:
        raise GoldError(_refusal(folder, found))
    if mode == "add":
        return Placing(folder, "add", added(old, imported, found.new), found)
    _check_nothing_lost(folder, old, imported)
    return Placing(folder, "replace", replaced(old, imported.goldset), found)


def _is_same_import(folder: Path, imported: Imported) -> bool:
    """Whether the set was made of the very same files in the very same way."""
    before = read_yaml(folder / MANIFEST, GoldManifest, GoldError)
    after = imported.goldset.manifest
    names = ("imported", "label_space", "metric")
    same = all(getattr(before, name) == getattr(after, name) for name in names)
    return same and bool(after.imported and after.imported.sources)


def _refusal(folder: Path, found: Difference) -> Problem:
    differs = len(found.conflicts)
    law = (
        f"the folder holds a set already: {counted(found.same, 'claims')} the same, "
        f"{len(found.new)} new, {differs} with a difference, {found.gone} not in the source"
    )
    mend = "Add the new ones with --add, make a new set of it with --replace, or name another --to."
    return Problem(str(folder), law, mend)


def _check_nothing_lost(folder: Path, old: GoldSet, imported: Imported) -> None:
    lost = orphaned_acts(folder, old, imported.goldset)
    if not lost:
        return
    told = ", ".join(f"{name} {count}" for name, count in list(lost.items())[:_MANY])
    more = f" and {counted(len(lost) - _MANY, 'more annotators')}" if len(lost) > _MANY else ""
    count = sum(lost.values())
    law = (
        f"people have labelled here: {counted(count, 'labels')} "
        f"would lose their claim ({told}{more})"
    )
    mend = "Import into another folder, or add the new claims with --add."
    raise GoldError(Problem(str(folder), law, mend))


def carry_out(plan: Placing) -> tuple[Path, ...]:
    """Writes what a plan says, whole or not at all, and gives the files.

    Raises:
        GoldError: A text cannot be written.
        OSError: The folder cannot be written; it is what it was.
    """
    if plan.goldset is None:
        return ()
    folder = plan.folder
    form = _form(folder)
    texts = _texts(plan.goldset, folder)
    with uncollected(), drafted(plan.goldset, folder, form, texts) as draft:
        names = sorted(entry.name for entry in draft.iterdir())
        put_in_place(draft, folder)
    return tuple(folder / name for name in names)


def _texts(goldset: GoldSet, folder: Path) -> dict[str, str]:
    """Datasheet and manifest, where these are not simply what the set gives."""
    texts = {}
    if is_generated(folder / README):
        texts[README] = datasheet(fold(replace(goldset, path=folder), read_events(folder)))
    if (folder / MANIFEST).is_file():
        text = (folder / MANIFEST).read_bytes().decode("utf-8-sig")
        texts[MANIFEST] = with_manifest(text, goldset.manifest)
    return texts


def _form(folder: Path) -> Form:
    return "csv" if (folder / "claims.csv").is_file() else "jsonl"
