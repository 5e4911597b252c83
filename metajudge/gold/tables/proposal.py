"""The column map and label map of a table: what the user said, and what is guessed beside it."""

from __future__ import annotations

import difflib
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from metajudge.errors import GoldError, Problem
from metajudge.gold.claim import LabelSpace
from metajudge.gold.importers.table import FORMAT
from metajudge.gold.importing.fields import value_at
from metajudge.gold.importing.imported import Format
from metajudge.gold.importing.source import Source
from metajudge.gold.importing.words import label_of
from metajudge.gold.tables.columns_seen import SeenColumn, annotations_in, seen_columns
from metajudge.gold.tables.guessed import Choice, guessed
from metajudge.gold.tables.headings import score
from metajudge.gold.tables.label_columns import models_in, says_who
from metajudge.gold.tables.meanings import (
    ANSWERS,
    KNOWN,
    SKIPPED,
    Meaning,
    folded_label,
    meaning_of,
)
from metajudge.gold.tables.table_map import OPTION, TableMap, is_complete, place_of, table_map

_MOST_WORDS = 1000
_TURNED = (
    "yes to {column!r} may mean the opposite, so its words are not guessed: give --labels for them"
)


@dataclass(frozen=True, slots=True)
class Proposal:
    """How a table would be read.

    Attributes:
        choices: Columns that are read, with the reason.
        unread: All other columns, and why one that may be expected to be read is not; else "".
        meaning: Of the label words.
        words: Label cells by word, most first; words of skipping included.
        notes: What else has to be said before anybody confirms.
        doubtful: Whether something speaks against what was read.
        told: Whether the user said where claim, context and whatever else is read stand.
    """

    choices: tuple[Choice, ...]
    unread: Mapping[str, str]
    meaning: Meaning
    words: Mapping[str, int]
    notes: tuple[str, ...] = ()
    doubtful: bool = False
    told: bool = False

    @property
    def certain(self) -> bool:
        """Whether nothing was guessed."""
        columns = all(choice.certain for choice in self.choices)
        columns = columns and (self.told or not self.doubtful)
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
    seen = _seen(source.again())
    names = [column.name for column in seen]
    told = is_complete(source.columns)
    unread: Mapping[str, str]
    if told:
        table_map(source.columns, names)
        choices, unread = _as_told(source.columns, seen)
    else:
        guess = guessed(seen, source.columns, source.place)
        choices = tuple(sorted(guess.choices, key=lambda choice: place_of(choice.key)))
        unread = guess.unread
    table = table_map({choice.key: choice.column for choice in choices}, names)
    words = _label_words(source.again(), table)
    blank = source.again(labels={})
    turned = [name for name in table.label_columns if label_of("yes", blank, name) is None]
    meaning = meaning_of(words, source.labels, space)
    if turned:
        meaning = _without(meaning, ANSWERS - {folded_label(word) for word in source.labels})
    doubts = (*_doubts(table, seen), *_by_models(table, unread, seen))
    notes = (*_notes(table, meaning, words, turned), *doubts)
    return Proposal(choices, unread, meaning, words, notes, bool(doubts), told)


def _seen(source: Source) -> list[SeenColumn]:
    seen = seen_columns(source)
    if not seen:
        law = "the table has no rows"
        none = Problem(source.place, law, "Name the file that holds claims with their contexts.")
        raise GoldError(source.problems or none)
    return seen


def _as_told(
    columns: Mapping[str, str], seen: Sequence[SeenColumn]
) -> tuple[tuple[Choice, ...], dict[str, str]]:
    """What the user's column map reads, who made labels beside it, and all other columns."""
    samples = {column.name: column.samples for column in seen}
    choices = [
        Choice(key, column, f"by {OPTION}", samples[column], True)
        for key, column in columns.items()
    ]
    makers = [column for column in seen if says_who(column)]
    if "label_source" not in columns and len(makers) == 1:
        why = score(makers[0].name, "label_source").why
        choices.append(Choice("label_source", makers[0].name, why, makers[0].samples, True))
    read = {choice.column for choice in choices}
    return tuple(choices), {column.name: "" for column in seen if column.name not in read}


def _doubts(table: TableMap, seen: Sequence[SeenColumn]) -> Iterator[str]:
    """What makes it doubtful that claim and context stand where they are read."""
    by_name = {column.name: column for column in seen}
    texts = [by_name[name] for name in (table.claim, *table.contexts) if name in by_name]
    refer = [column.name for column in texts if column.refers]
    for name in refer:
        yield f"{name!r} holds addresses or ids, not texts that a judge could read"
    claim, contexts = texts[:1], texts[1:]
    if not refer and contexts and claim[0].length > sum(column.length for column in contexts):
        yield "the claims are longer than their contexts: are the two columns the right ones?"


def _by_models(
    table: TableMap, unread: Mapping[str, str], seen: Sequence[SeenColumn]
) -> Iterator[str]:
    """Columns that are not read and name models, which may have made the labels."""
    if not table.label_columns or "label_source" in table.others:
        return
    for column in seen:
        count = models_in(column)
        if count and column.name in unread and not unread[column.name]:
            yield (
                f"{column.name!r} names models in {count} of the rows looked at: if they made the "
                f"labels, add {OPTION} {shlex.quote(f'label_source={column.name}')}"
            )


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
        told = ", ".join(_unknown(word, words[word]) for word in meaning.unknown[:8])
        notes.append(f"label words that are not known: {told}; claims with these alone wait")
    if SKIPPED & words.keys():
        told = ", ".join(f"{word} ({words[word]})" for word in sorted(SKIPPED & words.keys()))
        notes.append(f"read as skipped: {told}")
    return notes


def _unknown(word: str, count: int) -> str:
    near = difflib.get_close_matches(word, KNOWN, 1, 0.85) if len(word) >= 5 else []
    return f"{word} ({count}; {near[0]}?)" if near else f"{word} ({count})"
