"""The column map and label map of a table: what the user said, and what is guessed beside it."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from metajudge.gold.claim import LabelSpace
from metajudge.gold.importers.columns_seen import annotations_in, seen_columns
from metajudge.gold.importers.fields import value_at
from metajudge.gold.importers.guessed import Choice, guessed
from metajudge.gold.importers.imported import Format
from metajudge.gold.importers.meanings import ANSWERS, SKIPPED, Meaning, folded_label, meaning_of
from metajudge.gold.importers.source import Source
from metajudge.gold.importers.table import FORMAT
from metajudge.gold.importers.table_map import TableMap, is_complete, place_of, table_map
from metajudge.gold.importers.words import label_of

_MOST_WORDS = 1000
_TURNED = (
    "yes to {column!r} may mean the opposite, so its words are not guessed: give --labels for them"
)


@dataclass(frozen=True, slots=True)
class Proposal:
    """How a table would be read.

    Attributes:
        choices: Columns that are read, with the reason.
        unread: Columns that one may have expected to be read, and why they are not.
        meaning: Of the label words.
        words: Label cells by word, most first; words of skipping included.
        notes: What else has to be said before anybody confirms.
        told: Whether the user said where claim, context and whatever else is read stand.
    """

    choices: tuple[Choice, ...]
    unread: Mapping[str, str]
    meaning: Meaning
    words: Mapping[str, int]
    notes: tuple[str, ...] = ()
    told: bool = False

    @property
    def certain(self) -> bool:
        """Whether nothing was guessed."""
        columns = all(choice.certain for choice in self.choices)
        return columns and (self.meaning.certain if self.words else self.told)

    @property
    def columns(self) -> dict[str, str]:
        """The column map."""
        return {choice.key: choice.column for choice in self.choices}

    @property
    def layout(self) -> str:
        """How labels stand in the table, for people."""
        keys = {choice.key.partition(":")[0] for choice in self.choices}
        people = any(choice.key.startswith("label:") for choice in self.choices)
        if "annotator" in keys:
            return "a row for each annotation"
        if people or "annotations" in keys:
            return "the labels of each annotator in one row"
        return "one label a row" if keys & {"label", "gold"} else "no labels"

    @property
    def flags(self) -> str:
        """Options that say the same without a guess."""
        parts = [f"--map {shlex.quote(f'{key}={name}')}" for key, name in self.columns.items()]
        parts += [
            f"--labels {shlex.quote(f'{word}={label}')}"
            for word, label in self.meaning.labels.items()
        ]
        return " ".join([*parts, f"--label-space {self.meaning.space}"])

    def confirmed(self, source: Source) -> Source:
        """The source with this column map and label map, to be read."""
        return source.again(columns=self.columns, labels=self.meaning.labels)

    def format(self) -> Format:
        """The table format with this mapping and label space."""
        words = [f"{word} -> {label}" for word, label in self.meaning.labels.items()]
        mapping = f"Label words of the table: {', '.join(words) or 'none'}."
        return replace(FORMAT, mapping=mapping, label_space=self.meaning.space)


def propose(source: Source, space: LabelSpace | None = None) -> Proposal:
    """How a table would be read: by its column map where that is complete, else with guesses.

    The first rows tell columns, all rows tell label words.

    Args:
        source: The table, with what the user said of columns and labels.
        space: Label space that the user wants; None goes by the label words.

    Raises:
        GoldError: The map is faulty, or a needed column cannot be told; with every fault.
    """
    seen = seen_columns(source.again())
    names = [column.name for column in seen]
    told = is_complete(source.columns)
    if told:
        table_map(source.columns, names)
        samples = {column.name: column.samples for column in seen}
        unread: Mapping[str, str] = {}
        choices = tuple(
            Choice(key, column, "by --map", samples[column], True)
            for key, column in source.columns.items()
        )
    else:
        guess = guessed(seen, source.columns, source.place)
        choices = tuple(sorted(guess.choices, key=lambda choice: place_of(choice.key)))
        unread = guess.unread
    table = table_map({choice.key: choice.column for choice in choices}, names)
    words = _label_words(source.again(), table)
    blank = source.again(labels={})
    turned = [name for name in table.label_columns if label_of("yes", blank, name) is None]
    meaning = meaning_of(words, source.labels, space)
    if turned and not source.labels:
        meaning = _without(meaning, ANSWERS)
    notes = tuple(_notes(table, meaning, words, turned))
    return Proposal(choices, unread, meaning, words, notes, told)


def _label_words(source: Source, table: TableMap) -> dict[str, int]:
    """Every label word of a table with its count, most first."""
    counts: Counter[str] = Counter()
    listed, columns = table.others.get("annotations"), table.label_columns
    for row in source.rows():
        cells = [value_at(row.fields, column) for column in columns]
        notes = value_at(row.fields, listed) if listed else None
        cells += [note["label"] for note in annotations_in(notes)]
        counts.update(str(cell) for cell in cells if cell is not None and str(cell).strip())
    words: Counter[str] = Counter()
    for cell, count in counts.items():
        words[folded_label(cell)] += count
    return dict(words.most_common(_MOST_WORDS))


def _without(meaning: Meaning, words: frozenset[str]) -> Meaning:
    kept = {word: label for word, label in meaning.labels.items() if word not in words}
    unknown = (*meaning.unknown, *(word for word in meaning.labels if word in words))
    return replace(meaning, labels=kept, unknown=unknown)


def _notes(
    table: TableMap, meaning: Meaning, words: Mapping[str, int], turned: list[str]
) -> list[str]:
    notes = [_TURNED.format(column=column) for column in turned if meaning.unknown]
    if not table.label_columns and "annotations" not in table.others:
        notes.append("no column of labels was found: every claim comes in waiting for a label")
    elif words and not meaning.labels:
        told = ", ".join(list(words)[:8])
        notes.append(f"no label word is known ({told}): give --labels WORD=yes and so on")
    elif meaning.unknown:
        told = ", ".join(f"{word} ({words[word]})" for word in meaning.unknown[:8])
        notes.append(f"label words that are not known: {told}; claims with these alone wait")
    if SKIPPED & words.keys():
        told = ", ".join(f"{word} ({words[word]})" for word in sorted(SKIPPED & words.keys()))
        notes.append(f"read as skipped: {told}")
    return notes
