"""The kinds of negative control, and one control of each: a probe."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from metajudge.gold.claim import Claim, GoldLabel

ControlKind = Literal[
    "evidence_removed",
    "contexts_swapped",
    "number_shifted",
    "entity_swapped",
    "negation_added",
    "qualifier_dropped",
    "plausible_addition",
    "world_true",
]
KINDS: tuple[ControlKind, ...] = get_args(ControlKind)
CONTEXT_KINDS: frozenset[ControlKind] = frozenset({"evidence_removed", "contexts_swapped"})
"""Kinds that change the passages and keep the claim; the others do the reverse."""
_LONGEST_ID = 200


@dataclass(frozen=True, slots=True)
class Probe:
    """A claim and passages made from gold so that some verdicts are wrong by construction.

    Attributes:
        claim_id: The gold claim it was made from.
        kind: What was done.
        claim: The claim to ask.
        passages: What it is to be judged against; () is an empty context.
        lang: Language of the claim.
        question: The source claim's question.
        context_id: The source claim's context.
        answer_id: The source claim's answer.
        wrong: Verdict labels that are wrong; `yes` for every kind.
        source_label: Gold label of the source claim.
    """

    claim_id: str
    kind: ControlKind
    claim: str
    passages: tuple[str, ...]
    lang: str
    question: str | None
    context_id: str
    answer_id: str
    wrong: frozenset[str]
    source_label: GoldLabel

    @property
    def control_id(self) -> str:
        """Id of the probe in a control set: `<claim_id>~<kind>`."""
        return joined_id(self.claim_id, self.kind)

    @property
    def control_context_id(self) -> str:
        """Id of its context there: `<context_id>~<kind>~<claim_id>` where passages changed."""
        if self.kind not in CONTEXT_KINDS:
            return self.context_id
        return joined_id(self.context_id, self.kind, self.claim_id)


def joined_id(*parts: str) -> str:
    """The parts joined by `~`; an id beyond 200 characters is cut and ends with its hash.

    >>> joined_id("c-1", "world_true")
    'c-1~world_true'
    """
    whole = "~".join(parts)
    if len(whole) <= _LONGEST_ID:
        return whole
    digest = hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{whole[: _LONGEST_ID - 17]}~{digest}"


class Source(NamedTuple):
    """What a probe is made from.

    Attributes:
        claim: A gold claim.
        passages: Its context.
        evidence: Sentences that hold the claim's spans; every sentence where it has none.
        seed: Orders the authored texts.
        turn: How many probes of the kind and language there are already; the next text is taken.
    """

    claim: Claim
    passages: tuple[str, ...]
    evidence: tuple[str, ...]
    seed: int = 0
    turn: int = 0

    @property
    def context(self) -> str:
        """The passages as one text."""
        return "\n".join(self.passages)


class Variant(NamedTuple):
    """A changed claim with the passages it is to be judged against."""

    claim: str
    passages: tuple[str, ...]


class LeftOut(NamedTuple):
    """Why a claim has no probe of a kind, as a code."""

    reason: str


def place_of(seed: int, *parts: str) -> bytes:
    """A stable pseudo-random place to sort by; equal input gives an equal place anywhere."""
    text = "\0".join((str(seed), *parts))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
