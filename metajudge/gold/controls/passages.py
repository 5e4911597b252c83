"""Controls that change the passages: the evidence removed, or those of another context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from metajudge.gold.controls.kinds import LeftOut, Source, Variant
from metajudge.gold.controls.numbers import numbers_of
from metajudge.gold.controls.texts import content_pieces, grams, holds_word, overlap, sentences
from metajudge.gold.controls.words import control_words, is_chinese
from metajudge.gold.goldset import GoldSet
from metajudge.gold.split import split_group

_STILL_SAID = 0.7
"""From this share of the claim's grams on, one remaining sentence may say the same again."""


def evidence_of(passages: Sequence[str], spans: Sequence[str]) -> tuple[str, ...]:
    """The sentences that hold the spans; every sentence where there are no spans."""
    if not spans:
        return tuple(part for passage in passages for part in sentences(passage))
    return tuple(
        part for passage in passages for part, touched in _touched(passage, spans) if touched
    )


def remove_evidence(source: Source) -> Variant | LeftOut:
    """The passages without the sentences that hold the claim's spans."""
    claim = source.claim
    if not claim.spans:
        return LeftOut("no_span")
    if not all(any(span in passage for passage in source.passages) for span in claim.spans):
        return LeftOut("span_not_in_context")
    if _says_absence(claim.claim, claim.lang):
        return LeftOut("claim_of_absence")
    kept = []
    for passage in source.passages:
        rest = "".join(part for part, touched in _touched(passage, claim.spans) if not touched)
        if rest.strip():
            kept.append(rest.rstrip() if rest != passage else rest)
    reason = _may_still_hold(source, kept)
    return Variant(claim.claim, tuple(kept)) if reason is None else LeftOut(reason)


def _may_still_hold(source: Source, kept: Sequence[str]) -> str | None:
    """Why the claim could rest on what is left, as a code; None where it surely does not."""
    if not kept:
        return None
    claim, chinese = source.claim.claim, is_chinese(source.claim.lang)
    words = control_words(source.claim.lang)
    wanted = grams(claim, chinese)
    left = (part for passage in kept for part in sentences(passage))
    if any(overlap(wanted, grams(part, chinese)) >= _STILL_SAID for part in left):
        return "evidence_repeated"
    rest = "\n".join(kept)
    pieces = content_pieces(claim, words, chinese)
    if pieces & content_pieces(source.context, words, chinese) <= content_pieces(
        rest, words, chinese
    ):
        return "evidence_not_distinct"
    if words is not None:
        asked, there, gone = (
            {(number.value, number.unit) for number in numbers_of(text, words, chinese)}
            for text in (claim, rest, "\n".join(source.evidence))
        )
        if asked & there - gone:
            return "evidence_incomplete"
    return None


class OtherContexts:
    """Chooses the context that has least in common with a claim."""

    def __init__(self, gold: GoldSet) -> None:
        self._gold = gold

    def swap(self, source: Source) -> Variant | LeftOut:
        """The passages, of another group but the same language and split, that share fewest grams.

        Of contexts that share equally few, the first by id is taken.
        """
        claim = source.claim
        if _says_absence(claim.claim, claim.lang):
            return LeftOut("claim_of_absence")
        chinese = is_chinese(claim.lang)
        wanted = grams(claim.claim, chinese)
        own = self._gold.contexts[claim.context_id]
        split = self._gold.split_of(claim)
        others = [
            (overlap(wanted, known), name)
            for name, known in self._grams[claim.lang].items()
            if split_group(self._gold.contexts[name]) != split_group(own)
            and self._splits[name] == split
        ]
        if not others:
            return LeftOut("no_other_context")
        _, name = min(others)
        return Variant(claim.claim, self._gold.contexts[name].passages)

    @cached_property
    def _splits(self) -> Mapping[str, str | None]:
        return {claim.context_id: self._gold.split_of(claim) for claim in self._gold.claims}

    @cached_property
    def _grams(self) -> Mapping[str, Mapping[str, frozenset[str]]]:
        """Language -> context id -> grams, of contexts with passages."""
        found: dict[str, dict[str, frozenset[str]]] = {}
        for claim in self._gold.claims:
            known = found.setdefault(claim.lang, {})
            text = "\n".join(self._gold.passages(claim))
            if claim.context_id not in known and text.strip():
                known[claim.context_id] = grams(text, is_chinese(claim.lang))
        return found


def _touched(passage: str, spans: Sequence[str]) -> list[tuple[str, bool]]:
    """Sentences, and whether a span lies in them or reaches into them."""
    marks = []
    for span in spans:
        at = passage.find(span)
        while at >= 0:
            marks.append((at, at + len(span)))
            at = passage.find(span, at + 1)
    parts, start = [], 0
    for part in sentences(passage):
        end = start + len(part)
        parts.append((part, any(first < end and last > start for first, last in marks)))
        start = end
    return parts


def _says_absence(claim: str, lang: str) -> bool:
    words = control_words(lang)
    return words is not None and holds_word(claim, words.absences, is_chinese(lang))
