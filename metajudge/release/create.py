"""A release made: refused with every reason, or written whole into a registry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from metajudge.errors import Problem, ReleaseError
from metajudge.gold.strict_yaml import dump_yaml
from metajudge.release.bundle import Release, read_release
from metajudge.release.card import card_text
from metajudge.release.compared import Recorded, compared, recorded
from metajudge.release.draft import Draft, Stored, manifest_of, template_files
from metajudge.release.evidence import (
    SPLITS,
    Evidence,
    Recomputed,
    carried,
    evidence_text,
    recomputed,
)
from metajudge.release.flips import Compared, flips_text
from metajudge.release.manifest import (
    CARD,
    EVIDENCE,
    EXAMPLES,
    FLIPS,
    MANIFEST,
    REPLIES,
    Change,
    Manifest,
)
from metajudge.release.refusals import (
    other_figures,
    other_metric,
    other_number,
    unchanged,
    unsafe,
    unsaid,
)
from metajudge.release.registry import RegistryEntry, find, folder_of, record, registered
from metajudge.release.rendered import examples_text
from metajudge.release.semver import Side, numbered
from metajudge.release.signing import sign
from metajudge.release.sums import file_sha256, write_sums
from metajudge.release.whole_folder import whole_folder
from metajudge.report.written_file import write_whole
from metajudge.runner.recording import export_recording
from metajudge.templates.catalogue import read_template
from metajudge.templates.source import PromptSource
from metajudge.templates.template import Template
from metajudge.verdicts.verdict import Reply

GIT, AS_THEY_ARE = ".gitattributes", "* -text\n"
"""Keeps git from converting line ends: releases are verified byte by byte."""


class Created(NamedTuple):
    """A release that was made, and why it has its number."""

    release: Release
    change: Change


def create(
    draft: Draft,
    stored: Stored,
    registry: Path,
    *,
    version: str | None = None,
    key: Path | None = None,
    problems: Iterable[Problem] = (),
) -> Created:
    """Makes a release, or refuses it with every reason at once; no call is made.

    The folder appears whole or not at all; then the registry gets its line.

    Args:
        draft: What is released.
        stored: The replies that it is made of.
        registry: The registry's folder; made where it is not there.
        version: Refused where it is not the computed one; None takes that.
        key: An SSH key to sign with; None leaves the release unsigned.
        problems: Reasons found before.

    Raises:
        ReleaseError: It is refused, or cannot be written.
    """
    evidence = _evidence(draft, stored.replies)
    previous = _previous(registry, draft.name)
    unnumbered = manifest_of(draft, None if previous is None else previous.manifest.version)
    flipped = None if previous is None else _compared(draft, stored, previous)
    earlier = None if previous is None else Side(previous.manifest, previous.candidate)
    number = numbered(earlier, Side(unnumbered, draft.candidate), flipped)
    target = folder_of(registry, draft.name, number.version)
    found = [
        *problems,
        *unsafe(evidence.carried, draft.override),
        *unsaid(evidence.recomputed, evidence.carried),
        *_unlike_results(draft, evidence.recomputed),
        *other_number(version, *number),
        *other_metric(None if previous is None else previous.manifest, unnumbered),
        *unchanged(None if previous is None else previous.manifest, unnumbered),
        *_taken(target),
    ]
    if found:
        raise ReleaseError(found)
    manifest = unnumbered.model_copy(update=number._asdict())
    with whole_folder(target) as folder:
        _write(folder, draft, stored, manifest, evidence)
        write_whole(folder / FLIPS, flips_text(flipped))
        sha256 = write_sums(folder)
        if key is not None:
            sign(folder, key)
        if not (registry / GIT).exists():
            write_whole(registry / GIT, AS_THEY_ARE)
    record(registry, _line(manifest, sha256))
    return Created(read_release(target), number.change)


def _evidence(draft: Draft, replies: Mapping[str, Reply]) -> Evidence:
    dev, test = (
        recomputed(draft.candidate, draft.golds[split], split, replies, draft.how)
        for split in SPLITS
    )
    return Evidence(
        how=draft.how,
        recomputed=Recomputed(dev=dev, test=test),
        carried=carried(draft.results, draft.confirmation),
    )


def _unlike_results(draft: Draft, found: Recomputed) -> Iterator[Problem]:
    confirmation = draft.confirmation
    wanted = (confirmation.trial, confirmation.reading)
    trial = next((t for t in draft.results.trials if (t.trial, t.reading) == wanted), None)
    return other_figures(found, trial, confirmation)


def _previous(registry: Path, name: str) -> Release | None:
    """The highest version of a name, deprecated or not; the registry must vouch for it."""
    known = [one for one in registered(registry) if one.created.name == name]
    return find(known[-1].ref, registry).release if known else None


def _compared(draft: Draft, stored: Stored, previous: Release) -> Compared:
    """Verdicts of both releases on the gold claims that both were asked about."""
    then = recorded(previous)
    now = Recorded(draft.candidate, draft.languages, draft.gold.sha256, stored.replies)
    return compared(then, now, draft.golds, draft.gold.sha256)


def _taken(target: Path) -> Iterator[Problem]:
    if target.exists():
        law = "a version is made once, and there is a folder of it without a line in the registry"
        mend = (
            "Another run may be about to write that line; if none is, one that was ended left the "
            "folder: look at it, then remove it."
        )
        yield Problem(str(target), law, mend)


def _write(
    folder: Path, draft: Draft, stored: Stored, manifest: Manifest, evidence: Evidence
) -> None:
    for pin, source in template_files(draft):
        _write_template(folder / pin.file, source)
    manifest_file = write_whole(folder / MANIFEST, dump_yaml(manifest.model_dump(mode="json")))
    export_recording(stored.store, folder / REPLIES, stored.keys)
    examples = examples_text(draft.candidate, draft.golds["dev"], stored.replies)
    write_whole(folder / EXAMPLES, examples)
    write_whole(folder / EVIDENCE, evidence_text(evidence))
    write_whole(folder / CARD, card_text(manifest, evidence, file_sha256(manifest_file)))


def _write_template(path: Path, source: PromptSource) -> None:
    """A template as YAML that is read back as the same prompt."""
    law = "a template of ours is written, and read back as it was"
    if isinstance(source, Template):
        write_whole(path, dump_yaml(source.model_dump(mode="json", by_alias=True)))
        if read_template(path).fingerprint == source.fingerprint:
            return
    raise ReleaseError(Problem(source.label, law, "Report this; nothing was released."))


def _line(manifest: Manifest, sha256: str) -> RegistryEntry:
    return RegistryEntry(
        time=manifest.created,
        action="created",
        name=manifest.name,
        version=manifest.version,
        sha256=sha256,
        reason=manifest.override,
        package_version=manifest.package_version,
    )
