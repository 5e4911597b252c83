"""Plain tables: CSV as spreadsheets export it, TSV, JSON Lines, JSON and Parquet, by a column map.

Three layouts: one label a row; a column of labels for each annotator; a row for each annotation,
in which the rows of one claim are joined by its id, or else by its texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from metajudge.errors import short_repr
from metajudge.gold.claim import SLICES, Annotation, GoldLabel, Slice
from metajudge.gold.importing.fields import value_at
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut, Reason
from metajudge.gold.importing.source import Source
from metajudge.gold.importing.words import OUR_WORDS, label_of
from metajudge.gold.rows import SourceRow
from metajudge.gold.tables.cells import passages_in, seconds_of, text_of, time_of
from metajudge.gold.tables.columns_seen import annotations_in
from metajudge.gold.tables.headings import names_model
from metajudge.gold.tables.meanings import LABEL_SOURCES, SKIPPED, folded_label
from metajudge.gold.tables.table_map import OF_PERSON, TableMap, table_map

FORMAT = Format(
    name="table",
    title="a plain table",
    kind="table",
    holds="a .csv (as spreadsheets export it), .tsv, .jsonl, .json or .parquet file with a claim"
    " and its context in each row",
    label_space="ternary",
    mapping="Label words as given by --labels; one's own words stand for themselves.",
)
_LONGEST_NAME = 200
_LANGUAGES = {
    **{"english": "en", "eng": "en", "英文": "en", "英语": "en"},
    **{"chinese": "zh", "mandarin": "zh", "cn": "zh", "中文": "zh", "汉语": "zh", "简体中文": "zh"},
}
_ABOUT = frozenset(
    {"answer_id", "context_id", "group", "lang", "slice", "title", "note", "generator"}
    | {"label_source"}
)
"""Fields of a claim that its first row gives."""
_WAITS: tuple[Reason, ...] = (
    *("unknown_label", "malformed", "unsettled", "model_made", "cancelled"),
)
_MAKERS = ("human", "author", "model")
_ANSWERS = ("yes", "no")
_LONGEST_TOTAL = 10
_TOTALS = frozenset(
    "total totals sum count average mean subtotal 合计 总计 小计 总数 平均 平均值".split()
)


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Claims of a table by the source's column map, in the order in which they first stand.

    Raises:
        GoldError: The column map does not say where claim and context stand, or is faulty.
    """
    table = table_map(source.columns)
    reader = _Reader(source, table)
    if "annotator" in table.others:
        yield from _joined(source, reader)
        return
    for row in source.rows():
        yield from reader.claim_of(row)


@dataclass(slots=True)
class _Claim:
    """A claim as its rows bring it."""

    row: SourceRow
    claim: str
    passages: tuple[str, ...]
    question: str | None
    claim_id: str | None
    annotations: list[Annotation] = field(default_factory=list)
    settled: dict[GoldLabel, None] = field(default_factory=dict)
    lacks: dict[Reason, str] = field(default_factory=dict)


class _Reader:
    def __init__(self, source: Source, table: TableMap) -> None:
        self.table = table
        self._labels: dict[str, GoldLabel] = OUR_WORDS | {
            folded_label(word): label for word, label in source.labels.items()
        }
        self._settled = table.settled
        self._said = frozenset(folded_label(word) for word in source.labels)
        self._read: dict[tuple[bool, str], str] = {}
        blank = source.again(labels={})
        self._turned = {
            name for name in table.label_columns if label_of("yes", blank, name) is None
        }
        self._models: dict[str, bool] = {}
        self._maker = table.others.get("label_source")
        self._makers: dict[str, str] = {}
        self._about = {name: column for name, column in table.others.items() if name in _ABOUT}
        if "annotator" in table.others:
            self._about.pop("note", None)
            self._about.pop("label_source", None)
        self._same: dict[tuple[str, GoldLabel], Annotation] = {}

    def claim_of(self, row: SourceRow) -> list[ImportedClaim | LeftOut]:
        """The claim of a row that holds everything about it, after what is left out of it."""
        claim = self.texts_of(row)
        if isinstance(claim, LeftOut):
            return [claim]
        found: list[ImportedClaim | LeftOut | None] = []
        for person, columns in self.table.people.items():
            cells = {name: _cell(row, column) for name, column in columns.items()}
            found.append(self.annotate(claim, row, person, cells, columns["label"]))
        listed = self.table.others.get("annotations")
        for note in annotations_in(_cell(row, listed)) if listed else ():
            found.append(self.annotate(claim, row, text_of(note["annotator"]) or "", note))
        maker = self.maker(row)
        strange = maker not in _MAKERS
        found.append(self.strange(claim, row, maker) if strange else self.settle(claim, row))
        found.append(self.imported(claim))
        return [record for record in found if record is not None]

    def texts_of(self, row: SourceRow) -> _Claim | LeftOut:
        """A claim with its texts alone, or why there is none."""
        cell = _cell(row, self.table.claim)
        claim, claim_id = text_of(cell), self.text(row, "claim_id")
        if claim is None:
            return _missing(row, "missing_text", claim_id, self.table.claim, cell)
        if len(claim) <= _LONGEST_TOTAL and folded_label(claim).rstrip(":") in _TOTALS:
            return LeftOut("no_claim", row.where, row.line, self.table.claim, f"is {claim!r}")
        passages: tuple[str, ...] = ()
        for column in self.table.contexts:
            passages += passages_in(_cell(row, column))
        if not passages:
            column = self.table.contexts[0]
            return _missing(row, "missing_context", claim_id, column, _cell(row, column))
        return _Claim(row, claim, passages, self.text(row, "question"), claim_id)

    def annotate(
        self, claim: _Claim, row: SourceRow, person: str, cells: Mapping[str, Any], column: str = ""
    ) -> LeftOut | None:
        """Adds what one annotator gave, in a column or a list, or tells why it does not count."""
        label = self._label(cells.get("label"), column)
        if label is None:
            return None
        if label not in OUR_WORDS:
            what = f"{person}: {short_repr(cells['label'], 40)}"
            claim.lacks.setdefault(cast(Reason, label), what)
            return LeftOut(cast(Reason, label), row.where, row.line, what, _called(claim))
        if self._is_model(person):
            claim.lacks.setdefault("model_made", person)
            return LeftOut("model_made", row.where, row.line, _called(claim), f"by {person}")
        if not person or len(person) > _LONGEST_NAME:
            claim.lacks.setdefault("malformed", "no name of an annotator")
            detail = "a label without the annotator's name"
            return LeftOut("malformed", row.where, row.line, _called(claim), detail)
        claim.annotations.append(self._annotation(person, cast(GoldLabel, label), cells))
        return None

    def of_row(self, claim: _Claim, row: SourceRow) -> list[LeftOut]:
        """Adds what the annotator that a row names gave; what of it does not count."""
        maker = self.maker(row)
        if maker not in ("human", "author"):
            return [self.strange(claim, row, maker)]
        person, column = self.text(row, "annotator") or "", self.table.others["label"]
        left = self.annotate(claim, row, person, self.given(row), column), self.settle(claim, row)
        return [out for out in left if out is not None]

    def _is_model(self, person: str) -> bool:
        """Whether labels are a model's, by its name; a column that the map gives a name is not."""
        if person not in self._models:
            self._models[person] = person not in self.table.people and names_model(person)
        return self._models[person]

    def _annotation(self, person: str, label: GoldLabel, cells: Mapping[str, Any]) -> Annotation:
        """One annotation; those that say no more than who and what are one object."""
        known = self._same.get((person, label))
        if known is None:
            known = self._same[person, label] = Annotation(annotator=person, label=label)
        if len(cells) == 1:
            return known
        time, seconds = time_of(cells.get("time")), seconds_of(cells.get("seconds"))
        note = text_of(cells.get("note"))
        more = {"time": time, "seconds": seconds, "note": note}
        said = {name: value for name, value in more.items() if value is not None}
        return known.model_copy(update=said) if said else known

    def settle(self, claim: _Claim, row: SourceRow) -> LeftOut | None:
        """Adds the label that people settled on, where the table has one, or tells why not."""
        column = self._settled
        label = None if column is None else self._label(_cell(row, column), column)
        if column is None or label is None:
            return None
        if label in OUR_WORDS:
            claim.settled[cast(GoldLabel, label)] = None
            return None
        what = f"{column}: {short_repr(_cell(row, column), 40)}"
        claim.lacks.setdefault(cast(Reason, label), what)
        return LeftOut(cast(Reason, label), row.where, row.line, what, _called(claim))

    def _label(self, cell: Any, column: str) -> str | None:
        """One of our labels, the reason why it is none, or None for a blank cell.

        Yes and no in a column that asks for faults are none unless the user says what they mean.
        """
        if cell is None or (isinstance(cell, str) and not cell.strip()):
            return None
        known = column in self._turned, str(cell)
        if known not in self._read:
            word = folded_label(cell)
            otherwise = "cancelled" if word in SKIPPED else "unknown_label"
            turned = known[0] and word in _ANSWERS and word not in self._said
            self._read[known] = otherwise if turned else self._labels.get(word, otherwise)
        return self._read[known]

    def maker(self, row: SourceRow) -> str:
        """Who made the label of a row: human, author, model, or a word that is none of these."""
        word = None if self._maker is None else self.text(row, "label_source")
        if word is None:
            return "human"
        if word not in self._makers:
            known = LABEL_SOURCES.get(folded_label(word))
            self._makers[word] = known or ("model" if names_model(word) else word)
        return self._makers[word]

    def strange(self, claim: _Claim, row: SourceRow, maker: str) -> LeftOut:
        """Why the label of a row does not count: a model made it, or nobody knows who."""
        reason: Reason = "model_made" if maker == "model" else "unsettled"
        detail = "" if maker == "model" else _no_maker(maker)
        claim.lacks.setdefault(reason, detail)
        return LeftOut(reason, row.where, row.line, _called(claim), detail)

    def imported(self, claim: _Claim) -> ImportedClaim:
        """A claim with all that its rows gave."""
        reason, detail = self._why_without(claim)
        row = claim.row
        about: dict[str, Any] = {
            name: text_of(_cell(row, column)) for name, column in self._about.items()
        }
        if "lang" in about:
            about["lang"] = _language(about["lang"])
        if "slice" in about:
            about["slice"] = _slice(about["slice"])
        if "label_source" in about:
            maker = self.maker(row)
            about["label_source"] = maker if maker in _MAKERS else "human"
        return ImportedClaim(
            where=row.where,
            line=row.line,
            claim=claim.claim,
            passages=claim.passages,
            label=next(iter(claim.settled)) if len(claim.settled) == 1 else None,
            claim_id=claim.claim_id,
            question=claim.question,
            annotations=tuple(claim.annotations),
            unlabelled=reason,
            detail=detail,
            **about,
        )

    def _why_without(self, claim: _Claim) -> tuple[Reason, str]:
        if len(claim.settled) > 1:
            return "unsettled", f"its rows settle on {' and on '.join(claim.settled)}"
        if claim.annotations:
            return "unlabelled", ""
        reason = next((reason for reason in _WAITS if reason in claim.lacks), "unlabelled")
        return cast(Reason, reason), claim.lacks.get(cast(Reason, reason), "")

    def given(self, row: SourceRow) -> dict[str, Any]:
        """What the annotator of a row gave."""
        columns = self.table.others
        return {name: _cell(row, columns[name]) for name in OF_PERSON if name in columns}

    def text(self, row: SourceRow, name: str) -> str | None:
        """The text of a field of a row; None where the map or the row has none."""
        column = self.table.others.get(name)
        return None if column is None else text_of(_cell(row, column))


def _joined(source: Source, reader: _Reader) -> Iterator[ImportedClaim | LeftOut]:
    """Claims whose annotations stand in rows of their own."""
    claims: dict[Any, _Claim] = {}
    for row in source.rows():
        claim = reader.texts_of(row)
        claim_id = reader.text(row, "claim_id")
        if isinstance(claim, LeftOut) and ("id", claim_id) not in claims:
            yield claim
            continue
        if isinstance(claim, LeftOut):
            claim = claims["id", claim_id]
        key = ("id", claim_id) if claim_id else (claim.passages, claim.question, claim.claim)
        known = claims.setdefault(key, claim)
        if (known.claim, known.passages) != (claim.claim, claim.passages):
            _fault(source, row, known)
            continue
        yield from reader.of_row(known, row)
    for claim in claims.values():
        yield reader.imported(claim)


def _fault(source: Source, row: SourceRow, known: _Claim) -> None:
    first = known.row.where if known.row.line is None else f"line {known.row.line}"
    law = f"the rows of one claim have two texts, first in {first}"
    mend = "Mend the text or the id, or leave the id out of the column map."
    source.fault(row.where, law, mend, line=row.line, field="claim_id", got=known.claim_id)


def _cell(row: SourceRow, column: str) -> Any:
    fields = row.fields
    return fields[column] if column in fields else value_at(fields, column)


def _missing(
    row: SourceRow, reason: Reason, claim_id: str | None, column: str, cell: Any
) -> LeftOut:
    holds = "is blank" if cell is None or not str(cell).strip() else f"is {short_repr(cell, 40)}"
    what = f"{claim_id}, {column}" if claim_id else column
    return LeftOut(reason, row.where, row.line, what, holds)


def _no_maker(word: str) -> str:
    return f"label_source {short_repr(word, 40)} is none of human, author, model"


def _called(claim: _Claim) -> str:
    return claim.claim_id or short_repr(claim.claim, 40)


def _language(text: str | None) -> str | None:
    if text is None:
        return None
    word = folded_label(text)
    code = _LANGUAGES.get(word) or word.split()[0]
    return code if code.isascii() and 2 <= len(code) <= 3 else None


def _slice(text: str | None) -> Slice | None:
    word = "" if text is None else folded_label(text).replace(" ", "_")
    return word if word in SLICES else None
