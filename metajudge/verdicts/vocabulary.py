"""Which words a reply may answer with: a dialect's whole labels, folded, and nothing shorter."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from metajudge.templates.dialect import DIALECTS, Dialect
from metajudge.verdicts.verdict import Label

NotOffered = Literal["not_offered"]
Word = Label | NotOffered
"""A label, or a label word of another dialect that this template does not offer."""

NOT_OFFERED: NotOffered = "not_offered"

_FOREIGN_MORE = (
    "borderline",
    "partial",
    "partially supported",
    "unknown",
    "unclear",
    "neutral",
    "部分支持",
    "无法判断",
    "不确定",
)
_STOPS = ".。｡"
_PAIRS = (
    ("**", "**"),
    ("__", "__"),
    ("*", "*"),
    ("_", "_"),
    ("`", "`"),
    ('"', '"'),
    ("'", "'"),
    ("“", "”"),
    ("‘", "’"),
    ("「", "」"),
    ("『", "』"),
    ("(", ")"),
    ("[", "]"),
    ("【", "】"),
)
OPENING = "".join(sorted({mark for opening, _ in _PAIRS for mark in opening}))
CLOSING = "".join(sorted({mark for _, closing in _PAIRS for mark in closing}))


def fold(text: str) -> str:
    r"""NFKC, casefold, runs of white space made one space, ends stripped.

    >>> fold("  Not\n Mentioned ")
    'not mentioned'
    >>> fold("Ａ")
    'a'
    """
    if text.isascii():
        return " ".join(text.lower().split())
    return " ".join(unicodedata.normalize("NFKC", text).replace("’", "'").casefold().split())


def undecorated(folded: str) -> str:
    """A folded text without one trailing full stop and without paired quotes, bold or brackets.

    >>> undecorated('**"yes".**')
    'yes'
    >>> undecorated("yes..")
    'yes.'
    """
    stop_left = True
    while folded:
        if stop_left and folded[-1] in _STOPS:
            folded, stop_left = folded[:-1].rstrip(), False
            continue
        for opening, closing in _PAIRS:
            inside = folded[len(opening) : -len(closing)]
            if inside and folded.startswith(opening) and folded.endswith(closing):
                folded = inside.strip()
                break
        else:
            return folded
    return folded


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """A dialect made ready for reading.

    Attributes:
        labels: Labels offered, in the order of the dialect.
        words: Folded whole spelling -> label, or `not_offered` for other dialects' words.
        prefixes: Folded proper prefix of a spelling -> its label; None where two labels share it.
        alternatives: Regular expression source: every word, longest first.
    """

    labels: tuple[Label, ...]
    words: dict[str, Word]
    prefixes: dict[str, Label | None]
    alternatives: str

    def whole_word(self, text: str) -> Word | None:
        """The label that the text is, as a whole; None when it is anything else.

        >>> from metajudge.templates.dialect import WORDS
        >>> vocabulary = vocabulary_of(WORDS["en"])
        >>> [vocabulary.whole_word(t) for t in ("Yes.", "yesno", "y", "supported")]
        ['yes', None, None, 'not_offered']
        """
        if len(text) > 200:
            return None
        folded = fold(text)
        word = self.words.get(folded)
        return word if word is not None else self.words.get(undecorated(folded))


def vocabulary_of(dialect: Dialect) -> Vocabulary:
    """The vocabulary of a dialect; built once per set of words."""
    return _vocabulary(
        dialect.kind,
        tuple(
            (label, (word, *dialect.spellings.get(label, ())))
            for label, word in dialect.words.items()
        ),
    )


@lru_cache(maxsize=256)
def _vocabulary(kind: str, offered: tuple[tuple[Label, tuple[str, ...]], ...]) -> Vocabulary:
    words: dict[str, Word] = {}
    for label, spellings in offered:
        for spelling in spellings:
            words[fold(spelling)] = label
    own = {word: label for word, label in words.items() if label != NOT_OFFERED}
    for foreign in _foreign_words(kind):
        words.setdefault(fold(foreign), NOT_OFFERED)
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return Vocabulary(
        labels=tuple(label for label, _ in offered),
        words=words,
        prefixes=_prefixes(own),
        alternatives="|".join(map(re.escape, longest_first)),
    )


def _foreign_words(kind: str) -> Iterable[str]:
    for name, by_language in DIALECTS.items():
        # A lone letter answers a letters template only; elsewhere it is no label of anybody.
        if name == "letters":
            continue
        for dialect in by_language.values():
            for label, word in dialect.words.items():
                yield from (word, *dialect.spellings.get(label, ()))
    yield from _FOREIGN_MORE
    if kind == "letters":
        yield from "ABCDEFGH"


def _prefixes(own: dict[str, Label]) -> dict[str, Label | None]:
    prefixes: dict[str, Label | None] = {}
    for word, label in own.items():
        for length in range(1, len(word)):
            prefix = word[:length].rstrip()
            known = prefixes.setdefault(prefix, label)
            if known != label:
                prefixes[prefix] = None
    return prefixes
