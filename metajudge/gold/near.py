"""Texts that are nearly the same: Jaccard similarity of character trigrams, found by MinHash.

Candidates come from locality-sensitive hashing (16 bands of 4 rows), each is then measured exactly,
so no pair under the threshold is given. A pair at similarity 0.8 is missed about twice in 10,000.

Source: Broder 1997, On the resemblance and containment of documents; banding after Leskovec,
Rajaraman and Ullman 2014, Mining of Massive Datasets, section 3.4.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

NEAR = 0.8
"""Similarity from which two texts count as nearly the same."""
_NGRAM = 3
_BANDS = 16
_ROWS = 4
_LARGEST_FULL_BUCKET = 40
_SPACE = re.compile(r"\s+")
_Hashes = NDArray[np.uint64]


class NearPair(NamedTuple):
    """Two texts by their positions, first < second, and their Jaccard similarity in [0, 1]."""

    first: int
    second: int
    similarity: float


def folded(text: str) -> str:
    r"""The text without differences of case, width and white space (NFKC, casefold).

    >>> folded("ＰＤＵ  session\n")
    'pdu session'
    """
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()


def near_pairs(texts: Sequence[str], threshold: float = NEAR) -> list[NearPair]:
    """Pairs of texts whose similarity reaches the threshold, in order of position.

    Of several equal texts each is paired with the first only, and the first alone with others.

    Args:
        texts: Any texts; they are compared after `folded`.
        threshold: Least similarity, above 0.5.

    >>> near_pairs(["The fee is 10 euros.", "Tea", "The fee is 10 euros!"])
    [NearPair(first=0, second=2, similarity=0.895)]
    """
    first_at: dict[str, int] = {}
    pairs = []
    for index, text in enumerate(map(folded, texts)):
        first = first_at.setdefault(text, index)
        if first != index:
            pairs.append(NearPair(first, index, 1.0))
    positions = list(first_at.values())
    grams = [_grams(text) for text in first_at]
    for left, right in sorted(_candidates(grams)):
        similarity = _jaccard(grams[left], grams[right])
        if similarity >= threshold:
            pairs.append(NearPair(positions[left], positions[right], round(similarity, 3)))
    return sorted(pairs)


def _grams(text: str) -> _Hashes:
    """Sorted distinct hashes of the text's trigrams; a shorter text is one gram."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    points = points.astype(np.uint64) + np.uint64(1)
    length = min(_NGRAM, max(len(points), 1))
    windows = np.lib.stride_tricks.sliding_window_view(points, length) if len(points) else points
    hashes = np.zeros(len(windows) or 1, dtype=np.uint64)
    for offset in range(length if len(points) else 0):
        hashes = hashes * np.uint64(0x100000001B3) + windows[:, offset]
    return np.unique(_mixed(hashes))


def _mixed(values: _Hashes) -> _Hashes:
    """SplitMix64's finaliser: neighbouring numbers end far apart. Source: Steele et al. 2014."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _signatures(grams: Sequence[_Hashes]) -> _Hashes:
    """(n_texts, bands) uint64: one hash per band of MinHash values."""
    starts = np.cumsum([0] + [len(text) for text in grams[:-1]])
    every = np.concatenate(grams)
    keys = np.zeros((len(grams), _BANDS), dtype=np.uint64)
    for row in range(_BANDS * _ROWS):
        salt = _mixed(np.array([row + 1], dtype=np.uint64))[0]
        least = np.minimum.reduceat(_mixed(every ^ salt), starts)
        band = row // _ROWS
        keys[:, band] = _mixed(keys[:, band] * np.uint64(0x9E3779B97F4A7C15) + least)
    return keys


def _candidates(grams: Sequence[_Hashes]) -> set[tuple[int, int]]:
    if len(grams) < 2:
        return set()
    keys = _signatures(grams)
    return {pair for band in range(_BANDS) for pair in _bucket_pairs(keys[:, band])}


def _bucket_pairs(keys: _Hashes) -> Iterator[tuple[int, int]]:
    """Pairs of texts with one key. A crowded bucket pairs each text with its first and next."""
    order = np.argsort(keys, kind="stable")
    ends = np.flatnonzero(np.diff(keys[order])) + 1
    for bucket in np.split(order, ends):
        if len(bucket) < 2:
            continue
        members = [int(index) for index in bucket]
        if len(members) <= _LARGEST_FULL_BUCKET:
            yield from combinations(members, 2)
        else:
            yield from ((members[0], other) for other in members[1:])
            yield from pairwise(members[1:])


def _jaccard(left: _Hashes, right: _Hashes) -> float:
    shared = len(np.intersect1d(left, right, assume_unique=True))
    return shared / (len(left) + len(right) - shared)
