"""A drop-in made and written: framework checked, files marked, nothing overwritten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from metajudge.errors import Problem, ReleaseError
from metajudge.judges.baseline import compares_wording
from metajudge.release.bundle import Release
from metajudge.release.emit.kinds import DropIn, Kind, kind_named
from metajudge.release.emit.mark import mark_for, marked
from metajudge.report.written_file import write_whole

ANY_METRIC = ("chat", "markdown")
"""Drop-ins that hand on what is asked and read, whatever it is about; the others are named, and ask
for claims and contexts, as faithfulness has them."""


@dataclass(frozen=True, slots=True)
class Emitted:
    """A drop-in with its marks.

    Attributes:
        kind: Its row.
        drop_in: What the emitter made.
        texts: Text by file name, marked.
        installed: The framework's version here; None where it is not installed or there is none.
    """

    kind: Kind
    drop_in: DropIn
    texts: Mapping[str, str]
    installed: str | None


def emitted(release: Release, to: str, languages: Sequence[str] = ()) -> Emitted:
    """A release as a drop-in.

    Args:
        release: The release.
        to: The name of a row of `kinds`.
        languages: Which of the release's languages; all of them if empty.

    Raises:
        ReleaseError: No such kind or language, the installed framework is none that the drop-in is
            written for, the framework cannot express the release, its metric is another one than
            faithfulness and the drop-in a faithfulness metric, or its judge reads no prompt.
    """
    kind, manifest = kind_named(to), release.manifest
    judge = manifest.judge
    if compares_wording(judge):
        law = f"a drop-in hands on a prompt, and {judge.spec} compares wording and reads none"
        mend = "Emit a release whose judge is a model."
        raise ReleaseError(Problem(release.ref, law, mend, field="judge.spec"))
    if manifest.metric != "faithfulness" and kind.name not in ANY_METRIC:
        law = f"the drop-in scores faithfulness, and {release.ref} serves {manifest.metric}"
        mend = f"Emit {' or '.join(ANY_METRIC)}, or ask for `metajudge evaluate --release`."
        where = f"release emit --to {to}"
        raise ReleaseError(Problem(where, law, mend, field="metric", got=repr(manifest.metric)))
    installed = kind.installed()
    if installed is not None and not kind.knows(installed):
        law = f"the drop-in is written for {kind.package} {kind.versions} (tested: {kind.tested})"
        mend = f"Install such a version where it runs: pip install '{kind.package}{kind.versions}'."
        raise ReleaseError(Problem(f"release emit --to {to}", law, mend, got=installed))
    drop_in = kind.emitter()(release, tuple(languages) or manifest.languages)
    mark = mark_for(manifest.name, manifest.version, kind.name, release.sha256)
    texts = {file: marked(text, file, mark) for file, text in drop_in.files.items()}
    return Emitted(kind, drop_in, texts, installed)


def write_texts(texts: Mapping[str, str], out: Path, *, force: bool = False) -> tuple[Path, ...]:
    """Writes the files of a drop-in into a folder.

    Args:
        texts: Text by file name.
        out: The folder; made where it is missing.
        force: Overwrite what is there.

    Raises:
        InputError: A file is there already, or the folder cannot be written.
    """
    there = [out / name for name in texts if (out / name).exists()]
    if there and not force:
        law = "a drop-in overwrites no file unasked"
        mend = "Add --force, or name another folder with --out."
        raise ReleaseError([Problem(str(path), law, mend) for path in there])
    return tuple(write_whole(out / name, text) for name, text in texts.items())
