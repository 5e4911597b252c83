"""`release.yaml`: what a release is, and the hashes that everything else of it hangs on."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

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

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Version = Annotated[str, Field(pattern=r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$")]
ReleaseName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$", max_length=80)]
ChangeKind = Literal["first", "major", "minor", "patch"]


class TemplatePin(Part):
    """One template of a release."""

    variant: Annotated[int, Field(ge=0)] = 0
    """0 but for further orders of a rotated dialect."""
    language: str
    file: str
    """Its file, from the release's folder."""
    label: str
    """`name@version/language`."""
    fingerprint: Sha256
    prior: tuple[float, float, float] | None = None
    """Label prior yes, no, idk that the reading divides out, frozen from the dev split."""


class PolicyPin(Part):
    """The scoring policy."""

    name: str
    version: str
    threshold: Annotated[float, Field(ge=0, le=1)]
    """Least score of an answer that passes."""


class GoldPin(Part):
    """The gold set that the evidence rests on."""

    name: str
    version: str
    sha256: Sha256
    path: str
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
    created: str
    """ISO 8601 in UTC."""
    package_version: str
    metric: Literal["faithfulness"] = "faithfulness"
    languages: tuple[str, ...]
    templates: Annotated[tuple[TemplatePin, ...], Field(min_length=1)]
    context_form: str
    claims_per_call: int
    reading: Reading
    policy: PolicyPin
    judge: JudgePin
    gold: GoldPin
    experiment: ExperimentPin
    previous: Version | None
    change: Change
    override: str | None = None
    """Why it was released although a guardrail is broken; None where every one is kept."""

    @property
    def ref(self) -> str:
        """`name@version`."""
        return f"{self.name}@{self.version}"
