"""Columns that look like labels in words that nobody has explained, and what to say of them."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from metajudge.gold.tables.columns_seen import SeenColumn
from metajudge.gold.tables.headings import (
    annotator_in,
    is_by_model,
    is_no_label,
    matches,
    names_nobody,
    score,
)
from metajudge.gold.tables.label_columns import NO_WORD
from metajudge.gold.tables.meanings import KNOWN, SKIPPED
from metajudge.gold.tables.table_map import OPTION

MEANT = "…"
"""Stands in a shown option for the label that the user has to fill in."""
_MOST_WORDS, _ROWS_A_WORD, _LONGEST, _LIKELY = 8, 2, 24, 55
_SHOWN = 8
_SHARED, _USUAL = 0.5, 0.2
_LEAST_TYPO, _LEAST_NAME = 4, 3
_OPEN = ("", NO_WORD)
_SPEAKS = ("label", "gold", "annotator")


@dataclass(frozen=True, slots=True)
class UnreadLabels:
    """A column that looks like labels and is not read.

    Attributes:
        key: Of a column map: `label`, or `label:` and the annotator that the heading names.
        column: As the table has it.
        words: Its words, most first.
    """

    key: str
    column: str
    words: tuple[str, ...]

    @property
    def option(self) -> str:
        """The option that reads it, quoted for a shell."""
        return f"{OPTION} {shlex.quote(f'{self.key}={self.column}')}"


def unread_labels(
    columns: Iterable[SeenColumn],
    unread: Mapping[str, str],
    read: Sequence[str],
    keys: Iterable[str] = (),
) -> tuple[UnreadLabels, ...]:
    """Columns of few short words over many rows that are not read and most likely hold labels.

    A column is one when its heading speaks of labels or annotators, when a fifth of its cells are
    usual label words, or when it shares half of its words with another such column or a column of
    labels that is read.

    Args:
        columns: Of the rows looked at.
        unread: Columns that are not read, and why; those with a reason other than
            `NO_WORD` are passed over.
        read: Columns of labels that are read.
        keys: Keys of the column map that are taken.
    """
    columns = list(columns)
    few = [column for column in columns if unread.get(column.name) in _OPEN and _is_few(column)]
    beside = [*few, *(column for column in columns if column.name in read)]
    likely = [
        column
        for column in few
        if _speaks(column)
        or _usual(column) >= _USUAL
        or any(_shares(column, other) for other in beside if other is not column)
    ]
    taken = set(keys)
    alone = len(likely) == 1 and not read
    found = []
    for column in likely:
        key = "label" if alone and names_nobody(column.name) else person_key(column.name, taken)
        taken.add(key)
        words = sorted(column.words, key=lambda word: -column.words[word])
        found.append(UnreadLabels(key, column.name, tuple(words)))
    return tuple(found)


def told_of(found: Sequence[UnreadLabels]) -> str:
    """The columns with their words, as a sentence."""
    columns = "; ".join(f"{one.column!r} ({_listed(one.words)})" for one in found)
    verb = "looks like labels and is" if len(found) == 1 else "look like labels and are"
    return f"{columns} {verb} not read"


def word_options(words: Iterable[str]) -> str:
    """A `--labels` for each word, its label to be filled in."""
    return " ".join(f"--labels {shlex.quote(f'{word}={MEANT}')}" for word in words)


def near_word(word: str, known: Iterable[str]) -> str | None:
    """The known label word that a word most likely is a slip of; None without.

    >>> near_word("bakced up", ["backed up", "clashes"]), near_word("no", ["nope"])
    ('backed up', None)
    """
    if len(word) < _LEAST_TYPO:
        return None
    return next(iter(difflib.get_close_matches(word, [*known, *KNOWN], 1, 0.8)), None)


def without_cells(
    told: Iterable[str], words: Collection[str], columns: Iterable[SeenColumn]
) -> tuple[str, ...]:
    """What is wrong with words that the user explained and that no label cell holds, in sentences.

    Args:
        told: As `folded_label` gives them.
        words: Words of the columns of labels that are read.
        columns: Of the rows looked at.
    """
    columns = list(columns)
    notes = []
    for word in told:
        if word in words:
            continue
        names = [repr(column.name) for column in columns if word in column.words]
        if names:
            where = f"it stands in {', '.join(names[:_SHOWN])}, not read as labels"
        else:
            near = next(iter(difflib.get_close_matches(word, list(words), 1, 0.6)), None)
            where = "no cell holds it" + (f"; did you mean {near!r}?" if near else "")
        notes.append(f"--labels {word!r}: {where}")
    return tuple(notes)


def _is_few(column: SeenColumn) -> bool:
    """Whether a column holds few distinct short words over many rows, none of another field."""
    found = matches(column.name)
    top = found[0].field if found and found[0].score >= _LIKELY else None
    words = [word for word in column.words if word not in SKIPPED]
    return (
        column.is_text
        and (top is None or top in _SPEAKS)
        and not is_no_label(column.name)
        and not is_by_model(column.name)
        and sum(column.words.values()) == column.filled
        and 2 <= len(words) <= _MOST_WORDS
        and max(map(len, words)) <= _LONGEST
        and column.filled >= _ROWS_A_WORD * len(words)
    )


def _speaks(column: SeenColumn) -> bool:
    return any(score(column.name, field).score >= _LIKELY for field in _SPEAKS)


def _usual(column: SeenColumn) -> float:
    return column.share_in(word for word in KNOWN if not word.isdecimal())


def _shares(column: SeenColumn, other: SeenColumn) -> bool:
    shared = column.words.keys() & other.words.keys()
    return len(shared) >= max(2, _SHARED * len(column.words))


def person_key(heading: str, taken: Collection[str] = ()) -> str:
    """The key of the labels of whom a heading names, without the kind of annotator.

    >>> person_key("Reviewer Kate"), person_key("Rater 1"), person_key("Kate", ["label:Kate"])
    ('label:Kate', 'label:Rater 1', 'label:Kate')
    """
    name = annotator_in(heading)
    kind, _, rest = name.partition(" ")
    if score(kind, "annotator").score >= _LIKELY and len(rest.encode()) >= _LEAST_NAME:
        name = rest
    key = f"label:{name}"
    return f"label:{heading.replace('=', '-')}" if key in taken else key


def _listed(words: Sequence[str]) -> str:
    more = f" and {len(words) - _SHOWN} more" if len(words) > _SHOWN else ""
    return f"{' | '.join(words[:_SHOWN])}{more}"
