"""What stands in the columns of a table: how long, how many, label words, numbers, times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from metajudge.gold.importing.fields import structured
from metajudge.gold.importing.source import Source
from metajudge.gold.tables.cells import (
    is_reference,
    passages_in,
    seconds_of,
    text_of,
    time_of,
)
from metajudge.gold.tables.meanings import KNOWN, SKIPPED, folded_label, is_scale

LOOKED_AT = 2000
"""Rows from which columns are guessed."""
_LONGEST_WORD = 40
_SAMPLES = 2
_LISTED = "annotations"


@dataclass(frozen=True, slots=True)
class SeenColumn:
    """A column of the rows looked at.

    Attributes:
        name: As the table has it; dotted inside nested records.
        texts: Its cells, None where missing, one a row.
        words: Short cells as label words, counted.
        known: Share of filled cells that are known label words, or words that the user explained,
            0 to 1.
        numbers: Share that are numbers.
        times: Share that are times.
        length: Mean characters of filled cells.
        references: Share that are addresses, file names or ids.
        told: Whether a word that the user explained stands in it, numbers aside.
    """

    name: str
    texts: tuple[str | None, ...]
    words: Mapping[str, int]
    known: float
    numbers: float
    times: float
    length: float
    references: float
    told: bool = False

    @property
    def filled(self) -> int:
        """Cells with a text."""
        return sum(text is not None for text in self.texts)

    @property
    def distinct(self) -> int:
        """Different texts."""
        return len(set(self.texts) - {None})

    @property
    def samples(self) -> tuple[str, ...]:
        """The first different texts."""
        return tuple(islice(dict.fromkeys(text for text in self.texts if text), _SAMPLES))

    @property
    def is_text(self) -> bool:
        """Whether it holds words rather than numbers or times."""
        return self.filled > 0 and self.numbers < 0.5 and self.times < 0.5

    @property
    def is_scale(self) -> bool:
        """Whether its words are numbers beyond 0 and 1."""
        return is_scale(self.words)

    @property
    def refers(self) -> bool:
        """Whether it says where texts are rather than holding them."""
        return self.references >= 0.5

    @property
    def is_prose(self) -> bool:
        """Whether it holds different texts to read."""
        return self.is_text and self.length >= 6 and self.distinct > 1

    @property
    def is_annotations(self) -> bool:
        """Whether its cells are lists of annotations."""
        return self.filled > 0 and set(self.texts) <= {_LISTED, None}

    def share_in(self, allowed: Iterable[str]) -> float:
        """Share of filled cells that are one of some words, 0 to 1."""
        found = sum(self.words.get(folded_label(word), 0) for word in set(allowed))
        return found / self.filled if self.filled else 0.0


def seen_columns(source: Source) -> list[SeenColumn]:
    """The columns of a table, in its order, by its first rows.

    Raises:
        GoldError: It cannot be read at all.
    """
    rows = [flat(row.fields) for row in islice(source.rows(), LOOKED_AT)]
    names = dict.fromkeys(name for row in rows for name in row)
    told = frozenset(map(folded_label, source.labels))
    return [_seen(name, [row.get(name) for row in rows], told) for name in names]


def flat(fields: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """A record with nested records lifted to dotted names.

    >>> flat({"data": {"claim": "Tea.", "n": 1}, "label": "yes"})
    {'data.claim': 'Tea.', 'data.n': 1, 'label': 'yes'}
    """
    lifted: dict[str, Any] = {}
    for name, value in fields.items():
        if isinstance(value, dict):
            lifted |= flat(value, f"{before}{name}.")
        else:
            lifted[f"{before}{name}"] = value
    return lifted


def annotations_in(cell: Any) -> list[dict[str, Any]]:
    """The annotations that a cell lists, each with an annotator and a label; [] without.

    >>> annotations_in('[{"annotator": "bo", "label": "yes"}]'), annotations_in(["bo"])
    ([{'annotator': 'bo', 'label': 'yes'}], [])
    """
    notes = structured(cell)
    listed = isinstance(notes, list) and all(
        isinstance(note, dict) and {"annotator", "label"} <= note.keys() for note in notes
    )
    return notes if listed else []


def _seen(name: str, cells: Sequence[Any], told: frozenset[str]) -> SeenColumn:
    texts = tuple(_text(cell) for cell in cells)
    filled = [text for text in texts if text is not None]
    words = Counter(folded_label(text) for text in filled if len(text) <= _LONGEST_WORD)
    usual = {*KNOWN, *SKIPPED} - ({"0", "1"} if is_scale(words) else set()) | told
    known = sum(count for word, count in words.items() if word in usual)
    count = max(len(filled), 1)
    short = [text for text in filled if len(text) <= _LONGEST_WORD]
    return SeenColumn(
        name=name,
        texts=texts,
        words=words,
        known=known / count,
        numbers=sum(seconds_of(text) is not None for text in short) / count,
        times=sum(time_of(text) is not None for text in short) / count,
        length=sum(map(len, filled)) / count,
        references=sum(map(is_reference, filled)) / count,
        told=any(word in words and not word.isdecimal() for word in told),
    )


def _text(cell: Any) -> str | None:
    if annotations_in(cell):
        return _LISTED
    if isinstance(cell, bool):
        return str(cell).lower()
    return "\n".join(passages_in(cell)) or text_of(cell)
