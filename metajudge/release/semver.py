"""The version number of a release, computed from what differs to the release before it.

Major: the labelling policy, the dialect or the scoring policy (threshold included) is another one,
a language is gone, or it takes an override where the one before took none. Minor: a gold verdict
flips, a language is new, or no gold claim is there to compare. Patch: no gold verdict flips.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from metajudge.release.candidate import Candidate
from metajudge.release.flips import Compared
from metajudge.release.manifest import Change, ChangeKind, Manifest

FIRST = "1.0.0"


class Side(NamedTuple):
    """One of the two releases that are compared.

    Attributes:
        manifest: Its manifest; version and change are not looked at on the later side.
        candidate: What it asks.
    """

    manifest: Manifest
    candidate: Candidate


class Numbered(NamedTuple):
    """A version number, and why it is that one."""

    version: str
    change: Change


def numbered(previous: Side | None, proposed: Side, compared: Compared | None) -> Numbered:
    """The number of a release after another one; a pure function of its arguments.

    Args:
        previous: The release before; None where this is the first of its name.
        proposed: The one to be numbered.
        compared: Verdicts of both on the gold claims that both were asked about, each by its own
            pinned judge; None for a first release.
    """
    if previous is None or compared is None:
        return Numbered(FIRST, Change(kind="first", reasons=("It is the first of its name.",)))
    major = tuple(_major(previous, proposed))
    minor = tuple(_minor(previous, proposed, compared))
    beside = tuple(_beside(previous, proposed))
    n = len(compared.claims)
    kind: ChangeKind = "major" if major else "minor" if minor else "patch"
    kept = () if minor else (f"No verdict flips on {n} gold claims.",)
    before = tuple(map(int, previous.manifest.version.split(".")))
    return Numbered(
        _raised((before[0], before[1], before[2]), kind),
        Change(kind=kind, reasons=(*major, *minor, *kept, *beside)),
    )


def _raised(before: tuple[int, int, int], kind: ChangeKind) -> str:
    major, minor, patch = before
    if kind == "major":
        return f"{major + 1}.0.0"
    return f"{major}.{minor + 1}.0" if kind == "minor" else f"{major}.{minor}.{patch + 1}"


def _major(previous: Side, proposed: Side) -> Iterator[str]:
    then, now = previous.manifest, proposed.manifest
    if then.gold.policy_version != now.gold.policy_version:
        change = f"{then.gold.policy_version} -> {now.gold.policy_version}"
        yield f"The labelling policy changes: {change}."
    elif then.gold.policy_rules != now.gold.policy_rules:
        yield "The rules of the labelling policy change."
    dialects, others = _dialects(previous.candidate), _dialects(proposed.candidate)
    for lang in sorted(set(dialects) & set(others)):
        if dialects[lang] != others[lang]:
            yield f"The dialect of {lang} changes: {dialects[lang]} -> {others[lang]}."
    for lang in sorted(set(then.languages) - set(now.languages)):
        yield f"It no longer stands for {lang}."
    if (then.policy.name, then.policy.version) != (now.policy.name, now.policy.version):
        change = f"{_policy(then)} -> {_policy(now)}"
        yield f"The scoring policy changes: {change}."
    if then.policy.threshold != now.policy.threshold:
        change = f"{then.policy.threshold:g} -> {now.policy.threshold:g}"
        yield f"The threshold changes: {change}."
    if now.override is not None and then.override is None:
        yield f"It is released by override, and {then.version} was not."


def _minor(previous: Side, proposed: Side, compared: Compared) -> Iterator[str]:
    n = len(compared.claims)
    if not n:
        yield f"No gold claim was asked about in {previous.manifest.version} too."
    elif compared.flips:
        yield f"{compared.flips} of {n} gold verdicts flip."
    for lang in sorted(set(proposed.manifest.languages) - set(previous.manifest.languages)):
        yield f"It stands for {lang} now."


def _beside(previous: Side, proposed: Side) -> Iterator[str]:
    """What else is different; it moves the number only through verdicts."""
    then, now = previous.manifest, proposed.manifest
    wordings = ({pin.fingerprint for pin in side.templates} for side in (then, now))
    if next(wordings) != next(wordings):
        yield "The prompt changes."
    if then.reading != now.reading:
        yield f"The reading changes: {then.reading} -> {now.reading}."
    elif previous.candidate.priors != proposed.candidate.priors and now.reading != "top":
        yield "The label priors change."
    if then.context_form != now.context_form:
        yield f"The context form changes: {then.context_form} -> {now.context_form}."
    if then.judge.identity != now.judge.identity:
        changes = [
            f"{name} {then.judge.identity.get(name)} -> {now.judge.identity.get(name)}"
            for name in sorted({*then.judge.identity, *now.judge.identity})
            if then.judge.identity.get(name) != now.judge.identity.get(name)
        ]
        yield f"The judge is another one: {'; '.join(changes)}."
    if then.gold.sha256 != now.gold.sha256:
        yield f"The gold set changes: {then.gold.version} -> {now.gold.version}, other hash."


def _dialects(candidate: Candidate) -> dict[str, str]:
    """Language -> labels and words in the order offered, in every order that is asked."""
    found: dict[str, list[str]] = {}
    for wording in candidate.variants:
        for lang, source in wording.by_language.items():
            words = [f"{label} {word!r}" for label, word in source.dialect.words.items()]
            found.setdefault(lang, []).append(", ".join(words))
    return {lang: "; ".join(orders) for lang, orders in found.items()}


def _policy(manifest: Manifest) -> str:
    return f"{manifest.policy.name} (version {manifest.policy.version})"
