"""Which claims of two lists say the same, by their wording alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from metajudge.gold.near import folded

ALIKE = 0.6
"""Similarity from which two claims count as the same."""
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_NEGATED = re.compile(
    r"\b(?:not?|never|cannot|without|neither|nor|none)\b|n['’]t\b|[不没沒無无未非]"
)
_NO_LETTER = re.compile(r"[\W_]+")


def matched_claims(one: Sequence[str], other: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Pairs of claims that say the same, each claim in one pair at most, in the order of `one`.

    Claims that are equal but for case, width and punctuation are paired first, then the most
    similar ones: Dice coefficient of character bigrams, `ALIKE` or above. Claims with other
    numbers, or of which one alone is negated, never match.

    Source: Dice (1945), Ecology 26; greedy assignment by falling similarity.

    >>> matched_claims(["The fee is 10 euros.", "Tea is free"], ["tea is free!", "The fee is 9."])
    ((1, 0),)
    """
    left, right = [_Shape(text) for text in one], [_Shape(text) for text in other]
    ranked = sorted(
        (-similarity, i, j)
        for i, first in enumerate(left)
        for j, second in enumerate(right)
        if (similarity := first.similarity(second)) >= ALIKE
    )
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for _, i, j in ranked:
        if i not in pairs and j not in taken:
            pairs[i] = j
            taken.add(j)
    return tuple(sorted(pairs.items()))


class _Shape:
    """What of a claim is compared."""

    def __init__(self, text: str) -> None:
        whole = folded(text)
        self.numbers = Counter(_NUMBER.findall(whole))
        self.negated = _NEGATED.search(whole) is not None
        self.bare = _NO_LETTER.sub(" ", whole).strip()
        self.bigrams = Counter(map("".join, pairwise(self.bare)))

    def similarity(self, other: _Shape) -> float:
        if self.numbers != other.numbers or self.negated != other.negated:
            return 0.0
        if self.bare == other.bare:
            return 1.0
        shared = (self.bigrams & other.bigrams).total()
        both = self.bigrams.total() + other.bigrams.total()
        return 2 * shared / both if both else 0.0
