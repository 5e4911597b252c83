"""What people still have to do in a gold set, and what they changed: findings of `gold check`."""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from metajudge.counted import counted
from metajudge.gold.events import Event, LabelEvent, SettleEvent, SkipEvent, read_events, standing
from metajudge.gold.finding import Finding
from metajudge.gold.policy import needs_relabelling

if TYPE_CHECKING:
    from metajudge.gold.goldset import GoldSet

_SHOWN = 10
_NO_SLICE = "no slice, so that they may depend on it"


def standing_acts(goldset: GoldSet) -> tuple[Event, ...]:
    """What annotators did and did not take back; () for a set that is in no folder.

    Raises:
        GoldError: The log of an annotator cannot be read.
    """
    return standing(read_events(goldset.path)) if goldset.path is not None else ()


def act_findings(goldset: GoldSet, acts: Sequence[Event]) -> list[Finding]:
    """Findings about claims without a label, stale and corrected labels, and annotators' acts.

    Args:
        goldset: With the acts in it.
        acts: As `standing_acts` gives them.
    """
    return [
        *_pending(goldset),
        *_stale(goldset, acts),
        *_corrected(goldset),
        *_of_unknown_claims(goldset, acts),
        *_flagged(goldset, acts),
        *_alike_names(goldset, acts),
    ]


def _pending(goldset: GoldSet) -> Iterator[Finding]:
    """Claims that take no part."""
    if goldset.pending:
        whys = Counter(claim.why for claim in goldset.pending).most_common()
        told = _listed([f"{count}: {why}" for why, count in whys], "; ", 5)
        message = (
            f"{counted(len(goldset.pending), 'claims have')} no "
            f"gold label yet and take no part ({told})"
        )
        mend = "Label them, or settle them where annotators are tied: `metajudge label`."
        yield Finding("warning", "pending", goldset.manifest.name, message, mend)


def _stale(goldset: GoldSet, acts: Iterable[Event]) -> Iterator[Finding]:
    names = needs_relabelling(goldset)
    if names:
        slices = {claim.claim_id: claim.slice for claim in goldset.claims}
        counts = Counter(slices[name] or _NO_SLICE for name in names).most_common()
        told = ", ".join(f"{count} {kind}" for kind, count in counts)
        message = (
            f"{counted(len(names), 'labels are')} of before the labelling policy "
            f"{goldset.manifest.labelling_policy.version!r} and may be others under it ({told})"
        )
        mend = "Have people label these claims again: `metajudge label`."
        settled = {act.claim_id for act in acts if isinstance(act, SettleEvent)}.intersection(names)
        if settled:
            were = "was settled and is" if len(settled) == 1 else "were settled and are"
            mend += (
                f" {len(settled)} of them {were} never outvoted: where a new label "
                "differs, settle them again with `metajudge label --adjudicate`."
            )
        yield Finding("warning", "needs-relabelling", _listed(names), message, mend)


def _corrected(goldset: GoldSet) -> Iterator[Finding]:
    found = goldset.corrections
    if found:
        counts = Counter(f"{one.was} -> {one.label}" for one in found).most_common()
        told = ", ".join(f"{count} {change}" for change, count in counts)
        message = f"{counted(len(found), 'gold labels were')} corrected: {told}"
        mend = "Results name the gold version with its count of corrections."
        where = _listed([one.claim_id for one in found])
        yield Finding("note", "corrections", where, message, mend)


def _of_unknown_claims(goldset: GoldSet, acts: Iterable[Event]) -> Iterator[Finding]:
    known = {claim.claim_id for claim in goldset.every_claim}
    lost = Counter(
        act.claim_id
        for act in acts
        if isinstance(act, LabelEvent | SettleEvent) and act.claim_id not in known
    )
    if lost:
        message = (
            f"{counted(lost.total(), 'labels')} by annotators "
            "are about claims that are not in the set"
        )
        mend = "Put the claims back, or mend their ids; the labels are kept in `annotations/`."
        yield Finding("warning", "acts-of-unknown-claims", _listed(lost), message, mend)


def _flagged(goldset: GoldSet, acts: Sequence[Event]) -> Iterator[Finding]:
    """Claims that an annotator wants somebody to look at, and that nobody settled since."""
    settled = {act.claim_id for act in acts if isinstance(act, SettleEvent)}
    skipped = {act.claim_id for act in acts if isinstance(act, SkipEvent) and act.flagged}
    flagged = [
        claim.claim_id
        for claim in goldset.every_claim
        if claim.claim_id not in settled
        and (claim.claim_id in skipped or any(note.flagged for note in claim.annotations))
    ]
    if flagged:
        message = f"annotators flagged {counted(len(flagged), 'claims')} for somebody to look at"
        mend = "Look at them and settle their labels."
        yield Finding("warning", "flagged", _listed(flagged), message, mend)


def _alike_names(goldset: GoldSet, acts: Iterable[Event]) -> Iterator[Finding]:
    """Annotators whose names differ by case, width or white space alone."""
    names = dict.fromkeys(
        note.annotator for claim in goldset.every_claim for note in claim.annotations
    )
    names |= dict.fromkeys(act.annotator for act in acts)
    names |= dict.fromkeys(goldset.manifest.annotators)
    alike: dict[str, list[str]] = defaultdict(list)
    for name in names:
        alike["".join(unicodedata.normalize("NFKC", name).casefold().split())].append(name)
    for group in alike.values():
        if len(group) > 1:
            message = (
                f"{counted(len(group), 'annotators have')} nearly "
                "the same name and may be one person"
            )
            mend = "Write the name in one way: two labels of one person are no second opinion."
            yield Finding("warning", "annotators-alike", _listed(map(repr, group)), message, mend)


def _listed(names: Iterable[str], between: str = ", ", most: int = _SHOWN) -> str:
    """The first names of many, and how many more there are."""
    every = list(names)
    more = f"{between}{len(every) - most} more" if len(every) > most else ""
    return between.join(every[:most]) + more
