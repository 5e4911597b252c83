"""Authored texts: a plausible detail added to a claim, statements true in the world."""

from __future__ import annotations

from collections.abc import Sequence

from metajudge.gold.controls.kinds import LeftOut, Source, Variant, place_of
from metajudge.gold.controls.texts import stands_in, without_end
from metajudge.gold.controls.words import AuthoredText, control_words, is_chinese


def add_detail(source: Source) -> Variant | LeftOut:
    """The claim with a detail of which the context holds no word; all its parts must hold."""
    words = control_words(source.claim.lang)
    if words is None:
        return LeftOut("language_without_words")
    if source.claim.claim.rstrip().endswith(("?", "？", "…", ":", "：")):
        return LeftOut("no_statement")
    chosen = _unmentioned(words.additions, source)
    if chosen is None:
        return LeftOut("every_text_mentioned")
    end = "。" if is_chinese(source.claim.lang) else "."
    return Variant(without_end(source.claim.claim) + chosen.text + end, source.passages)


def state_the_known(source: Source) -> Variant | LeftOut:
    """A statement everyone knows, of which the context holds no word; outside is no support."""
    words = control_words(source.claim.lang)
    if words is None:
        return LeftOut("language_without_words")
    chosen = _unmentioned(words.world, source)
    if chosen is None:
        return LeftOut("every_text_mentioned")
    return Variant(chosen.text, source.passages)


def _unmentioned(texts: Sequence[AuthoredText], source: Source) -> AuthoredText | None:
    """The first text, from the source's turn on, of which neither context nor claim holds a key."""
    ordered = sorted(texts, key=lambda text: place_of(source.seed, text.text))
    start = source.turn % len(ordered)
    for text in (*ordered[start:], *ordered[:start]):
        if not stands_in(f"{source.context}\n{source.claim.claim}", text.keys):
            return text
    return None
