"""Which release an emitted text comes from, and whether it was edited since.

The mark says what the text claims to be. A text is taken for a release's own only where the
registry vouches for the release and the release, emitted anew, gives that text; without a mark, or
with a mark that was made to fit, the same comparison finds the truth.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from metajudge.errors import InputError, Problem, ReleaseError
from metajudge.release.bundle import Release
from metajudge.release.emit.kinds import KINDS, Kind
from metajudge.release.emit.mark import Mark, body_sha256, marks_in
from metajudge.release.registry import Listed, list_releases
from metajudge.report.part import Part
from metajudge.version import __version__

MOST_BYTES = 8_000_000
State = Literal["intact", "edited", "unknown"]
Standing = Literal["unmodified", "other", "refused", "absent"]


class Identification(Part):
    """What a text is.

    Attributes:
        state: `intact`, `edited`, or `unknown` where no release is found.
        ref: The release, `name@version`; None where none is found.
        kind: The drop-in that it is.
        marked: Whether it carries a mark.
        release_sha256: Of the release, as the mark has it, or else the registry.
        written_by: The version of metajudge in the mark; None without one.
        registry: The release in the registry: `unmodified`, `other` (the registry's has another
            hash), `refused` (its files are not vouched for) or `absent`; None where none is found.
        notes: What else is to be known.
    """

    state: State
    ref: str | None = None
    kind: str | None = None
    marked: bool = False
    release_sha256: str | None = None
    written_by: str | None = None
    registry: Standing | None = None
    notes: tuple[str, ...] = ()

    @property
    def vouched(self) -> bool:
        """Whether the registry has the release that the text names and gives it out."""
        return self.registry in ("unmodified", "other")


def identify_files(
    paths: Iterable[Path], registry: Path | None = None
) -> Iterator[tuple[Path, Identification | InputError]]:
    """As `identify`, for files: each with what it is, or with why it cannot be read as text.

    Raises:
        ReleaseError: The registry is faulty.
    """
    listed = list_releases(registry)
    for path in paths:
        try:
            yield path, _identified(_text_of(path), path.suffix, listed)
        except InputError as error:
            yield path, error


def _text_of(path: Path) -> str:
    mend = "Name an emitted file."
    try:
        with path.open("rb") as file:
            raw = file.read(MOST_BYTES + 1)
        if len(raw) > MOST_BYTES:
            law = f"a drop-in is a text of at most {MOST_BYTES:,} bytes"
            raise InputError(Problem(str(path), law, mend))
        return raw.decode("utf-8")
    except OSError as error:
        law = f"the file cannot be read: {error.strerror or type(error).__name__}"
        raise InputError(Problem(str(path), law, mend)) from error
    except UnicodeDecodeError as error:
        raise InputError(Problem(str(path), "a drop-in is UTF-8 text", mend)) from error


def identify(text: str, suffix: str, registry: Path | None = None) -> Identification:
    """What a text is.

    Args:
        text: The text, with or without its mark.
        suffix: Ending of its file, such as `.py`; only such files are compared. "" compares all.
        registry: Folder of the registry; `default_registry()` when None.

    Raises:
        ReleaseError: The registry is faulty.
    """
    return _identified(text, suffix, list_releases(registry))


def _identified(text: str, suffix: str, listed: tuple[Listed, ...]) -> Identification:
    marks = marks_in(text)
    if not marks:
        return _unmarked(body_sha256(text), suffix, listed)
    return _marked(marks, body_sha256(text), listed)


def _marked(marks: tuple[Mark, ...], body: str, listed: tuple[Listed, ...]) -> Identification:
    mark = marks[0]
    notes = []
    if len(marks) > 1:
        notes.append(f"{len(marks)} marks stand in it; the first one is taken.")
    edited = mark.body_sha256 != body or len(marks) > 1
    standing, release, note = _standing(mark, listed)
    if note:
        notes.append(note)
    if standing == "other":
        edited = True
    if release is not None and not edited and not _gives(release, mark.kind, body):
        if mark.by == __version__:
            edited = True
            notes.append("The mark fits the text, but the release does not give this text.")
        else:
            notes.append(
                f"It was written by metajudge {mark.by}; this is {__version__}, so that it is not "
                "compared with what the release gives now."
            )
    return Identification(
        state="edited" if edited else "intact",
        ref=mark.ref,
        kind=mark.kind,
        marked=True,
        release_sha256=mark.release_sha256,
        written_by=mark.by,
        registry=standing,
        notes=tuple(notes),
    )


def _standing(mark: Mark, listed: tuple[Listed, ...]) -> tuple[Standing, Release | None, str]:
    """The marked release in the registry; the release itself where it is vouched for."""
    of_ref = (one for one in listed if f"{one.name}@{one.version}" == mark.ref)
    found = next(of_ref, None)
    if found is None:
        return "absent", None, "The registry has no such release, so nothing vouches for the mark."
    if found.release is None:
        return "refused", None, f"The registry does not give the release out: {found.refusal}."
    if found.release.sha256 != mark.release_sha256:
        return "other", None, "The registry's release of this name and version is another one."
    return "unmodified", found.release, ""


def _unmarked(body: str, suffix: str, listed: tuple[Listed, ...]) -> Identification:
    for one in listed:
        if one.release is None:
            continue
        for kind in KINDS:
            if any(name.endswith(suffix) for name in kind.files) and _gives(
                one.release, kind.name, body
            ):
                return Identification(
                    state="intact",
                    ref=one.release.ref,
                    kind=kind.name,
                    release_sha256=one.release.sha256,
                    registry="unmodified",
                    notes=("The mark was removed; the text is what the release gives.",),
                )
    return Identification(state="unknown", notes=("No release of the registry gives this text.",))


def _gives(release: Release, name: str, body: str) -> bool:
    """Whether a release gives a text with this hash as a drop-in of some of its languages."""
    kind = next((kind for kind in KINDS if kind.name == name), None)
    return kind is not None and body in _bodies(release, kind)


def _bodies(release: Release, kind: Kind) -> Iterator[str]:
    languages = release.manifest.languages
    for chosen in (languages, *((language,) for language in languages)):
        try:
            drop_in = kind.emitter()(release, chosen)
        except ReleaseError:
            return
        yield from map(body_sha256, drop_in.files.values())
