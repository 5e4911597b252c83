"""A gold folder written as a whole: a program that is killed leaves the old set or the new one.

The set is written into a draft beside the folder, which then takes its place in one step. Files
that are not the set's own (annotators' acts, the ledger, notes) go over to it as they are.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from metajudge.errors import GoldError, Problem
from metajudge.gold.appended import alone_in
from metajudge.gold.claim import Claim, PendingClaim
from metajudge.gold.goldset import MANIFEST, GoldSet
from metajudge.gold.writer import Form, rendered, write_goldset, write_manifest, write_text

_PART = 5000
"""Claims and contexts that are rendered at a time."""
_EXCHANGE = 2
_WORKING_FOLDER = -100
README = "README.md"


@contextmanager
def drafted(
    goldset: GoldSet, folder: Path, form: Form = "jsonl", texts: Mapping[str, str] | None = None
) -> Iterator[Path]:
    """A draft of the set beside a folder; it is deleted again unless `put_in_place` took it.

    Only one program at a time drafts there.

    Args:
        goldset: What to write.
        folder: That the draft is for; the one above it is made if needed.
        form: Of claims and contexts.
        texts: Files beside those of the set, by name, such as the datasheet; a `goldset.yaml`
            among them stands instead of the one that the manifest would give.

    Raises:
        GoldError: It is the folder that the program stands in, or a text cannot be written.
    """
    check_apart(folder)
    above = folder.parent
    above.mkdir(parents=True, exist_ok=True)
    draft = above / f".{folder.name}.draft"
    with alone_in(above):
        _restore(folder)
        shutil.rmtree(draft, ignore_errors=True)
        try:
            _write(goldset, draft, form)
            for name, text in (texts or {}).items():
                write_text(draft / name, text)
            yield draft
        finally:
            shutil.rmtree(draft, ignore_errors=True)


def _write(goldset: GoldSet, folder: Path, form: Form) -> None:
    """`write_goldset`, a part at a time where that gives the same bytes: it needs less memory."""
    contexts = list(goldset.contexts.items())
    if form == "csv" or len(goldset.every_claim) + len(contexts) <= _PART:
        write_goldset(goldset, folder, form)
        return
    folder.mkdir()
    claims = goldset.every_claim
    with (
        (folder / "claims.jsonl").open("wb") as out,
        (folder / "contexts.jsonl").open("wb") as about,
    ):
        for start in range(0, max(len(claims), len(contexts)), _PART):
            stop = start + _PART
            part = _part(goldset, claims[start:stop])
            files, problems = rendered(replace(part, contexts=dict(contexts[start:stop])))
            if problems:
                raise GoldError(problems)
            out.write(files["claims.jsonl"])
            about.write(files["contexts.jsonl"])
    write_manifest(goldset.manifest, folder)


def _part(goldset: GoldSet, claims: tuple[Claim | PendingClaim, ...]) -> GoldSet:
    labelled = tuple(claim for claim in claims if isinstance(claim, Claim))
    pending = tuple(claim for claim in claims if isinstance(claim, PendingClaim))
    return replace(goldset, claims=labelled, pending=pending)


def put_in_place(draft: Path, folder: Path) -> None:
    """Lets a draft take the place of a folder, which may not be there yet.

    Raises:
        OSError: It cannot be done; the folder is what it was.
    """
    for entry in draft.iterdir():
        _sync(entry)
    if not folder.exists() or not any(folder.iterdir()):
        if sys.platform == "win32" and folder.exists():
            folder.rmdir()
        draft.rename(folder)
        _sync(folder.parent)
        return
    with alone_in(folder):
        _carry(folder, draft, _own_names(folder))
        before = _exchanged(draft, folder)
        _late(before, folder)
    shutil.rmtree(before, ignore_errors=True)


def check_apart(folder: Path) -> None:
    """Refuses the folder that the program stands in, or one above it: it would lose its place.

    Raises:
        GoldError: It is such a folder.
    """
    if folder.resolve() in (here := Path.cwd().resolve(), *here.parents):
        law = "the set's folder is replaced as a whole, so you cannot stand in it"
        raise GoldError(Problem(str(folder), law, "Name a folder of its own, or go one up."))


def same_files(draft: Path, folder: Path) -> bool:
    """Whether claims and contexts of a folder are those of a draft, byte by byte."""
    names = [entry.name for entry in draft.iterdir() if entry.stem in ("claims", "contexts")]
    return all((folder / name).is_file() and _equal(draft / name, folder / name) for name in names)


def _equal(first: Path, second: Path) -> bool:
    if first.stat().st_size != second.stat().st_size:
        return False
    with first.open("rb") as one, second.open("rb") as other:
        while piece := one.read(2**20):
            if piece != other.read(2**20):
                return False
    return True


def _own_names(folder: Path) -> set[str]:
    """Files of a gold folder that a new set replaces."""
    return {MANIFEST} | {
        f"{stem}.{end}" for stem in ("claims", "contexts") for end in ("jsonl", "csv")
    }


def _carry(folder: Path, draft: Path, own: set[str]) -> None:
    """Gives a draft the other files of a folder: the very same files where the system can."""
    for entry in folder.iterdir():
        target = draft / entry.name
        if entry.name in own or target.exists():
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.copytree(entry, target, symlinks=True, copy_function=_link)
        else:
            _link(entry, target)


def _link(source: str | Path, target: str | Path) -> None:
    if os.path.islink(source):
        os.symlink(os.readlink(source), target)
        return
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _late(before: Path, folder: Path) -> None:
    """Moves over what somebody made in the old folder while the draft took its place."""
    own = _own_names(folder) | {README}
    for place, _, names in os.walk(before):
        for name in names:
            old = Path(place, name)
            new = folder / old.relative_to(before)
            if not (old.parent == before and name in own) and not os.path.lexists(new):
                new.parent.mkdir(parents=True, exist_ok=True)
                old.rename(new)


def _exchanged(draft: Path, folder: Path) -> Path:
    """Draft and folder change places; gives where the old folder is now.

    Linux does it in one step. Elsewhere there is an instant without the folder; a program that is
    killed right then leaves the old set beside it, and the next import puts it back.
    """
    if _exchange(draft, folder):
        return draft
    before = _before(folder)
    shutil.rmtree(before, ignore_errors=True)
    folder.rename(before)
    draft.rename(folder)
    return before


def _exchange(first: Path, second: Path) -> bool:
    """Lets two folders change places in one step; False where the system cannot."""
    if sys.platform != "linux":
        return False
    import ctypes

    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    if rename is None:
        return False
    names = os.fsencode(first), os.fsencode(second)
    return bool(rename(_WORKING_FOLDER, names[0], _WORKING_FOLDER, names[1], _EXCHANGE) == 0)


def _before(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.before")


def _restore(folder: Path) -> None:
    before = _before(folder)
    if before.is_dir() and not folder.exists():
        before.rename(folder)


def _sync(path: Path) -> None:
    """Waits until a file or the names in a folder are on disk, where the system can tell."""
    if path.is_dir() and not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
