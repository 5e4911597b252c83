"""How annotators' labels and the gold labels agree: findings of `gold check`."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from metajudge.counted import counted
from metajudge.gold.annotators import RULE_WORDS, adjudicate, in_conflict
from metajudge.gold.claim import Claim
from metajudge.gold.events import Event, SettleEvent
from metajudge.gold.finding import Finding, Severity

if TYPE_CHECKING:
    from metajudge.gold.goldset import GoldSet

_SHOWN = 5


def vote_findings(goldset: GoldSet, acts: Sequence[Event]) -> list[Finding]:
    """Findings about conflicts between annotators and how they were settled.

    Args:
        goldset: With the acts in it.
        acts: As `standing_acts` gives them.
    """
    conflicts = [claim for claim in goldset.claims if in_conflict(claim)]
    return [
        *_rule(goldset, conflicts),
        *_disagreements(goldset, conflicts),
        *_against_votes(goldset, {act.claim_id for act in acts if isinstance(act, SettleEvent)}),
        *_unknown_annotators(goldset),
    ]


def _rule(goldset: GoldSet, conflicts: Sequence[Claim]) -> Iterator[Finding]:
    rule = goldset.manifest.adjudication
    if conflicts:
        message = (
            f"{counted(len(conflicts), 'claims have')} conflicting "
            "annotations; a stated label stands, others "
            f"are made by the rule {rule!r}: {RULE_WORDS[rule]}"
        )
        mend = "Another rule is `adjudication` in goldset.yaml."
        yield Finding("note", "adjudication", goldset.manifest.name, message, mend)


def _disagreements(goldset: GoldSet, conflicts: Sequence[Claim]) -> Iterator[Finding]:
    if conflicts:
        ids = tuple(claim.claim_id for claim in conflicts)
        where = ", ".join(ids[:_SHOWN])
        where += f", {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
        message = f"annotators disagree about {counted(len(ids), 'claims')}"
        place = str(goldset.path or goldset.manifest.name)
        plain = re.fullmatch(r"[\w./:\\-]+", place)
        command = f"metajudge gold agree {place if plain else shlex.quote(place)}"
        mend = f"See that the policy settles them; `{command}` shows who said what."
        yield Finding("note", "annotators-disagree", where, message, mend, ids)


def _against_votes(goldset: GoldSet, settled: set[str]) -> Iterator[Finding]:
    """Gold labels that most annotators did not give, but for those that somebody settled."""
    for claim in goldset.claims:
        votes = adjudicate(claim.annotations, goldset.manifest.adjudication)
        if votes.label in (None, claim.label) or claim.claim_id in settled:
            continue
        told = ", ".join(f"{count} {label}" for label, count in votes.votes)
        message = f"the label {claim.label!r} is not the one with most votes: {told}"
        mend = "Say why in `note`, or change the label."
        severity: Severity = "note" if claim.note else "warning"
        yield Finding(severity, "label-against-votes", claim.claim_id, message, mend)


def _unknown_annotators(goldset: GoldSet) -> Iterator[Finding]:
    named = set(goldset.manifest.annotators)
    used = Counter(note.annotator for claim in goldset.claims for note in claim.annotations)
    for annotator in used if named else ():
        if annotator not in named:
            message = (
                f"{counted(used[annotator], 'annotations are')} by "
                "a name that the manifest does not list"
            )
            mend = "Add the name to `annotators`, or mend it."
            yield Finding("warning", "unknown-annotator", annotator, message, mend)
