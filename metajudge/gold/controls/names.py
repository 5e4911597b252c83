"""A name of the claim replaced by another name of the same context."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from metajudge.gold.controls.kinds import LeftOut, Source, Variant
from metajudge.gold.controls.texts import (
    clause_around,
    denies,
    grams,
    holds_word,
    nearest,
    overlap,
    sentences,
)
from metajudge.gold.controls.words import ControlWords, control_words, is_chinese

_ACRONYM = r"[A-Z][A-Z0-9]+"
_WORD = rf"(?:[A-Z][a-z]+(?:-[A-Z][a-z]+)*|{_ACRONYM})"
_LETTER = r"(?:[^\W\u4e00-\u9fff]|[\u0300-\u036f-])"
_LATIN = re.compile(rf"(?<!{_LETTER}){_WORD}(?: {_WORD})*(?!{_LETTER})")
_LIST_BEFORE = re.compile(r"[A-Z]\w* (?:of|for|de|the) $|\.\s$|(?:,|\b(?:and|or)) $")
_LIST_AFTER = re.compile(
    r" (?:of|for|de|and|or) (?:the )?[A-Z]|, (?:and )?[A-Z]|\s?\(|['’]s? [A-Z]"
)
_QUOTED = re.compile(r"「([^」]{1,20})」|“([^”]{1,20})”|《([^》]{1,30})》")
_WORD_BEFORE = re.compile(r"([A-Za-z]+|[\u4e00-\u9fff])\s?$")
_WORD_AFTER = re.compile(r"\s?([A-Za-z]+|[\u4e00-\u9fff]{2})")


class _Name(NamedTuple):
    text: str
    shape: str
    start: int
    before: str
    after: str


def swap_name(source: Source) -> Variant | LeftOut:
    """The claim with one name replaced by another of the same shape.

    The new name stands in the context but neither in the claim nor in the evidence (the nearest
    sentences of a claim without spans), and is used there as the old one is: with a word before or
    after in common. Names in a negated clause stay, since "needs no PCF" may hold for another too.
    Of several the one is taken whose sentences have least in common with the claim.
    """
    claim = source.claim
    words = control_words(claim.lang)
    if words is None:
        return LeftOut("language_without_words")
    chinese = is_chinese(claim.lang)
    names = _names(claim.claim, words, chinese)
    if not names:
        return LeftOut("no_name")
    known = [name for passage in source.passages for name in _names(passage, words, chinese)]
    stated = {name.text for name in known}
    names = tuple(name for name in names if name.text in stated)
    if not names:
        return LeftOut("name_not_in_context")
    parts = source.evidence if claim.spans else nearest(claim.claim, source.evidence, chinese)
    said = "\n".join((claim.claim, *parts))
    often = Counter((name.text, name.shape) for name in known)
    usable = {
        text
        for (text, shape), times in often.items()
        if not _stands(text, said)
        and not _is_common_word(text, source.context)
        and (times > 1 or shape != "Aa")
    }
    free = [name for name in known if name.text in usable]
    for name in names:
        bound = _is_bound(name, claim.claim, words, chinese)
        if bound or _is_common_word(name.text, source.context):
            continue
        others = {other.text for other in free if _is_like(name, other, known, words)}
        others -= _beside(name, others, source)
        if others:
            other = min(others, key=lambda text: (_closeness(text, source, chinese), text))
            return Variant(_replaced(claim.claim, name.text, other), source.passages)
    return LeftOut("no_name_alike")


def _is_bound(name: _Name, claim: str, words: ControlWords, chinese: bool) -> bool:
    """Whether the clause is negated or hedged, or the name is part of a longer one or of a list."""
    end = name.start + len(name.text)
    clause = clause_around(claim, name.start, end)
    if denies(clause, words, chinese) or holds_word(clause, words.hedges, chinese):
        return True
    if "Aa" in name.shape and _modifies(name, words):
        return True
    before, after = claim[: name.start], claim[end:]
    return _LIST_BEFORE.search(before) is not None or _LIST_AFTER.match(after) is not None


def _beside(name: _Name, others: set[str], source: Source) -> set[str]:
    """Those that share a sentence with the name: Luxor may lie in Egypt. Acronyms are free to."""
    if "Aa" not in name.shape:
        return set()
    parts = [part for passage in source.passages for part in sentences(passage)]
    together = "\n".join(part for part in parts if _stands(name.text, part))
    return {other for other in others if _stands(other, together)}


def _modifies(name: _Name, words: ControlWords) -> bool:
    """Whether a noun seems to follow, as in `the Luxor province`; a verb ends in s or ed."""
    return name.after not in ("", *words.function_words) and not name.after.endswith(("s", "ed"))


def _is_common_word(name: str, context: str) -> bool:
    """Whether the context also has the word without its capital, as headings give it one."""
    return name.casefold() != name and not name.isupper() and _stands(name.casefold(), context)


def _is_like(name: _Name, other: _Name, known: list[_Name], words: ControlWords) -> bool:
    return (
        other.shape == name.shape
        and not set(other.text.split()) & set(name.text.split())
        and other.text.endswith("s") == name.text.endswith("s")
        and _used_alike(name, other, known, words)
    )


def _names(text: str, words: ControlWords, chinese: bool) -> tuple[_Name, ...]:
    return _names_of(text, words.names_kept, words.function_words, chinese)


@lru_cache(maxsize=4096)
def _names_of(
    text: str, kept: tuple[str, ...], empty: tuple[str, ...], chinese: bool
) -> tuple[_Name, ...]:
    """Names of a text; a capital that only begins a sentence makes none."""
    found, start = [], 0
    for sentence in sentences(text):
        for match in _LATIN.finditer(sentence):
            name, at = match.group(), match.start()
            while name.split(" ")[0].casefold() in empty and " " in name:
                at += name.index(" ") + 1
                name = name[name.index(" ") + 1 :]
            initial = not sentence[:at].strip(" \"'“‘(")
            common = initial and not chinese and not re.fullmatch(_ACRONYM, name)
            if not common and not set(name.split()) & set(kept):
                found.append(_placed(name, _shape(name), start + at, text))
        for match in _QUOTED.finditer(sentence):
            quoted = next(group for group in match.groups() if group)
            found.append(_placed(quoted, match.group()[0], start + match.start() + 1, text))
        start += len(sentence)
    return tuple(found)


def _shape(name: str) -> str:
    """Capitals, digits and number of words.

    `AMF` is `AAA`, `N4` is `A0`, `Mill Meadow` is `Aa Aa`.
    """
    if re.fullmatch(_ACRONYM, name):
        return re.sub(r"[A-Z]", "A", re.sub(r"[0-9]", "0", name))
    return " ".join("AA" if word.isupper() else "Aa" for word in name.split())


def _placed(name: str, shape: str, start: int, text: str) -> _Name:
    before = _WORD_BEFORE.search(text[max(0, start - 30) : start])
    after = _WORD_AFTER.match(text, start + len(name))
    return _Name(
        name,
        shape,
        start,
        before.group(1).casefold() if before else "",
        after.group(1).casefold() if after else "",
    )


def _used_alike(name: _Name, other: _Name, known: list[_Name], words: ControlWords) -> bool:
    if name.shape in "「“《":
        return True
    own = [*(found for found in known if found.text == name.text), name]
    its = [found for found in known if found.text == other.text]
    following = {found.after for found in own}
    if len(following) == 1 and not following & {"", *words.function_words}:
        return any(found.after in following for found in its)
    agents = set(words.agents_after)
    if agents:
        return all(any(found.before in agents for found in group) for group in (own, its))
    before = {found.before for found in own} - {""}
    after = {found.after for found in own} - {"", *words.function_words}
    return any(found.before in before or found.after in after for found in its)


def _stands(name: str, text: str) -> bool:
    pattern = rf"(?<!{_LETTER}){re.escape(name)}(?!{_LETTER})"
    return name in text and re.search(pattern, text) is not None


def _closeness(name: str, source: Source, chinese: bool) -> float:
    """Greatest overlap of a sentence that holds the name with the claim, 0 to 1."""
    wanted = grams(source.claim.claim, chinese)
    return max(
        overlap(wanted, grams(part, chinese))
        for passage in source.passages
        for part in sentences(passage)
        if name in part
    )


def _replaced(claim: str, name: str, other: str) -> str:
    return re.sub(rf"(?<!{_LETTER}){re.escape(name)}(?!{_LETTER})", lambda _: other, claim)
