"""An export from its first check to its place: whole, or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import NamedTuple

from metajudge.counted import counted
from metajudge.errors import GoldError, Problem, short_repr
from metajudge.gold.exporters.form import Form, Wishes
from metajudge.gold.exporters.forms import form_named, form_of, writer_named
from metajudge.gold.goldset import MANIFEST, GoldSet
from metajudge.gold.source_text import lone_surrogate
from metajudge.gold.tabular import is_saved

_OWN = (MANIFEST, "claims.jsonl", "claims.csv", "contexts.jsonl", "contexts.csv")
_OWN_TOO = ("annotations", "ledger.jsonl", "README.md")


class Exported(NamedTuple):
    """What an export wrote.

    Attributes:
        form: What it wrote in.
        files: Files or folders, the one that was asked for first.
        claims: With a gold label.
        pending: Without one.
        contexts: Of these claims.
        annotations: Of these claims.
        notes: What the form cannot hold, or what its programs may do to it.
    """

    form: Form
    files: tuple[Path, ...]
    claims: int
    pending: int
    contexts: int
    annotations: int
    notes: tuple[str, ...]


def export_goldset(
    goldset: GoldSet, path: Path, form_name: str | None = None, wishes: Wishes | None = None
) -> Exported:
    """Writes a gold set in another form, with what annotators did since in it.

    Args:
        goldset: What to write.
        path: The file, or the folder; an older export there is replaced when the new one is whole.
        form_name: One of `MODULES`; None tells it from the ending.
        wishes: What the user wants of the form; None for what is usual.

    Raises:
        GoldError: There is no such form, the place is in the way, or a text cannot be written.
        OSError: It cannot be written.
    """
    form = form_of(path) if form_name is None else form_named(form_name)
    problems = _place_problems(goldset, path, form)
    if problems:
        raise GoldError(problems)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".metajudge-", dir=path.parent) as room:
        draft = Path(room) / "new"
        draft.mkdir()
        try:
            notes = writer_named(form.name)(goldset, draft / path.name, wishes or Wishes())
        except UnicodeEncodeError as error:
            raise GoldError(_half_characters(goldset)) from error
        beside = sorted(entry.name for entry in draft.iterdir() if entry.name != path.name)
        for name in (*beside, path.name):
            _put(draft / name, path.parent / name, Path(room))
    every = goldset.every_claim
    used = {claim.context_id for claim in every}
    unused = len(goldset.contexts) - len(used)
    lost = [f"{counted(unused, 'contexts')} that no claim uses are left out"] if unused else []
    metric = goldset.manifest.metric
    if metric != "faithfulness":
        lost.append(f"it does not say what the set is gold for: import it with --metric {metric}")
    return Exported(
        form=form,
        files=(path, *(path.parent / name for name in beside)),
        claims=len(goldset.claims),
        pending=len(goldset.pending),
        contexts=len(used),
        annotations=sum(len(claim.annotations) for claim in every),
        notes=(*notes, *(lost if form.name != "folder" else ())),
    )


def _put(made: Path, target: Path, room: Path) -> None:
    """Moves a file or folder to its place; a folder that is there goes away with the room."""
    if target.is_dir():
        target.rename(room / "before")
    elif made.is_file():
        _sync(made)
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o644
        made.chmod(mode)
    os.replace(made, target)


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _place_problems(goldset: GoldSet, path: Path, form: Form) -> list[Problem]:
    where = str(path)
    faults = [
        Problem(str(side), "a folder is where this file goes", "Move it away.")
        for ending in form.beside
        if (side := path.with_suffix(ending)).is_dir()
    ]
    if _is_own(goldset, path):
        law = "an export does not go over the set that it is made of"
        return [Problem(where, law, "Choose another place."), *faults]
    if not path.name or path.suffix.lower() in form.beside:
        law = f"the form {form.name!r} needs a name of its own"
        return [Problem(where, law, f"Name it, e.g. gold{(*form.endings, '')[0]}.")]
    if form.is_folder and path.exists():
        law = "an export does not go over a folder that holds something else"
        if not _may_replace(path, form):
            faults.append(Problem(where, law, "Choose another one."))
    elif path.is_dir():
        law = f"the form {form.name!r} is a file, and this is a folder"
        faults.append(Problem(where, law, "Name the file."))
    return faults


def _may_replace(path: Path, form: Form) -> bool:
    if not path.is_dir():
        return False
    empty = next(path.iterdir(), None) is None
    return empty or (form.name == "datasets" and is_saved(path))


def _is_own(goldset: GoldSet, path: Path) -> bool:
    """Whether a place is the set itself, one of its files, or a folder around it."""
    if goldset.path is None:
        return False
    own, target = goldset.path.resolve(), path.resolve()
    inside = target.is_relative_to(own) and target != own
    first = target.relative_to(own).parts[0] if inside else ""
    return own.is_relative_to(target) or first in (*_OWN, *_OWN_TOO)


def _half_characters(goldset: GoldSet) -> list[Problem]:
    """Texts that no file can hold, by claim and context."""
    problems = []
    claims = [(claim.claim_id, claim.model_dump()) for claim in goldset.every_claim]
    contexts = [(name, context.model_dump()) for name, context in goldset.contexts.items()]
    for name, fields in (*claims, *contexts):
        half = lone_surrogate(json.dumps(fields, ensure_ascii=False))
        if half is not None:
            law = f"a text holds half a character ({half}), which no file can hold"
            problems.append(Problem("export", law, "Mend the text.", got=short_repr(name)))
    return problems
