"""The claims that wait for people: a gold folder that `metajudge label` opens.

Claims are known by their texts, so that a second run over the same answers adds nothing and what
people said stays: it is in `annotations/`, which is never written here. No score is written either;
who labels sees the claim, not what a judge made of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from metajudge.errors import GoldError, Problem
from metajudge.gold.appended import alone_in
from metajudge.gold.claim import Context, GoldManifest, PendingClaim
from metajudge.gold.goldset import MANIFEST, GoldSet, load_goldset
from metajudge.gold.writer import write_goldset
from metajudge.metrics.cascade.cascade_file import Cascade
from metajudge.metrics.cascade.run import Routed, RoutedAnswer
from metajudge.release.answers import Answer

_DIGITS = 20


class Queued(NamedTuple):
    """What came into a queue.

    Attributes:
        folder: The queue.
        new: Claims that were added.
        known: Claims that were there already.
    """

    folder: Path
    new: int
    known: int


def queue_name(cascade: Cascade) -> str:
    """What the queue of a cascade is called."""
    return f"{cascade.name}-queue"


def check_queue(cascade: Cascade, folder: str | Path) -> None:
    """Refuses a folder that is somebody's gold set, or holds something else.

    Raises:
        GoldError: It is.
    """
    place = Path(folder)
    if not (place / MANIFEST).exists():
        if place.is_file() or (place.is_dir() and any(place.iterdir())):
            law = "a queue is a new or empty folder, or one that this cascade made"
            raise GoldError(Problem(str(place), law, "Name another one.", field="--queue"))
        return
    name = load_goldset(place).manifest.name
    if name != queue_name(cascade):
        law = f"the folder holds the gold set {name!r}, and claims are added to no other's set"
        raise GoldError(Problem(str(place), law, "Name another one.", field="--queue"))


def write_queue(cascade: Cascade, answers: Iterable[RoutedAnswer], folder: str | Path) -> Queued:
    """Adds the claims that went to people to the queue of a cascade.

    Args:
        cascade: Whose queue it is.
        answers: From `run_cascade`.
        folder: Made where there is none; claims of earlier runs stay.

    Raises:
        GoldError: The folder is another set's, or a text cannot be written.
    """
    place = Path(folder)
    check_queue(cascade, place)
    place.mkdir(parents=True, exist_ok=True)
    with alone_in(place):
        known = load_goldset(place, with_acts=False) if (place / MANIFEST).exists() else None
        wanted = _wanted(answers)
        there = {} if known is None else {c.claim_id: c for c in known.every_claim}
        new = [(claim, context) for claim, context in wanted if claim.claim_id not in there]
        if new or known is None:
            write_goldset(_grown(cascade, known, new), place)
    return Queued(place, len(new), len(wanted) - len(new))


def _grown(
    cascade: Cascade, known: GoldSet | None, new: list[tuple[PendingClaim, Context]]
) -> GoldSet:
    base = GoldSet(_manifest(cascade), (), {}) if known is None else known
    contexts = base.contexts | {context.context_id: context for _, context in new}
    pending = (*base.pending, *(claim for claim, _ in new))
    languages = dict.fromkeys((*base.manifest.languages, *(claim.lang for claim in pending)))
    manifest = base.manifest.model_copy(update={"languages": tuple(languages)})
    return replace(base, manifest=manifest, contexts=contexts, pending=pending)


def _manifest(cascade: Cascade) -> GoldManifest:
    gold = cascade.gold
    return GoldManifest(
        name=queue_name(cascade),
        version="1",
        languages=(),
        label_space=gold.label_space,
        labelling_policy=gold.labelling_policy,
        licence="unknown",
        provenance=f"claims that the cascade {cascade.name} left to people",
        label_source="human",
        allow_empty_context=True,
        metric=gold.metric,
    )


def _wanted(answers: Iterable[RoutedAnswer]) -> list[tuple[PendingClaim, Context]]:
    """Claims for people with their contexts, each text once."""
    found: dict[str, tuple[PendingClaim, Context]] = {}
    for routed in answers:
        for claim in routed.claims:
            if claim.stage == "people" and claim.claim.claim.strip():
                pending = _pending(routed.answer, claim)
                found.setdefault(pending.claim_id, (pending, _context(routed.answer)))
    return list(found.values())


def _context(answer: Answer) -> Context:
    return Context(
        context_id=f"c-{_hash(*answer.passages)}", passages=answer.passages, lang=answer.lang
    )


def _pending(answer: Answer, routed: Routed) -> PendingClaim:
    context_id = _context(answer).context_id
    told = (context_id, answer.question or "", routed.claim.claim)
    return PendingClaim(
        claim_id=f"q-{_hash(*told)}",
        answer_id=answer.answer_id,
        context_id=context_id,
        claim=routed.claim.claim,
        slice=routed.claim.slice,
        lang=answer.lang,
        question=answer.question,
        note=routed.note,
    )


def _hash(*texts: str) -> str:
    """Of texts with their lengths, so that no two lists of texts are alike."""
    whole = "".join(f"{len(text)}:{text}" for text in texts)
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
