"""An import and the set that is there already: what is new, what is known, what differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from metajudge.errors import GoldError, Problem, short_repr
from metajudge.gold.claim import Claim, GoldManifest, ImportRecord, LabellingPolicy, PendingClaim
from metajudge.gold.events import LabelEvent, SettleEvent, read_events, standing
from metajudge.gold.folded import base_version
from metajudge.gold.goldset import GoldSet
from metajudge.gold.importing.assemble import Imported

_COMPARED = ("claim", "label", "question", "slice", "annotations")


class Conflict(NamedTuple):
    """A claim of the set that the source has otherwise now; it is listed and not touched.

    Attributes:
        claim_id: The claim.
        where: The file of the source.
        line: 1-based line there; None where lines mean nothing.
        field: What differs first: `claim`, `context`, `label`, `question`, `slice`, `annotations`.
        was: In the set, in words.
        now: In the source, in words.
    """

    claim_id: str
    where: str
    line: int | None
    field: str
    was: str
    now: str


@dataclass(frozen=True, slots=True)
class Difference:
    """How an import differs from the set that is there.

    Attributes:
        new: Claims that the set does not have, in the order of the import.
        conflicts: Claims that it has otherwise.
        same: Claims that are the same in both.
        gone: Claims of the set that the import does not have.
    """

    new: tuple[Claim | PendingClaim, ...]
    conflicts: tuple[Conflict, ...]
    same: int
    gone: int


def difference(old: GoldSet, imported: Imported) -> Difference:
    """What an import would add to a set, and where the two differ.

    Args:
        old: As its files state it, without annotators' acts.
        imported: The import.
    """
    known = {claim.claim_id: claim for claim in old.every_claim}
    new, conflicts, same = [], [], 0
    for claim in imported.goldset.every_claim:
        before = known.get(claim.claim_id)
        if before is None:
            new.append(claim)
            continue
        differs = _differs(old, before, imported.goldset, claim)
        if differs is None:
            same += 1
        else:
            conflicts.append(Conflict(claim.claim_id, *imported.places[claim.claim_id], *differs))
    gone = len(known) - same - len(conflicts)
    return Difference(tuple(new), tuple(conflicts), same, gone)


def _differs(
    old: GoldSet, before: Claim | PendingClaim, new: GoldSet, after: Claim | PendingClaim
) -> tuple[str, str, str] | None:
    pairs: list[tuple[str, Any, Any]] = [
        (name, getattr(before, name, None), getattr(after, name, None)) for name in _COMPARED
    ]
    pairs.insert(1, ("context", old.passages(before), new.passages(after)))
    for name, was, now in pairs:
        if was != now:
            return name, _told(was), _told(now)
    return None


def _told(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, tuple) and value and hasattr(value[0], "annotator"):
        return ", ".join(f"{note.annotator}: {note.label}" for note in value)
    return short_repr(value, 60)


def added(old: GoldSet, imported: Imported, new: Sequence[Claim | PendingClaim]) -> GoldSet:
    """The set with new claims after its own; its version counts up in the middle.

    Raises:
        GoldError: Label spaces or metrics differ, or the id of a new context has another text in
            the set.
    """
    goldset = imported.goldset
    problems = _space_problems(old, goldset)
    contexts = dict(old.contexts)
    for claim in new:
        context = goldset.contexts[claim.context_id]
        known = contexts.setdefault(claim.context_id, context)
        if known.passages != context.passages:
            where, line = imported.places[claim.claim_id]
            law = "the context id has another text in the set"
            mend = "Give the context another id, or replace the set with --replace."
            got = short_repr(claim.context_id)
            problems.append(Problem(where, law, mend, line, "context_id", got))
    if problems:
        raise GoldError(problems)
    return replace(
        old,
        manifest=_added_manifest(old.manifest, goldset.manifest),
        claims=(*old.claims, *(claim for claim in new if isinstance(claim, Claim))),
        pending=(*old.pending, *(claim for claim in new if isinstance(claim, PendingClaim))),
        contexts=contexts,
    )


def _space_problems(old: GoldSet, new: GoldSet) -> list[Problem]:
    where, problems = str(old.path or old.manifest.name), []
    for field, option in (("label_space", "--label-space"), ("metric", "--metric")):
        was, now = getattr(old.manifest, field), getattr(new.manifest, field)
        if was != now:
            law = f"the set is {was}, the import {now}"
            mend = f"Add {option} {was}, or import into a folder of its own."
            problems.append(Problem(where, law, mend, field=field))
    return problems


def _added_manifest(old: GoldManifest, new: GoldManifest) -> GoldManifest:
    return old.model_copy(
        update={
            "version": _next_version(old.version, part=1),
            "languages": tuple(dict.fromkeys((*old.languages, *new.languages))),
            "annotators": tuple(dict.fromkeys((*old.annotators, *new.annotators))),
            "licence": _both(old.licence, new.licence),
            "citation": _both(old.citation, new.citation),
            "provenance": _both(old.provenance, new.provenance),
            "imported": _both_imports(old.imported, new.imported),
        }
    )


def _both(old: str | None, new: str | None) -> str:
    if not old or not new or new in old:
        return old or new or ""
    return f"{old}; {new}"


def _both_imports(old: ImportRecord | None, new: ImportRecord | None) -> ImportRecord | None:
    if old is None or new is None or set(old.sources) <= set(new.sources):
        return new or old
    return ImportRecord(
        format=_both(old.format, new.format),
        sources=old.sources | new.sources,
        mapping=_both(old.mapping, new.mapping),
        left_out=dict(sorted((Counter(old.left_out) + Counter(new.left_out)).items())),
    )


def _next_version(version: str, part: int) -> str:
    """The version with one of its three numbers counted up; another form stays as it is.

    >>> _next_version("1.0.3", 1), _next_version("1.0.3+c2", 0), _next_version("draft", 0)
    ('1.1.0', '2.0.0', 'draft')
    """
    numbers = base_version(version).split(".")
    if len(numbers) != 3 or not all(number.isdecimal() for number in numbers):
        return version
    kept = numbers[:part]
    return ".".join([*kept, str(int(numbers[part]) + 1), *["0"] * (2 - part)])


def replaced(old: GoldSet, new: GoldSet) -> GoldSet:
    """The new set under what people decided for the old one.

    Name, split, rule of adjudication, least number of claims a slice and a written labelling
    policy stay; the version counts up in front.
    """
    kept: dict[str, Any] = {
        name: getattr(old.manifest, name)
        for name in ("name", "split", "adjudication", "min_slice_n")
    }
    kept["version"] = _next_version(old.manifest.version, part=0)
    if _is_written(old.manifest.labelling_policy):
        kept["labelling_policy"] = old.manifest.labelling_policy
    return replace(new, manifest=new.manifest.model_copy(update=kept))


def _is_written(policy: LabellingPolicy) -> bool:
    return policy.version != "unknown"


def orphaned_acts(folder: Path, old: GoldSet, new: GoldSet) -> dict[str, int]:
    """Labels and settled labels that would lose their claim, by annotator, most first.

    A claim is lost where the new set has none of its id, or one with another text or context.

    Raises:
        GoldError: The acts cannot be read.
    """
    before = {claim.claim_id: (claim.claim, old.passages(claim)) for claim in old.every_claim}
    after = {claim.claim_id: (claim.claim, new.passages(claim)) for claim in new.every_claim}
    acts = [
        act for act in standing(read_events(folder)) if isinstance(act, LabelEvent | SettleEvent)
    ]
    lost = (
        act.annotator
        for act in acts
        if act.claim_id in before and before[act.claim_id] != after.get(act.claim_id)
    )
    return dict(Counter(lost).most_common())
