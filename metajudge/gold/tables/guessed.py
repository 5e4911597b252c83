"""Which column of a table holds what, guessed from headings and from what stands in the columns.

A guess is shown with its reason and confirmed. Where two columns fit alike nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from shlex import quote

from metajudge.errors import GoldError, Problem
from metajudge.gold.claim import SLICES
from metajudge.gold.columns import FRAMEWORK_NAMES
from metajudge.gold.tables.columns_seen import SeenColumn
from metajudge.gold.tables.headings import (
    annotator_in,
    is_by_model,
    is_reading,
    matches,
    numbered,
    plain,
    score,
)
from metajudge.gold.tables.label_columns import LabelColumns, label_columns, says_who
from metajudge.gold.tables.meanings import folded_label
from metajudge.gold.tables.table_map import OF_PERSON, OPTION

_LIKELY, _SURELY, _ALIKE = 55, 80, 5
_OWN_HEADINGS = {"context": {"context", "passages", *FRAMEWORK_NAMES["passages"]}}
_OPTIONAL = (
    *("annotator", "question", "time", "seconds", "note", "claim_id", "answer_id", "context_id"),
    *("group", "slice", "lang", "title", "generator", "label_source"),
)
_BESIDE_LABEL = ("time", "seconds", "note")
_NEEDS = {"annotator": "label", "time": "annotator", "seconds": "annotator"}
_LANGUAGE_WORDS = (
    "en zh english chinese 英文 英语 中文 汉语 zh-cn zh_cn en-us de fr es ja ko".split()
)


@dataclass(frozen=True, slots=True)
class Choice:
    """A column and what it is taken for.

    Attributes:
        key: As a column map has it: `claim`, `context:2`, `label:anna`.
        column: As the table has it.
        why: In a few words, for people.
        samples: The first different cells.
        certain: Whether the user said so, or the heading is our very name for it.
    """

    key: str
    column: str
    why: str
    samples: tuple[str, ...] = ()
    certain: bool = False


@dataclass(frozen=True, slots=True)
class Guess:
    """What was guessed.

    Attributes:
        choices: Columns that are read.
        unread: All other columns, and why one that may be expected to be read is not; else "".
    """

    choices: tuple[Choice, ...]
    unread: Mapping[str, str]


def guessed(columns: Sequence[SeenColumn], given: Mapping[str, str], where: str) -> Guess:
    """What the columns of a table most likely hold.

    Args:
        columns: Of the rows looked at.
        given: What the user says already, as a column map.
        where: The table.

    Raises:
        GoldError: Claim, context or label cannot be told from others; with every fault.
    """
    guess = _Guess(columns, given, where)
    guess.labels()
    guess.texts()
    guess.others()
    guess.headless()
    guess.rest()
    if guess.problems:
        raise GoldError(guess.problems)
    return Guess(tuple(guess.choices), guess.unread)


class _Guess:
    def __init__(self, columns: Sequence[SeenColumn], given: Mapping[str, str], where: str) -> None:
        self.where = where
        self.choices: list[Choice] = []
        self.unread: dict[str, str] = {}
        self.problems: list[Problem] = []
        self._by_name = {column.name: column for column in columns}
        for key, column in given.items():
            seen = self._by_name.pop(column, None)
            samples = () if seen is None else seen.samples
            self.choices.append(Choice(key, column, f"by {OPTION}", samples, True))
        self._free = {name: column for name, column in self._by_name.items() if column.filled}
        self._keys = {choice.key.partition(":")[0] for choice in self.choices}
        self._persons: set[str] = set()

    def _take(self, key: str, column: SeenColumn, why: str) -> None:
        heading = column.name.strip().casefold()
        own = (heading == key or heading in _OWN_HEADINGS.get(key, ())) and not column.refers
        self.choices.append(Choice(key, column.name, why, column.samples, own))
        self._keys.add(key.partition(":")[0])
        del self._free[column.name]

    def labels(self) -> None:
        """Columns of labels: settled ones, those of annotators, those that are none of people's."""
        listed = [column for column in self._free.values() if column.is_annotations]
        if listed and "annotations" not in self._keys:
            self._take("annotations", listed[0], "it lists annotators and their labels")
        found = label_columns(self._free.values())
        for name, why in found.unread.items():
            self.unread[name] = why
            del self._free[name]
        people = [*found.settled, *found.unsettled]
        if not people or self._keys & {"label", "gold"}:
            return
        self._persons = {name for name in self._free if _has_sibling(name, people)}
        annotator = self._best("annotator", rivals=people)
        if annotator is not None and is_by_model(annotator.name):
            self._may_name_models(annotator)
        elif len(found.settled) > 1:
            self._cannot_tell("label", found.settled)
        elif annotator is not None:
            self._by_row(annotator, found)
        elif len(people) == 1:
            self._take("label", people[0], _words_in(people[0]))
        else:
            self._by_column(found)

    def _by_row(self, annotator: SeenColumn, found: LabelColumns) -> None:
        """Labels of the annotator that each row names."""
        if len(found.unsettled) > 1:
            self._cannot_tell("label", found.unsettled)
            return
        for column in found.unsettled:
            self._take("annotator", annotator, score(annotator.name, "annotator").why)
            self._take("label", column, _words_in(column))
        for column in found.settled:
            self._take("gold" if found.unsettled else "label", column, _words_in(column))

    def _by_column(self, found: LabelColumns) -> None:
        """Labels of annotators who have a column each, and what they settled on."""
        alone = found.nameless if not found.settled else ()
        if len(alone) > 1 or (alone and len(found.named) == 1):
            self._cannot_tell("label", found.unsettled)
            return
        settled = found.settled or alone
        for column in found.nameless if found.settled else ():
            self.unread[column.name] = "its heading names no annotator"
        for column in found.named:
            self._take(self._label_key(column.name), column, _words_in(column))
        for column in settled:
            told = _words_in(column) if found.settled else "its heading names no annotator"
            self._take("gold" if found.named else "label", column, told)

    def _may_name_models(self, column: SeenColumn) -> None:
        law = f"{column.name!r} may name people or models, so that labels may be a model's"
        mend = (
            f"For people add {OPTION} {quote(f'annotator={column.name}')}; of models give claim "
            "and context alone."
        )
        self.problems.append(Problem(self.where, law, mend, field="annotator"))

    def _label_key(self, heading: str) -> str:
        """The key of an annotator's labels; two whose names are alike keep their headings."""
        key = f"label:{annotator_in(heading)}"
        taken = any(choice.key == key for choice in self.choices)
        return f"label:{heading.replace('=', '-')}" if taken else key

    def texts(self) -> None:
        """Claim and context: by their headings, else by their lengths."""
        if "context" not in self._keys:
            self._numbered_contexts()
        for field in ("claim", "context"):
            if field not in self._keys:
                self._by_heading(field)
        if not self.problems and "context" not in self._keys:
            self._longest()
        if not self.problems and "claim" not in self._keys:
            self._only_prose()
        for field in ("claim", "context"):
            if field not in self._keys and all(fault.field != field for fault in self.problems):
                law = f"no column can be told to hold the {field}"
                mend = f"Say which: {OPTION} {field}=COLUMN; there are: {', '.join(self._by_name)}."
                self.problems.append(Problem(self.where, law, mend, field=field))

    def _numbered_contexts(self) -> None:
        of_base: dict[str, list[tuple[int, SeenColumn]]] = {}
        for column in self._free.values():
            base, number = numbered(column.name)
            if number is not None and score(base, "context").score >= _LIKELY:
                of_base.setdefault(base, []).append((number, column))
        for columns in of_base.values():
            if len(columns) > 1 and "context" not in self._keys:
                for number, column in sorted(columns, key=lambda pair: pair[0]):
                    self._take(f"context:{number}", column, "its heading, numbered")

    def _by_heading(self, field: str) -> None:
        fitting = [
            column for column in self._free.values() if column.is_text and _top(column) == field
        ]
        fitting = [column for column in fitting if not column.refers] or fitting
        best = max((score(column.name, field).score for column in fitting), default=0)
        close = best - _ALIKE
        first = [column for column in fitting if score(column.name, field).score >= close]
        if best < _LIKELY:
            return
        if len(first) > 1:
            self._cannot_tell(field, first)
        else:
            self._take(field, first[0], score(first[0].name, field).why)

    def _longest(self) -> None:
        prose = sorted(self._prose("context"), key=lambda column: -column.length)
        if prose and (len(prose) == 1 or prose[0].length >= 1.3 * prose[1].length):
            self._take("context", prose[0], f"the longest texts ({_length(prose[0])})")

    def _only_prose(self) -> None:
        prose = self._prose("claim")
        if len(prose) == 1:
            self._take("claim", prose[0], f"the only other sentences ({_length(prose[0])})")
        elif prose:
            self._cannot_tell("claim", prose)

    def _prose(self, field: str) -> list[SeenColumn]:
        """Columns of texts whose headings do not speak of another field."""
        return [
            column
            for column in self._free.values()
            if column.is_prose and not column.refers and _top(column) in (None, field)
        ]

    def headless(self) -> None:
        """Whether the first line is a row of the table rather than its headings."""
        by_words = [choice for choice in self.choices if choice.key == "label"]
        texts = [choice for choice in self.choices if choice.why.endswith(" characters)")]
        told = any(
            folded_label(choice.column) in self._by_name[choice.column].words
            for choice in by_words
            if choice.column in self._by_name
        )
        if len(texts) > 1 and (told or all(is_reading(choice.column) for choice in texts)):
            law = "the first line holds a claim and its context, not headings"
            mend = "Write a line with headings above it, such as claim, context, label."
            self.problems.append(Problem(self.where, law, mend, line=1))

    def rest(self) -> None:
        """Notes every column that is not read."""
        chosen = {choice.column for choice in self.choices}
        for name in self._by_name:
            if name not in chosen:
                self.unread.setdefault(name, "")

    def others(self) -> None:
        """The fields that a table may do without."""
        self._of_people()
        for field in _OPTIONAL:
            needs = _NEEDS.get(field)
            if field in self._keys or (needs is not None and needs not in self._keys):
                continue
            column = self._best(field)
            if column is not None:
                self._take(field, column, score(column.name, field).why)

    def _of_people(self) -> None:
        """Notes, times and durations that stand in a column for each annotator."""
        people = [choice.key.partition(":")[2] for choice in self.choices if ":" in choice.key]
        for person in people:
            if not person or person.isdecimal():
                continue
            for column in list(self._free.values()):
                heading = plain(column.name)
                rest = heading.replace(plain(person), " ").strip()
                field = matches(rest)[0].field if rest != heading and matches(rest) else None
                if field in OF_PERSON and field != "label" and _fits(field, column):
                    self._take(f"{field}:{person}", column, f"its heading names {person}")

    def _best(self, field: str, rivals: Iterable[SeenColumn] = ()) -> SeenColumn | None:
        """The one column whose heading speaks of a field and whose cells fit it."""
        others = {column.name for column in rivals}
        others |= self._persons if field == "annotator" else set()
        scored = [
            (score(column.name, field).score, column)
            for column in self._free.values()
            if column.name not in others and _top(column) == field and self._usable(field, column)
        ]
        best = max((points for points, _ in scored), default=0)
        first = [column for points, column in scored if points == best]
        if best < _LIKELY:
            return None
        for column in first if len(first) > 1 else ():
            self.unread[column.name] = f"another column may be {field} as well"
        return first[0] if len(first) == 1 else None

    def _usable(self, field: str, column: SeenColumn) -> bool:
        """Whether the cells fit; an id must not stand for two texts."""
        chosen = {choice.key: choice.column for choice in self.choices}
        text = {"claim_id": "claim", "context_id": "context"}.get(field)
        if text is None or chosen.get(text) not in self._by_name:
            return _fits(field, column)
        texts = self._by_name[chosen[text]].texts
        told = _keeps(column, texts)
        if not told:
            self.unread[column.name] = f"one of its ids stands for two texts, so it is no {field}"
        joins = "annotator" not in chosen or field != "claim_id" or _joins(column, texts)
        if not joins:
            self.unread[column.name] = "it numbers annotations; rows are joined by their texts"
        return told and joins

    def _cannot_tell(self, field: str, columns: Sequence[SeenColumn]) -> None:
        names = ", ".join(repr(column.name) for column in columns)
        law = f"it cannot be told which column holds the {field}: {names}"
        several = {
            "context": f"; to read several: {OPTION} context:1=COLUMN {OPTION} context:2=COLUMN",
            "label": f"; for annotators: {OPTION} label:NAME=COLUMN",
        }
        mend = f"Say which: {OPTION} {field}=COLUMN{several.get(field, '')}."
        self.problems.append(Problem(self.where, law, mend, field=field))


def _has_sibling(heading: str, people: Sequence[SeenColumn]) -> bool:
    """Whether labels stand under another name of the same kind: Reviewer Bo, Reviewer Li."""
    kind, _, name = plain(heading).partition(" ")
    return bool(name) and any(plain(column.name).startswith(f"{kind} ") for column in people)


def _top(column: SeenColumn) -> str | None:
    """The field that the heading speaks of most clearly; None where it speaks of none."""
    found = matches(column.name)
    return found[0].field if found and found[0].score >= _LIKELY else None


def _fits(field: str, column: SeenColumn) -> bool:
    """Whether the cells of a column are such as a field has."""
    surely = score(column.name, field).score >= _SURELY
    tests = {
        "question": column.numbers < 0.5,
        "title": column.numbers < 0.5,
        "time": column.times >= 0.5,
        "seconds": column.numbers >= 0.8,
        "slice": column.share_in(SLICES) >= 0.8,
        "lang": column.share_in(_LANGUAGE_WORDS) >= 0.8,
        "generator": column.distinct <= 50 and column.length <= 60,
        "label_source": says_who(column),
        "annotator": column.length <= 60
        and not any(score(column.name, other).score >= _LIKELY for other in _BESIDE_LABEL)
        and column.known < 0.5
        and (column.distinct < max(column.filled, 2) or surely),
    }
    return tests.get(field, True)


def _keeps(column: SeenColumn, texts: Sequence[str | None]) -> bool:
    """Whether each id of a column stands for one text."""
    first: dict[str, str] = {}
    return all(
        first.setdefault(name, text) == text
        for name, text in zip(column.texts, texts, strict=True)
        if name is not None and text is not None
    )


def _joins(column: SeenColumn, texts: Sequence[str | None]) -> bool:
    """Whether ids repeat where texts do."""
    named = [text for text in texts if text is not None]
    return column.distinct < column.filled or len(set(named)) == len(named)


def _words_in(column: SeenColumn) -> str:
    words = list(column.words)
    more = " …" if len(words) > 3 else ""
    return f"label words: {', '.join(words[:3])}{more}"


def _length(column: SeenColumn) -> str:
    return f"mean {column.length:.0f} characters"
