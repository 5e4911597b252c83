"""Which columns of a table hold labels by people, and whose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from metajudge.gold.tables.columns_seen import SeenColumn
from metajudge.gold.tables.headings import (
    asks_otherwise,
    is_by_model,
    is_gold,
    is_no_label,
    matches,
    names_model,
    names_nobody,
    numbered,
    plain,
    score,
)
from metajudge.gold.tables.meanings import LABEL_SOURCES
from metajudge.gold.tables.table_map import OPTION

_LONGEST_NAME = 30
_FEW, _SURE, _LIKELY = 20, 0.7, 55
_NO_LABELS = ("slice", "lang", "claim_id", "label_source")
BY_MODEL = f"looks made by a model; {OPTION} label=COLUMN would read it"
_OTHER = f"asks for something else; {OPTION} label=COLUMN would read it"
_SCALE = "numbers of a scale, which no word explains"
NO_WORD = "none of its words is a known label"
_CODES = f"0 and 1 under a heading that speaks of no label; {OPTION} label=COLUMN would read it"
_VERY_NAME, _ITS_KIND = 100, 80


@dataclass(frozen=True, slots=True)
class LabelColumns:
    """Columns of labels by what their headings say.

    Attributes:
        settled: What was settled on: final, 最终.
        nameless: The question alone: label, faithful, 是否支持.
        named: Whatever else; of several, the annotators.
        unread: Column -> why it is none of these although it holds label words.
    """

    settled: tuple[SeenColumn, ...]
    nameless: tuple[SeenColumn, ...]
    named: tuple[SeenColumn, ...]
    unread: Mapping[str, str]

    @property
    def unsettled(self) -> tuple[SeenColumn, ...]:
        """Those that do not say that they are what was settled on."""
        return (*self.nameless, *self.named)


def label_columns(columns: Iterable[SeenColumn]) -> LabelColumns:
    """Columns of labels by people, and label columns that are not read, with the reason."""
    columns = list(columns)
    found = [column for column in columns if _holds_labels(column)]
    unread = {
        column.name: BY_MODEL if is_by_model(column.name) else _CODES
        for column in columns
        if column not in found and set(column.words) == {"0", "1"} and not is_no_label(column.name)
    }
    unread |= {column.name: BY_MODEL for column in found if is_by_model(column.name)}
    unread |= {
        column.name: _OTHER
        for column in found
        if asks_otherwise(column.name) and column.name not in unread
    }
    people = [column for column in found if column.name not in unread]
    if any(column.known >= _SURE for column in people):
        unread |= {
            column.name: _SCALE if column.is_scale else NO_WORD
            for column in people
            if column.known == 0
        }
        people = [column for column in people if column.known]
    settled = tuple(column for column in people if is_gold(column.name))
    rest = [column for column in people if column not in settled]
    numbers = {base for base, number in map(_numbered, rest) if number is not None}
    nameless = tuple(
        column for column in rest if names_nobody(column.name) and plain(column.name) not in numbers
    )
    named = tuple(column for column in rest if column not in nameless)
    return LabelColumns(settled, nameless, named, unread)


def says_who(column: SeenColumn) -> bool:
    """Whether a column says who made the labels, a person or a model."""
    fits = score(column.name, "label_source").score
    return bool(column.filled) and (
        fits == _VERY_NAME or (fits == _ITS_KIND and 2 * _by_makers(column) >= column.filled)
    )


def models_in(column: SeenColumn) -> int:
    """Cells of a column of words or names that name a model."""
    made = sum(
        count
        for word, count in column.words.items()
        if LABEL_SOURCES.get(word) == "model" or names_model(word)
    )
    return made if column.length <= _LONGEST_NAME else 0


def _by_makers(column: SeenColumn) -> int:
    known = (word in LABEL_SOURCES or names_model(word) for word in column.words)
    return sum(
        count for count, is_known in zip(column.words.values(), known, strict=True) if is_known
    )


def _numbered(column: SeenColumn) -> tuple[str, int | None]:
    return numbered(column.name)


def _holds_labels(column: SeenColumn) -> bool:
    top = next((match.field for match in matches(column.name) if match.score >= _LIKELY), None)
    if is_no_label(column.name) or top in _NO_LABELS:
        return False
    speaks = score(column.name, "label").score >= _LIKELY or is_gold(column.name)
    speaks = speaks or score(column.name, "annotator").score >= _LIKELY
    few = 0 < len(column.words) <= _FEW and column.length <= 30
    if column.known >= _SURE and few:
        return speaks or not set(column.words) <= {"0", "1"}
    return few and (column.told or top == "label") and sum(column.words.values()) == column.filled
