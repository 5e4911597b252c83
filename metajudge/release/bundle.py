"""A release on disk, read and ready to be applied."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from metajudge.errors import ReleaseError
from metajudge.gold.strict_yaml import read_yaml
from metajudge.release.candidate import Candidate
from metajudge.release.manifest import MANIFEST, SUMS, Manifest
from metajudge.scoring.policies import parse_policy
from metajudge.selection.readings import Priors
from metajudge.templates.catalogue import Wording, read_template
from metajudge.templates.context_form import parse_context_form
from metajudge.templates.source import PromptSource


@dataclass(frozen=True)
class Release:
    """A release: its folder and what its manifest says.

    Attributes:
        folder: Where it is.
        manifest: `release.yaml`.
    """

    folder: Path
    manifest: Manifest

    @property
    def ref(self) -> str:
        """`name@version`."""
        return self.manifest.ref

    @cached_property
    def sha256(self) -> str:
        """SHA-256 in hex of `SHA256SUMS`, and so of every file of the release.

        Raises:
            ReleaseError: The file is missing.
        """
        return hashlib.sha256((self.folder / SUMS).read_bytes()).hexdigest()

    @cached_property
    def candidate(self) -> Candidate:
        """What it asks, how it reads and scores.

        Raises:
            InputError: A template, the policy or the context form is faulty.
        """
        manifest = self.manifest
        count = 1 + max(pin.variant for pin in manifest.templates)
        languages: list[dict[str, PromptSource]] = [{} for _ in range(count)]
        priors: list[dict[str, tuple[float, float, float]]] = [{} for _ in range(count)]
        for pin in manifest.templates:
            template = read_template(self.folder / pin.file)
            languages[pin.variant][pin.language] = template
            if pin.prior is not None:
                priors[pin.variant][template.fingerprint] = pin.prior
        frozen: tuple[Priors, ...] | None = None if manifest.reading == "top" else tuple(priors)
        return Candidate(
            name=manifest.ref,
            variants=tuple(Wording(manifest.name, spoken) for spoken in languages),
            policy=parse_policy(manifest.policy.name),
            threshold=manifest.policy.threshold,
            judge=manifest.judge,
            form=parse_context_form(manifest.context_form, str(self.folder / MANIFEST)),
            reading=manifest.reading,
            priors=frozen,
        )


def read_release(folder: str | Path) -> Release:
    """The release in a folder; `metajudge.release.verify` says whether it is whole.

    Raises:
        ReleaseError: There is none, or its manifest is faulty.
    """
    place = Path(folder)
    return Release(place, read_yaml(place / MANIFEST, Manifest, ReleaseError))
