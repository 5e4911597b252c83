"""What a framework that shows plain labels cannot do as the release does, said in plain words."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from metajudge.errors import Problem, ReleaseError
from metajudge.release.bundle import Release
from metajudge.scoring.policies import DROPPED, Policy
from metajudge.templates.reading_names import reading_named, threshold_text
from metajudge.templates.template import Template

_DIVIDED = {
    "top": "",
    "prior_corrected": " with the label prior of a content-free claim divided out",
    "batch_corrected": " with the label prior of the claims it was measured on divided out",
}


def reading_differences(release: Release) -> tuple[str, ...]:
    """What any drop-in does otherwise, since it reads the plain label of one prompt a claim."""
    candidate = release.candidate
    found = []
    reading = reading_named(candidate.reading)
    if reading.needs_probabilities:
        least = ""
        if reading.threshold is not None:
            least = f" and says yes from {threshold_text(reading.threshold)} up"
        found.append(
            "asks the same words, reads the plain label; figures of the release do not hold for "
            f"it. The release reads first-token probabilities{_DIVIDED[reading.base]}{least} "
            f"({candidate.reading})."
        )
    if len(candidate.variants) > 1:
        found.append(
            f"asks with the first of the release's {len(candidate.variants)} orders of the "
            "labels; the release asks with each and joins them."
        )
    return tuple(found)


def form_differences(release: Release) -> tuple[str, ...]:
    """What a drop-in that shows the whole context in one prompt does otherwise."""
    kind = release.candidate.form.kind
    if kind == "chunks":
        rule = release.candidate.form.rule
        return (
            "shows all passages in one prompt; the release asks passage by passage and takes "
            f"{rule} of them for support ({release.candidate.form}).",
        )
    if kind == "truths":
        return (
            "shows the passages as they are; the release has the judge list their facts first "
            f"({release.candidate.form}).",
        )
    return ()


def judge_conditions(release: Release) -> tuple[str, ...]:
    """What the user must see to of the judge."""
    pin = release.manifest.judge
    decoding = [f"temperature {pin.temperature:g}"] if pin.temperature is not None else []
    decoding += [f"seed {pin.seed}"] if pin.seed is not None else []
    sources = release.candidate.variants[0].by_language.values()
    most = {source.max_tokens for source in sources if isinstance(source, Template)}
    decoding += [f"at most {max(most)} tokens a reply"] if most else []
    told = f" at {', '.join(decoding)}" if decoding else ""
    return (
        f"The judge is the release's: {pin.spec}{told}. With another model the release's figures "
        "say nothing.",
    )


def conditions_head(differences: Sequence[str]) -> str:
    """The head of what the user must see to: nothing makes the figures hold where a part differs.

    >>> conditions_head(()), conditions_head(("asks in JSON.",))
    ("For the release's figures to hold:", 'Keep also:')
    """
    return "Keep also:" if differences else "For the release's figures to hold:"


READING_CONDITION = (
    "A reply counts only in the form that the prompt asks for; metajudge reads some others too, "
    "such as a verdict behind another word than the prompt's own. A claim without a readable label "
    "stays in the denominator, uncredited."
)


def credits(policy: Policy, labels: Iterable[str]) -> dict[str, float | None]:
    """Credit of each label offered; None leaves its claims out of the score."""
    row = dict(zip(("yes", "no", "idk"), policy.credit, strict=True))
    found: dict[str, float | None] = {}
    for label in labels:
        value = row[label]
        found[label] = None if value is None or value == DROPPED else float(value)
    return found


def needs_labels_only(release: Release, kind: str) -> None:
    """Refuse a policy that scores from probabilities, which the framework does not show.

    Raises:
        ReleaseError: The policy is `expected`.
    """
    policy = release.candidate.policy
    if policy.from_probabilities:
        law = (
            f"{kind} shows labels and no label probabilities, so the policy {policy.name} cannot "
            "be expressed; lenient, strict, partial(w), drop_idk and map(…) can"
        )
        mend = "Release it with one of these policies, or emit chat and score it yourself."
        raise ReleaseError(Problem(release.ref, law, mend, field="policy.name", got=policy.name))


def identity(release: Release) -> dict[str, Any]:
    """The constants by which every drop-in says what it is."""
    manifest = release.manifest
    return {
        "RELEASE": manifest.ref,
        "RELEASE_SHA256": release.sha256,
        "POLICY": manifest.policy.name,
        "THRESHOLD": manifest.policy.threshold,
    }


def described(title: str, uses: str, told: Mapping[str, Iterable[str]]) -> str:
    """A docstring: a title line, how to use it, and lists under their heads where not empty."""
    blocks = [title, uses.strip("\n")]
    for head, lines in told.items():
        points = [textwrap.fill(line, 96, initial_indent="- ", **_WRAP) for line in lines]
        if points:
            blocks.append("\n".join([head, *points]))
    return "\n\n".join(blocks) + "\n"


_WRAP: dict[str, Any] = {
    "subsequent_indent": "  ",
    "break_long_words": False,
    "break_on_hyphens": False,
}
