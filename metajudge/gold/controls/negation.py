"""The claim denied: one `not`, only where the sentence surely stays grammatical and turns false."""

from __future__ import annotations

import re

from metajudge.gold.controls.kinds import LeftOut, Source, Variant
from metajudge.gold.controls.texts import clause_around, denies, holds_word
from metajudge.gold.controls.words import ControlWords, control_words, is_chinese

_WORD = re.compile(r"[A-Za-z']+")


def add_negation(source: Source) -> Variant | LeftOut:
    """The claim with its first main verb denied; denied and hedged claims are left alone.

    A claim about some of many is left alone too: "some are" and "some are not" can both be true.
    """
    claim = source.claim
    words = control_words(claim.lang)
    if words is None:
        return LeftOut("language_without_words")
    chinese = is_chinese(claim.lang)
    if denies(claim.claim, words, chinese):
        return LeftOut("negated_already")
    if holds_word(claim.claim, words.hedges, chinese):
        return LeftOut("hedged")
    if holds_word(claim.claim, words.indefinite, chinese):
        return LeftOut("about_some")
    denied = _denied_zh(claim.claim, words) if chinese else _denied_en(claim.claim, words)
    return LeftOut("no_sure_verb") if denied is None else Variant(denied, source.passages)


def _denied_en(claim: str, words: ControlWords) -> str | None:
    tokens = list(_WORD.finditer(claim))
    for index, token in enumerate(tokens):
        word = token.group()
        before = claim[: token.start()]
        if holds_word(before, (*words.subordinators, *words.quantifiers), False):
            return None
        following = tokens[index + 1].group() if index + 1 < len(tokens) else ""
        if following in words.quantifiers:
            return None
        new = _denied_word(word, following, words)
        if new is None and word in words.verbs and _follows_short_subject(tokens[:index], words):
            new = f"does not {words.verbs[word]}"
        if new is not None:
            return (
                None if _begins_with_number(claim, words) else before + new + claim[token.end() :]
            )
    return None


def _denied_word(word: str, following: str, words: ControlWords) -> str | None:
    if word in words.auxiliaries and following:
        return words.auxiliaries[word]
    if word not in words.perfect:
        return None
    if following in ("to", *words.determiners):
        return words.have_to[word]
    done = following.endswith("ed") or following in words.participles
    return f"{word} not" if done else None


def _follows_short_subject(before: list[re.Match[str]], words: ControlWords) -> bool:
    """Whether just a determiner and one word stand before, so that the verb is no noun."""
    return len(before) == 2 and before[0].group().casefold() in words.determiners


def _begins_with_number(claim: str, words: ControlWords) -> bool:
    first = claim.split(maxsplit=1)[0].casefold()
    return first[0].isdigit() or first in words.number_words


def _denied_zh(claim: str, words: ControlWords) -> str | None:
    """The verb of the first clause that has a sure one, denied."""
    pattern = re.compile("|".join(sorted(map(re.escape, words.negated), key=len, reverse=True)))
    for match in pattern.finditer(claim):
        verb, start, end = match.group(), match.start(), match.end()
        clause = clause_around(claim, start, end)
        if holds_word(claim[:start], words.quantifiers, True):
            return None
        if _is_condition(clause, words) or _inside_longer_word(claim, verb, start, end, words):
            continue
        return claim[:start] + words.negated[verb] + claim[end:]
    return None


def _is_condition(clause: str, words: ControlWords) -> bool:
    """Whether the clause says when or for whom something holds; denying it would prove nothing."""
    return clause.endswith(words.clause_ends) or clause.lstrip().startswith(words.conditions)


def _inside_longer_word(claim: str, verb: str, start: int, end: int, words: ControlWords) -> bool:
    before, after = claim[:start], claim[end:]
    return before.endswith(words.negated_after.get(verb, ())) or after.startswith(
        words.negated_before.get(verb, ())
    )
