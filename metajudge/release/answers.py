"""Answers to be judged: as they come from files and programs, and as claims that can be asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from metajudge.gold.claim import Claim, Context, Slice
from metajudge.gold.goldset import GoldSet
from metajudge.gold.unlabelled import unlabelled_manifest


@dataclass(frozen=True, slots=True)
class AnswerClaim:
    """One claim of an answer.

    Attributes:
        claim_id: Unique in its sample.
        claim: The statement.
        slice: Its kind, where somebody said so.
    """

    claim_id: str
    claim: str
    slice: Slice | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer with the context it was made from.

    Attributes:
        answer_id: Unique in its sample.
        passages: The retrieved passages; may be empty.
        claims: Its claims; None where they have to be extracted first, () where it states nothing.
        answer: Its text; needed for extraction only.
        question: What was asked.
        lang: Language tag of the claims.
        context_id: Answers that share a context have the same; resampled together.
        line: Line of its file; None where lines mean nothing.
        fields: Whatever else its row held; comes back in the output.
    """

    answer_id: str
    passages: tuple[str, ...]
    claims: tuple[AnswerClaim, ...] | None
    answer: str | None = None
    question: str | None = None
    lang: str = "en"
    context_id: str = ""
    line: int | None = None
    fields: dict[str, Any] = field(default_factory=dict)


def asked_claims(answers: Sequence[Answer], name: str = "answers") -> GoldSet:
    """The claims of answers in the form that is asked, one context an answer.

    Nobody labelled them: every label is a stand-in, and nothing that reads labels may be given
    this set. A call never mixes the claims of two answers, as each has a context of its own.

    Args:
        answers: With claims; an answer without any has no entry.
        name: What the set is called in messages.
    """
    claims = tuple(
        Claim(
            claim_id=claim.claim_id,
            answer_id=answer.answer_id,
            context_id=answer.answer_id,
            claim=claim.claim,
            label="idk",
            slice=claim.slice,
            lang=answer.lang,
            question=answer.question,
        )
        for answer in answers
        for claim in answer.claims or ()
    )
    contexts = {
        answer.answer_id: Context(
            context_id=answer.answer_id, passages=answer.passages, lang=answer.lang
        )
        for answer in answers
    }
    manifest = unlabelled_manifest(
        name, (answer.lang for answer in answers), "answers without labels"
    )
    return GoldSet(manifest, claims, contexts)
