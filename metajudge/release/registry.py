"""Releases by reference: what a registry gives out, and what it refuses to.

A folder counts as a release of the registry when `registry.jsonl` has the line of its creation, its
`SHA256SUMS` is the one of that line, and every file is the one that the sums list.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from metajudge.errors import InputError, Problem, ReleaseError, short_repr
from metajudge.gold.appended import utc_now
from metajudge.gold.validation import suggest
from metajudge.release.bundle import Release, read_release
from metajudge.release.manifest import MANIFEST, NEVER_EDITED, SUMS
from metajudge.release.registry_lines import (
    REGISTRY,
    Action,
    Registered,
    RegistryEntry,
    entries,
    latest,
    record,
    registered,
)
from metajudge.release.sentence import faulty
from metajudge.release.sums import altered, file_sha256, irregular, read_sums, unlisted
from metajudge.report.inert import one_line
from metajudge.shipped import shipped_folder
from metajudge.version import __version__

__all__ = [
    "REGISTRY",
    "Found",
    "Listed",
    "Located",
    "RegistryEntry",
    "change",
    "default_registry",
    "entries",
    "find",
    "folder_of",
    "list_releases",
    "locate",
    "own_registry",
    "record",
    "registered",
    "resolve",
]
ENVIRONMENT = "METAJUDGE_REGISTRY"
RELEASES = Path("experiments") / "releases"
_NUMBER = r"(?:0|[1-9][0-9]*)"
_REF = re.compile(
    rf"(?P<name>[a-z0-9][a-z0-9._-]*)(?:@(?P<version>latest|{_NUMBER}(?:\.{_NUMBER}){{0,2}}))?"
)
_FORM = "name@1.2.0, name@1.2, name@1, name@latest, or the path of a release's folder"


class Found(NamedTuple):
    """A release that a reference points to.

    Attributes:
        release: The release.
        registered: Its state in the registry; None for a path, which no registry was asked about.
        note: What whoever uses it is to be told; "" where there is nothing.
    """

    release: Release
    registered: Registered | None
    note: str


class Located(NamedTuple):
    """Where a reference points, whatever state the files there are in.

    Attributes:
        folder: The release's folder.
        registry: The registry that it belongs to; None where none is known.
        registered: Its lines there; None where there are none.
    """

    folder: Path
    registry: Path | None
    registered: Registered | None


@dataclass(frozen=True, slots=True)
class Listed:
    """One release of a registry's list.

    Attributes:
        name: Its name.
        version: Its version.
        folder: Where it lies or should lie.
        registered: Its lines; None for a folder that the registry has no line of.
        is_latest: Whether `name@latest` is this one.
        release: Its manifest; None where it cannot be read.
        refusal: Why the registry does not give it out; None where it does.
    """

    name: str
    version: str
    folder: Path
    registered: Registered | None
    is_latest: bool
    release: Release | None
    refusal: str | None


def default_registry() -> Path:
    """The folder of the registry where none is named.

    That of `METAJUDGE_REGISTRY`, else `experiments/releases` of the working folder, else the one
    that comes with the project.

    Raises:
        ExperimentError: The installation lacks what it comes with.
    """
    own = own_registry()
    return own if os.environ.get(ENVIRONMENT) or own.is_dir() else shipped_folder() / RELEASES


def own_registry() -> Path:
    """Where a release is made where no registry is named: never in what comes with the project.

    The folder of `METAJUDGE_REGISTRY`, else `experiments/releases` of the working folder.
    """
    named = os.environ.get(ENVIRONMENT)
    return Path(named) if named else RELEASES


def folder_of(registry: str | Path, name: str, version: str) -> Path:
    """Where a release of a registry lies."""
    return Path(registry) / name / version


def resolve(ref: str, registry: str | Path | None = None) -> Release:
    """The release that a reference points to.

    `name` and `name@latest` are the highest promoted version, or the highest one where none is
    promoted. `name@1` and `name@1.2` are that among the versions they allow: what the team promoted
    there, even where a higher version lies beside it. None of these is ever a deprecated one, which
    only its exact version gives. A path is read without asking a registry.

    Args:
        ref: A reference or a path.
        registry: Its folder; `default_registry()` when None.

    Raises:
        ReleaseError: There is no such release, or the registry does not vouch for its files.
    """
    return find(ref, registry).release


def find(ref: str, registry: str | Path | None = None) -> Found:
    """As `resolve`, with the release's state and what is to be told about it.

    Raises:
        ReleaseError: As `resolve`.
    """
    place = _as_path(ref)
    if place is not None:
        return Found(read_release(place), None, "")
    name, version = _parsed(ref)
    home = default_registry() if registry is None else Path(registry)
    one = _chosen(ref, name, version, home)
    release, refusal = _vouched(home, one)
    if release is None:
        raise ReleaseError(refusal)
    return Found(release, one, _note(one))


def locate(ref: str, registry: str | Path | None = None) -> Located:
    """Where a reference points; no file of the release is read.

    The registry of a path is the one named, or the one that its folder lies in.

    Raises:
        ReleaseError: The registry is faulty, or has no such release.
    """
    folder = _as_path(ref)
    if folder is None:
        name, version = _parsed(ref)
        home = default_registry() if registry is None else Path(registry)
        one = _chosen(ref, name, version, home)
        return Located(_folder(home, one), home, one)
    around = folder.resolve().parent.parent
    if registry is None and not (around / REGISTRY).is_file():
        return Located(folder, None, None)
    home = around if registry is None else Path(registry)
    ref = _ref_of(folder)
    return Located(folder, home, next((one for one in registered(home) if one.ref == ref), None))


def _ref_of(folder: Path) -> str:
    """What a folder's manifest calls the release, or else what its path does."""
    try:
        return read_release(folder).ref
    except InputError:
        place = folder.resolve()
        return f"{place.parent.name}@{place.name}"


def list_releases(registry: str | Path | None = None) -> tuple[Listed, ...]:
    """Every release of a registry, those that it does not give out included, with the reason.

    By name, then from the oldest version on; folders without a line of their own come last.

    Raises:
        ReleaseError: `registry.jsonl` is faulty.
    """
    home = default_registry() if registry is None else Path(registry)
    known = registered(home)
    rows = []
    for one in known:
        of_name = [other for other in known if other.created.name == one.created.name]
        release, refusal = _vouched(home, one)
        rows.append(
            Listed(
                name=one.created.name,
                version=one.created.version,
                folder=_folder(home, one),
                registered=one,
                is_latest=latest(of_name) is one,
                release=release,
                refusal=None if release is not None else refusal[0].law,
            )
        )
    for folder in _unregistered(home, known):
        law = f"{REGISTRY} has no line of its creation"
        rows.append(Listed(folder.parent.name, folder.name, folder, None, False, None, law))
    return tuple(rows)


def change(registry: str | Path, ref: str, action: Action, reason: str) -> RegistryEntry:
    """Promotes or deprecates a release, for good.

    Args:
        registry: Its folder.
        ref: The release by name and exact version.
        action: `promoted` or `deprecated`.
        reason: Why; stays in the registry.

    Raises:
        ReleaseError: There is no such release, the registry does not vouch for its files (only a
            promotion asks that), no reason is given, or its state does not allow the change.
    """
    home = Path(registry)
    problems = list(faulty(reason, "--reason", f"a release is {action} for a reason"))
    if problems:
        raise ReleaseError(problems)
    name, version = _parsed(ref)
    if version is None or version.count(".") != 2:
        law, mend = f"one version is {action} at a time", "Name it in full: name@1.2.0."
        raise ReleaseError(Problem("reference", law, mend, got=short_repr(ref)))
    one = _chosen(ref, name, version, home)
    release, refusal = _vouched(home, one)
    if release is None and action == "promoted":
        raise ReleaseError(refusal)
    entry = RegistryEntry(
        time=utc_now(),
        action=action,
        name=name,
        version=version,
        sha256=one.created.sha256,
        reason=reason.strip(),
        package_version=__version__,
    )
    record(home, entry)
    return entry


def _as_path(ref: str) -> Path | None:
    """The folder that a reference names; None for a reference into a registry."""
    path = Path(ref)
    if path.name == MANIFEST:
        return path.parent
    if "/" in ref or os.sep in ref or ref in (".", "..") or (path / MANIFEST).is_file():
        return path
    return None


def _parsed(ref: str) -> tuple[str, str | None]:
    """Name and version; None for the latest."""
    match = _REF.fullmatch(ref)
    if match is None:
        law = f"a reference to a release is {_FORM}"
        raise ReleaseError(Problem("reference", law, "Correct it.", got=short_repr(ref)))
    version = match["version"]
    return match["name"], None if version == "latest" else version


def _chosen(ref: str, name: str, version: str | None, home: Path) -> Registered:
    known = registered(home)
    of_name = [one for one in known if one.created.name == name]
    wanted = [] if version is None else version.split(".")
    within = [one for one in of_name if one.created.version.split(".")[: len(wanted)] == wanted]
    if len(wanted) == 3:
        one = next(iter(within), None)
    else:
        one = latest(within)
    if one is None:
        raise ReleaseError(_missing(ref, name, home, known, within))
    return one


def _missing(
    ref: str, name: str, home: Path, known: Sequence[Registered], within: Sequence[Registered]
) -> Problem:
    where, got = str(home), short_repr(ref)
    if within:
        law = "every version that this reference allows is deprecated"
        reasons = "; ".join(
            f"{one.ref}: {one.deprecated.reason}" for one in within if one.deprecated is not None
        )
        mend = f"Name a version in full to use it all the same ({reasons})."
        return Problem(where, law, mend, got=got)
    stray = [path for path in _unregistered(home, known) if path.parent.name == name]
    if any(f"{name}@{path.name}" == ref for path in stray) or (
        stray and not any(one.created.name == name for one in known)
    ):
        law = f"the release lies there, but {REGISTRY} has no line of its creation"
        mend = "Make releases with `metajudge release create`; copy them with their registry."
        return Problem(str(stray[0]), law, mend, got=got)
    versions = [one.ref for one in known if one.created.name == name]
    if versions:
        law, mend = "there is no such version", f"There are: {', '.join(versions[-12:])}."
        return Problem(where, law, mend, got=got)
    names = sorted({one.created.name for one in known})
    if not names:
        law, mend = "the registry has no release", "Name another folder with --registry."
        return Problem(where, law, mend, got=got)
    return Problem(where, "there is no release of this name", suggest(name, names), got=got)


def _folder(home: Path, one: Registered) -> Path:
    return folder_of(home, one.created.name, one.created.version)


def _vouched(home: Path, one: Registered) -> tuple[Release | None, tuple[Problem, ...]]:
    """The release where the registry vouches for it, else None and every reason."""
    folder = _folder(home, one)
    try:
        refusal = _file_faults(folder, one)
        release = read_release(folder) if not refusal else None
    except InputError as error:
        return None, error.problems
    if release is not None and release.ref != one.ref:
        law = f"another release lies where the registry has {one.ref}"
        mend, got = "Get the release again.", repr(release.ref)
        refusal = (Problem(str(folder / MANIFEST), law, mend, got=got),)
    return (None if refusal else release), refusal


def _file_faults(folder: Path, one: Registered) -> tuple[Problem, ...]:
    path = folder / SUMS
    if not folder.is_dir():
        law = "the registry has this release, but its folder is gone"
        return (Problem(str(folder), law, NEVER_EDITED),)
    odd = irregular(folder)
    if odd:
        return tuple(odd)
    sums = read_sums(folder)
    got = file_sha256(path)
    if got != one.created.sha256:
        law = f"{SUMS} is not the one that {REGISTRY} has for the release ({one.created.sha256})"
        return (Problem(str(path), law, NEVER_EDITED, got=got),)
    return (*unlisted(folder, sums), *altered(folder, sums))


def _unregistered(home: Path, known: Sequence[Registered]) -> tuple[Path, ...]:
    """Folders that hold a release which the registry has no line of."""
    places = {_folder(home, one) for one in known}
    found = sorted(home.glob(f"*/*/{MANIFEST}"))
    return tuple(path.parent for path in found if path.parent not in places)


def _note(one: Registered) -> str:
    if one.deprecated is None:
        return ""
    return one_line(f"{one.ref} is deprecated: {one.deprecated.reason}")
