"""`release.yaml`: what a release is, and the hashes that everything else of it hangs on."""

from __future__ import annotations

import re
from pathlib import PurePosixPath, PureWindowsPath
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from metajudge.gold.appended import UtcTime
from metajudge.gold.claim import MetricName
from metajudge.release.candidate import JudgePin
from metajudge.report.part import Part, Reading

FORMAT: Literal["metajudge-release/1"] = "metajudge-release/1"
MANIFEST = "release.yaml"
SUMS = "SHA256SUMS"
SIGNATURE = "SHA256SUMS.sig"
EVIDENCE = "evidence.json"
FLIPS = "flips.csv"
CARD = "CARD.md"
EXAMPLES = "examples.jsonl"
REPLIES = "replies.jsonl.gz"
TEMPLATES = "template"
"""Folder of the template files: `<language>.yaml`, for a further variant k `<language>.k.yaml`."""

NEVER_EDITED = "Get the release again; a release is never edited."
"""The mend of whatever is wrong with a release's files."""

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
_NUMBER = "(0|[1-9][0-9]{0,8})"
Version = Annotated[str, Field(pattern=rf"^{_NUMBER}\.{_NUMBER}\.{_NUMBER}$")]
ReleaseName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$", max_length=80)]
Prior = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
ChangeKind = Literal["first", "major", "minor", "patch"]


def _of_templates(path: str) -> str:
    """The path as it is.

    Raises:
        ValueError: It is not the one of a YAML file right in the templates' folder.
    """
    if not re.fullmatch(rf"{TEMPLATES}/[A-Za-z0-9][A-Za-z0-9._-]*\.yaml", path):
        raise ValueError(f"must be a .yaml file in {TEMPLATES}/")
    return path


class TemplatePin(Part):
    """One template of a release."""

    variant: Annotated[int, Field(ge=0)] = 0
    """0 but for further orders of a rotated dialect."""
    language: str
    file: Annotated[str, AfterValidator(_of_templates)]
    """Its file, from the release's folder; never outside `template/`."""
    label: str
    """`name@version/language`."""
    fingerprint: Sha256
    prior: tuple[Prior, Prior, Prior] | None = None
    """Label prior yes, no, idk that the reading divides out, frozen from the dev split."""


class PolicyPin(Part):
    """The scoring policy."""

    name: str
    version: str
    threshold: Annotated[float, Field(ge=0, le=1)]
    """Least score of an answer that passes."""


def _relative(path: str) -> str:
    """The path as it is.

    Raises:
        ValueError: It is absolute on any system, or has backslashes.
    """
    if PurePosixPath(path).is_absolute() or PureWindowsPath(path).drive or "\\" in path:
        raise ValueError("must be a path from the release's folder, with slashes")
    return path


class GoldPin(Part):
    """The gold set that the evidence rests on."""

    name: str
    version: str
    sha256: Sha256
    path: Annotated[str, AfterValidator(_relative)]
    """Its folder, from the release's folder; slashes whatever the system."""
    policy_version: str
    policy_rules: tuple[str, ...]
    label_source: str
    languages: tuple[str, ...]


class ExperimentPin(Part):
    """The selection that the release comes from."""

    name: str
    config_sha256: Sha256
    results_sha256: Sha256
    """Of the `results.json` with the confirmation."""
    trial: str
    baseline: str | None
    target: str
    package_version: str


class Change(Part):
    """How the release differs from the one before it, as its number says."""

    kind: ChangeKind
    reasons: tuple[str, ...]


class Manifest(Part):
    """`release.yaml`."""

    format: Literal["metajudge-release/1"] = FORMAT
    name: ReleaseName
    version: Version
    created: UtcTime
    """ISO 8601 in UTC."""
    package_version: str
    metric: MetricName = "faithfulness"
    """What the gold set is gold for, and so what the release's scores are of."""
    languages: tuple[str, ...]
    templates: Annotated[tuple[TemplatePin, ...], Field(min_length=1)]
    context_form: str
    claims_per_call: Annotated[int, Field(ge=1)]
    reading: Reading
    policy: PolicyPin
    judge: JudgePin
    gold: GoldPin
    experiment: ExperimentPin
    previous: Version | None
    change: Change
    override: str | None = None
    """Why it was released although a guardrail is broken or the confirmation does not hold."""
    notes: tuple[str, ...] = ()
    """What whoever made it wants read with the figures."""

    @model_validator(mode="after")
    def _templates_that_fit(self) -> Manifest:
        places = [(pin.variant, pin.language) for pin in self.templates]
        files = {pin.file for pin in self.templates}
        variants = {pin.variant for pin in self.templates}
        if any(pin.prior is not None and not sum(pin.prior) for pin in self.templates):
            raise ValueError("templates: a prior is not zero throughout")
        if len({*places}) < len(places) or len(files) < len(places):
            raise ValueError("templates: each language has one file a variant")
        if max(variants) >= len(variants):
            raise ValueError("templates: variants are numbered from 0 on, none left out")
        return self

    @property
    def ref(self) -> str:
        """`name@version`."""
        return f"{self.name}@{self.version}"
