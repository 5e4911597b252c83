"""`registry.jsonl`: which releases of a registry were created, promoted and deprecated.

A line is added when a release is created, promoted or deprecated, and none is ever taken away. The
line of the creation holds the hash of the release's `SHA256SUMS`; a folder without such a line, or
with other sums, is refused. Whoever can rewrite both a release and this file is not stopped here:
keep the registry under version control, or sign its releases.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import ValidationError, model_validator

from metajudge.errors import Problem, ReleaseError
from metajudge.gold.appended import UtcTime, alone_in, append_line
from metajudge.gold.rows import read_jsonl
from metajudge.gold.validation import validation_problems
from metajudge.release.manifest import NEVER_EDITED, ReleaseName, Sha256, Version
from metajudge.report.part import Part

REGISTRY = "registry.jsonl"
Action = Literal["created", "promoted", "deprecated"]


class RegistryEntry(Part):
    """One line of `registry.jsonl`."""

    time: UtcTime
    action: Action
    name: ReleaseName
    version: Version
    sha256: Sha256
    """Of the release's `SHA256SUMS`."""
    reason: str | None = None
    """Why it was promoted or deprecated, or created although a guardrail is broken."""
    package_version: str

    @model_validator(mode="after")
    def _with_reason(self) -> RegistryEntry:
        if self.action != "created" and not (self.reason or "").strip():
            raise ValueError(f"a release is {self.action} for a reason")
        return self

    @property
    def ref(self) -> str:
        """`name@version`."""
        return f"{self.name}@{self.version}"


@dataclass(frozen=True, slots=True)
class Registered:
    """A release as the registry has it.

    Attributes:
        created: The line of its creation.
        promoted: The latest line that promoted it; None where there is none.
        deprecated: The line that deprecated it, which nothing takes back; None where there is none.
    """

    created: RegistryEntry
    promoted: RegistryEntry | None = None
    deprecated: RegistryEntry | None = None

    @property
    def state(self) -> Action:
        """What it is now."""
        if self.deprecated is not None:
            return "deprecated"
        return "created" if self.promoted is None else "promoted"

    @property
    def ref(self) -> str:
        """`name@version`."""
        return self.created.ref


def entries(registry: str | Path) -> tuple[RegistryEntry, ...]:
    """The lines of a registry, oldest first; () where nothing was created yet.

    Raises:
        ReleaseError: With every line that is no entry or contradicts an earlier one.
    """
    path = Path(registry) / REGISTRY
    if not path.exists():
        return ()
    read = read_jsonl(path)
    problems, found = list(read.problems), []
    for row in read.rows:
        try:
            found.append((row.line, RegistryEntry.model_validate_json(json.dumps(row.fields))))
        except ValidationError as error:
            faults = validation_problems(error, RegistryEntry, row.where, lambda _: None)
            problems += [replace(fault, line=row.line) for fault in faults]
    known: dict[str, RegistryEntry] = {}
    for line, entry in found:
        law = _contradiction(entry, known)
        if law is not None:
            mend = "Lines are only ever added: restore the file from version control."
            problems.append(Problem(str(path), law, mend, line, got=repr(entry.ref)))
    if problems:
        raise ReleaseError(sorted(problems, key=lambda problem: problem.line or 0))
    return tuple(entry for _, entry in found)


def _contradiction(entry: RegistryEntry, known: dict[str, RegistryEntry]) -> str | None:
    """Why an entry cannot follow the known creations, which a creation is added to."""
    first = known.get(entry.ref)
    if entry.action == "created":
        known.setdefault(entry.ref, entry)
        return None if first is None else "this release was created before"
    if first is None:
        return f"a release is {entry.action} after it was created"
    if first.sha256 != entry.sha256:
        return f"the release was created with other sums ({first.sha256})"
    return None


def registered(registry: str | Path) -> tuple[Registered, ...]:
    """The releases that a registry has lines of, by name, then from the oldest version on.

    Raises:
        ReleaseError: The registry is faulty.
    """
    return _registered(entries(registry))


def _registered(lines: Iterable[RegistryEntry]) -> tuple[Registered, ...]:
    known: dict[str, Registered] = {}
    for entry in lines:
        if entry.action == "created":
            known[entry.ref] = Registered(entry)
        elif entry.action == "promoted":
            known[entry.ref] = replace(known[entry.ref], promoted=entry)
        else:
            known[entry.ref] = replace(known[entry.ref], deprecated=entry)
    return tuple(sorted(known.values(), key=lambda one: (one.created.name, numbers(one))))


def numbers(release: Registered) -> tuple[int, ...]:
    """Major, minor and patch, to be compared."""
    return tuple(map(int, release.created.version.split(".")))


def latest(versions: Iterable[Registered]) -> Registered | None:
    """The highest promoted version, else the highest; never a deprecated one, None for no other."""
    usable = [one for one in versions if one.deprecated is None]
    promoted = [one for one in usable if one.promoted is not None]
    return max(promoted or usable, key=numbers, default=None)


def record(registry: str | Path, entry: RegistryEntry) -> None:
    """Adds a line to a registry, on disk before it returns.

    Raises:
        ReleaseError: The registry is faulty or cannot be written, the release is there already, or
            its state does not allow the change.
    """
    path = Path(registry) / REGISTRY
    try:
        with alone_in(path.parent):
            known = {one.ref: one for one in registered(registry)}
            refusal = _refusal(entry, known.get(entry.ref))
            if refusal is not None:
                law, mend = refusal
                raise ReleaseError(Problem(str(path), law, mend, got=repr(entry.ref)))
            append_line(path, entry.model_dump_json(exclude_none=True))
    except OSError as error:
        fault = f"the line cannot be added: {error.strerror or type(error).__name__}"
        mend = "Make the registry's folder writable, or name another with --registry."
        raise ReleaseError(Problem(str(path), fault, mend)) from error


def _refusal(entry: RegistryEntry, known: Registered | None) -> tuple[str, str] | None:
    if entry.action == "created":
        mend = "Versions are never made anew; create the next one."
        return None if known is None else ("this release is in the registry already", mend)
    if known is None:
        return f"a release is {entry.action} after it was created", "Create it first."
    if known.created.sha256 != entry.sha256:
        law = f"the release was created with other sums ({known.created.sha256})"
        return law, NEVER_EDITED
    if known.deprecated is not None:
        law = f"the release is deprecated already ({known.deprecated.reason})"
        return law, "That is not taken back; create a new version."
    if entry.action == "promoted" and known.promoted is not None:
        return "the release is promoted already", "Nothing is left to do."
    return None
