"""A change of what counts as support: a new version of the policy, and the labels that wait."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from metajudge.errors import GoldError, Problem
from metajudge.gold.appended import alone_in, utc_now
from metajudge.gold.claim import GoldManifest, LabellingPolicy, PolicyChange, Slice, SupportKind
from metajudge.gold.events import read_events
from metajudge.gold.folded import fold
from metajudge.gold.goldset import MANIFEST, GoldSet, load_goldset
from metajudge.gold.policy import needs_relabelling, policy_versions
from metajudge.gold.source_text import decode, read_bytes
from metajudge.gold.strict_yaml import dump_yaml, parse_yaml
from metajudge.gold.writer import write_text
from metajudge.gold.yaml_edit import with_fields

_BLOCK = "labelling_policy"
_PARTS = re.compile(r"(\d+)((?:\.\d+)*)")
_BOM = "\ufeff"


class Waiting(NamedTuple):
    """Claims that wait for relabelling.

    Attributes:
        by_slice: Their number by slice; claims without a slice are not among them.
        without_slice: Those that have no slice, so that their label may depend on the change.
        before: How many of all of them waited already under the policy before.
    """

    by_slice: dict[Slice, int]
    without_slice: int
    before: int = 0

    @property
    def claims(self) -> int:
        """Claims whose slice depends on what changed."""
        return sum(self.by_slice.values())


def next_version(version: str) -> str | None:
    """The version that follows when what counts as support changes: a major step.

    >>> next_version("1.4.2"), next_version("3"), next_version("unknown")
    ('2.0.0', '4', None)
    """
    found = _PARTS.fullmatch(version)
    return None if found is None else f"{int(found[1]) + 1}{re.sub(r'[0-9]+', '0', found[2])}"


def changed_policy(
    policy: LabellingPolicy,
    support: Mapping[SupportKind, bool],
    why: str,
    version: str | None = None,
    time: str | None = None,
) -> LabellingPolicy:
    """A policy with some kinds of support changed, under a new version.

    Args:
        policy: As it is.
        support: Whether each of these kinds counts from now on.
        why: The reason, for those who label and for those who read the figures.
        version: Of the new policy; None makes the major step of `next_version`.
        time: Of the change, ISO 8601 in UTC; None is now.

    Raises:
        GoldError: Nothing changes, there is no reason, or the version cannot follow.
    """
    changes: dict[SupportKind, bool] = {
        kind: counts for kind, counts in support.items() if policy.support.get(kind) != counts
    }
    problems = []
    if not changes:
        law = "a new version needs a kind of support that changes"
        mend = f"The policy {policy.version!r} says this already."
        problems.append(Problem(_BLOCK, law, mend, field="support"))
    if not why.strip():
        mend = 'Give one: --why "…".'
        problems.append(Problem(_BLOCK, "a change needs a reason", mend, field="why"))
    new = version if version is not None else next_version(policy.version)
    problems += _version_problems(policy, new)
    if problems or new is None:
        raise GoldError(problems)
    change = PolicyChange(version=new, support=changes, time=time or utc_now(), why=why.strip())
    return policy.model_copy(
        update={
            "version": new,
            "support": {**policy.support, **changes},
            "changes": (*policy.changes, change),
        }
    )


def _version_problems(policy: LabellingPolicy, new: str | None) -> list[Problem]:
    old, field = policy.version, "version"
    if new is None:
        law = f"the version {old!r} has no number that could be raised"
        return [Problem(_BLOCK, law, "Say the new one: --version 2.0.0.", field=field)]
    if not new.strip() or new == old or new in policy_versions(policy):
        law, mend = "a version stands for one policy", "Choose one that it has not had."
        return [Problem(_BLOCK, law, mend, field=field, got=repr(new))]
    before, after = _PARTS.fullmatch(old), _PARTS.fullmatch(new)
    if before and after and int(after[1]) <= int(before[1]):
        law = f"a change of what counts as support is a major step from {old!r}"
        mend = f"Choose {next_version(old)} or higher, or leave --version out."
        return [Problem(_BLOCK, law, mend, field=field, got=repr(new))]
    return []


def under_policy(folder: Path, policy: LabellingPolicy) -> GoldSet:
    """The gold set of a folder as it would be under another labelling policy.

    Raises:
        GoldError: The set cannot be read.
    """
    base = load_goldset(folder, with_acts=False)
    manifest = base.manifest.model_copy(update={_BLOCK: policy})
    return fold(replace(base, manifest=manifest), read_events(folder))


def waiting(goldset: GoldSet, before: GoldSet | None = None) -> Waiting:
    """How many claims wait for relabelling, by slice.

    Args:
        goldset: Under the policy as it is.
        before: The same set under the policy before a change.
    """
    kinds = {claim.claim_id: claim.slice for claim in goldset.claims}
    names = needs_relabelling(goldset)
    earlier = needs_relabelling(before) if before is not None else {}
    by_slice = Counter(kind for name in names if (kind := kinds[name]) is not None)
    return Waiting(
        dict(sorted(by_slice.items())),
        sum(kinds[name] is None for name in names),
        len(names.keys() & earlier.keys()),
    )


def record_policy(folder: Path, policy: LabellingPolicy) -> Path:
    """Writes a changed policy into `goldset.yaml`, of which all else stays, comments too.

    Args:
        folder: Of the gold set.
        policy: What `changed_policy` made of the one that stands there.

    Returns:
        The file.

    Raises:
        GoldError: The file cannot be read, changed meanwhile, or is written in a way that cannot
            be changed in place.
        OSError: It cannot be written.
    """
    path = folder / MANIFEST
    with alone_in(folder):
        raw = read_bytes(path)
        decoded = raw if isinstance(raw, Problem) else decode(raw, str(path))
        if isinstance(decoded, Problem):
            raise GoldError(decoded)
        manifest = parse_yaml(decoded, str(path), GoldManifest, GoldError)
        if manifest.labelling_policy.changes != policy.changes[:-1]:
            law = "the labelling policy was changed by somebody else meanwhile"
            raise GoldError(Problem(str(path), law, "Look at it and try again.", field=_BLOCK))
        wanted = manifest.model_copy(update={_BLOCK: policy})
        text = _with_policy(decoded, wanted)
        if parse_yaml(text, str(path), GoldManifest, GoldError) != wanted:
            law = "the block is written in a way that cannot be changed in place"
            mend = "Write its fields one a line, and try again."
            raise GoldError(Problem(str(path), law, mend, field=_BLOCK))
        marked = path.read_bytes().startswith(_BOM.encode())
        write_text(path, (_BOM if marked else "") + text)
    return path


def _with_policy(text: str, wanted: GoldManifest) -> str:
    """The manifest's text with the new policy; a manifest on one line is written anew."""
    policy = wanted.labelling_policy.model_dump(mode="json", exclude_defaults=True)
    fields = {name: policy[name] for name in ("version", "support", "changes")}
    edited = with_fields(text, _BLOCK, fields)
    return edited or dump_yaml(wanted.model_dump(mode="json", exclude_defaults=True))
