"""The column map and label map of a table: what the user said, and what is guessed beside it."""

from __future__ import annotations

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
from metajudge.gold.tables.headings import names_nobody, score
from metajudge.gold.tables.label_columns import models_in, says_who
from metajudge.gold.tables.meanings import (
    ANSWERS,
    SKIPPED,
    Meaning,
    folded_label,
    meaning_of,
)
from metajudge.gold.tables.table_map import (
    OPTION,
    TableMap,
    check_columns,
    is_complete,
    place_of,
    table_map,
)
from metajudge.gold.tables.unread_labels import (
    UnreadLabels,
    near_word,
    person_key,
    told_of,
    unread_labels,
    without_cells,
    word_options,
)

_MOST_WORDS = 1000
_SHOWN = 8
_TOO_MANY = 0.2
"""Share of label cells whose words may be unknown before somebody has to say so."""
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
        unread_labels: Columns that look like labels and are not read; none where the user said
            where everything stands, labels included.
        unmatched: Words that the user explained and no label cell holds, in sentences.
    """

    choices: tuple[Choice, ...]
    unread: Mapping[str, str]
    meaning: Meaning
    words: Mapping[str, int]
    notes: tuple[str, ...] = ()
    doubtful: bool = False
    told: bool = False
    unread_labels: tuple[UnreadLabels, ...] = ()
    unmatched: tuple[str, ...] = ()

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
        parts = [*_map_flags(self.columns), *self._label_flags]
        return " ".join([*parts, f"--label-space {self.meaning.space}"])

    @property
    def unknown_share(self) -> float:
        """Share of label cells whose words are not known, 0 to 1; 0 without label cells."""
        unknown = sum(self.words.get(word, 0) for word in self.meaning.unknown)
        return unknown / sum(self.words.values()) if self.words else 0.0

    def unsettled(self, *, drops_unknown: bool = False) -> str:
        """What has to be said before a set is made, with the options that say it; "" for nothing.

        Args:
            drops_unknown: Whether the user leaves out claims with unknown words.
        """
        parts = []
        if self.unread_labels:
            words = dict.fromkeys(word for found in self.unread_labels for word in found.words)
            new = word_options(word for word in words if word not in self.meaning.labels)
            read = _map_flags(self.columns)
            apart = {self._apart(key, name): name for key, name in self.columns.items()}
            maps = [*_map_flags(apart), *(found.option for found in self.unread_labels)]
            parts.append(
                f"{told_of(self.unread_labels)}. Say what their words mean (yes, no or idk):\n"
                f"  {' '.join([*maps, *self._label_flags, new])}\n"
                f"Where they are no labels, say only what is read:\n  {' '.join(read)}"
            )
        if self.unknown_share > _TOO_MANY and not drops_unknown:
            parts.append(
                f"{self.unknown_share:.0%} of the label cells hold words that are not known. Say "
                f"what they mean (yes, no or idk):\n  {word_options(self.meaning.unknown[:_SHOWN])}"
                f"{self._slips()}\nor leave their claims out: --drop unknown_label"
            )
        if self.unmatched and not self.words:
            parts.append("\n".join(self.unmatched))
        return "\n".join(parts)

    def _apart(self, key: str, column: str) -> str:
        """The key of a column beside columns of other people: a person's, where it names one."""
        return person_key(column) if key == "label" and not names_nobody(column) else key

    def _slips(self) -> str:
        near = {word: near_word(word, self.meaning.labels) for word in self.meaning.unknown}
        told = [f"{word!r}: did you mean {slip!r}?" for word, slip in near.items() if slip]
        return "".join(f"\n  {line}" for line in told[:_SHOWN])

    @property
    def _label_flags(self) -> list[str]:
        return [
            f"--labels {shlex.quote(f'{word}={label}')}"
            for word, label in self.meaning.labels.items()
        ]

    def confirmed(self, source: Source) -> Source:
        """The source with this column map and label map, to be read."""
        return source.again(columns=self.columns, labels=self.meaning.labels)

    def format(self) -> Format:
        """The table format with this mapping and label space."""
        words = [f"{word} -> {label}" for word, label in self.meaning.labels.items()]
        mapping = f"Label words of the table: {', '.join(words)}." if words else ""
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
        check_columns(source.columns, names)
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
    likely = unread_labels(seen, unread, table.label_columns, [choice.key for choice in choices])
    unmatched = without_cells(map(folded_label, source.labels), words, seen)
    notes = (*_notes(table, meaning, words, turned), *doubts, *unmatched)
    if likely:
        notes = (*notes, told_of(likely))
    likely = () if told and (words or not unmatched) else likely
    return Proposal(choices, unread, meaning, words, notes, bool(doubts), told, likely, unmatched)


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
        told = ", ".join(
            _unknown(word, words[word], meaning.labels) for word in meaning.unknown[:8]
        )
        notes.append(f"label words that are not known: {told}; claims with these alone wait")
    if SKIPPED & words.keys():
        told = ", ".join(f"{word} ({words[word]})" for word in sorted(SKIPPED & words.keys()))
        notes.append(f"read as skipped: {told}")
    return notes


def _unknown(word: str, count: int, known: Mapping[str, str]) -> str:
    near = near_word(word, known)
    return f"{word} ({count}; {near}?)" if near else f"{word} ({count})"


def _map_flags(columns: Mapping[str, str]) -> list[str]:
    return [f"{OPTION} {shlex.quote(f'{key}={name}')}" for key, name in columns.items()]
