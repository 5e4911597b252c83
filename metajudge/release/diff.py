"""What lies between two releases: words, settings, verdicts on gold, scores, and the number."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from metajudge.counted import counted
from metajudge.errors import InputError, StoreError
from metajudge.gold.claim import Split
from metajudge.gold.goldset import MANIFEST as GOLD_MANIFEST
from metajudge.gold.goldset import GoldSet
from metajudge.release.bundle import Release
from metajudge.release.compared import OnBoth, Recorded, on_both, recorded
from metajudge.release.consult.bench import Bench, bench
from metajudge.release.consult.flips import flips
from metajudge.release.consult.on_gold import GoldBench, on_gold
from metajudge.release.consult.shifts import score_shift, scored
from metajudge.release.evidence import How, read_evidence, split_golds
from metajudge.release.manifest import Change
from metajudge.release.semver import Side, numbered
from metajudge.report.comparison_results import ChangedClaim
from metajudge.report.consult_results import Flips, OnGold, ScoreShift
from metajudge.report.measured_parts import VERDICT_CODES
from metajudge.report.part import Part

APART = frozenset({"version", "created", "previous", "change", "templates", "format"})
"""Fields of the manifest that say nothing about what a release does, or are shown by themselves."""


class TemplateChange(Part):
    """One template file of both releases."""

    file: str
    lines: tuple[str, ...] = Field(description="Unified diff; a file that one side lacks is empty.")


class FieldChange(Part):
    """One setting that is not the same."""

    name: str
    a: Any
    b: Any


class GoldChange(Part):
    """Verdicts and scores of both releases on the gold claims that both were asked about."""

    name: str
    version: str
    sha256: str
    claims: int
    splits: dict[str, int] = Field(description="split -> claims")
    flips: Flips
    changed: tuple[ChangedClaim, ...]
    scores: ScoreShift = Field(description="Each side under its own policy and threshold.")
    on_gold: OnGold


class ReleaseDiff(Part):
    """B against A."""

    a: str
    b: str
    a_sha256: str
    b_sha256: str
    templates: tuple[TemplateChange, ...]
    fields: tuple[FieldChange, ...]
    gold: GoldChange | None = Field(description="null, with a note, where they were not compared.")
    version: str | None = Field(description="What B would be numbered right after A.")
    change: Change | None = Field(description="Its kind, with the reasons.")
    notes: tuple[str, ...]


def diff(a: Release, b: Release, gold: Path | None = None) -> ReleaseDiff:
    """What changes from A to B.

    Args:
        a: The former practice.
        b: The change.
        gold: Folder of B's gold set; None takes the one that its manifest names.

    Raises:
        InputError: A file of a release is faulty.
    """
    folder = b.folder / b.manifest.gold.path if gold is None else gold
    notes: list[str] = []
    both = _on_gold(a, b, folder, notes)
    number = None
    if both is not None:
        sides = (Side(a.manifest, a.candidate), Side(b.manifest, b.candidate))
        number = numbered(*sides, both.codes)
    return ReleaseDiff(
        a=a.ref,
        b=b.ref,
        a_sha256=a.sha256,
        b_sha256=b.sha256,
        templates=tuple(_templates(a, b)),
        fields=tuple(_fields(a, b)),
        gold=_gold_change(a, b, both, notes) if both is not None and both.claims else None,
        version=None if number is None else number.version,
        change=None if number is None else number.change,
        notes=tuple(notes),
    )


def _templates(a: Release, b: Release) -> Iterator[TemplateChange]:
    files = [{pin.file for pin in side.manifest.templates} for side in (a, b)]
    for name in sorted(files[0] | files[1]):
        was, now = (
            (side.folder / name).read_text(encoding="utf-8-sig").splitlines()
            if name in mine
            else []
            for side, mine in zip((a, b), files, strict=True)
        )
        heads = (f"{a.ref}/{name}", f"{b.ref}/{name}")
        lines = tuple(difflib.unified_diff(was, now, *heads, lineterm=""))
        if lines:
            yield TemplateChange(file=name, lines=lines)


def _fields(a: Release, b: Release) -> Iterator[FieldChange]:
    one, other = (dict(_settings(side)) for side in (a, b))
    for name in dict.fromkeys((*one, *other)):
        if one.get(name) != other.get(name):
            yield FieldChange(name=name, a=one.get(name), b=other.get(name))


def _settings(release: Release) -> Iterator[tuple[str, Any]]:
    manifest = release.manifest
    yield from _flat(manifest.model_dump(mode="json", exclude=set(APART)), "")
    for pin in manifest.templates:
        yield f"prior.{pin.language}.{pin.variant}", pin.prior


def _flat(fields: Mapping[str, Any], within: str) -> Iterator[tuple[str, Any]]:
    for name, value in fields.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{within}{name}.")
        else:
            yield f"{within}{name}", value


def _on_gold(a: Release, b: Release, folder: Path, notes: list[str]) -> OnBoth | None:
    """Both on B's gold claims; None, with a note, where these cannot be had."""
    if not (folder / GOLD_MANIFEST).is_file():
        notes.append(f"Verdicts are not compared: there is no gold set at {folder}; use --gold.")
        return None
    try:
        golds = split_golds(b, folder)
        sides = (recorded(a), recorded(b))
    except (InputError, StoreError) as error:
        notes.append(f"Verdicts are not compared: {error}")
        return None
    both = on_both(*sides, golds, b.manifest.gold.sha256)
    notes += _left_out(sides, golds, both)
    return both


def _left_out(
    sides: tuple[Recorded, Recorded], golds: Mapping[Split, GoldSet], both: OnBoth
) -> Iterator[str]:
    asked = sum(len(gold.judged().claims) for gold in golds.values())
    if sides[0].gold_sha256 != sides[1].gold_sha256:
        yield (
            f"The gold sets differ. Compared are {len(both.claims):,} of "
            f"{counted(asked, 'claims')} of B's set: those that A was asked about in the same "
            "words, on the same passages. Labels are B's."
        )
    elif len(both.claims) < asked:
        left = asked - len(both.claims)
        yield f"{counted(left, 'claims are')} in languages that only one of them stands for."


def _gold_change(a: Release, b: Release, both: OnBoth, notes: list[str]) -> GoldChange:
    how = read_evidence(b.folder).how
    claims = _bench(both, how)
    pin = b.manifest.gold
    codes = both.codes
    said = (both.before, both.after)
    candidates = (a.candidate, b.candidate)
    sides = tuple(scored(claims, one, said_) for one, said_ in zip(candidates, said, strict=True))
    labelled = GoldBench(claims, _is_binary(both))
    notes.append(
        f"Intervals are made as B's: contexts resampled {how.resamples} times, seed {how.seed}."
    )
    return GoldChange(
        name=pin.name,
        version=pin.version,
        sha256=pin.sha256,
        claims=len(both.claims),
        splits={split: both.splits.count(split) for split in dict.fromkeys(both.splits)},
        flips=flips(claims, *said),
        changed=tuple(
            ChangedClaim(
                claim_id=claim.claim_id,
                gold=claim.label,
                slice=claim.slice,
                lang=claim.lang,
                was=VERDICT_CODES[was],
                now=VERDICT_CODES[now],
            )
            for claim, was, now in zip(
                both.claims, codes.before.tolist(), codes.after.tolist(), strict=True
            )
            if was != now
        ),
        scores=score_shift(claims, sides[0], sides[1]),
        on_gold=on_gold(labelled, said, (sides[0], sides[1])),
    )


def _bench(both: OnBoth, how: How) -> Bench:
    return bench(
        both.claims,
        [claim.context_id for claim in both.claims],
        resamples=how.resamples,
        seed=how.seed,
        level=1 - how.alpha,
    )


def _is_binary(both: OnBoth) -> bool:
    return any(claim.label in ("supported", "unsupported") for claim in both.claims)
