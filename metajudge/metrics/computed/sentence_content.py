"""What a sentence says, as far as its wording shows it: content words, figures, names, denials."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import yaml

from metajudge.gold.controls.numbers import numbers_of
from metajudge.gold.controls.words import ControlWords, control_words
from metajudge.judges.baseline import known_grams, ngrams, runs

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NUMERALS = frozenset("〇零一二两三四五六七八九十百千万亿")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_ENDING = re.compile(r"(?<=[a-z]{3})(?:es|s|ed|ing|e)$")
_EDGE = ""
"""What stands before the first word and after the last."""


class _Words(NamedTuple):
    """The lists, ready for use."""

    lead_ins: re.Pattern[str]
    light: frozenset[str]
    negations: frozenset[str]
    pieces_zh: re.Pattern[str]
    light_zh: frozenset[str]
    negations_zh: frozenset[str]
    controls: tuple[ControlWords, ControlWords]


@dataclass(frozen=True, slots=True)
class Content:
    """What a sentence says.

    Attributes:
        words: Content words without endings, and Chinese characters, in order.
        grams: N-grams of the content, as `ngram_coverage` counts them.
        known: What of another sentence counts as found in this one.
        figures: Numbers, those written in words too where they are sure, and Chinese numerals.
        names: Words with a capital, the first word of the sentence aside.
        every_word: All words, the light ones too.
        denied: Content words that a negation stands before.
    """

    words: tuple[str, ...]
    grams: tuple[str, ...]
    known: frozenset[str]
    figures: frozenset[str]
    names: frozenset[str]
    every_word: frozenset[str]
    denied: frozenset[str]

    @property
    def length(self) -> float:
        """Content words; a Chinese character is half a word."""
        return sum(0.5 if _HAN.match(word) else 1 for word in self.words)

    def share_in(self, other: Content) -> float:
        """Share of the content n-grams that stand in the other, 0 to 1; 0 where there is none."""
        found = sum(gram in other.known for gram in self.grams)
        return found / len(self.grams) if self.grams else 0.0

    def differs_from(self, other: Content) -> bool:
        """Whether it says another thing, however much of the wording is the other's.

        Another number or name, a denial that one alone has, another word in the same place, or two
        words that change places.
        """
        own, others = set(self.words), set(other.words)
        return (
            not self.figures <= other.figures
            or not self.names <= other.every_word
            or self.denied != other.denied & own
            or bool(_gaps(self.words, others) & _gaps(other.words, own))
            or _swapped(self.words, other.words)
        )


def content_of(sentence: str) -> Content:
    """The content of a sentence, English, Chinese or both.

    >>> content_of("In short, the two halls are not open.").words
    ('2', 'hall', 'open')
    >>> content_of("因此不可以退票。").denied
    frozenset({'退'})
    """
    words = _words()
    written = _in_digits(words.lead_ins.sub(" ", unicodedata.normalize("NFKC", sentence)), words)
    pieces, denied, every = _pieces(runs(written), words)
    content = tuple(word for piece in pieces for word in (piece if _HAN.match(piece) else [piece]))
    text = " ".join(pieces)
    figures = {*_NUMBER.findall(text), *(word for word in content if word in _NUMERALS)}
    return Content(
        content, tuple(ngrams(text)), known_grams([text]), frozenset(figures),
        frozenset(_names(written, words)), frozenset(every), frozenset(denied),
    )  # fmt: skip


def _pieces(found: Sequence[str], words: _Words) -> tuple[list[str], set[str], set[str]]:
    """Content in order, what of it is denied, and every word; Chinese runs stay in one piece."""
    pieces, denied, every = [], set(), set()
    negated = False
    for run in found:
        is_han = _HAN.match(run) is not None
        kept = ""
        for part in words.pieces_zh.findall(run) if is_han else [run]:
            every.add(_stem(part))
            if part in words.negations_zh or part in words.negations or part.endswith("n't"):
                negated = True
            elif part not in words.light_zh and part not in words.light:
                new = part if is_han else _stem(part)
                if negated:
                    denied.add(new[0] if is_han else new)
                    negated = False
                kept += new
        if kept:
            pieces.append(kept)
    return pieces, denied, every


def _stem(word: str) -> str:
    return _ENDING.sub("", word)


def _names(text: str, words: _Words) -> Iterator[str]:
    for place, found in enumerate(_WORD.finditer(text)):
        word = found[0]
        plain = word.casefold().replace("’", "'")
        if any(char.isupper() for char in word) and (place or word.isupper()):
            if plain not in words.light and plain not in words.negations:
                yield _stem(plain)


def _in_digits(text: str, words: _Words) -> str:
    """The text with digits for number words that surely are numbers."""
    for controls, chinese in zip(words.controls, (False, True), strict=True):
        for number in reversed(list(numbers_of(text, controls, chinese))):
            if not number.text[0].isdigit():
                text = f"{text[: number.start]}{number.value}{text[number.end :]}"
    return text


def _gaps(words: Sequence[str], known: set[str]) -> set[tuple[str, str]]:
    """The words on both sides of each stretch that the other sentence lacks."""
    gaps, left, is_open = set(), _EDGE, False
    for word in (*words, _EDGE):
        if word == _EDGE or word in known:
            if is_open:
                gaps.add((left, word))
            left, is_open = word, False
        else:
            is_open = True
    return gaps


def _swapped(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two words stand in each other's place."""
    if len(one) != len(other):
        return False
    changed = {(a, b) for a, b in zip(one, other, strict=True) if a != b}
    return any((b, a) in changed for a, b in changed)


@cache
def _words() -> _Words:
    place = files("metajudge.metrics.computed").joinpath("repetition_words.yaml")
    told = yaml.safe_load(place.read_text(encoding="utf-8"))
    english, chinese = control_words("en"), control_words("zh")
    assert english is not None and chinese is not None
    neutral = (*chinese.neutral, *told["neutral_zh"])
    longest_first = sorted(
        (*neutral, *chinese.negations, "没有", *told["light_zh"]), key=len, reverse=True
    )
    return _Words(
        re.compile("|".join(told["lead_ins"]), re.IGNORECASE),
        frozenset(told["light"]),
        frozenset(english.negations),
        re.compile("|".join((*longest_first, ".")), re.DOTALL),
        frozenset(told["light_zh"]),
        frozenset((*chinese.negations, "没有")),
        (english, chinese),
    )
