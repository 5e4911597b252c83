"""Sentences, clauses and words of a text, as far as the negative controls need them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from metajudge.gold.controls.words import ControlWords
from metajudge.gold.near import folded

_ENDS = re.compile(r"\n+|[。！？]+[”’」』）]*|(?<![.!?])[.!?]+[\"'”’)]*(?=\s+[\"'“‘(]?[A-Z0-9])")
_LIST_NUMBER = re.compile(r"(?:^|\s)(?:\d{1,2}|[A-Za-z]|No|Nos|Mr|Mrs|Ms|Dr|St|vs|e\.g|i\.e)$")
_LONGER_THAN_A_LIST_NUMBER = 8
_NEAREST = 0.8
_CLAUSE_ENDS = re.compile(r"[，。；：、！？;]|[,:](?!\d)|\s[–—-]\s")


@lru_cache(maxsize=4096)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text with the space after them; joined they are the text again.

    A new line ends a sentence, so that rows of a table part; the number of a list entry does not.

    >>> sentences("1. Open it. 2. Wait 1.5 h.")
    ('1. Open it. ', '2. Wait 1.5 h.')
    """
    parts, start = [], 0
    for match in _ENDS.finditer(text):
        before = max(start, match.start() - _LONGER_THAN_A_LIST_NUMBER)
        if match.group()[0] == "." and _LIST_NUMBER.search(text[before : match.start()]):
            continue
        end = max(match.end(), start)
        while end < len(text) and text[end].isspace():
            end += 1
        parts.append(text[start:end])
        start = end
    return tuple(part for part in (*parts, text[start:]) if part)


class ClauseSides(NamedTuple):
    """What stands before and after a place in its clause."""

    before: str
    after: str


def clause_sides(text: str, start: int, end: int) -> ClauseSides:
    """The two sides of text[start:end] up to the next punctuation marks.

    >>> clause_sides("If so, wait at least 8 hours.", 21, 22)
    ClauseSides(before=' wait at least ', after=' hours.')
    """
    begins = [match.end() for match in _CLAUSE_ENDS.finditer(text, 0, start)]
    stop = _CLAUSE_ENDS.search(text, end)
    before = text[begins[-1] if begins else 0 : start]
    return ClauseSides(before, text[end : stop.start() if stop else len(text)])


def clause_around(text: str, start: int, end: int) -> str:
    """The stretch between punctuation marks that holds text[start:end]."""
    sides = clause_sides(text, start, end)
    return sides.before + text[start:end] + sides.after


def holds_word(text: str, words: Iterable[str], chinese: bool) -> bool:
    """Whether one of the words stands in the text: whole words in English, pieces in Chinese."""
    return _any_of(tuple(words), chinese).search(text) is not None


def denies(text: str, words: ControlWords, chinese: bool) -> bool:
    """Whether a negation stands in the text, words such as 有没有 apart.

    >>> from metajudge.gold.controls.words import control_words
    >>> zh = control_words("zh")
    >>> denies("免费版有没有上限", zh, True), denies("超限不收费", zh, True)
    (False, True)
    """
    for word in words.neutral:
        text = text.replace(word, "□" * len(word))
    return holds_word(text, words.negations, chinese) or (not chinese and "n't" in text)


@lru_cache(maxsize=256)
def _any_of(words: tuple[str, ...], chinese: bool) -> re.Pattern[str]:
    parts = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    if chinese:
        return re.compile(parts, re.IGNORECASE)
    return re.compile(rf"(?<![A-Za-z])(?:{parts})(?![A-Za-z])", re.IGNORECASE)


def stands_in(context: str, keys: Iterable[str]) -> bool:
    """Whether a piece of a word stands in the context, whatever its case and width."""
    known = folded(context)
    return any(folded(key) in known for key in keys)


@lru_cache(maxsize=4096)
def grams(text: str, chinese: bool) -> frozenset[str]:
    """Character pairs in Chinese, triples else, after `folded`."""
    length = 2 if chinese else 3
    known = folded(text)
    return frozenset(known[at : at + length] for at in range(max(len(known) - length + 1, 1)))


def content_pieces(text: str, words: ControlWords | None, chinese: bool) -> frozenset[str]:
    """Beginnings of the words that carry meaning (five letters), or pairs of Chinese characters.

    >>> sorted(content_pieces("Waiting for the waiters", None, False))
    ['waite', 'waiti']
    """
    known = folded(text)
    if chinese:
        return frozenset(pair for pair in grams(text, True) if pair.isalnum())
    empty = () if words is None else words.function_words
    return frozenset(word[:5] for word in re.findall(r"[^\W_]{4,}", known) if word not in empty)


def overlap(claim: frozenset[str], text: frozenset[str]) -> float:
    """Share of the claim's grams that stand in the text, 0 to 1."""
    return len(claim & text) / max(len(claim), 1)


def nearest(claim: str, parts: Sequence[str], chinese: bool) -> list[str]:
    """The sentences that share at least four fifths as much with the claim as the best one."""
    wanted = grams(claim, chinese)
    shares = [overlap(wanted, grams(part, chinese)) for part in parts]
    most = max(shares, default=0.0)
    return [part for part, share in zip(parts, shares, strict=True) if share >= _NEAREST * most]


def without_end(claim: str) -> str:
    """The claim without the mark that ends it, so that more can follow."""
    return claim.rstrip().rstrip(".。!！")
