"""A weakening word dropped or made strong, so that the claim says more than the context."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from metajudge.gold.controls.kinds import LeftOut, Source, Variant
from metajudge.gold.controls.texts import holds_word, nearest
from metajudge.gold.controls.words import ControlWords, control_words, is_chinese


def drop_qualifier(source: Source) -> Variant | LeftOut:
    """The claim without `usually`, `often` and the like, or with `will` for `may`.

    Only where the evidence is qualified too: a context that states the thing outright supports the
    stronger claim. Where the claim has no spans, the nearest sentences must qualify the same word.
    A claim qualified twice is left alone.
    """
    claim = source.claim
    words = control_words(claim.lang)
    if words is None:
        return LeftOut("language_without_words")
    chinese = is_chinese(claim.lang)
    parts = source.evidence if claim.spans else nearest(claim.claim, source.evidence, chinese)
    options = _stronger(claim.claim, words, chinese)
    if not options:
        return LeftOut("no_qualifier")
    for option in options:
        same = option.same if claim.spans else option.same + _before_same_word(option.rest, chinese)
        if not re.search(same, "\n".join(parts), re.IGNORECASE):
            continue
        if holds_word(option.changed, (*words.hedges, *words.frequency), chinese):
            return LeftOut("qualified_twice")
        return Variant(option.changed, source.passages)
    return LeftOut("evidence_not_qualified")


class _Option(NamedTuple):
    """A claim made stronger, what follows the changed word, and what the evidence must hold."""

    changed: str
    rest: str
    same: str


def _stronger(claim: str, words: ControlWords, chinese: bool) -> list[_Option]:
    options = []
    for word in words.frequency:
        match = re.search(_pattern((word,), chinese), claim, re.IGNORECASE)
        if match:
            same = _pattern(words.frequency, chinese)
            options.append(_Option(_cut(claim, match, chinese), claim[match.end() :], same))
    for weak, strong in words.strengthened.items():
        match = re.search(_pattern((weak,), chinese), claim)
        if match and not claim[match.end() :].lstrip().startswith("have "):
            rest = claim[match.end() :]
            changed = claim[: match.start()] + strong + rest
            options.append(_Option(changed, rest, _pattern(words.hedges, chinese)))
            break
    return options


def _before_same_word(rest: str, chinese: bool) -> str:
    """Pattern of the word that the qualifier stands before, by its beginning."""
    if chinese:
        return ".{0,3}" + re.escape(rest[:1])
    word = re.match(r"\W*(?:not |be |also )?(\w{1,5})", rest)
    return r"\W+(?:\w+\W+)?" + re.escape(word.group(1) if word else "")


def _pattern(words: Sequence[str], chinese: bool) -> str:
    parts = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return f"(?:{parts})" if chinese else rf"(?<![A-Za-z])(?:{parts})(?![A-Za-z])"


def _cut(claim: str, match: re.Match[str], chinese: bool) -> str:
    start, end = match.span()
    if chinese:
        return claim[:start] + claim[end:].lstrip("，" if start == 0 else "")
    before, after = claim[:start].rstrip(), claim[end:].lstrip(" ,")
    if not before:
        return after[:1].upper() + after[1:]
    if before.endswith(",") and claim[end:].lstrip().startswith(","):
        before = before[:-1]
    return f"{before} {after}" if after[:1].isalnum() else before + after
