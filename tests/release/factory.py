"""Releases on disk, small enough to be made for every test."""

from __future__ import annotations

import gzip
import hashlib
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from metajudge import __version__
from metajudge.experiment import Experiment
from metajudge.gold.strict_yaml import dump_yaml
from metajudge.release.bundle import Release, read_release
from metajudge.release.candidate import JudgePin
from metajudge.release.manifest import (
    MANIFEST,
    TEMPLATES,
    Change,
    ExperimentPin,
    GoldPin,
    Manifest,
    PolicyPin,
    TemplatePin,
)
from metajudge.release.registry import REGISTRY, RegistryEntry, folder_of, record
from metajudge.release.sums import write_sums
from metajudge.templates.catalogue import read_template
from tests.experiment.folder import TEMPLATE, rows, write_script, write_template
from tests.experiment.sealed import two_wordings
from tests.release.confirmed import NAME, Confirmed, confirm

TIME = "2025-03-01T09:30:00+00:00"


def entry(
    version: str, sha256: str = "0" * 64, action: str = "created", name: str = NAME
) -> RegistryEntry:
    """A line of the registry."""
    return RegistryEntry.model_validate(
        {
            "time": TIME,
            "action": action,
            "name": name,
            "version": version,
            "sha256": sha256,
            "reason": None if action == "created" else "because",
            "package_version": __version__,
        }
    )


def put_release(
    registry: Path, version: str = "1.0.0", name: str = NAME, *, registered: bool = True
) -> Release:
    """A release with a template, a manifest and sums, and nothing that could be evidence."""
    folder = folder_of(registry, name, version)
    template = folder / TEMPLATES / "en.yaml"
    template.parent.mkdir(parents=True)
    template.write_text(
        TEMPLATE.format(name=name, rule="given all,", language="en", labels="words"), "utf-8"
    )
    read = read_template(template)
    manifest = Manifest(
        name=name,
        version=version,
        created=TIME,
        package_version=__version__,
        languages=("en",),
        templates=(
            TemplatePin(
                language="en",
                file=f"{TEMPLATES}/en.yaml",
                label=read.label,
                fingerprint=read.fingerprint,
            ),
        ),
        context_form="raw",
        claims_per_call=1,
        reading="top",
        policy=PolicyPin(name="strict", version="1", threshold=0.5),
        judge=JudgePin(spec="baseline:ngram"),
        gold=GoldPin(
            name="halls",
            version="1",
            sha256=hashlib.sha256(b"halls").hexdigest(),
            path="../../../gold",
            policy_version="1",
            policy_rules=(),
            label_source="human",
            languages=("en",),
        ),
        experiment=ExperimentPin(
            name="test",
            config_sha256="1" * 64,
            results_sha256="2" * 64,
            trial="literal",
            baseline=None,
            target="summary_as_idk",
            package_version=__version__,
        ),
        previous=None,
        change=Change(kind="first", reasons=("There is no release before it.",)),
    )
    (folder / MANIFEST).write_text(dump_yaml(manifest.model_dump(mode="json")), encoding="utf-8")
    sha256 = write_sums(folder)
    if registered:
        record(registry, entry(version, sha256, name=name))
    return read_release(folder)


def later(
    folder: Path,
    rule: str = "MIND the gist and the words:",
    script: Sequence[tuple[str, Any]] | None = None,
    **fields: Any,
) -> Confirmed:
    """Another experiment in the folder, with other words in the template, confirmed too.

    Args:
        folder: Of the experiment.
        rule: What the template says of yes.
        script: What the judge answers now; None leaves it as it is.
        fields: Of the experiment.
    """
    declared = two_wordings(folder, **{"name": "later", **fields})
    write_template(folder, "mine", rule=rule)
    if script is not None:
        write_script(folder, script)
    return confirm(Experiment.from_file(declared.path))


def forge(release: Release) -> None:
    """Hides a change as far as hashes go: new sums, and the line of the creation rewritten."""
    path = release.folder.parent.parent / REGISTRY
    sha256 = write_sums(release.folder)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        if (line["name"], line["version"]) == tuple(release.ref.split("@")):
            line["sha256"] = sha256
    rows(path, lines)


def flip_byte(path: Path, seed: int) -> int:
    """Another byte at a seeded place of a file; gives the place."""
    raw = bytearray(path.read_bytes())
    dice = random.Random(seed)
    place = dice.randrange(len(raw))
    raw[place] ^= dice.choice((1, 2, 4, 8, 32))
    path.write_bytes(raw)
    return place


def edit_replies(path: Path, change: Callable[[str], str]) -> None:
    """Rewrites the text of a recording."""
    text = gzip.decompress(path.read_bytes()).decode("utf-8")
    path.write_bytes(gzip.compress(change(text).encode("utf-8"), mtime=0))
