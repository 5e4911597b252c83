"""Whether two texts are the same, or have a long run of words in common.

Case, white space, punctuation and full or half width make no difference. A run is counted in words;
in Chinese each character counts as one. A shared run of words as the sign that a text was seen
before: Brown et al. 2020, Language Models are Few-Shot Learners, appendix C (there 13 words).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

LONG_RUN = 12
"""Words in a row from which two texts have too much in common."""
SHORTEST_WHOLE = 6
"""Words of a shorter text from which all of it inside another one is too much in common."""
_WORD = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]|[^\W_\u3400-\u4dbf\u4e00-\u9fff]+")
Words = tuple[str, ...]
Name = TypeVar("Name")


@dataclass(frozen=True, slots=True)
class Shared(Generic[Name]):
    """What a known text has in common with one that is looked at.

    Attributes:
        name: Of the known text.
        words: The run in common, as words of `words_of`.
        whole: Whether the two texts are the same but for their form.
    """

    name: Name
    words: Words
    whole: bool


def words_of(text: str) -> Words:
    """The words of a text, each Chinese character one, without case, width and punctuation.

    >>> words_of("Ａ  fee, 5元。")
    ('a', 'fee', '5', '元')
    """
    return tuple(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


class KnownTexts(Generic[Name]):
    """Texts by name, to be found again in others.

    The texts looked at may be many: only those known are kept in memory.
    """

    def __init__(self, texts: Mapping[Name, str]) -> None:
        self._words = {name: words_of(text) for name, text in texts.items()}
        self._plain: dict[str, list[Name]] = {}
        for name, words in self._words.items():
            self._plain.setdefault("".join(words), []).append(name)
        by_length: dict[int, list[Name]] = {}
        for name, words in self._words.items():
            by_length.setdefault(len(words), []).append(name)
        self._wholes = {
            length: self._runs(length, names)
            for length, names in sorted(by_length.items())
            if _is_short(length)
        }
        self._windows: dict[int, dict[Words, list[Name]]] = {}

    def shared_with(self, text: str) -> Iterator[Shared[Name]]:
        """Each known text that is this one, or shares a long run with it, once and in order."""
        words = words_of(text)
        found: dict[Name, Shared[Name]] = {}
        for name in self._plain.get("".join(words), ()) if words else ():
            found[name] = Shared(name, words, True)
        for length, known in self._tables(len(words)):
            for run in runs(words, length):
                for name in known.get(run, ()):
                    found.setdefault(name, Shared(name, run, False))
        yield from (found[name] for name in self._words if name in found)

    def _tables(self, length: int) -> Iterator[tuple[int, Mapping[Words, Sequence[Name]]]]:
        """Lengths of runs to look for in a text of `length` words, with those that are known."""
        if length >= LONG_RUN or _is_short(length):
            run = min(length, LONG_RUN)
            if run not in self._windows:
                self._windows[run] = self._runs(run, self._words)
            yield run, self._windows[run]
        yield from ((run, known) for run, known in self._wholes.items() if run <= length)

    def _runs(self, length: int, names: Iterable[Name]) -> dict[Words, list[Name]]:
        found: dict[Words, list[Name]] = {}
        for name in names:
            for run in dict.fromkeys(runs(self._words[name], length)):
                found.setdefault(run, []).append(name)
        return found


def runs(words: Words, length: int) -> Iterator[Words]:
    """Every run of `length` words, in order; none where there are fewer."""
    return (words[start : start + length] for start in range(len(words) - length + 1))


def _is_short(length: int) -> bool:
    return SHORTEST_WHOLE <= length < LONG_RUN
